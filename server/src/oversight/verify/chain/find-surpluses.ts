/** Finds money at invoice addresses that is not in the books, and the block that brought the money. */
import sql from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../../chains/networks.ts'
import { type Transfer, type TransferAsset, undefinedIfBadAnswer } from '../../../chains/port.ts'
import { groupBy } from '../../../core/group-by.ts'
import { sum } from '../../../core/money.ts'
import { externalTransfers } from '../../../payments/deposits/recording/external-transfers.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethod, PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { type ComparedChain, findingsMax } from '../invariant.ts'
import type { CursorBlock } from './cursor-block.ts'

/**
 * Maximum number of addresses that are checked, newest first. A missed payment matters most while the payer
 * is still waiting.
 */
const addressesMax = 2_000
const addressesAtOnce = 500

export interface OwnAddress {
  readonly address: string
  readonly deposits: readonly RecordedDeposit[]
}

interface RecordedDeposit {
  readonly asset: string
  readonly key: string
  readonly height: number
  readonly amountMinor: bigint
}

/**
 * Returns the newest invoice addresses that no sweep has touched. These addresses still hold everything that
 * they received.
 */
export async function readUnsweptAddresses(
  on: Queryable,
  network: NetworkName,
): Promise<readonly OwnAddress[]> {
  const rows = await on.query<{
    address: string
    asset: string | null
    key: string | null
    height: number | null
    amount: string | null
  }>(sql`
    with newest as (
      select id, address from address
      where family = ${addressFamilyOf(network)} and invoice_id is not null
        and (network = ${network} or network is null)
        and not exists (
          select from swept_address join sweep on sweep.id = sweep_id
          where address_id = address.id and sweep.network = ${network})
        and not exists (select from outgoing_evm where outgoing_evm.network = ${network} and wallet = address.address)
      order by id desc limit ${addressesMax}
    )
    select newest.address, asset, transfer_key as key, amount_minor as amount,
      -- What was found by balance arrived in unknown blocks below that of the deposit.
      case when transfer_key like 'balance:%' then 0 else block_height end as height
    from newest
    left join deposit on address_id = newest.id and deposit.network = ${network} and block_height is not null
    order by newest.id`)
  return [...groupBy(rows, ({ address }) => address)].map(([address, own]) => ({
    address,
    deposits: own.flatMap(({ asset, key, height, amount }) =>
      asset === null || key === null || height === null || amount === null
        ? []
        : [{ asset, key, height, amountMinor: BigInt(amount) }],
    ),
  }))
}

export interface SurplusScope {
  readonly cursor: CursorBlock
  readonly methods: PaymentMethods
  readonly unswept: readonly OwnAddress[]
  /**
   * All of our addresses, including hot wallets. Transfers from these addresses are not payments of invoices.
   */
  readonly ownAddresses: ReadonlySet<string>
  /** The height of the first followed block. Money that an address had before that block is no payment. */
  readonly firstHeight: number
}

interface Surplus {
  readonly method: PaymentMethod
  readonly own: OwnAddress
  readonly surplusMinor: bigint
}

/**
 * Returns a finding for each transfer that was not recorded, and a remark for each surplus that no transfer
 * explains.
 */
export async function findSurpluses(
  chain: ComparedChain,
  scope: SurplusScope,
  signal: AbortSignal,
): Promise<{ readonly findings: readonly string[]; readonly remarks: readonly string[] }> {
  const findings: string[] = []
  const remarks: string[] = []
  const methods = scope.methods.all.filter(({ network }) => network === chain.reader.network)
  for (const method of methods) {
    for (const surplus of (await readSurpluses(chain, scope, method, signal)).slice(0, findingsMax)) {
      const reported = await trace(chain, scope, surplus, signal).catch(undefinedIfBadAnswer)
      findings.push(...(reported ?? []))
      if (reported !== undefined) continue
      const { own, surplusMinor } = surplus
      remarks.push(`${own.address} holds ${surplusMinor} ${method.asset} that no visible transfer explains`)
    }
  }
  return { findings, remarks }
}

