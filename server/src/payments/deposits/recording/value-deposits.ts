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
import type { DepositRow } from '../store.ts'
import type { WatchedAddress } from './watched-store.ts'

/** A transfer of a listed asset to an address of ours. */
export interface Deposit {
  readonly transfer: Transfer
  readonly method: PaymentMethod
  readonly watched: WatchedAddress
  /** Absent where nobody is screened. */
  readonly verdict?: DepositVerdict | undefined
  /** Which of those who paid is listed; absent where none is. */
  readonly listedAddress?: string | undefined
}

/** Deposits that were seen together: those of a block in its order, or some that wait for one. */
export interface SeenDeposits {
  readonly block: BlockRef | undefined
  /** The moment that decides whether they are in time, and their price. */
  readonly at: Date
  readonly deposits: readonly Deposit[]
}

/** What a canonical block means to us, in its order. */
export interface BlockDeposits {
  readonly block: BlockRef
  readonly deposits: readonly Deposit[]
  /** All that its transactions spend, where the chain has outpoints. */
  readonly spent?: readonly SpentOutpoint[]
}

type SeenDeposit = Deposit & Pick<SeenDeposits, 'block' | 'at'> & { readonly place: number }

/** What a deposit is measured by: the price it is taken at, and the whole invoice at that price if it counts. */
interface Valuation {
  readonly priceUsd: bigint | undefined
  readonly fullMinor: bigint | undefined
  readonly invoiceType: InvoiceType | undefined
}

/**
 * Settles what each deposit counts for and costs, as it would be if it were new. The price is that of
 * the quote in force when it was seen or its block was mined, else the stored median of that minute, else the last quote; an asset
 * the invoice does not offer is credited and pays nothing. Locks the invoices.
 */
export async function valueDeposits(
  tx: Tx,
  feeDefaults: FeeDefaults,
  network: string,
  groups: readonly SeenDeposits[],
): Promise<readonly DepositRow[]> {
  const told = groups.flatMap(({ block, at, deposits }) =>
    deposits.map((deposit, place): SeenDeposit => ({ ...deposit, block, at, place })),
  )
  const { seen, valuations } = await valuate(tx, network, told)
  const terms = await feeTermsOf(tx, feeDefaults, seen, valuations)
  return seen.map(({ transfer, method, watched, block, at, place: blockPlace, ...screened }, place) => ({
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
    blockPlace: block && blockPlace,
    includedAt: block?.minedAt,
    inTimeAt: at,
    maturesAfter: transfer.maturesAfter ?? 1,
    fullMinor: valuations[place]?.fullMinor?.toString(),
    price: valuations[place]?.priceUsd?.toString(),
    feePercentBasisPoints: terms[place]?.percentBasisPoints ?? 0,
    feeFlatMinor: (terms[place]?.flatMinor ?? 0n).toString(),
    verdict: screened.verdict,
    origin: transfer.origin,
    listedAddress: screened.listedAddress,
  }))
}

interface Valued {
  /** Those whose owner or price nobody of ours vouches for are nobody's here. */
  readonly seen: readonly SeenDeposit[]
  /** In the same order. */
  readonly valuations: readonly Valuation[]
}

async function valuate(tx: Tx, network: string, told: readonly SeenDeposit[]): Promise<Valued> {
  const macs = macsOf(tx)
  const invoiceIds = [...new Set(told.flatMap(({ watched }) => watched.invoiceId ?? []))].sort()
  const invoices = new Map(
    (await lockInvoices(tx, invoiceIds)).map((context) => [context.invoice.id, context]),
  )
  const contextOf = ({ watched }: SeenDeposit) => invoices.get(watched.invoiceId ?? '')
  const tamperings: Tampering[] = []
  const disown = (deposit: SeenDeposit, what: string) => {
    tamperings.push(tamperingOf(network, deposit, what))
    return disowned(deposit)
  }
  const owned = told.map((deposit) =>
    isOwnerProven(macs, deposit.watched, contextOf(deposit)?.invoice)
      ? deposit
      : disown(deposit, 'the owner of the address'),
  )
  const priced = await priceAll(tx, owned)
  const seen = owned.map((deposit, place) => {
    const quote = priced[place]?.quote
    return quote === undefined || isQuoteProven(macs, quote, contextOf(deposit)?.invoice)
      ? deposit
      : disown(deposit, `the quote ${quote.id}`)
  })
  await noteTamperings(tx, tamperings)
  const valuations = seen.map((deposit, place): Valuation => {
    const { quote, priceUsd } = priced[place] ?? {}
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
  /** The one that decides, where there is one. */
  readonly quote: MacedQuote | undefined
  readonly priceUsd: bigint | undefined
}

async function priceAll(tx: Tx, seen: readonly SeenDeposit[]): Promise<readonly Priced[]> {
  const wishes = seen.flatMap(({ method, watched: { invoiceId }, at }) =>
    invoiceId === undefined ? [] : [{ invoiceId, paymentMethodId: method.id, at }],
  )
  const asked = new Map(wishes.map((wish) => [`${quoteKey(wish)}/${wish.at.getTime()}`, wish]))
  const quotes = groupBy(await readQuotes(tx, [...asked.values()]), quoteKey)
  const quoted = seen.map(({ method, watched, at }) => {
    const own = quotes.get(quoteKey({ invoiceId: watched.invoiceId ?? '', paymentMethodId: method.id })) ?? []
    return { inForce: quoteInForce(own, at), last: own.at(-1) }
  })
  const priceOf = await pricesAt(
    tx,
    seen.filter((_, place) => quoted[place]?.inForce === undefined),
  )
  return seen.map((deposit, place) => {
    const priceUsd = priceOf.get(priceKey(deposit))
    // Where no price of that minute was stored, as after an outage, the last one promised is better than none.
    const quote = quoted[place]?.inForce ?? (priceUsd === undefined ? quoted[place]?.last : undefined)
    return { quote, priceUsd }
  })
}

/** The stored price of each deposit's asset at its moment, where there is one. */
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
    wanted.flatMap(([key], place) => {
      const rate = rates[place]
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

/** The terms agreed at first sight; a flat fee in USD without a price to convert it at is not charged. */
async function feeTermsOf(
  tx: Tx,
  feeDefaults: FeeDefaults,
  deposits: readonly Deposit[],
  valuations: readonly Valuation[],
): Promise<readonly (FeeTerms | undefined)[]> {
  const owned = deposits.flatMap(({ watched: { merchantId }, method }, place) =>
    merchantId === undefined
      ? []
      : [{ merchantId, method, type: feeTypeOf(valuations[place]?.invoiceType), place }],
  )
  const schedules = await findSchedules(tx, feeDefaults, owned)
  const terms: (FeeTerms | undefined)[] = deposits.map(() => undefined)
  for (const [index, schedule] of schedules.entries()) {
    const { method, place } = required(owned[index], 'the deposit of a schedule')
    const priceUsd = valuations[place]?.priceUsd
    terms[place] = termsFor(schedule, { assetDecimals: method.decimals, priceUsd })
  }
  return terms
}
