/** Plans outgoing transactions on UTXO chains: inputs, change addresses and fees. */
import { readCursor } from '../../chains/blocks/store.ts'
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { max, sum } from '../../core/money.ts'
import { queuesAt } from '../engine/controls/payment-queues.ts'
import { readFreeCapital } from '../engine/controls/read-capital.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { coinOf } from '../engine/engine-parts.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import type { PlanningOutcome, Wait } from '../engine/plan-outcome.ts'
import { saveSpendFloors } from '../engine/spend-floor-store.ts'
import type { NewOutgoingTransaction } from '../engine/store.ts'
import { type ChangeAddresses, openChangeAddresses } from './change-addresses.ts'
import {
  chooseInputs,
  consolidateUtxos,
  type InputChoice,
  type InputChoices,
  paysOff,
  type UtxoPlanContext,
  without,
  worthwhile,
} from './choose-inputs.ts'
import { fitRequest } from './fit-request.ts'
import { planCpfp } from './plan-cpfp.ts'
import { planReclaims } from './reclaims/plan-reclaims.ts'
import { feeOf } from './select-coins.ts'
import { pinnedOutpointOf } from './shape.ts'
import { hasOpenConsolidation } from './stuck-store.ts'
import { trustedAt, type UtxoParts } from './utxo-parts.ts'
import { readSpendable } from './utxo-store.ts'

/** The number of blocks within which an outgoing transaction should be mined. */
export const wantedBlocks = 3

/**
 * Assigns UTXOs, a change address and fees to proposals. Stores no outgoing transaction.
 * @throws NodeError if a node does not answer
 */
export async function planUtxoTransactions(
  parts: UtxoParts,
  memory: EngineMemory,
  proposals: readonly Proposal[],
  signal: AbortSignal,
): Promise<PlanningOutcome> {
  const { chain } = parts.network
  const feeRate = await readPlanRate(parts, signal)
  if (feeRate > chain.feeRateMax) return { planned: [], refused: [], waits: [dear(feeRate)] }
  const changeAddresses = await openChangeAddresses(parts, memory)
  const context = await readPlanContext(parts, memory, changeAddresses.weight, feeRate)
  const cpfp = await planCpfp(parts, proposals.filter(isCpfp), { context, changeAddresses })
  const rest = { ...context, capitalMinor: context.capitalMinor - cpfp.costMinor }
  const { chosen, refused, waits, needsFewer, queues } = choosePayments(rest, proposals)
  memory.queues = queues
  const asked = proposals.find(({ intent }) => intent.kind === 'consolidate')
  const isUnderWay =
    asked === undefined && needsFewer && (await hasOpenConsolidation(parts.db, parts.network.name))
  const reclaimed = await planReclaims(parts, chosen.reduce(without, rest), proposals)
  const left = [...chosen, ...reclaimed].reduce(without, rest)
  const consolidated = isUnderWay ? [] : consolidate(parts.network.name, left, { asked, needsFewer })
  const respent = await respendSetAside(parts, consolidated.reduce(without, left))
  const choices = [...chosen, ...reclaimed, ...consolidated, ...respent]
  return {
    planned: [
      ...cpfp.planned,
      ...choices.map((choice) => toOutgoingTransaction(parts, choice, changeAddresses)),
    ],
    refused,
    waits: [...cpfp.waits, ...waits],
  }
}

/**
 * Chooses UTXOs for withdrawals first. Treasury withdrawals follow only if no withdrawal has to wait, because
 * nobody waits for the operator's own money.
 */
function choosePayments(context: UtxoPlanContext, proposals: readonly Proposal[]): InputChoices {
  const ofKind = (kind: Proposal['intent']['kind']) => proposals.filter(({ intent }) => intent.kind === kind)
  const first = chooseInputs(context, ofKind('withdrawal'))
  const treasuryWithdrawals = ofKind('treasury_withdrawal')
  if (treasuryWithdrawals.length === 0 || first.waits.length > 0) return first
  if (context.coldAddress === undefined) return { ...first, waits: [noColdAddress] }
  const then = chooseInputs(first.chosen.reduce(without, context), treasuryWithdrawals)
  return {
    ...then,
    chosen: [...first.chosen, ...then.chosen],
    refused: [...first.refused, ...then.refused],
    queues: first.queues,
  }
}

const noColdAddress: Wait = {
  cause: 'cold-address',
  detail: 'a treasury withdrawal is ordered, but no cold address is set any more',
}

/**
 * Rounds a rate up to whole units per virtual byte, because outgoing transactions store rates in that unit.
 */
export function wholeRate(feeRate: bigint): bigint {
  return max(1n, (feeRate + 999n) / 1_000n) * 1_000n
}

/**
 * Returns the fee rate at which outgoing transactions are planned now.
 * @throws NodeError if a node does not answer
 */
export async function readPlanRate({ sender }: UtxoParts, signal: AbortSignal): Promise<bigint> {
  return wholeRate((await sender.readFeeRate(wantedBlocks, signal)).rateMinor)
}

/** Stores the amount below which a UTXO is not worth spending at this fee rate (`worthwhile`). */
export async function saveSpendFloor(parts: UtxoParts, feeRate: bigint): Promise<void> {
  const { db, network, drafts } = parts
  const floorMinor = 2n * feeOf(drafts.inputWeight, feeRate)
  await saveSpendFloors(db, network.name, [{ asset: coinOf(parts), floorMinor }])
}

export function dear(feeRate: bigint): Wait {
  const detail = `the fee rate of ${feeRate} for 1,000 vbytes is above the ceiling`
  return { cause: 'price', detail }
}

function isCpfp({ intent }: Proposal): boolean {
  return intent.kind === 'cpfp'
}