function assetOf({ contract }: PaymentMethod): TransferAsset {
  return contract === undefined ? { type: 'coin' } : { type: 'token', contract }
}

function recordedMinor({ deposits }: OwnAddress, asset: string, height: number): bigint {
  return sum(
    deposits.flatMap((deposit) =>
      deposit.asset === asset && deposit.height <= height ? [deposit.amountMinor] : [],
    ),
  )
}

async function readSurpluses(
  { reader }: ComparedChain,
  { cursor, unswept }: SurplusScope,
  method: PaymentMethod,
  signal: AbortSignal,
): Promise<readonly Surplus[]> {
  const surpluses: Surplus[] = []
  for (let from = 0; from < unswept.length; from += addressesAtOnce) {
    const some = unswept.slice(from, from + addressesAtOnce)
    const addresses = some.map(({ address }) => address)
    const held = await reader.readBalances(assetOf(method), addresses, cursor.height, signal)
    for (const [index, own] of some.entries()) {
      const surplusMinor = (held[index] ?? 0n) - recordedMinor(own, method.asset, cursor.height)
      if (surplusMinor > 0n) surpluses.push({ method, own, surplusMinor })
    }
  }
  return surpluses
}

/**
 * Returns a finding for each unrecorded transfer that brought a surplus and came from others. Returns an
 * empty list if only our own transfers brought it, and undefined if no visible transfer explains it.
 */
async function trace(
  chain: ComparedChain,
  scope: SurplusScope,
  { method, own }: Surplus,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  let known = own
  for (;;) {
    const first = await findFirstSurplus(chain, scope, { method, own: known }, signal)
    if (first === undefined) return known === own ? undefined : []
    const facts = await chain.reader.readBlock(first, signal)
    const recorded = new Set(known.deposits.map(({ key }) => key))
    const moved = (facts?.transfers ?? []).filter(({ key, recipient, asset }) => {
      const contract = asset.type === 'token' ? asset.contract : undefined
      return recipient === own.address && contract === method.contract && !recorded.has(key)
    })
    const strange = await externalTransfers(chain.reader, moved, scope.ownAddresses, signal)
    if (strange.length > 0) return strange.map((transfer) => missed(first, method, transfer))
    if (moved.length === 0) return undefined
    const { asset } = method
    const ownDeposits = moved.map(({ key, amountMinor }) => ({ asset, key, height: first, amountMinor }))
    known = { ...own, deposits: [...known.deposits, ...ownDeposits] }
  }
}

/**
 * Finds, by binary search, the first block at which an address has a surplus. Nothing has left the address,
 * because no sweep has touched it, so a surplus only grows. Returns undefined if there is no surplus, or if
 * it is older than the first followed block.
 */
async function findFirstSurplus(
  { reader }: ComparedChain,
  { cursor, firstHeight }: SurplusScope,
  { method, own }: Pick<Surplus, 'method' | 'own'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const hasSurplus = async (height: number) => {
    const [held = 0n] = await reader.readBalances(assetOf(method), [own.address], height, signal)
    return held > recordedMinor(own, method.asset, height)
  }
  if (firstHeight >= cursor.height || (await hasSurplus(firstHeight))) return undefined
  if (!(await hasSurplus(cursor.height))) return undefined
  let without = firstHeight
  let withIt = cursor.height
  while (withIt - without > 1) {
    const middle = Math.floor((without + withIt) / 2)
    if (await hasSurplus(middle)) withIt = middle
    else without = middle
  }
  return withIt
}

export function missed(
  height: number,
  { asset }: PaymentMethod,
  { amountMinor, recipient, txHash }: Transfer,
): string {
  return `block ${height} holds ${amountMinor} ${asset} to ${recipient} by ${txHash}, which was never recorded`
}
