/**
 * Spends UTXOs to ourselves in a recovery. The database may have lost signed transactions that spend the same
 * UTXOs. Once the UTXOs are spent, those transactions can never be mined.
 */
import type { Cursor } from '../../../chains/blocks/block.ts'
import { newId } from '../../../core/ids.ts'
import { limits } from '../../../core/limits.ts'
import { lockOwnMoney } from '../../../ledger/lock-own-money.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { findKnown } from '../../engine/attempt-store.ts'
import { readFreeCapital } from '../../engine/controls/read-capital.ts'
import type { EngineMemory } from '../../engine/engine-memory.ts'
import { coinOf, raiseAlert } from '../../engine/engine-parts.ts'
import { NotWantedError, type Proposal } from '../../engine/outgoing-source.ts'
import { maxCostMinor } from '../../engine/outgoing-transaction.ts'
import type { Wait } from '../../engine/plan-outcome.ts'
import { insertOutgoingTransactions, type NewOutgoingTransaction } from '../../engine/store.ts'
import { openChangeAddresses } from '../change-addresses.ts'
import {
  consolidateUtxos,
  type InputChoice,
  type UtxoPlanContext,
  without,
  worthwhile,
} from '../choose-inputs.ts'
import { fitRequest } from '../fit-request.ts'
import { cpfpOutgoingSource } from '../outgoing-sources.ts'
import { planCpfp } from '../plan-cpfp.ts'
import {
  dear,
  isWorthIts,
  newConsolidation,
  toOutgoingTransaction,
  wantedBlocks,
  wholeRate,
} from '../plan-utxo-transactions.ts'
import { reservePlannedInputs } from '../reserve-inputs.ts'
import { totalOf } from '../shape.ts'
import { trustedAt, type UtxoParts } from '../utxo-parts.ts'
import {
  type AsideReason,
  type ExposedUtxo,
  findRestingRefusal,
  insertRespends,
  readExposed,
  setAside,
} from './exposed-utxo-store.ts'
import { findWaitingSpenders } from './waiting-spenders.ts'

export interface Respending {
  readonly done: number
  /**
   * The number of UTXOs that must still be spent to ourselves: they are neither reserved nor set aside yet.
   */
  readonly left: number
  readonly waits: readonly Wait[]
}

/**
 * A transaction in a mempool may spend our UTXOs although the database does not know it. For this many
 * blocks, it may still be mined and pay its recipients. After that, its UTXOs are spent to ourselves.
 */
const graceBlocks = 6
/** The maximum number of transactions planned in one step. */
const plannedPerStep = 20

/**
 * Plans and stores the transactions that spend UTXOs to ourselves, as far as this is possible now.
 * @param until the height of the last block whose UTXOs must be spent
 */
export async function respendUtxos(
  parts: UtxoParts,
  memory: EngineMemory,
  { until, cursor }: { readonly until: number; readonly cursor: Cursor },
  signal: AbortSignal,
): Promise<Respending> {
  const { db, network, drafts } = parts
  const at = trustedAt(parts, cursor)
  const bounds = {
    until,
    needsPreviousTransactions: drafts.needsPreviousTransactions,
    max: limits.utxosPerPlan,
  }
  const exposed = await readExposed(db, network.name, at, bounds)
  // A UTXO whose previous transaction is too large for the signer is left out, because nothing was ever
  // signed for it.
  const free = exposed.filter(
    ({ isSpokenFor, previousTransactionBytes }) =>
      !isSpokenFor && previousTransactionBytes <= limits.previousTransactionBytesMax,
  )
  const barred = free.filter((utxo) => utxo.height <= at.finalHeight && !utxo.maySpend)
  if (barred.length > 0) await keepAside(parts, memory, barred, 'books')
  const due = free.filter(({ maySpend, isShown }) => maySpend && isShown)
  const stuck = network.chain.canReplace
    ? []
    : await cpfpOutgoingSource.propose(db, network.name, limits.outgoingPlannedAtOnce)
  const left = free.length - barred.length
  if (due.length + stuck.length === 0)
    return { done: barred.length, left, waits: left > 0 ? [youngOf(left)] : [] }
  const refusal = await findRestingRefusal(db, network.name)
  if (refusal !== undefined) return { done: barred.length, left, waits: [refusedBy(refusal)] }
  const feeRate = wholeRate((await parts.sender.readFeeRate(wantedBlocks, signal)).rateMinor)
  if (feeRate > network.chain.feeRateMax) return { done: barred.length, left, waits: [dear(feeRate)] }
  // Nodes that accept no replacement reject a transaction that spends the same UTXO as one in their mempool.
  // On their chains, such a UTXO always waits.
  const isGrace = !network.chain.canReplace || cursor.height < until + graceBlocks
  const waiting = isGrace ? await findWaiting(parts, due, signal) : new Map<string, string>()
  const ready = due.filter(({ outpoint }) => !waiting.has(outpoint))
  const plan = await planRespends(parts, memory, { utxos: ready, stuck, feeRate })
  if (plan.small.length > 0) await keepAside(parts, memory, plan.small, 'small')
  const stored = await store(parts, memory, plan.planned)
  return {
    done: barred.length + plan.small.length + stored,
    left: left - plan.small.length,
    waits: [...plan.waits, ...waitsOf(waiting)],
  }
}

