/** Step 6 of each round of the engine (`run.ts`): plans the proposals of the outgoing sources. */
import { readProgress } from '../../chains/blocks/store.ts'
import { limits } from '../../core/limits.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { isSealBehind } from '../../ledger/store.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readActiveHalts } from './controls/active-halts.ts'
import { outsideHalts, readHaltWaits, readKeptAssets } from './controls/asset-halts.ts'
import { readBooksCheck } from './controls/books-check-store.ts'
import { readFreeCapital } from './controls/read-capital.ts'
import { readLongWaits, replaceWaits } from './controls/wait-store.ts'
import type { EngineMemory } from './engine-memory.ts'
import { coinOf, type EngineParts, haltUnderLease, raiseAlert } from './engine-parts.ts'
import { NotWantedError, notifySources, type Proposal, TamperedError } from './outgoing-source.ts'
import type { PlanningOutcome, Wait } from './plan-outcome.ts'
import { readFreeRetries } from './retries/read-free-retries.ts'
import { deleteRefusals } from './retries/refusal-store.ts'
import { retryCheaper } from './retries/retry-cheaper.ts'
import { findHistoryError, findSignedHead, type SignedHead } from './signer-client/countersign-head.ts'
import { insertOutgoingTransactions } from './store.ts'

/**
 * Nothing is planned if our list of blocks is more than 10 blocks behind the node. The same applies if the
 * node reported nothing for more than 60 s.
 */
const lagBlocksMax = 10
const silentSecondsMax = 60

/**
 * Gives slots and fees to the proposals of the outgoing sources, and stores the planned transactions.
 * @returns how many proposals were planned or refused
 */
