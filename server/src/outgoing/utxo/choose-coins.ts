/** Which coins pay what, and what is paid together: decided without a clock, a chain or a database. */
import type { CoinDrafts } from '../../chains/utxo/coin-port.ts'
import type { UtxoChain } from '../../chains/utxo/utxo-chains.ts'
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { sum } from '../../core/money.ts'
import { type Payment, paymentsMax } from '../../signing/intent.ts'
import { LineBook, type Lines, noLines } from '../engine/controls/lines.ts'
import type { Fees } from '../engine/payout.ts'
import type { RefusedProposal, Wait } from '../engine/placing.ts'
import type { Proposal } from '../engine/purpose.ts'
import { feeOf, type Order, type Selection, selectCoins } from './select-coins.ts'
import { feesOf, type Paid, type PayoutInput, paidBy, paymentsOf, totalOf } from './shape.ts'

export interface CoinGround {
  /** The network's coin, as the ledger calls it. */
  readonly coin: string
  readonly chain: Pick<UtxoChain, 'dustMinor' | 'usualFeeRate'>
  readonly drafts: Pick<CoinDrafts, 'inputWeight' | 'emptyWeight' | 'outputWeight'>
  /** Where the operator takes money out to; undefined where nothing may be. */
  readonly coldAddress?: string | undefined
  /** What an output to our own change weighs. */
  readonly changeWeight: number
  /** For 1,000 virtual bytes. */
  readonly feeRate: bigint
  readonly coins: readonly PayoutInput[]
  /** There are others that are not looked at together with these. */
  readonly hasMore: boolean
  /** Of all of them, those that may have to go to the signer alone. */
  readonly alone: readonly PayoutInput[]
  /** The operator's own money, which pays the fees. */
  readonly capitalMinor: bigint
  /** Who waited in the rounds before; nobody where absent. */
  readonly lines?: Lines
}

/** A transaction as it is chosen. */
export interface CoinChoice {
  readonly proposals: readonly Proposal[]
  readonly payments: readonly Payment[]
  readonly inputs: readonly PayoutInput[]
  readonly hasChange: boolean
  readonly fees: Fees
}

export interface CoinChoices {
  readonly chosen: readonly CoinChoice[]
  readonly refused: readonly RefusedProposal[]
  readonly waits: readonly Wait[]
  /** There may be enough, in more coins than one transaction can spend: few must be made of many first. */
  readonly needsFewer: boolean
  /** With what this round found. */
  readonly lines: Lines
}

/** What nodes pass on (Bitcoin Core's policy.h, MAX_STANDARD_TX_WEIGHT), with room for what is rounded. */
export const weightMax = 398_000

/**
 * Pays in order, as many together as go into one transaction. A payment passes one that waits, unless that one reserves the
 * coins for a while (`outgoing/engine/controls/lines.ts`). What the signer refused before stays as it was.
 */
export function chooseCoins(ground: CoinGround, proposals: readonly Proposal[]): CoinChoices {
  const { coin, lines = noLines } = ground
  const [payable, refused] = apart(ground, proposals)
  const book = new LineBook(lines, limits.reservedRoundsOfCoins)
  const chosen: CoinChoice[] = []
  const waiting: Waiting[] = []
  let left = ground
  const take = (choice: CoinChoice) => {
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
    lines: book.close(),
  }
}

interface Due {
  readonly proposal: Proposal
  readonly payments: readonly Payment[]
  readonly paid: readonly Paid[]
}

/**
 * What a proposal that the signer refused is tried again as: halves, so that what it does not like comes to stand alone,
 * each with its own time.
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

/** What no node would pass on can never be paid. */
function apart(
  { chain: { dustMinor } }: CoinGround,
  proposals: readonly Proposal[],
): readonly [readonly Due[], readonly RefusedProposal[]] {
  const due: Due[] = []
  const refused: RefusedProposal[] = []
  for (const proposal of proposals) {
    const paid = paidBy(proposal.intent)
    const isDust = paid.some(({ amountMinor }) => amountMinor < dustMinor)
    if (isDust) refused.push({ proposal, reason: `less than ${dustMinor}, which no node passes on` })
    else due.push({ proposal, payments: paymentsOf(proposal.intent), paid })
  }
  return [due, refused]
}

function isFresh({ proposal, payments }: Due): boolean {
  return payments.length === 1 && payments[0]?.withdrawalId === proposal.id
}

function choosePrefix(
  ground: CoinGround,
  due: readonly Due[],
): { readonly choice: CoinChoice; readonly count: number } | Waiting {
  // Halving in search of what one cannot have alone would look at all coins six times.
  const alone = choose(ground, due.slice(0, 1))
  if ('wait' in alone || due.length === 1) return 'wait' in alone ? alone : { ...alone, count: 1 }
  let count = Math.min(due.length, paymentsMax)
  for (;;) {
    const answer = choose(ground, due.slice(0, count))
    if ('choice' in answer) return { ...answer, count }
    if (count === 1) return answer
    count = Math.floor(count / 2)
  }
}

