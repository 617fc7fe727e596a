/** Compares the events that merchants received with the model and the chain. */

import { groupBy } from '../../src/core/group-by.ts'
import { formatDecimal } from '../../src/core/money.ts'
import { isOnWrongNetwork } from '../wrong-network/credit-request.ts'
import type { ModelAsset } from './asset.ts'
import { areBooksOpen } from './check.ts'
import { findWrongCredits } from './check-credits.ts'
import type { CheckedWorld, OrderState } from './checked-world.ts'
import { isDeleted } from './deletion.ts'
import { eventIn, type ReceivedEvent } from './known-events.ts'
import { feeOf, isOf, type Model, type ShownAddress } from './model.ts'
import { senderKeyOf } from './oracle-answers.ts'
import type { ModelOrder } from './order.ts'
import { lostTransfers } from './transfers.ts'
import type { TrueTransfer } from './true-transfer.ts'

/**
 * The answers of the API at the end of a run: the events, and the state of the objects that the events
 * concern.
 */
export interface EventAnswers {
  /** All events of the feed, by merchant. */
  readonly feeds: ReadonlyMap<string, readonly string[]>
  readonly orders: ReadonlyMap<string, OrderState>
  /** The state of each invoice that is not deleted, by id. */
  readonly invoices: ReadonlyMap<string, string>
}

/** Returns one sentence for each event that is missing or wrong, and for each sender that was not screened. */
export function findWrongEvents(world: CheckedWorld, answers: EventAnswers): readonly string[] {
  const { model } = world
  const unscreened = [...model.wronglyUnscreened].map(
    (sender) => `the sender ${sender} could not be screened, although the oracle had answered`,
  )
  const wrong = model.merchants.flatMap((merchantId, index) => {
    const events = (answers.feeds.get(merchantId) ?? []).map(eventIn)
    const wrong = [
      ...findWrongNumbers(events, merchantId, model.isRestored),
      ...(areBooksOpen(model)
        ? []
        : [
            ...findWrongPayments(world, merchantId, events),
            ...findWrongInvoices(world, answers, merchantId, events),
            ...findWrongOrders(world, answers, merchantId, events),
          ]),
    ]
    return wrong.map((sentence) => `merchant ${index + 1}: ${sentence}`)
  })
  return [...unscreened, ...wrong]
}

/**
 * Checks that events have the numbers 1, 2, 3 and so on. If the database was restored, some numbers may be
 * missing.
 */
function findWrongNumbers(
  events: readonly ReceivedEvent[],
  merchantId: string,
  isRestored: boolean,
): readonly string[] {
  return events.flatMap(({ sequence, merchantID }, index) => {
    if (merchantID !== merchantId) return ['the feed has an event of another merchant']
    const before = events[index - 1]?.sequence ?? 0
    const isRight = isRestored ? sequence > before : sequence === before + 1
    return isRight ? [] : [`the event ${sequence} follows the event ${before}`]
  })
}

/**
 * Checks that each transfer on the chain is reported as confirmed exactly once. For any other reported
 * payment, the last event must be `reverted` or `failed`.
 */
function findWrongPayments(
  world: CheckedWorld,
  merchantId: string,
  events: readonly ReceivedEvent[],
): readonly string[] {
  const { model, assets, transfers } = world
  const reported = groupBy(
    events.filter(({ type }) => type.startsWith('transaction.')),
    ({ data }) => String(data['transactionID']),
  )
  const confirmed: string[] = []
  const wrong: string[] = []
  for (const own of reported.values()) {
    if (!isPlausible(world, own))
      wrong.push(`a payment is told as ${own.map(({ type }) => type.replace('transaction.', '')).join(', ')}`)
    const last = own.at(-1)
    if (last !== undefined && !isUndone(last)) confirmed.push(describeReported(last))
  }
  const shown = new Map(
    model.shown.filter((one) => one.merchantId === merchantId).map((one) => [one.address, one]),
  )
  const creditsWrongNetwork = model.creditsWrongNetwork.has(merchantId)
  const happened = transfers.flatMap((transfer) => {
    const invoice = shown.get(transfer.recipient)
    const asset = assets.find((one) => isOf(one, transfer))
    if (invoice === undefined || asset === undefined || transfer.isFromUs) return []
    return [describeTrue(transfer, { asset, invoice, model })]
  })
  const credits = findWrongCredits(events, { assets, shown: [...shown.values()], creditsWrongNetwork })
  return [...wrong, ...credits, ...differencesOf(happened, confirmed)]
}