interface Plan {
  readonly planned: readonly NewOutgoingTransaction[]
  /** UTXOs that are not worth their fee. */
  readonly small: readonly ExposedUtxo[]
  readonly waits: readonly Wait[]
}

async function planRespends(
  parts: UtxoParts,
  memory: EngineMemory,
  {
    utxos,
    stuck,
    feeRate,
  }: {
    readonly utxos: readonly ExposedUtxo[]
    readonly stuck: readonly Proposal[]
    readonly feeRate: bigint
  },
): Promise<Plan> {
  const { network, drafts } = parts
  const changeAddresses = await openChangeAddresses(parts, memory)
  const capitalMinor = await readFreeCapital(parts)
  const context: UtxoPlanContext = {
    coin: coinOf(parts),
    chain: network.chain,
    drafts,
    changeWeight: changeAddresses.weight,
    feeRate,
    utxos: [],
    hasMore: false,
    alone: [],
    capitalMinor,
  }
  const cpfp = await planCpfp(parts, stuck, { context, changeAddresses })
  const worth = new Set(worthwhile({ drafts, feeRate, utxos }))
  const batches = batchesOf(utxos.filter((utxo) => worth.has(utxo)))
  const small = utxos.filter((utxo) => !worth.has(utxo))
  const planned = [...cpfp.planned]
  let left = { ...context, capitalMinor: capitalMinor - cpfp.costMinor }
  for (const batch of batches.slice(0, plannedPerStep)) {
    const choice = consolidateBatch(left, network.name, batch)
    if (choice === undefined) {
      small.push(...batch)
      continue
    }
    const lacksMinor = maxCostMinor(choice.fees) - left.capitalMinor
    if (lacksMinor > 0n) return { planned, small, waits: [...cpfp.waits, capitalLacks(parts, lacksMinor)] }
    planned.push(toOutgoingTransaction(parts, choice, changeAddresses))
    left = without(left, choice)
  }
  return { planned, small, waits: cpfp.waits }
}

/**
 * Groups UTXOs into batches, one for each transaction. Batches are small, so that several UTXOs result, which
 * can pay for several transactions at the same time. UTXOs that the signer reserves for a conflicted
 * transaction are not mixed with others. The previous transactions of a batch fit into one request.
 */
function batchesOf(utxos: readonly ExposedUtxo[]): readonly (readonly ExposedUtxo[])[] {
  const owners = [...new Set(utxos.map(({ former }) => former))]
  return owners.flatMap((owner) => {
    const own = utxos.filter(({ former }) => former === owner)
    const byOutpoint = new Map(own.map((utxo) => [utxo.outpoint, utxo]))
    const { together, alone } = fitRequest(own)
    const first = together.flatMap(({ outpoint }) => byOutpoint.get(outpoint) ?? [])
    const single = alone.filter((utxo) => !together.includes(utxo))
    const batches: (readonly ExposedUtxo[])[] = []
    for (let start = 0; start < first.length; start += limits.utxosRespentTogether)
      batches.push(first.slice(start, start + limits.utxosRespentTogether))
    return [
      ...batches,
      ...single.map(({ outpoint }) => [byOutpoint.get(outpoint)].flatMap((one) => one ?? [])),
    ]
  })
}

