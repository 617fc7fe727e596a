/** Reads everything that the payment page of an invoice shows. `show-checkout.ts` renders the page. */
import { fail, Problem, type ProblemCode } from '../core/errors.ts'
import { findByClaim } from '../outgoing/withdrawals/store.ts'
import type { Withdrawal } from '../outgoing/withdrawals/withdrawal.ts'
import { confirmationsAt } from '../payments/deposits/deposit.ts'
import { readAtStake } from '../payments/deposits/read-at-stake.ts'
import { isOnWrongNetwork } from '../payments/deposits/wrong-network.ts'
import { findGiven } from '../payments/invoices/addresses/checkout-store.ts'
import {
  givePaymentAddress,
  type PaymentAddressParts,
} from '../payments/invoices/addresses/give-payment-address.ts'
import type { PaymentAddress } from '../payments/invoices/addresses/payment-address.ts'
import { type Invoice, isPayable } from '../payments/invoices/invoice.ts'
import { withAddresses } from '../payments/invoices/read-invoice.ts'
import { hasArrived } from '../payments/invoices/status.ts'
import type { Db, Queryable } from '../platform/db/pool.ts'
import { inSnapshot } from '../platform/db/transaction.ts'
import {
  confirmationsRequired,
  type PaymentMethod,
  type PaymentMethods,
} from '../pricing/payment-methods/payment-method.ts'
import type { CoinChoice } from './choices.ts'
import { asPayments, type Coming, shareComing } from './coming.ts'
import { type CheckoutPayment, type ClaimStage, type Phase, phaseOf } from './phase.ts'
import { readChoices } from './read-choices.ts'
import { type CheckoutPaymentRow, readCheckoutPayments, readComing, readMerchantName } from './store.ts'

export interface CheckoutParts extends PaymentAddressParts {
  readonly db: Db
}

export interface CheckoutQuestion {
  readonly invoiceId: string
  /** The payment method that the payer has chosen; undefined if the payer has chosen none. */
  readonly methodId: number | undefined
  /** Whether the payer wants to choose another payment method. */
  readonly isChoosing: boolean
  /** Whether this request must not assign an address, for example because it is a HEAD request. */
  readonly isGlance: boolean
}

/** Everything that one page shows. */
export interface Checkout {
  readonly invoice: Invoice
  readonly merchantName: string
  readonly now: Date
  readonly phase: Phase
  /** The methods that the payer may choose. */
  readonly methods: readonly PaymentMethod[]
  /** The same methods by coin, with typical costs. Empty unless the payer is to choose. */
  readonly choices: readonly CoinChoice[]
  /** The address for the chosen payment method, and the amount that is still due. */
  readonly shown: PaymentAddress | undefined
  /** The reason why no address could be assigned for the only method that is offered. */
  readonly problemCode: ProblemCode | undefined
  readonly hasReceived: boolean
  /** The payments that the page may list, newest first. */
  readonly shownPayments: readonly CheckoutPayment[]
  /** The sums of payments that are not in a block yet. The amount in `shown` does not include this money. */
  readonly coming: readonly Coming[]
  /** The withdrawal that pays a `withdraw` invoice; undefined before the payee has entered an address. */
  readonly payout: Withdrawal | undefined
  /** Returns the payment method with this id, even if it is no longer offered. */
  known(methodId: number): PaymentMethod | undefined
}

/**
 * Reads the data that is public to everyone who knows the invoice's id. The only data about the merchant is
 * the merchant's name.
 * @throws Problem not-found
 */
