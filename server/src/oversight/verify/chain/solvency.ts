/**
 * Checks that our addresses hold the amounts that are in custody according to the books. The books count
 * single transfers. This check uses a second source: the balances at the cursor's block (the last booked
 * one).
 */
import sql from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../../chains/networks.ts'
import type { ChainReader, TransferAsset } from '../../../chains/port.ts'
import { sum } from '../../../core/money.ts'
import type { PaymentMethod } from '../../../pricing/payment-methods/payment-method.ts'
import {
  type ChainInvariant,
  type ComparedChain,
  findingsMax,
  type Outcome,
  type Snapshot,
} from '../invariant.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'
import {
  type OpenAttempt,
  readMinedOutflows,
  readOpenAttempts,
  type SentOut,
  type SettledChain,
} from './outflows.ts'

const addressesAtOnce = 500

/**
 * Compares each asset. Our addresses must hold at least the balance of the ledger account `custody`, plus the
 * deposits in blocks that are not booked yet, minus the amounts that our mined transactions sent and that are
 * not booked yet. A shortage of a single unit is a violation. A surplus is only a remark, because anyone can send value. Value
 * can also come without a transaction (a block reward, a genesis allocation).
 */
export function chainIsSolvent(network: NetworkName): ChainInvariant {
  return {
    id: 'M8',
    title: `our addresses of ${network} hold what the books say is in custody`,
    unit: 'balances',
    network,
    prepare: async (snapshot) => {
      const books = await readBooks(snapshot, network, 'all')
      return (chain, signal) => compare(chain, books, signal)
    },
  }
}

/**
 * Selects the addresses to compare. `all`: all addresses that ever were ours. `holding`: the hot wallets, and
 * the addresses that hold something according to the books.
 */
export type Reach = 'all' | 'holding'

export interface Books {
  readonly cursor: CursorBlock | undefined
  readonly addresses: readonly string[]
  readonly attempts: readonly OpenAttempt[]
  readonly coin: string | undefined
  readonly assets: readonly { readonly method: PaymentMethod; readonly bookedMinor: bigint }[]
}

export async function readBooks(
  { on, methods }: Snapshot,
  network: NetworkName,
  reach: Reach,
): Promise<Books> {
  const cursor = await readCursorBlock(on, network)
  const addresses = await on.query<{ address: string }>(
    reach === 'all' ? ourAddresses(network) : holdingAddresses(network),
  )
  const booked = await on.query<{ asset: string; amount: string }>(sql`
    select asset, sum(amount) as amount from (
      select asset, debits - credits as amount from ledger_account where name = 'custody'
      union all
      select asset, amount_minor from deposit
      where state = 'pending' and block_height is not null and aml_verdict is distinct from 'implausible'
      union all
      -- An implausible deposit is kept apart, since nobody can have paid it. It is not expected to be there.
      select asset, -amount_minor from deposit
      where state = 'confirmed' and aml_verdict = 'implausible' and quarantine is distinct from 'released'
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

function ourAddresses(network: NetworkName) {
  return sql`
    select address from address
    where family = ${addressFamilyOf(network)}
      and (network = ${network} or exists (select from deposit where deposit.address_id = address.id))
    union select address from hot_wallet where network = ${network}
    union select address from hot_wallet_address where network = ${network} and is_given
    union select wallet from outgoing_evm where network = ${network}
    order by address`
}

function holdingAddresses(network: NetworkName) {
  return sql`
    select recipient as address from deposit
    where network = ${network} and sweep_id is null and address_id is not null and block_height is not null
    union select address.address from sweep
    join swept_address on swept_address.sweep_id = sweep.id
    join address on address.id = swept_address.address_id
    where sweep.network = ${network} and sweep.state not in ('done', 'dropped')
    union select address from hot_wallet where network = ${network}
    order by address`
}

async function compare(chain: ComparedChain, books: Books, signal: AbortSignal): Promise<Outcome> {
  const { cursor } = books
  return cursor === undefined
    ? unseen('no block was read yet')
    : whileAt(chain, cursor, signal, () => weigh(chain, { ...books, cursor }, signal))
}

async function weigh(
  chain: ComparedChain,
  books: Books & { readonly cursor: CursorBlock },
  signal: AbortSignal,
): Promise<Outcome> {
  const { cursor, addresses, assets } = books
  const findings: string[] = []
  const remarks: string[] = []
  const where = `${addresses.length} addresses at block ${cursor.height}`
  for (const { asset, heldMinor, expectedMinor } of await readCoverages(chain, books, signal)) {
    if (heldMinor < expectedMinor) findings.push(shortageOf({ asset, heldMinor, expectedMinor }, where))
    if (heldMinor > expectedMinor)
      remarks.push(
        `unattributed: ${where} hold ${heldMinor - expectedMinor} ${asset} more than the books say`,
      )
  }
  return { examined: addresses.length * assets.length, findings: findings.slice(0, findingsMax), remarks }
}

/** The amount of an asset that our addresses hold, and the amount that they must hold by the books. */
export interface Coverage {
  readonly asset: string
  readonly heldMinor: bigint
  readonly expectedMinor: bigint
}

export function shortageOf({ asset, heldMinor, expectedMinor }: Coverage, where: string): string {
  const missing = expectedMinor - heldMinor
  return `${missing} ${asset} are missing: the books say ${expectedMinor}, ${where} hold ${heldMinor}`
}

/** Returns, for each asset, what our addresses hold at the cursor's block and what they must hold. */
export async function readCoverages(
  chain: SettledChain,
  { cursor, addresses, attempts, assets, coin }: Books & { readonly cursor: CursorBlock },
  signal: AbortSignal,
): Promise<readonly Coverage[]> {
  const ownAddresses = new Set(addresses)
  const sent = await readMinedOutflows(chain, attempts, { height: cursor.height, ownAddresses }, signal)
  const coverages: Coverage[] = []
  for (const { method, bookedMinor } of assets) {
    const heldMinor = await sumBalances(chain.reader, method, addresses, cursor.height, signal)
    const expectedMinor = bookedMinor - sentOf(sent, method, coin)
    coverages.push({ asset: method.asset, heldMinor, expectedMinor })
  }
  return coverages
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
