/** Compares the states of invoices with the payments on the chain. */
import { type FullAmounts, fullAmountsOf, type PaymentTime } from '../prices/valuation.ts'
import type { CheckedWorld } from './checked-world.ts'
import { isOf, type ShownAddress } from './model.ts'
import type { CheckedChain } from './transfers.ts'
import type { TrueTransfer } from './true-transfer.ts'

export interface InvoiceAnswers {
  /** The states of the invoices that are not deleted. */
  readonly states: ReadonlyMap<string, string>
  /** The time of the comparison. */
  readonly nowMs: number
}

const lifetimeMs = 60 * 60 * 1000
/** Time after the end of an invoice in which the service notices it. */
const noticedMs = 60_000
/** A smaller part of the amount does not pay an invoice. The amount that a payer sees is rounded up. */
const neededPercent = 95n

/**
 * Checks that an invoice is paid if the whole amount was mined before its end, and expires if less than 95 % of it
 * may count. Each payment counts at its own price (`prices/valuation.ts`). Both states are accepted in between, and on
 * UTXO networks for late payments, because the model does not know when a node first had them. Invoices with a payment
 * of a listed sender are not checked, because such a payment counts only after its release.
 */
export function findWrongStates(world: CheckedWorld, { states, nowMs }: InvoiceAnswers): readonly string[] {
  const { model, assets, chains, transfers } = world
  const mined = new Map(chains.map((chain) => [chain.network, minedMsIn(chain)]))
  return model.shown.flatMap((shown) => {
    const state = states.get(shown.invoiceId)
    const asset = assets.find(({ methodId }) => methodId === shown.methodId)
    const chain = chains.find(({ network }) => network === asset?.network)
    const paid = transfers.filter(({ recipient, isFromUs }) => recipient === shown.address && !isFromUs)
    const isListed = paid.some(({ sender }) => model.listed.has(sender))
    if (state === undefined || asset === undefined || chain === undefined || isListed) return []
    const minedMs = ({ txHash }: TrueTransfer) =>
      mined.get(asset.network)?.get(txHash) ?? Number.POSITIVE_INFINITY
    // On a UTXO network, a payment counts from the moment in which a node has it.
    const firstMs = ({ txHash }: TrueTransfer) =>
      chain.feeTerms === undefined ? chain.firstMinedMs(txHash) : 0
    const timeOf = (transfer: TrueTransfer): PaymentTime => ({
      fromMs: firstMs(transfer),
      toMs: minedMs(transfer),
    })
    const wanted = statesOf(shown, {
      own: paid.filter((transfer) => isOf(asset, transfer)),
      minedMs,
      firstMs,
      fullAmounts: (transfer) => fullAmountsOf(model, asset, shown, timeOf(transfer)),
      nowMs,
    })
    if (wanted.includes(state)) return []
    return [
      `an invoice for ${shown.amountMinor} ${asset.name} is ${state}, and should be ${wanted.join(' or ')}`,
    ]
  })
}

interface Payments {
  readonly own: readonly TrueTransfer[]
  /** When the block that holds a transfer was mined. */
  minedMs(transfer: TrueTransfer): number
  /** The first moment from which a transfer may count. */
  firstMs(transfer: TrueTransfer): number
  /** The amounts that could pay the whole invoice at the price of a transfer. */
  fullAmounts(transfer: TrueTransfer): FullAmounts
  readonly nowMs: number
}

/** Returns the states that an invoice may have. Its end lies between two times, because its creation took time. */
function statesOf(
  { requestedMs, answeredMs }: ShownAddress,
  { own, minedMs, firstMs, fullAmounts, nowMs }: Payments,
): readonly string[] {
  const endsMs = requestedMs + lifetimeMs
  const endedMs = answeredMs + lifetimeMs
  const inTime = own.filter((one) => minedMs(one) < endsMs)
  // Each share is rounded down.
  const paid = shareOf(inTime, (one) => fullAmounts(one).mostMinor) + BigInt(inTime.length)
  if (paid >= whole) return ['paid']
  const mayCount =
    shareOf(
      own.filter((one) => firstMs(one) < endedMs),
      (one) => fullAmounts(one).leastMinor,
    ) *
      100n >=
    whole * neededPercent
  const unpaid =
    nowMs < endsMs ? ['pending'] : nowMs < endedMs + noticedMs ? ['pending', 'expired'] : ['expired']
  return mayCount ? ['paid', ...unpaid] : unpaid
}

function minedMsIn({ chain }: CheckedChain): ReadonlyMap<string, number> {
  const mined = new Map<string, number>()
  for (let height = 0; height <= chain.head.height; height += 1) {
    const block = chain.blockAt(height)
    for (const { hash } of block?.transactions ?? []) mined.set(hash, block?.ref.minedAt.getTime() ?? 0)
  }
  return mined
}

/** The share of an invoice that is the whole. */
const whole = 10n ** 18n

/** Returns the share of an invoice that some transfers pay, each at its own price. */
function shareOf(transfers: readonly TrueTransfer[], fullOf: (transfer: TrueTransfer) => bigint): bigint {
  return transfers.reduce((total, one) => total + (one.amountMinor * whole) / fullOf(one), 0n)
}
