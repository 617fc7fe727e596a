import { fail, Problem, type ProblemCode } from '../core/errors.ts'
import { findByClaim } from '../outgoing/withdrawals/store.ts'
import type { Withdrawal } from '../outgoing/withdrawals/withdrawal.ts'
import { confirmationsAt } from '../payments/deposits/deposit.ts'
import { readAtStake } from '../payments/deposits/read-at-stake.ts'
import { findGiven } from '../payments/invoices/addresses/checkout-store.ts'
import {
  givePaymentAddress,
  type PaymentAddressParts,
} from '../payments/invoices/addresses/give-payment-address.ts'
import type { PaymentAddress } from '../payments/invoices/addresses/payment-address.ts'
import { type Invoice, isPayable } from '../payments/invoices/invoice.ts'
import { withAddresses } from '../payments/invoices/read-invoice.ts'
import { hasArrived } from '../payments/invoices/standing.ts'
import type { Db, Queryable } from '../platform/db/pool.ts'
import { inSnapshot } from '../platform/db/transaction.ts'
import {
  confirmationsRequired,
  type PaymentMethod,
  type PaymentMethods,
} from '../pricing/payment-methods/payment-method.ts'
import { asPayments, type Coming, shareComing } from './coming.ts'
import { type Arrival, type ClaimStage, type Phase, phaseOf } from './phase.ts'
import { type ArrivalRow, readArrivals, readComing, readMerchantName } from './store.ts'

export interface CheckoutParts extends PaymentAddressParts {
  readonly db: Db
}

export interface CheckoutQuestion {
  readonly invoiceId: string
  /** The method whose address is to be shown, where the payer has said. */
  readonly methodId: number | undefined
  /** The payer wants to choose again. */
  readonly isChoosing: boolean
  /** Nothing is given out by this look. */
  readonly isGlance: boolean
}

/** All that one page shows. */
export interface Checkout {
  readonly invoice: Invoice
  readonly merchantName: string
  readonly now: Date
  readonly phase: Phase
  /** Those the payer may choose. */
  readonly methods: readonly PaymentMethod[]
  /** Where to pay and how much, in the method that is chosen; the amount is what is still due. */
  readonly shown: PaymentAddress | undefined
  /** Why nothing can be shown for the only method there is. */
  readonly refusal: ProblemCode | undefined
  readonly hasReceived: boolean
  /** The newest first. */
  readonly arrivals: readonly Arrival[]
  /** What waits for its block, and is not part of the amount shown. */
  readonly coming: readonly Coming[]
  /** What pays the claim of a withdraw invoice. */
  readonly payout: Withdrawal | undefined
  /** Any method there is, be it no longer offered. */
  known(methodId: number): PaymentMethod | undefined
}

/**
 * An invoice as whoever holds its id sees it: nothing of its merchant but the name.
 * @throws Problem not-found
 */
export async function readCheckout(parts: CheckoutParts, question: CheckoutQuestion): Promise<Checkout> {
  const { methods: catalogue } = parts
  const stored = await inSnapshot(parts.db, (on) => readStored(parts, on, question.invoiceId))
  const { invoice, now, arrivals, payout, merchantName, addresses, coming } = stored
  const payable = isPayable(invoice, now)
  const methods = invoice.paymentMethodIds.flatMap((id) => catalogue.enabledById(id) ?? [])
  const latest = arrivals[0]?.paymentMethodId
  const { shown, refusal } = await chosenAddress(parts, question, { methods, payable, addresses, latest })
  const hasReceived = stored.payments.some(hasArrived)
  const phase = phaseOf({
    ...invoice,
    isPayable: payable,
    arrivals,
    hasReceived,
    coming: stored.share,
    claim: claimStage(invoice, now, payout),
    price: shown && (now < shown.expiresAt ? 'open' : 'over'),
  })
  const what = {
    invoice,
    merchantName,
    now,
    phase,
    methods,
    shown,
    refusal,
    hasReceived,
    arrivals,
    coming,
    payout,
  }
  return { ...what, known: catalogue.byId }
}