/** Returns a transaction that spends a batch; undefined if the batch is not worth the fee. */
function consolidateBatch(
  context: UtxoPlanContext,
  network: string,
  batch: readonly ExposedUtxo[],
): InputChoice | undefined {
  const former = batch[0]?.former
  const proposal: Proposal =
    former === undefined
      ? newConsolidation(network)
      : {
          id: newId(),
          network,
          intent: { kind: 'reclaim', outgoingTransactionId: former },
          spends: undefined,
        }
  // The batch's own amount is passed as the capital, so that the capital limits nothing here. Whether the
  // operator's own coin covers the fee is checked later.
  const anyCapital = { ...context, utxos: batch, capitalMinor: totalOf(batch) }
  const choice = consolidateUtxos(anyCapital, proposal, { least: 1, most: batch.length })
  return choice !== undefined && isWorthIts(choice) ? choice : undefined
}

/**
 * Stores planned transactions that spend UTXOs to ourselves.
 * @returns how many were stored; 0 if a UTXO or the capital was used elsewhere in the meantime
 */
async function store(
  parts: UtxoParts,
  memory: EngineMemory,
  planned: readonly NewOutgoingTransaction[],
): Promise<number> {
  const { db, network, log } = parts
  if (planned.length === 0) return 0
  try {
    await inTransaction(db, async (tx) => {
      await assertLease(tx, memory.lease)
      await insertOutgoingTransactions(tx, planned)
      await reservePlannedInputs(parts, tx, planned)
      await insertRespends(
        tx,
        network.name,
        planned.map(({ id }) => id),
      )
      await lockOwnMoney(tx, coinOf(parts))
      if ((await readFreeCapital({ db: tx, network })) < 0n)
        throw new NotWantedError("the operator's own coin was used while respends were planned")
    })
    return planned.length
  } catch (error) {
    if (!(error instanceof NotWantedError)) throw error
    log.info(
      { network: network.name, reason: error.message },
      'UTXOs are checked again before they are respent',
    )
    return 0
  }
}

/** Sets UTXOs aside and alerts operators. From now on, no payment spends these UTXOs. */
async function keepAside(
  parts: UtxoParts,
  memory: EngineMemory,
  utxos: readonly ExposedUtxo[],
  reason: AsideReason,
): Promise<void> {
  const { db, network } = parts
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await setAside(tx, network.name, utxos, reason)
  })
  const fields = { subject: reason, utxos: utxos.length, heldMinor: `${totalOf(utxos)}` }
  raiseAlert(
    parts,
    memory,
    'utxos-set-aside',
    fields,
    'UTXOs are set aside, because signed transactions that the database may have lost can spend them',
  )
}

/**
 * Returns the transactions in mempools that spend the given UTXOs and that the database does not know, keyed
 * by outpoint.
 */
async function findWaiting(
  { db, network, sender }: UtxoParts,
  utxos: readonly ExposedUtxo[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const waiting = await findWaitingSpenders(sender, utxos, signal)
  const known = await findKnown(db, network.name, [...waiting.values()])
  return new Map([...waiting].filter(([, txHash]) => !known.has(txHash)))
}

function waitsOf(waiting: ReadonlyMap<string, string>): readonly Wait[] {
  const [first] = waiting.values()
  if (first === undefined) return []
  const detail = `the unknown transaction ${first} in a mempool spends a UTXO of ours: its UTXOs are respent once it is dropped or can be replaced`
  return [{ cause: 'recovery-mempool', detail }]
}

function youngOf(count: number): Wait {
  return {
    cause: 'recovery-utxos',
    detail: `${count} UTXOs cannot be respent yet: their previous transactions are not final, or no node returns them`,
  }
}

function refusedBy(detail: string): Wait {
  return { cause: 'recovery-refused', detail: `the signer refused to respend UTXOs: ${detail}` }
}

function capitalLacks(parts: UtxoParts, lacksMinor: bigint): Wait {
  const detail = `the operator's own coin lacks ${lacksMinor} of ${coinOf(parts)} for the fees of respending: send coin and book it as capital`
  return { cause: 'capital', detail }
}