function choose(ground: CoinGround, due: readonly Due[]): { readonly choice: CoinChoice } | Waiting {
  const payments = due.flatMap((one) => one.payments)
  const order = orderOf(
    ground,
    due.flatMap((one) => one.paid),
  )
  const { inputWeight } = ground.drafts
  const answer = selectCoins(
    order,
    ground.coins.map((coin) => ({ ...coin, inputWeight })),
  )
  if (answer.type === 'short' && !ground.hasMore)
    return waitFor(ground, 'funds', `${answer.lackMinor} ${ground.coin} are lacking`)
  if (answer.type !== 'selected')
    return {
      ...waitFor(ground, 'coins-small', 'more coins than one transaction can spend'),
      needsFewer: true,
    }
  const { selection } = answer
  const fees = feesOf(weightOf(ground, order, selection), selection.feeMinor)
  if (fees.gas * fees.maxFeeMinor > ground.capitalMinor) {
    const detail = `the operator's own coin, ${ground.capitalMinor} free, does not cover a fee of ${selection.feeMinor}`
    return waitFor(ground, 'capital', detail)
  }
  const inputs = inputsOf(ground, selection)
  const hasChange = selection.changeMinor !== undefined
  return { choice: { proposals: due.map(({ proposal }) => proposal), payments, inputs, hasChange, fees } }
}

interface Waiting {
  readonly wait: Wait
  readonly needsFewer: boolean
}

function waitFor({ coin }: CoinGround, cause: 'funds' | 'coins-small' | 'capital', detail: string): Waiting {
  return { wait: { cause: cause === 'funds' ? `funds:${coin}` : cause, detail }, needsFewer: false }
}

/** The transaction that makes one coin of as many as it can spend, in their order; undefined where they are fewer than `least`. */
export function gatherCoins(
  ground: CoinGround,
  proposal: Proposal,
  { least, most }: { readonly least: number; readonly most: number },
): CoinChoice | undefined {
  const order = orderOf(ground, [])
  const { inputWeight, emptyWeight } = ground.drafts
  const room = Math.floor((weightMax - emptyWeight - ground.changeWeight) / inputWeight)
  const inputs = worthwhile(ground).slice(0, Math.min(most, room))
  if (inputs.length < least) return undefined
  const weight = emptyWeight + ground.changeWeight + inputs.length * inputWeight
  const fees = feesOf(weight, feeOf(weight, ground.feeRate))
  const leftMinor = sum(inputs.map(({ amountMinor }) => amountMinor)) - fees.tipMinor
  if (leftMinor < order.change.dustMinor || fees.gas * fees.maxFeeMinor > ground.capitalMinor)
    return undefined
  return { proposals: [proposal], payments: [], inputs, hasChange: true, fees }
}

/**
 * Whether making one coin of many pays: it costs no more than half of what it saves, which is what the other inputs would
 * cost on an ordinary day.
 */
export function paysOff({ drafts, chain }: CoinGround, { inputs, fees }: CoinChoice): boolean {
  return 2n * fees.tipMinor <= feeOf((inputs.length - 1) * drafts.inputWeight, chain.usualFeeRate)
}

/** As `selectCoins` sees it: a coin that costs more than half of what it holds stays where it is. */
export function worthwhile<T extends PayoutInput>({
  drafts,
  feeRate,
  coins,
}: Pick<CoinGround, 'drafts' | 'feeRate'> & { readonly coins: readonly T[] }): readonly T[] {
  const costMinor = feeOf(drafts.inputWeight, feeRate)
  return coins.filter(({ amountMinor }) => amountMinor >= 2n * costMinor)
}

/** What is left to choose from once something is chosen. */
export function without(ground: CoinGround, { inputs, fees }: CoinChoice): CoinGround {
  const spent = new Set(inputs.map(({ outpoint }) => outpoint))
  const isLeft = ({ outpoint }: PayoutInput) => !spent.has(outpoint)
  return {
    ...ground,
    coins: ground.coins.filter(isLeft),
    alone: ground.alone.filter(isLeft),
    // They are looked at in the next round.
    hasMore: false,
    capitalMinor: ground.capitalMinor - fees.gas * fees.maxFeeMinor,
  }
}

function orderOf(ground: CoinGround, paid: readonly Paid[]): Order {
  const { drafts, chain, changeWeight, feeRate, coldAddress } = ground
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
  { drafts, changeWeight }: CoinGround,
  { baseWeight }: Order,
  { coins, changeMinor }: Selection,
): number {
  return baseWeight + coins.length * drafts.inputWeight + (changeMinor === undefined ? 0 : changeWeight)
}

function inputsOf({ coins }: CoinGround, selection: Selection): readonly PayoutInput[] {
  const byOutpoint = new Map(coins.map((coin) => [coin.outpoint, coin]))
  return selection.coins.map(({ outpoint }) => required(byOutpoint.get(outpoint), 'a coin'))
}
