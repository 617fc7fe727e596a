/**
 * Chooses which UTXOs pay which proposals, and which proposals share a transaction. Pure: no clock, chain or
 * database.
 */

import type { UtxoChain } from '../../chains/utxo/utxo-chains.ts'
import type { UtxoDrafts } from '../../chains/utxo/utxo-port.ts'
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { sum } from '../../core/money.ts'
import { type Payment, paymentsMax } from '../../signing/intent.ts'
import { noQueues, type PaymentQueues, QueueBook } from '../engine/controls/payment-queues.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { maxCostMinor, type UtxoFees } from '../engine/outgoing-transaction.ts'
import type { RefusedProposal, Wait } from '../engine/plan-outcome.ts'
import { feeOf, type Order, type Selection, selectCoins } from './select-coins.ts'
import { feesOf, type OutgoingTransactionInput, type Paid, paidBy, paymentsOf, totalOf } from './shape.ts'

export interface UtxoPlanContext {
  /** The name of the network's coin in the ledger. */
  readonly coin: string
  readonly chain: Pick<UtxoChain, 'dustMinor' | 'usualFeeRate'>
  readonly drafts: Pick<UtxoDrafts, 'inputWeight' | 'emptyWeight' | 'outputWeight'>
  /** The cold address for treasury withdrawals; undefined if none is set. */
  readonly coldAddress?: string | undefined
  /** The weight of an output to a change address of ours. */
  readonly changeWeight: number
  /** The fee in the coin's smallest unit per 1,000 virtual bytes. */
  readonly feeRate: bigint
  readonly utxos: readonly OutgoingTransactionInput[]
  /**
   * Whether there are more UTXOs than those in `utxos`. The others did not fit into the same request to the
   * signer, or into the same plan.
   */
  readonly hasMore: boolean
  /**
   * All UTXOs with a previous transaction so large that a request to the signer may hold only one of them.
   */
  readonly alone: readonly OutgoingTransactionInput[]
  /** The operator's own money, which pays the fees. */
  readonly capitalMinor: bigint
  /** The queues of payments that waited in earlier rounds; undefined means that none waited. */
  readonly queues?: PaymentQueues
}

/** The inputs, payments and fees that were chosen for one transaction. */
export interface InputChoice {
  readonly proposals: readonly Proposal[]
  readonly payments: readonly Payment[]
  readonly inputs: readonly OutgoingTransactionInput[]
  readonly hasChange: boolean
  readonly fees: UtxoFees
}

export interface InputChoices {
  readonly chosen: readonly InputChoice[]
  readonly refused: readonly RefusedProposal[]
  readonly waits: readonly Wait[]
  /**
   * Whether the money may suffice, but is in more UTXOs than one transaction can spend. In that case, UTXOs
   * must be consolidated first.
   */
  readonly needsFewer: boolean
  /** The queues of payments that wait after this round. */
  readonly queues: PaymentQueues
}

/**
 * The maximum weight that nodes relay (MAX_STANDARD_TX_WEIGHT of Bitcoin Core's policy.h), less a margin for
 * rounding.
 */
export const weightMax = 398_000

/**
 * Chooses UTXOs for proposals in their order, with as many payments per transaction as fit. If a payment
 * waits, later payments may be made before it, unless it has reserved the UTXOs
 * (`outgoing/engine/controls/payment-queues.ts`). Proposals that the signer refused before are tried first.
 * Each of these is tried alone and unchanged.
 */
export function chooseInputs(context: UtxoPlanContext, proposals: readonly Proposal[]): InputChoices {
  const { coin, queues = noQueues } = context
  const [payable, refused] = apart(context, proposals)
  const book = new QueueBook(queues, limits.reservedRoundsOfUtxos)
  const chosen: InputChoice[] = []
  const waiting: Waiting[] = []
  let left = context
  const take = (choice: InputChoice) => {
    chosen.push(choice)
    left = without(left, choice)
  }
  const setAside = ({ proposal }: Due, answer: Waiting) => {
    waiting.push(answer)
    book.wait(coin, proposal.id, false)
  }
  for (const due of payable.filter((one) => !isFresh(one))) {
    if (book.isReserved(coin)) break
    const answer = choose(left, [due])
    if ('wait' in answer) setAside(due, answer)
    else take(answer.choice)
  }
  let rest = payable.filter(isFresh)
  for (let first = rest[0]; first !== undefined && !book.isReserved(coin); first = rest[0]) {
    const answer = choosePrefix(left, rest)
    if ('wait' in answer) setAside(first, answer)
    else take(answer.choice)
    rest = rest.slice('wait' in answer ? 1 : answer.count)
  }
  const [firstWaiting] = waiting
  return {
    chosen,
    refused,
    waits: firstWaiting === undefined ? [] : [firstWaiting.wait],
    needsFewer: waiting.some(({ needsFewer }) => needsFewer),
    queues: book.close(),
  }
}