async function readPlanContext(
  parts: UtxoParts,
  memory: EngineMemory,
  changeWeight: number,
  feeRate: bigint,
): Promise<UtxoPlanContext> {
  const { db, network, drafts } = parts
  const cursor = required(await readCursor(db, network.name), 'the cursor')
  const { needsPreviousTransactions } = drafts
  const at = trustedAt(parts, cursor)
  await saveSpendFloor(parts, feeRate)
  const spendable = await readSpendable(db, network.name, at, {
    max: limits.utxosPerPlan,
    needsPreviousTransactions,
  })
  // UTXOs that are not worth their fee are dropped here, so that no payment waits for them.
  const { together, alone, hasMore } = fitRequest(worthwhile({ drafts, feeRate, utxos: spendable }))
  return {
    coin: coinOf(parts),
    chain: network.chain,
    drafts,
    changeWeight,
    feeRate,
    alone,
    utxos: together,
    coldAddress: parts.coldAddress,
    hasMore: hasMore || spendable.length === limits.utxosPerPlan,
    capitalMinor: await readFreeCapital(parts),
    queues: queuesAt(memory.queues, cursor.hash, limits.reservedRoundsOfUtxos),
  }
}

/**
 * Plans consolidations. If a payment needs more UTXOs than one transaction can spend, only the UTXOs for this
 * payment are consolidated. Otherwise, a consolidation is planned only if it saves money.
 */
function consolidate(
  network: string,
  context: UtxoPlanContext,
  { asked, needsFewer }: { readonly asked: Proposal | undefined; readonly needsFewer: boolean },
): readonly InputChoice[] {
  if (!needsFewer && asked === undefined) return []
  const own = asked ?? newConsolidation(network)
  if (needsFewer) return consolidateNeeded(network, context, own)
  const utxos = worthwhile(context)
  // The context may have fewer UTXOs than the wallet: some do not fit into the request, or are not worth
  // their fee.
  if (utxos.length < limits.utxosMany) return []
  const few = { least: 2, most: limits.utxosConsolidated }
  const choice = consolidateUtxos({ ...context, utxos: utxos.toReversed() }, own, few)
  return present(choice).filter((one) => paysOff(context, one))
}

/**
 * Returns transactions that move the UTXOs that are set aside to new outputs of ours. A UTXO is set aside if
 * a signed transaction that the database may have lost can spend it. The new outputs can be used like any
 * other output. UTXOs that are set aside are never spent together with others.
 */
async function respendSetAside(parts: UtxoParts, context: UtxoPlanContext): Promise<readonly InputChoice[]> {
  const { db, network, drafts } = parts
  const { needsPreviousTransactions } = drafts
  const at = trustedAt(parts, required(await readCursor(db, network.name), 'the cursor'))
  const bounds = { max: limits.utxosRespentTogether, needsPreviousTransactions, ofThoseSetAside: true }
  const { together, alone } = fitRequest(await readSpendable(db, network.name, at, bounds))
  const few = { least: 1, most: limits.utxosRespentTogether }
  const utxos = together.length > 0 ? together : alone.slice(0, 1)
  const choice = consolidateUtxos({ ...context, utxos }, newConsolidation(network.name), few)
  return present(choice).filter((one) => isWorthIts(one))
}

/**
 * Returns whether the fee of a transaction is at most half of the amount that it spends. The signer allows no
 * higher fee.
 */
export function isWorthIts({ inputs, fees }: InputChoice): boolean {
  return 2n * fees.fee <= sum(inputs.map(({ amountMinor }) => amountMinor))
}

/**
 * Consolidates the UTXOs that fit into one request. Each UTXO in `alone` is moved to a new output by itself,
 * because its previous transaction is large. The previous transaction of the new output is small.
 */
function consolidateNeeded(network: string, context: UtxoPlanContext, own: Proposal): readonly InputChoice[] {
  const choices = [...present(consolidateUtxos(context, own, { least: 2, most: limits.utxosPerPlan }))]
  let left = choices.reduce(without, context)
  const alone = context.hasMore ? left.alone.slice(0, limits.utxosAlonePerPlan) : []
  for (const utxo of alone) {
    const one = consolidateUtxos({ ...left, utxos: [utxo] }, newConsolidation(network), { least: 1, most: 1 })
    if (one === undefined || 2n * one.fees.fee > utxo.amountMinor) continue
    choices.push(one)
    left = without(left, one)
  }
  return choices
}

function present<T>(one: T | undefined): readonly T[] {
  return one === undefined ? [] : [one]
}

export function newConsolidation(network: string): Proposal {
  return { id: newId(), network, intent: { kind: 'consolidate' }, spends: undefined }
}

export function toOutgoingTransaction(
  parts: UtxoParts,
  choice: InputChoice,
  changeAddresses: ChangeAddresses,
): NewOutgoingTransaction {
  const { proposals, payments, inputs, hasChange, fees } = choice
  const { id, intent, network, spends } = required(proposals[0], 'a proposal')
  const change = hasChange ? changeAddresses.next() : undefined
  const isBatch = payments[0]?.withdrawalId === id
  const amountMinor = sum(payments.map(({ netMinor }) => netMinor))
  return {
    // The proposal of a new withdrawal has the withdrawal's id, so the outgoing transaction gets an id of its
    // own. A refused transaction keeps its id when it is planned again.
    id: isBatch ? newId() : id,
    network,
    intent: intent.kind === 'withdrawal' ? { kind: 'withdrawal', payments } : intent,
    family: 'utxo',
    slot: { pinnedOutpoint: pinnedOutpointOf(inputs), change: change?.keyPath },
    fees,
    spends: intent.kind === 'withdrawal' ? { asset: coinOf(parts), contract: null, amountMinor } : spends,
    carries: proposals.map((proposal) => proposal.id),
    utxos: { inputs, change },
  }
}
