import type { BlockRef, SpentOutpoint, Transfer } from '../../../chains/port.ts'
import { required } from '../../../core/assert.ts'
import { groupBy } from '../../../core/group-by.ts'
import { newId } from '../../../core/ids.ts'
import { formatDecimal } from '../../../core/money.ts'
import { noteTamperings, type Tampering } from '../../../platform/audit/tampering-store.ts'
import { macsOf } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type FeeDefaults, type FeeTerms, feeTypeOf, termsFor } from '../../../pricing/fees/fee.ts'
import { findSchedules } from '../../../pricing/fees/find-schedules.ts'
import type { PaymentMethod } from '../../../pricing/payment-methods/payment-method.ts'
import { fullAmountMinor } from '../../../pricing/rates/rate.ts'
import { ratesAt } from '../../../pricing/rates/store.ts'
import { quoteInForce } from '../../invoices/addresses/quote.ts'
import type { MacedQuote } from '../../invoices/addresses/quote-mac.ts'
import { readQuotes } from '../../invoices/addresses/quote-store.ts'
import type { InvoiceType } from '../../invoices/invoice.ts'
import { type InvoiceInContext, lockInvoices } from '../../invoices/store.ts'
import type { DepositVerdict } from '../deposit.ts'
import { disowned, isOwnerProven, isQuoteProven, tamperingOf } from '../prove-owner.ts'
import type { NewDeposit } from '../store.ts'
import type { WatchedAddress } from './watched-store.ts'

/** A transfer of a listed asset to an address of ours. */
export interface DepositTransfer {
  readonly transfer: Transfer
  readonly method: PaymentMethod
  readonly watched: WatchedAddress
  /** The result of screening; absent if screening is off. */
  readonly verdict?: DepositVerdict | undefined
  /** The payer's address that is on a sanctions list; absent if no payer is listed. */
  readonly listedAddress?: string | undefined
}

/**
 * Deposits that were seen at the same time: the deposits of one block in its order, or unconfirmed deposits.
 */
export interface SeenDeposits {
  readonly block: BlockRef | undefined
  /** The time that decides which price applies to the deposits, and whether the deposits are in time. */
  readonly at: Date
  readonly deposits: readonly DepositTransfer[]
}

/** The deposits of a canonical block, in the order of the block. */
export interface BlockDeposits {
  readonly block: BlockRef
  readonly deposits: readonly DepositTransfer[]
  /**
   * The time that decides which price applies and whether the deposits are in time, if it is not that of the
   * block.
   */
  readonly inTimeAt?: Date | undefined
  /** All outpoints that the block's transactions spend. Set only on a UTXO chain. */
  readonly spent?: readonly SpentOutpoint[]
}

type SeenDeposit = DepositTransfer & Pick<SeenDeposits, 'block' | 'at'> & { readonly position: number }

/**
 * The price at which a deposit is valued, and the amount that would pay the whole invoice at that price. The
 * amount is undefined if the deposit pays no part of an invoice.
 */
interface Valuation {
  readonly priceUsd: bigint | undefined
  readonly fullMinor: bigint | undefined
  readonly invoiceType: InvoiceType | undefined
}

/**
 * Determines the price, the fee terms and the full amount of each deposit, as for a new deposit. The full
 * amount would pay the whole invoice. The price comes from the quote that was in force when the deposit was
 * mined, or seen if it is unconfirmed. Without such a quote, the stored median price of that minute is used.
 * Without a stored price, the invoice's last quote is used. A deposit in an asset that the invoice does not
 * offer is credited, but pays no part of the invoice. The invoices are locked.
 */
export async function valueDeposits(
  tx: Tx,
  feeDefaults: FeeDefaults,
  network: string,
  groups: readonly SeenDeposits[],
): Promise<readonly NewDeposit[]> {
  const unvalued = groups.flatMap(({ block, at, deposits }) =>
    deposits.map((deposit, position): SeenDeposit => ({ ...deposit, block, at, position })),
  )
  const { seen, valuations } = await valuate(tx, network, unvalued)
  const terms = await feeTermsOf(tx, feeDefaults, seen, valuations)
  return seen.map(
    ({ transfer, method, watched, block, at, position: blockPosition, ...screened }, index) => ({
      id: newId(),
      network,
      transferKey: transfer.key,
      txHash: transfer.txHash,
      asset: method.asset,
      paymentMethodId: method.id,
      addressId: watched.addressId,
      merchantId: watched.merchantId,
      invoiceId: watched.invoiceId,
      sender: transfer.sender,
      recipient: transfer.recipient,
      amountMinor: transfer.amountMinor.toString(),
      amount: formatDecimal(transfer.amountMinor, method.decimals),
      blockHeight: block?.height,
      blockHash: block?.hash,
      blockPosition: block && blockPosition,
      includedAt: block?.minedAt,
      inTimeAt: at,
      maturesAfter: transfer.maturesAfter ?? 1,
      fullMinor: valuations[index]?.fullMinor?.toString(),
      price: valuations[index]?.priceUsd?.toString(),
      feePercentBasisPoints: terms[index]?.percentBasisPoints ?? 0,
      feeFlatMinor: (terms[index]?.flatMinor ?? 0n).toString(),
      verdict: screened.verdict,
      origin: transfer.origin,
      listedAddress: screened.listedAddress,
    }),
  )
}

interface Valued {
  /** The deposits. A deposit whose owner or quote has no valid MAC is without an owner. */
  readonly seen: readonly SeenDeposit[]
  /** The valuations, in the order of `seen`. */
  readonly valuations: readonly Valuation[]
}