/**
 * Whether the events of a payment can follow each other. Nobody releases payments from quarantine in a run. So only a
 * payment that could not be screened at first is confirmed after its quarantine, when it is screened again.
 */
function isPlausible(world: CheckedWorld, events: readonly ReceivedEvent[]): boolean {
  const steps = events.map((event) => {
    const step = event.type.replace('transaction.', '')
    return step === 'quarantined' && isUnscreened(world, event) ? 'unscreened' : step
  })
  return /^(detected (((unscreened )?confirmed|quarantined|unscreened) )?reverted )*(detected ((unscreened )?confirmed|quarantined|unscreened) |(detected )?failed )?$/.test(
    `${steps.join(' ')} `,
  )
}

/** Whether an event puts a payment into quarantine because its sender could not be screened, which is possible. */
function isUnscreened({ model, chains, ours, transfers }: CheckedWorld, { data }: ReceivedEvent): boolean {
  const addresses = new Set(
    model.shown.filter(({ invoiceId }) => invoiceId === data['invoiceID']).map(({ address }) => address),
  )
  const sent = [...transfers, ...chains.flatMap((chain) => lostTransfers(chain, ours))]
  return (
    data['reason'] === 'unknown' &&
    sent.some(
      ({ txHash, recipient, network, sender }) =>
        txHash === data['txHash'] &&
        addresses.has(recipient) &&
        model.unscreened.has(senderKeyOf(network, sender)),
    )
  )
}

/**
 * Whether an event says that no block contains the payment any more: its block was dropped, or another
 * transaction replaced it.
 */
function isUndone({ type }: ReceivedEvent): boolean {
  return type === 'transaction.reverted' || type === 'transaction.failed'
}

/**
 * Describes a transfer that an event reports. The event has no net amount if the payments of the invoice are
 * below the minimum.
 */
function describeReported({ type, data }: ReceivedEvent): string {
  const { invoiceID, txHash, amount, currency, isWrongNetwork, net = null } = data
  const what = `${amount} ${currency} in ${txHash} to invoice ${invoiceID}`
  if (type === 'transaction.quarantined') return `${what} in quarantine`
  const where = isWrongNetwork === true ? ' on the wrong network' : ''
  return net === null ? `${what}${where}` : `${what}${where} net ${net}`
}

interface TruePayment {
  readonly asset: ModelAsset
  readonly invoice: ShownAddress
  readonly model: Pick<Model, 'listed' | 'creditsWrongNetwork'>
}

/** Describes a transfer on the chain as its event must report it. */
function describeTrue(
  { txHash, amountMinor, sender }: TrueTransfer,
  { asset, invoice: { merchantId, invoiceId, network }, model }: TruePayment,
): string {
  const written = (minor: bigint) => formatDecimal(minor, asset.decimals)
  const what = `${written(amountMinor)} ${symbolOf(asset)} in ${txHash} to invoice ${invoiceId}`
  if (model.listed.has(sender)) return `${what} in quarantine`
  const isWrong = isOnWrongNetwork({ network }, asset)
  if (isWrong && !model.creditsWrongNetwork.has(merchantId)) return `${what} on the wrong network`
  const where = isWrong ? ' on the wrong network' : ''
  return `${what}${where} net ${written(amountMinor - feeOf(amountMinor, asset))}`
}

function symbolOf({ name }: Pick<ModelAsset, 'name'>): string {
  return name.slice(name.indexOf('/') + 1)
}

/**
 * Compares payments on the chain with reported payments. A reported payment without a net amount is below the
 * minimum and also matches.
 */