export async function readCheckout(parts: CheckoutParts, question: CheckoutQuestion): Promise<Checkout> {
  const { methods: catalogue } = parts
  const stored = await inSnapshot(parts.db, (on) => readStored(parts, on, question.invoiceId))
  const { invoice, now, shownPayments, payout, merchantName, addresses, coming } = stored
  const payable = isPayable(invoice, now)
  const methods = invoice.paymentMethodIds.flatMap((id) => catalogue.enabledById(id) ?? [])
  const countable = shownPayments.filter(({ isWrongNetwork }) => !isWrongNetwork)
  const latest = countable[0]?.paymentMethodId
  const { shown, problemCode } = await chosenAddress(parts, question, { methods, payable, addresses, latest })
  const hasReceived = stored.payments.some(hasArrived)
  const phase = phaseOf({
    ...invoice,
    isPayable: payable,
    shownPayments: countable,
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
    choices: phase === 'choose' ? await readChoices(parts.db, invoice, methods) : [],
    shown,
    problemCode,
    hasReceived,
    shownPayments,
    coming,
    payout,
  }
  return { ...what, known: catalogue.byId }
}

async function readStored(parts: CheckoutParts, on: Queryable, invoiceId: string) {
  const given = await findGiven(on, invoiceId)
  if (given === undefined) throw fail('not-found', 'No such invoice.')
  const { invoice } = given
  const shownPayments = await withConfirmations(
    parts.methods,
    on,
    invoice,
    await readCheckoutPayments(on, invoiceId),
  )
  // A `onetime` invoice asks one payer for one amount. The payer must not be asked again for money that was
  // sent already, even if no block contains the payment yet. Invoices of other types may be paid any number
  // of times.
  const isOwed = invoice.type === 'onetime' && shownPayments.length > 0
  const coming = isOwed ? await readComing(on, invoiceId) : []
  const expected = asPayments(coming, parts.methods.byId)
  const record = await withAddresses({ ...parts, db: on }, given, expected)
  return {
    ...record,
    shownPayments,
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
  /** The payment method of the newest payment. */
  readonly latest: number | undefined
}

/**
 * Returns the address for the payment method that the payer has chosen or already used. If only one payment
 * method is offered and has no address yet, assigns one at once, unless `isGlance` is true or the invoice
 * cannot be paid.
 */
async function chosenAddress(
  parts: CheckoutParts,
  { invoiceId, methodId, isChoosing, isGlance }: CheckoutQuestion,
  { methods, payable, addresses, latest }: Choice,
): Promise<{ readonly shown?: PaymentAddress | undefined; readonly problemCode?: ProblemCode }> {
  const [only] = methods.length === 1 ? methods : []
  if (isChoosing && only === undefined) return {}
  const wanted = methodId ?? only?.id ?? latest ?? newestOf(addresses)?.method.id
  const found = addresses.find(({ method }) => method.id === wanted)
  if (found !== undefined || only === undefined || !payable || isGlance) return { shown: found }
  try {
    return { shown: await givePaymentAddress(parts, invoiceId, only.id) }
  } catch (error) {
    if (error instanceof Problem) return { problemCode: error.code }
    throw error
  }
}

/** Returns the address whose price expires last. */
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
  { id: invoiceId, merchantId, paymentMethodIds }: Invoice,
  rows: readonly CheckoutPaymentRow[],
): Promise<readonly CheckoutPayment[]> {
  const waiting = rows.filter(({ state, blockHeight }) => state === 'pending' && blockHeight !== null)
  const stakes = new Map<string, bigint | undefined>()
  for (const { network, tipHeight, finalHeight } of waiting) {
    if (stakes.has(network) || tipHeight === null || finalHeight === null) continue
    const tip = { height: tipHeight, finalHeight }
    stakes.set(network, (await readAtStake(methods, on, network, [merchantId], tip)).get(merchantId))
  }
  return rows.flatMap((row) => {
    const method = methods.byId(row.paymentMethodId)
    if (method === undefined) return []
    const isWrongNetwork = isOnWrongNetwork(methods, {
      ...row,
      invoiceId,
      offeredMethodIds: paymentMethodIds,
    })
    return { ...toCheckoutPayment(row, method, stakes.get(row.network)), isWrongNetwork }
  })
}

function toCheckoutPayment(
  row: CheckoutPaymentRow,
  method: PaymentMethod,
  worth: bigint | undefined,
): Omit<CheckoutPayment, 'isWrongNetwork'> {
  const { blockHeight, tipHeight } = row
  const needed = confirmationsRequired(method, worth)
  const count =
    blockHeight === null ? undefined : Math.max(1, confirmationsAt(tipHeight ?? blockHeight, blockHeight))
  return {
    ...row,
    // The number of confirmations is shown as at most `needed`. A payment that still waits for finality may
    // have more.
    confirmations: count && Math.min(count, needed),
    confirmationsNeeded: needed,
    wasIncluded: row.inclusion > 0,
  }
}