export async function planOutgoing(
  parts: EngineParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<number> {
  if ((await readActiveHalts(parts.db, memory)).length > 0) return 0
  const signed = await findSignedHead(parts.db, memory.statementKey)
  alertForgedHeads(parts, memory, signed)
  const historyError = findHistoryError(signed)
  if (historyError !== undefined) {
    await haltUnderLease(parts, memory, 'history', historyError)
    return 0
  }
  await retryCheaper(parts, memory, signal)
  const halted = await readKeptAssets(parts.db, memory)
  await parts.strategy.beforePlanning?.(memory, signal)
  const proposals = outsideHalts(await propose(parts, memory, halted, signal), halted)
  if (proposals.length === 0) {
    await noteWaits(parts, memory, [])
    return 0
  }
  const standstill = await findStandstill(parts, memory)
  if (standstill !== undefined) {
    await noteWaits(parts, memory, [standstill])
    return 0
  }
  const assignment = await parts.strategy.prepare(memory, proposals, signal)
  const isSaved = await save(parts, memory, assignment)
  await noteWaits(parts, memory, assignment.waits)
  return isSaved ? assignment.planned.length + assignment.refused.length : 0
}

/**
 * Raises an alert if the database contains countersigned heads that the signer did not sign. Planning skips
 * such heads as long as they are few, but operators must find out who wrote them.
 */
function alertForgedHeads(parts: EngineParts, memory: EngineMemory, { forged }: SignedHead): void {
  const [newest] = forged
  if (newest === undefined) return
  const fields = { subject: `seal ${newest.sequence}`, count: forged.length }
  const message = 'a stored countersignature is not the signer’s: check who can write to the database'
  raiseAlert(parts, memory, 'head-forged', fields, message)
}

/**
 * Returns the refused transactions that are due for another try, and then the proposals of each outgoing
 * source. If one source fails, the others are still asked.
 */
async function propose(
  { db, log, network, chain, outgoingSources }: EngineParts,
  { lease }: EngineMemory,
  halted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly Proposal[]> {
  const max = limits.outgoingPlannedAtOnce
  const proposals = [...(await readFreeRetries(db, { network: network.name, outgoingSources, halted, max }))]
  for (const outgoingSource of outgoingSources) {
    try {
      await outgoingSource.prepare?.(lease, network.name, signal, chain)
      proposals.push(...(await outgoingSource.propose(db, network.name, max)))
    } catch (error) {
      if (signal.aborted) throw error
      log.error(
        { network: network.name, kinds: outgoingSource.kinds, err: error },
        'an outgoing source could not propose transactions',
      )
    }
  }
  return [...new Map(proposals.map((proposal) => [proposal.id, proposal])).values()]
}

/** Returns the reason why no transaction at all may be planned now; undefined if there is none. */
async function findStandstill(
  { db, network }: EngineParts,
  { solvency }: EngineMemory,
): Promise<Wait | undefined> {
  const progress = (await readProgress(db)).find((chain) => chain.network === network.name)
  if (progress === undefined) return { cause: 'chain-stale', detail: `${network.name} is not followed yet` }
  const lag = progress.headHeight - progress.height
  if (lag > lagBlocksMax || progress.seenSecondsAgo > silentSecondsMax) {
    const detail = `our blocks of ${network.name} are ${lag} behind and ${Math.round(progress.seenSecondsAgo)} s old`
    return { cause: 'chain-stale', detail }
  }
  if (await isSealBehind(db)) return { cause: 'unsealed', detail: 'journals wait too long for their seals' }
  const { isOverdue, checkedSecondsAgo } = await readBooksCheck(db)
  if (isOverdue) return { cause: 'books-unchecked', detail: unchecked(checkedSecondsAgo) }
  if (solvency?.isFresh === false) {
    const detail = `the books of ${network.name} were not compared with its chain recently, or not since payouts started`
    return { cause: 'solvency-unchecked', detail }
  }
  return undefined
}

function unchecked(secondsAgo: number | undefined): string {
  const last = secondsAgo === undefined ? 'never checked' : `last checked ${Math.round(secondsAgo)} s ago`
  return `the books were ${last}: the check does not finish`
}

/**
 * Stores the outcome of planning.
 * @returns false if nothing was stored, because the order of a proposal was cancelled meanwhile or never
 * existed. The sources propose again in the next round.
 */
async function save(parts: EngineParts, memory: EngineMemory, assignment: PlanningOutcome): Promise<boolean> {
  const { planned, refused } = assignment
  if (planned.length + refused.length === 0) return true
  try {
    await store(parts, memory, assignment)
  } catch (error) {
    if (error instanceof TamperedError) {
      await haltUnderLease(parts, memory, 'tampering', error.message)
      return false
    }
    if (!(error instanceof NotWantedError)) throw error
    parts.log.info({ reason: error.message }, 'an outgoing transaction is no longer needed')
    return false
  }
  for (const { proposal, reason } of refused) {
    parts.log.warn(
      { outgoingTransaction: proposal.id, kind: proposal.intent.kind, reason },
      'an outgoing transaction would fail or could cost too much, and is not planned',
    )
  }
  return true
}

async function store(
  parts: EngineParts,
  { lease }: EngineMemory,
  { planned, refused }: PlanningOutcome,
): Promise<void> {
  const { db, network, outgoingSources, strategy } = parts
  const carried = new Map(planned.map(({ id, carries }) => [id, carries ?? [id]]))
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    const inserted = await insertOutgoingTransactions(tx, planned)
    await strategy.reserve(tx, planned)
    const settled = [...[...carried.values()].flat(), ...refused.map(({ proposal }) => proposal.id)]
    const retried = await deleteRefusals(tx, settled)
    const isNew = ({ id }: { readonly id: string }) => !carried.get(id)?.some((one) => retried.has(one))
    await notifySources(outgoingSources, tx, [
      ...inserted
        .filter(isNew)
        .map((outgoingTransaction) => ({ outgoingTransaction, to: 'planned' as const })),
      ...refused.map((one) => ({ ...one, to: 'refused' as const })),
    ])
    if (planned.length === 0) return
    // Planning read the free capital outside this database transaction. An operator may have ordered a
    // treasury withdrawal since then, so the free capital is read again.
    await lockOwnMoney(tx, coinOf(parts))
    if ((await readFreeCapital({ db: tx, network })) < 0n)
      throw new NotWantedError("the operator's own coin was used while gas was planned")
  })
}

/**
 * Stores the present waits, which operators can read. Raises an alert for each wait that has lasted at least
 * `limits.outgoingWaitS` seconds, except `hot-wallets-full`. Shorter waits, such as for incoming funds, raise
 * no alert.
 */
export async function noteWaits(
  parts: EngineParts,
  memory: EngineMemory,
  own: readonly Wait[],
): Promise<void> {
  const { db, network } = parts
  const all = [...own, ...(await readHaltWaits(db, network.name, memory))]
  // Several waits may have the same cause; only the first of them is kept.
  const waits = all.filter(({ cause }, index) => all.findIndex((other) => other.cause === cause) === index)
  const text = JSON.stringify(waits)
  if (text !== memory.waits) {
    await inTransaction(db, async (tx) => {
      await assertLease(tx, memory.lease)
      await replaceWaits(tx, network.name, waits)
    })
    memory.waits = text
  }
  if (waits.length === 0) return
  for (const { cause, detail } of await readLongWaits(db, network.name, limits.outgoingWaitS)) {
    if (cause === 'hot-wallets-full') continue
    raiseAlert(parts, memory, 'outgoing-waits', { subject: cause, detail }, 'payouts wait')
  }
}