function differencesOf(happened: readonly string[], reported: readonly string[]): readonly string[] {
  const left = [...reported]
  const missing = happened.filter((one) => {
    const [withoutNet = ''] = one.split(' net ')
    const at = left.findIndex((text) => text === one || text === withoutNet)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return [
    ...missing.map((one) => `was never told that it received ${one}`),
    ...left.map((one) => `was told that it received ${one}, which did not happen`),
  ]
}

/**
 * Checks that each change of an invoice is reported once, to its merchant. The last reported state must be the state
 * that the API shows.
 */
function findWrongInvoices(
  { model }: CheckedWorld,
  { invoices }: EventAnswers,
  merchantId: string,
  events: readonly ReceivedEvent[],
): readonly string[] {
  const reported = groupBy(
    events.filter(({ type }) => type.startsWith('invoice.')),
    ({ data }) => String(data['invoiceID']),
  )
  const wrong: string[] = []
  for (const [id, own] of reported) {
    if (model.invoices.get(id) !== merchantId) wrong.push('was told of an invoice that it never opened')
    const after = stateAfter(own)
    wrong.push(...after.wrong)
    const actual = invoices.get(id)
    if (actual !== undefined && actual !== after.state)
      wrong.push(`an invoice is ${actual}, and was told to be ${after.state}`)
  }
  for (const { invoiceId } of model.shown.filter((one) => one.merchantId === merchantId)) {
    const state = invoices.get(invoiceId) ?? 'pending'
    if (!reported.has(invoiceId) && state !== 'pending')
      wrong.push(`an invoice is ${state}, which was never told`)
    if (invoices.has(invoiceId) && isDeleted(model.deletions, invoiceId))
      wrong.push('an invoice is still shown, although the API deleted it')
  }
  return wrong
}

/** Returns the state of an invoice after its events, and which of them do not fit the state before. */
function stateAfter(events: readonly ReceivedEvent[]) {
  const wrong: string[] = []
  let state = 'pending'
  let before: string | undefined
  for (const { type, data } of events) {
    const next = type === 'invoice.paid' ? 'paid' : String(data['state'])
    if (!isFitting({ type, before, state, next }))
      wrong.push(`${type} was told of an invoice that was ${state}, which is now ${next}`)
    state = next
    before = type
  }
  return { state, wrong }
}

interface InvoiceStep {
  readonly type: string
  /** The type of the event before. */
  readonly before: string | undefined
  /** The state before the event, and after it. */
  readonly state: string
  readonly next: string
}

/** An invoice that is no longer paid is pending again. If it has expired meanwhile, another event reports that. */
function isFitting({ type, before, state, next }: InvoiceStep): boolean {
  switch (type) {
    case 'invoice.paid':
      return state !== 'paid'
    case 'invoice.reverted':
      return state === 'paid' && next === 'pending'
    case 'invoice.expired':
      return state === 'pending' && next === 'expired'
    case 'invoice.underpaid':
      return before === 'invoice.expired' && next === 'expired'
    default:
      return false
  }
}

/** Checks that each order is reported as broadcast at most once, and its end exactly once. */
function findWrongOrders(
  { model }: CheckedWorld,
  { orders }: EventAnswers,
  merchantId: string,
  events: readonly ReceivedEvent[],
): readonly string[] {
  const reported = groupBy(
    events.filter(({ type }) => type.startsWith('withdrawal.')),
    ({ data }) => String(data['withdrawalID']),
  )
  const own = model.orders.filter((order) => order.merchantId === merchantId)
  const strange = [...reported.keys()].filter((id) => !own.some((order) => order.id === id))
  return [
    ...strange.map(() => 'was told of an order that it never gave'),
    ...own.flatMap((order) =>
      wrongOfOrder(order, orders.get(order.id) ?? 'unknown', reported.get(order.id) ?? []),
    ),
  ]
}

function wrongOfOrder(
  order: ModelOrder,
  state: OrderState,
  reported: readonly ReceivedEvent[],
): readonly string[] {
  const { amountMinor, asset } = order
  const types = reported.map(({ type }) => type.replace('withdrawal.', ''))
  const what = `an order of ${amountMinor} ${asset.name} is ${state}, and was told as ${types.join(', ') || 'nothing'}`
  const wanted: Readonly<Record<OrderState, RegExp>> = {
    unknown: /^$/,
    pending: /^(broadcast)?$/,
    completed: /^broadcast completed$/,
    failed: /^(broadcast )?failed$/,
    rejected: /^failed$/,
    cancelled: /^cancelled$/,
  }
  const written = (minor: bigint) => formatDecimal(minor, asset.decimals)
  const fee = feeOf(amountMinor, asset)
  const isOther = reported.some(
    ({ data }) =>
      data['amount'] !== written(amountMinor) ||
      data['fee'] !== written(fee) ||
      data['net'] !== written(amountMinor - fee) ||
      data['currency'] !== symbolOf(asset),
  )
  return [
    ...(wanted[state].test(types.join(' ')) ? [] : [what]),
    ...(isOther ? [`an order of ${amountMinor} ${asset.name} was told with other amounts`] : []),
  ]
}
