/**
 * The chain holds what the books say is in custody, seen by a second path: balances at the cursor's block instead of
 * transfers.
 */
import sql from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../chains/networks.ts'
import type { ChainReader, TransferAsset } from '../chains/port.ts'
import { sum } from '../core/money.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'
import {
  type ChainInvariant,
  type ComparedChain,
  findingsMax,
  type Outcome,
  type Snapshot,
} from './invariant.ts'
import { type OpenAttempt, readMinedOutflows, readOpenAttempts, type SentOut } from './outflows.ts'

const addressesAtOnce = 500

/**
 * Per asset: on chain = custody + deposits that are in a block and not booked - what transactions of ours took away that
 * are in a block and not booked. More may be there: value also comes without a transaction (a block reward, a genesis
 * allocation), by nobody's leave but the sender's. That is told and breaks nothing; less breaks it, by one unit.
 */
export function chainIsSolvent(network: NetworkName): ChainInvariant {
  return {
    id: 'M8',
    title: `our addresses of ${network} hold what the books say is in custody`,
    unit: 'balances',
    network,
    prepare: async (snapshot) => {
      const books = await readBooks(snapshot, network)
      return (chain, signal) => compare(chain, books, signal)
    },
  }
}

interface Books {
  readonly cursor: CursorBlock | undefined
  readonly addresses: readonly string[]
  readonly attempts: readonly OpenAttempt[]
  readonly coin: string | undefined
  readonly assets: readonly { readonly method: PaymentMethod; readonly bookedMinor: bigint }[]
}

async function readBooks({ on, methods }: Snapshot, network: NetworkName): Promise<Books> {
  const cursor = await readCursorBlock(on, network)
  const addresses = await on.query<{ address: string }>(sql`
    select address from address
    where family = ${addressFamilyOf(network)}
      and (network = ${network} or exists (select from transaction where transaction.address_id = address.id))
    union select address from hot_wallet where network = ${network}
    union select address from hot_place where network = ${network} and is_given
    union select wallet from payout where network = ${network} and wallet_place ->> 'type' in ('lane', 'deposit')
    order by address`)
  const booked = await on.query<{ asset: string; amount: string }>(sql`
    select asset, sum(amount) as amount from (
      select asset, debits - credits as amount from ledger_account where name = 'custody'
      union all
      select asset, amount_minor from transaction where state = 'pending' and block_height is not null
    ) held
    group by asset`)
  const amountOf = (asset: string) => BigInt(booked.find((row) => row.asset === asset)?.amount ?? 0)
  const own = methods.all.filter((method) => method.network === network)
  return {
    cursor,
    addresses: addresses.map(({ address }) => address),
    attempts: await readOpenAttempts(on, network),
    coin: own.find(({ contract }) => contract === undefined)?.asset,
    assets: own.map((method) => ({ method, bookedMinor: amountOf(method.asset) })),
  }
}

async function compare(chain: ComparedChain, books: Books, signal: AbortSignal): Promise<Outcome> {
  const { cursor } = books
  return cursor === undefined
    ? unseen('no block was read yet')
    : whileAt(chain, cursor, signal, () => weigh(chain, { ...books, cursor }, signal))
}

async function weigh(
  chain: ComparedChain,
  { cursor, addresses, attempts, assets, coin }: Books & { readonly cursor: CursorBlock },
  signal: AbortSignal,
): Promise<Outcome> {
  const ours = new Set(addresses)
  const sent = await readMinedOutflows(chain, attempts, { height: cursor.height, ours }, signal)
  const findings: string[] = []
  const remarks: string[] = []
  for (const { method, bookedMinor } of assets) {
    const { asset } = method
    const heldMinor = await sumBalances(chain.reader, method, addresses, cursor.height, signal)
    const expectedMinor = bookedMinor - sentOf(sent, method, coin)
    const where = `${addresses.length} addresses at block ${cursor.height}`
    if (heldMinor < expectedMinor) {
      const missing = expectedMinor - heldMinor
      findings.push(
        `${missing} ${asset} are missing: the books say ${expectedMinor}, ${where} hold ${heldMinor}`,
      )
    }
    if (heldMinor > expectedMinor)
      remarks.push(
        `unattributed: ${where} hold ${heldMinor - expectedMinor} ${asset} more than the books say`,
      )
  }
  return { examined: addresses.length * assets.length, findings: findings.slice(0, findingsMax), remarks }
}

function sentOf(sent: SentOut, { asset, contract }: PaymentMethod, coin: string | undefined): bigint {
  const moved = sent.moved.filter((one) => one.contract === contract).map(({ amountMinor }) => amountMinor)
  return sum(asset === coin ? [...moved, sent.feesMinor] : moved)
}

async function sumBalances(
  reader: ChainReader,
  { contract }: PaymentMethod,
  addresses: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<bigint> {
  const asset: TransferAsset = contract === undefined ? { type: 'coin' } : { type: 'token', contract }
  let totalMinor = 0n
  for (let from = 0; from < addresses.length; from += addressesAtOnce) {
    const some = addresses.slice(from, from + addressesAtOnce)
    totalMinor += sum(await reader.readBalances(asset, some, height, signal))
  }
  return totalMinor
}