interface Due {
  readonly proposal: Proposal
  readonly payments: readonly Payment[]
  readonly paid: readonly Paid[]
}

/**
 * Splits a withdrawal transaction that the signer refused into two halves for the next try. Each half has its
 * own retry time. Repeated halving isolates the payment that the signer refuses.
 */
export function halvesOf(proposal: Proposal): readonly Proposal[] {
  const payments = paymentsOf(proposal.intent)
  if (payments.length < 2) return [proposal]
  const middle = Math.ceil(payments.length / 2)
  return [payments.slice(0, middle), payments.slice(middle)].map((half) => ({
    ...proposal,
    id: newId(),
    intent: { kind: 'withdrawal', payments: half },
    spends: proposal.spends && {
      ...proposal.spends,
      amountMinor: sum(half.map(({ netMinor }) => netMinor)),
    },
  }))
}

/**
 * Separates the proposals that can be paid from those with an output below the dust limit, which no node
 * relays.
 */
function apart(
  { chain: { dustMinor } }: UtxoPlanContext,
  proposals: readonly Proposal[],
): readonly [readonly Due[], readonly RefusedProposal[]] {
  const due: Due[] = []
  const refused: RefusedProposal[] = []
  for (const proposal of proposals) {
    const paid = paidBy(proposal.intent)
    const isDust = paid.some(({ amountMinor }) => amountMinor < dustMinor)
    if (isDust) refused.push({ proposal, reason: `less than the dust limit of ${dustMinor}` })
    else due.push({ proposal, payments: paymentsOf(proposal.intent), paid })
  }
  return [due, refused]
}

function isFresh({ proposal, payments }: Due): boolean {
  return payments.length === 1 && payments[0]?.withdrawalId === proposal.id
}

function choosePrefix(
  context: UtxoPlanContext,
  due: readonly Due[],
): { readonly choice: InputChoice; readonly count: number } | Waiting {
  // The first proposal is tried alone. If the UTXOs cannot pay it, they cannot pay several proposals either,
  // and trying ever smaller groups would only cost time.
  const alone = choose(context, due.slice(0, 1))
  if ('wait' in alone || due.length === 1) return 'wait' in alone ? alone : { ...alone, count: 1 }
  let count = Math.min(due.length, paymentsMax)
  for (;;) {
    const answer = choose(context, due.slice(0, count))
    if ('choice' in answer) return { ...answer, count }
    if (count === 1) return answer
    count = Math.floor(count / 2)
  }
}

function choose(context: UtxoPlanContext, due: readonly Due[]): { readonly choice: InputChoice } | Waiting {
  const payments = due.flatMap((one) => one.payments)
  const order = orderOf(
    context,
    due.flatMap((one) => one.paid),
  )
  const { inputWeight } = context.drafts
  const answer = selectCoins(
    order,
    context.utxos.map((utxo) => ({ ...utxo, inputWeight })),
  )
  if (answer.type === 'short' && !context.hasMore)
    return waitFor(context, 'funds', `${answer.lackMinor} ${context.coin} are missing`)
  if (answer.type !== 'selected')
    return {
      ...waitFor(context, 'utxos-small', 'more UTXOs than one transaction can spend'),
      needsFewer: true,
    }
  const { selection } = answer
  const fees = feesOf(weightOf(context, order, selection), selection.feeMinor)
  if (maxCostMinor(fees) > context.capitalMinor) {
    const detail = `the operator's own coin, ${context.capitalMinor} free, does not cover a fee of ${selection.feeMinor}`
    return waitFor(context, 'capital', detail)
  }
  const inputs = inputsOf(context, selection)
  const hasChange = selection.changeMinor !== undefined
  return { choice: { proposals: due.map(({ proposal }) => proposal), payments, inputs, hasChange, fees } }
}

interface Waiting {
  readonly wait: Wait
  readonly needsFewer: boolean
}