async function readStored(parts: CheckoutParts, on: Queryable, invoiceId: string) {
  const given = await findGiven(on, invoiceId)
  if (given === undefined) throw fail('not-found', 'No such invoice.')
  const { invoice } = given
  const arrivals = await withConfirmations(parts.methods, on, invoice, await readArrivals(on, invoiceId))
  // Only where payments add up to one sum that one payer owes is what is on its way not asked for again.
  const isOwed = invoice.type === 'onetime' && arrivals.length > 0
  const coming = isOwed ? await readComing(on, invoiceId) : []
  const expected = asPayments(coming, parts.methods.byId)
  const record = await withAddresses({ ...parts, db: on }, given, expected)
  return {
    ...record,
    arrivals,
    coming,
    share: shareComing(given, record.payments, expected),
    merchantName: await readMerchantName(on, invoice.merchantId),
    payout: invoice.type === 'withdraw' ? await findByClaim(on, invoiceId) : undefined,
  }
}

interface Choice {
  readonly methods: readonly PaymentMethod[]
  readonly payable: boolean
  readonly addresses: readonly PaymentAddress[]
  /** The method of the newest payment. */
  readonly latest: number | undefined
}

/**
 * The address of the method the payer chose, or paid in. Where only one is offered there is nothing to choose: its
 * address is given at once, unless this is a glance.
 */
async function chosenAddress(
  parts: CheckoutParts,
  { invoiceId, methodId, isChoosing, isGlance }: CheckoutQuestion,
  { methods, payable, addresses, latest }: Choice,
): Promise<{ readonly shown?: PaymentAddress | undefined; readonly refusal?: ProblemCode }> {
  const [only] = methods.length === 1 ? methods : []
  if (isChoosing && only === undefined) return {}
  const wanted = methodId ?? only?.id ?? latest ?? newestOf(addresses)?.method.id
  const found = addresses.find(({ method }) => method.id === wanted)
  if (found !== undefined || only === undefined || !payable || isGlance) return { shown: found }
  try {
    return { shown: await givePaymentAddress(parts, invoiceId, only.id) }
  } catch (error) {
    if (error instanceof Problem) return { refusal: error.code }
    throw error
  }
}

/** The one whose price was promised last. */
function newestOf(addresses: readonly PaymentAddress[]): PaymentAddress | undefined {
  return addresses.toSorted((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime())[0]
}

function claimStage(invoice: Invoice, now: Date, payout: Withdrawal | undefined): ClaimStage | undefined {
  if (invoice.type !== 'withdraw') return undefined
  if (invoice.state === 'paid') return 'paid'
  if (payout !== undefined) return 'paying'
  const isOver = invoice.expiresAt !== undefined && now >= invoice.expiresAt
  return isOver || invoice.state === 'expired' ? 'over' : 'open'
}

async function withConfirmations(
  methods: PaymentMethods,
  on: Queryable,
  { merchantId }: Invoice,
  rows: readonly ArrivalRow[],
): Promise<readonly Arrival[]> {
  const waiting = rows.filter(({ state, blockHeight }) => state === 'pending' && blockHeight !== null)
  const stakes = new Map<string, bigint | undefined>()
  for (const { network, tipHeight, finalHeight } of waiting) {
    if (stakes.has(network) || tipHeight === null || finalHeight === null) continue
    const tip = { height: tipHeight, finalHeight }
    stakes.set(network, (await readAtStake(methods, on, network, [merchantId], tip)).get(merchantId))
  }
  return rows.flatMap((row) => {
    const method = methods.byId(row.paymentMethodId)
    return method === undefined ? [] : [toArrival(row, method, stakes.get(row.network))]
  })
}

function toArrival(row: ArrivalRow, method: PaymentMethod, worth: bigint | undefined): Arrival {
  const { blockHeight, tipHeight } = row
  const needed = confirmationsRequired(method, worth)
  const count =
    blockHeight === null ? undefined : Math.max(1, confirmationsAt(tipHeight ?? blockHeight, blockHeight))
  return {
    ...row,
    // One that waits for finality has more blocks on it than its number says.
    confirmations: count && Math.min(count, needed),
    confirmationsNeeded: needed,
    wasIncluded: row.inclusion > 0,
  }
}