async function valuate(tx: Tx, network: string, unvalued: readonly SeenDeposit[]): Promise<Valued> {
  const macs = macsOf(tx)
  const invoiceIds = [...new Set(unvalued.flatMap(({ watched }) => watched.invoiceId ?? []))].sort()
  const invoices = new Map(
    (await lockInvoices(tx, invoiceIds)).map((context) => [context.invoice.id, context]),
  )
  const contextOf = ({ watched }: SeenDeposit) => invoices.get(watched.invoiceId ?? '')
  const tamperings: Tampering[] = []
  const disown = (deposit: SeenDeposit, what: string) => {
    tamperings.push(tamperingOf(network, deposit, what))
    return disowned(deposit)
  }
  const owned = unvalued.map((deposit) =>
    isOwnerProven(macs, deposit.watched, contextOf(deposit)?.invoice)
      ? deposit
      : disown(deposit, 'the owner of the address'),
  )
  const priced = await priceAll(tx, owned)
  const seen = owned.map((deposit, index) => {
    const quote = priced[index]?.quote
    return quote === undefined || isQuoteProven(macs, quote, contextOf(deposit)?.invoice)
      ? deposit
      : disown(deposit, `the quote ${quote.id}`)
  })
  await noteTamperings(tx, tamperings)
  const valuations = seen.map((deposit, index): Valuation => {
    const { quote, priceUsd } = priced[index] ?? {}
    const context = contextOf(deposit)
    const invoiceType = context?.invoice.type
    if (quote !== undefined && context !== undefined) {
      return { priceUsd: quote.priceUsd, fullMinor: quote.fullMinor, invoiceType }
    }
    return { priceUsd, fullMinor: fullAt(context, deposit.method, priceUsd), invoiceType }
  })
  return { seen, valuations }
}

interface Priced {
  /** The quote that decides the price. Undefined if no quote does. */
  readonly quote: MacedQuote | undefined
  readonly priceUsd: bigint | undefined
}

async function priceAll(tx: Tx, seen: readonly SeenDeposit[]): Promise<readonly Priced[]> {
  const requests = seen.flatMap(({ method, watched: { invoiceId }, at }) =>
    invoiceId === undefined ? [] : [{ invoiceId, paymentMethodId: method.id, at }],
  )
  const asked = new Map(requests.map((request) => [`${quoteKey(request)}/${request.at.getTime()}`, request]))
  const quotes = groupBy(await readQuotes(tx, [...asked.values()]), quoteKey)
  const quoted = seen.map(({ method, watched, at }) => {
    const own = quotes.get(quoteKey({ invoiceId: watched.invoiceId ?? '', paymentMethodId: method.id })) ?? []
    return { inForce: quoteInForce(own, at), last: own.at(-1) }
  })
  const priceOf = await pricesAt(
    tx,
    seen.filter((_, index) => quoted[index]?.inForce === undefined),
  )
  return seen.map((deposit, index) => {
    const priceUsd = priceOf.get(priceKey(deposit))
    // If no price of the minute was stored, for example during an outage, the last quote is used.
    const quote = quoted[index]?.inForce ?? (priceUsd === undefined ? quoted[index]?.last : undefined)
    return { quote, priceUsd }
  })
}

/**
 * Returns the stored prices of the deposits' assets at the deposits' times, by `priceKey`. A price that was
 * not stored has no entry.
 */
async function pricesAt(tx: Tx, seen: readonly SeenDeposit[]): Promise<ReadonlyMap<string, bigint>> {
  const wanted = [...groupBy(seen, priceKey)]
  if (wanted.length === 0) return new Map()
  const rates = await ratesAt(
    tx,
    wanted.flatMap(([, [first]]) =>
      first === undefined ? [] : [{ symbol: first.method.symbol, at: first.at }],
    ),
  )
  return new Map(
    wanted.flatMap(([key], index) => {
      const rate = rates[index]
      return rate === undefined ? [] : [[key, rate.priceUsd] as const]
    }),
  )
}

function priceKey({ method, at }: SeenDeposit): string {
  return `${method.symbol}/${at.getTime()}`
}

function quoteKey({ invoiceId, paymentMethodId }: { invoiceId: string; paymentMethodId: number }): string {
  return `${invoiceId}/${paymentMethodId}`
}

function fullAt(
  context: InvoiceInContext | undefined,
  method: PaymentMethod,
  priceUsd: bigint | undefined,
): bigint | undefined {
  if (context === undefined || priceUsd === undefined) return undefined
  if (!context.invoice.paymentMethodIds.includes(method.id)) return undefined
  return fullAmountMinor(context.invoice.amountUsd, priceUsd, method.decimals)
}

/**
 * Returns the fee terms that are agreed when a deposit is first seen, in the order of the deposits. Without a
 * price, a flat fee in USD cannot be converted and is not charged.
 */
async function feeTermsOf(
  tx: Tx,
  feeDefaults: FeeDefaults,
  deposits: readonly DepositTransfer[],
  valuations: readonly Valuation[],
): Promise<readonly (FeeTerms | undefined)[]> {
  const owned = deposits.flatMap(({ watched: { merchantId }, method }, depositIndex) =>
    merchantId === undefined
      ? []
      : [{ merchantId, method, type: feeTypeOf(valuations[depositIndex]?.invoiceType), depositIndex }],
  )
  const schedules = await findSchedules(tx, feeDefaults, owned)
  const terms: (FeeTerms | undefined)[] = deposits.map(() => undefined)
  for (const [index, schedule] of schedules.entries()) {
    const { method, depositIndex } = required(owned[index], 'the deposit of a schedule')
    const priceUsd = valuations[depositIndex]?.priceUsd
    terms[depositIndex] = termsFor(schedule, { assetDecimals: method.decimals, priceUsd })
  }
  return terms
}