function waitFor(
  { coin }: UtxoPlanContext,
  cause: 'funds' | 'utxos-small' | 'capital',
  detail: string,
): Waiting {
  return { wait: { cause: cause === 'funds' ? `funds:${coin}` : cause, detail }, needsFewer: false }
}

/**
 * Returns a transaction that consolidates the first UTXOs, as many as one transaction can spend but at most
 * `most`. Returns undefined in three cases: there are fewer than `least` such UTXOs, the fee leaves less than
 * the dust limit, or the fee exceeds the free capital.
 */
export function consolidateUtxos(
  context: UtxoPlanContext,
  proposal: Proposal,
  { least, most }: { readonly least: number; readonly most: number },
): InputChoice | undefined {
  const order = orderOf(context, [])
  const { inputWeight, emptyWeight } = context.drafts
  const room = Math.floor((weightMax - emptyWeight - context.changeWeight) / inputWeight)
  const inputs = worthwhile(context).slice(0, Math.min(most, room))
  if (inputs.length < least) return undefined
  const weight = emptyWeight + context.changeWeight + inputs.length * inputWeight
  const fees = feesOf(weight, feeOf(weight, context.feeRate))
  const leftMinor = sum(inputs.map(({ amountMinor }) => amountMinor)) - fees.fee
  if (leftMinor < order.change.dustMinor || maxCostMinor(fees) > context.capitalMinor) return undefined
  return { proposals: [proposal], payments: [], inputs, hasChange: true, fees }
}

/**
 * Returns whether a consolidation saves money. A later transaction then spends one output instead of all
 * inputs of the consolidation, and so pays a lower fee. The fee of the consolidation must be at most half of
 * the later saving, computed at the usual fee rate.
 */
export function paysOff({ drafts, chain }: UtxoPlanContext, { inputs, fees }: InputChoice): boolean {
  return 2n * fees.fee <= feeOf((inputs.length - 1) * drafts.inputWeight, chain.usualFeeRate)
}

/**
 * Returns the UTXOs that are worth spending. The fee for spending such a UTXO is at most half of its amount.
 * `selectCoins` has the same rule.
 */
export function worthwhile<T extends OutgoingTransactionInput>({
  drafts,
  feeRate,
  utxos,
}: Pick<UtxoPlanContext, 'drafts' | 'feeRate'> & { readonly utxos: readonly T[] }): readonly T[] {
  const costMinor = feeOf(drafts.inputWeight, feeRate)
  return utxos.filter(({ amountMinor }) => amountMinor >= 2n * costMinor)
}

/** Returns the context without the UTXOs and the capital that a choice spends. */
export function without(context: UtxoPlanContext, { inputs, fees }: InputChoice): UtxoPlanContext {
  const spent = new Set(inputs.map(({ outpoint }) => outpoint))
  const isLeft = ({ outpoint }: OutgoingTransactionInput) => !spent.has(outpoint)
  return {
    ...context,
    utxos: context.utxos.filter(isLeft),
    alone: context.alone.filter(isLeft),
    // The UTXOs that were not read can be used in the next round at the earliest.
    hasMore: false,
    capitalMinor: context.capitalMinor - maxCostMinor(fees),
  }
}

function orderOf(context: UtxoPlanContext, paid: readonly Paid[]): Order {
  const { drafts, chain, changeWeight, feeRate, coldAddress } = context
  const weightOfOne = ({ address = coldAddress }: Paid) =>
    drafts.outputWeight(required(address, 'a cold address'))
  const outputsWeight = paid.reduce((weight, one) => weight + weightOfOne(one), 0)
  return {
    outputsMinor: totalOf(paid),
    baseWeight: drafts.emptyWeight + outputsWeight,
    change: {
      outputWeight: changeWeight,
      inputWeight: drafts.inputWeight,
      dustMinor: chain.dustMinor,
    },
    feeRate,
    usualFeeRate: chain.usualFeeRate,
    weightMax,
  }
}

function weightOf(
  { drafts, changeWeight }: UtxoPlanContext,
  { baseWeight }: Order,
  { utxos, changeMinor }: Selection,
): number {
  return baseWeight + utxos.length * drafts.inputWeight + (changeMinor === undefined ? 0 : changeWeight)
}

function inputsOf({ utxos }: UtxoPlanContext, selection: Selection): readonly OutgoingTransactionInput[] {
  const byOutpoint = new Map(utxos.map((utxo) => [utxo.outpoint, utxo]))
  return selection.utxos.map(({ outpoint }) => required(byOutpoint.get(outpoint), 'a coin'))
}
