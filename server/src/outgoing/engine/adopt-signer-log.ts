/**
 * Step 2 of each round of the engine (`run.ts`): adopts transactions that the signer signed but that the
 * database does not contain.
 */
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { required } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { LogEntry } from '../../signing/signer-port.ts'
import { findKnown, insertAttempts } from './attempt-store.ts'
import { entryErrorOf } from './check-answers.ts'
import { haltOutgoing } from './controls/halts.ts'
import type { EngineMemory } from './engine-memory.ts'
import { coinOf, type EngineParts } from './engine-parts.ts'
import { advanceLogPosition, readLogPosition } from './log-position-store.ts'
import { foundAnew, notifySources, type OutgoingMove } from './outgoing-source.ts'
import { maxCostMinor, unitPriceMinor, withDataFeeOf } from './outgoing-transaction.ts'
import { forgetOutflow } from './recovery/forget-outflow.ts'
import { forgetRewind, isRewindAccepted } from './recovery/log-generation.ts'
import { deleteRefusals, insertRefusals, proposalOf, type Refusal } from './retries/refusal-store.ts'
import { spentBy } from './spent-by.ts'
import {
  deletePlanned,
  insertOutgoingTransactions,
  readOutgoingTransactions,
  type StoredOutgoingTransaction,
  saveFees,
  saveSentHeight,
  saveState,
} from './store.ts'

/**
 * Adopts the entries of the signer's log that are missing in the database. Entries are missing after a crash
 * between signing and storing, or after the database was restored from a backup. The engine plans and signs
 * nothing until this function returns `true`.
 * @returns true if the database contains every entry of the log
 * @throws SignerAwayError if the signer does not answer
 */
export async function adoptLog(parts: EngineParts, memory: EngineMemory): Promise<boolean> {
  const { db, signer, log, network } = parts
  for (;;) {
    const position = await readLogPosition(db)
    const read = await signer.readLog(Math.max(0, position - 1), limits.signerLogEntries)
    if (position > 0 && !(await isOurEntry(parts, position, read[0]))) {
      const detail = `entry ${position} of the signer's log is missing or differs from the adopted one: restore the latest log of the signer`
      memory.isRewound = true
      if (await isRewindAccepted(parts, memory, position, detail)) continue
      return false
    }
    if (memory.isRewound) await forgetRewind(parts)
    memory.isRewound = false
    const entries = read.filter(({ sequence }) => sequence > position)
    if (entries.length === 0) return true
    const foreign = await findForeign(parts, memory, entries)
    const own =
      foreign === undefined ? entries : entries.filter(({ sequence }) => sequence < foreign.sequence)
    const adopted = await inTransaction(db, async (tx) => {
      await assertLease(tx, memory.lease)
      if (foreign !== undefined) await haltOutgoing({ db: tx, log }, 'signer-answer', foreign.detail)
      return own.length === 0 ? { position, count: 0 } : adopt(parts, memory, tx, position, own)
    })
    if (adopted.count > 0) {
      log.warn(
        { network: network.name, ...adopted },
        'signed transactions were adopted from the signer’s log',
      )
    }
    if (foreign !== undefined || adopted.position === position) return false
  }
}

/**
 * Returns the first entry of this network that is not stored and cannot be the signer's answer to a request
 * of this engine. Neither that entry nor any later entry is adopted.
 */
async function findForeign(
  { db, network, strategy }: EngineParts,
  memory: EngineMemory,
  entries: readonly LogEntry[],
): Promise<{ readonly sequence: number; readonly detail: string } | undefined> {
  const own = entries.filter((entry) => entry.network === network.name)
  const hashes = own.map(({ txHash }) => txHash)
  const known = await findKnown(db, network.name, hashes)
  for (const entry of own.filter(({ txHash }) => !known.has(txHash))) {
    const { sequence, outgoingTransactionId } = entry
    const error = entryErrorOf(strategy, memory, entry)
    const detail = `entry ${sequence} of the signer's log, of transaction ${outgoingTransactionId}, is not valid: ${error}`
    if (error !== undefined) return { sequence, detail }
    await yieldToEvents()
  }
  return undefined
}

/**
 * Returns true if `entry` is the entry of the signer's log at `position` and its transaction is stored.
 * Returns false after the log was shortened or replaced. Without this check, a payment could then be signed
 * twice.
 */
async function isOurEntry(
  { db }: EngineParts,
  position: number,
  entry: LogEntry | undefined,
): Promise<boolean> {
  if (entry?.sequence !== position) return false
  return (await findKnown(db, entry.network, [entry.txHash])).has(entry.txHash)
}

async function adopt(
  parts: EngineParts,
  memory: EngineMemory,
  tx: Tx,
  position: number,
  entries: readonly LogEntry[],
): Promise<{ readonly position: number; readonly count: number }> {
  const hashesOf = (name: string) =>
    entries.filter((entry) => entry.network === name).map(({ txHash }) => txHash)
  const known = new Map<string, ReadonlySet<string>>()
  for (const name of new Set(entries.map((entry) => entry.network))) {
    known.set(name, await findKnown(tx, name, hashesOf(name)))
  }
  const isKnown = ({ network, txHash }: LogEntry) => known.get(network)?.has(txHash) === true
  const unknown = entries.filter((entry) => !isKnown(entry))
  const own = unknown.filter(({ network }) => network === parts.network.name)
  // Entries are adopted one after the other, because several entries can belong to the same outgoing
  // transaction or use the same nonce.
  for (const entry of own) await adoptEntry(parts, memory, tx, entry)
  // The log position stops before the first unknown entry of another network. The engine of that network must
  // adopt that entry first.
  const foreign = unknown.find(({ network }) => network !== parts.network.name)
  const to = foreign === undefined ? required(entries.at(-1), 'an entry').sequence : foreign.sequence - 1
  await advanceLogPosition(tx, position, to)
  return { position: to, count: own.length }
}

async function adoptEntry(parts: EngineParts, memory: EngineMemory, tx: Tx, entry: LogEntry): Promise<void> {
  const { outgoingTransactionId, intent } = entry
  const network = parts.network.name
  const terms = parts.strategy.readEntry(memory, entry)
  const conflicting = await parts.strategy.findConflicting(tx, entry, terms)
  const cleared = await returnPlanned(tx, conflicting, outgoingTransactionId)
  const wasPlanned = cleared.some(({ id }) => id === outgoingTransactionId)
  await parts.strategy.release?.(tx, entry)
  const spends = spentBy(intent, coinOf(parts))
  const inserted = await insertOutgoingTransactions(tx, [
    { id: outgoingTransactionId, network, intent, spends, ...terms },
  ])
  await forgetOutflow(tx, network, entry.txHash)
  await parts.strategy.adopt?.(memory, tx, entry)
  const wasRefused = (await deleteRefusals(tx, [outgoingTransactionId])).size > 0
  const isNew = inserted.length > 0 && !wasPlanned && !wasRefused
  const outgoingTransaction = required(
    (await readOutgoingTransactions(tx, [outgoingTransactionId]))[0],
    'the payout of a log entry',
  )
  const { txHash, raw } = entry
  const fees = withDataFeeOf(outgoingTransaction.fees, terms.fees)
  const { state } = outgoingTransaction
  await insertAttempts(tx, [
    { network, txHash, outgoingTransactionId, raw, maxCostMinor: maxCostMinor(fees) },
  ])
  const isNewest = unitPriceMinor(fees) > unitPriceMinor(outgoingTransaction.fees)
  if (isNewest || state === 'planned')
    await saveFees(tx, outgoingTransactionId, fees, outgoingTransaction.bumps)
  if (state !== 'final' && state !== 'conflicted')
    await saveSentHeight(tx, [outgoingTransactionId], undefined)
  await notifySources(parts.outgoingSources, tx, await movesOf(tx, outgoingTransaction, isNew))
}

/**
 * Deletes those of the given outgoing transactions for which nothing was signed. Proposals of outgoing
 * sources, such as withdrawals, are stored as refusals and planned again later. Transactions that the engine
 * itself proposed (`foundAnew`) are not stored, because the engine proposes them again if it still needs
 * them.
 * @param exceptId is the id of a transaction that is deleted but not stored as a refusal, because the
 * signer's log contains it
 * @returns the deleted transactions
 */
export async function returnPlanned(
  tx: Tx,
  ids: readonly string[],
  exceptId?: string,
): Promise<readonly StoredOutgoingTransaction[]> {
  const cleared = await deletePlanned(tx, ids)
  const others = cleared.filter(({ id }) => id !== exceptId)
  const own = others.filter(({ intent }) => foundAnew.includes(intent.kind))
  const orders = others.filter((outgoingTransaction) => !own.includes(outgoingTransaction))
  if (orders.length > 0) await insertRefusals(tx, orders.map(renumbered))
  const ownIds = own.map(({ id }) => id)
  if (own.length > 0) await deleteRefusals(tx, ownIds)
  return cleared
}

function renumbered(outgoingTransaction: StoredOutgoingTransaction): Refusal {
  return {
    proposal: proposalOf(outgoingTransaction),
    code: 'renumbered',
    detail: 'the signer signed another transaction in its position',
    retryInS: 0,
  }
}

async function movesOf(
  tx: Tx,
  outgoingTransaction: StoredOutgoingTransaction,
  isNew: boolean,
): Promise<readonly OutgoingMove[]> {
  if (outgoingTransaction.state !== 'planned') return []
  await saveState(tx, [outgoingTransaction.id], 'signed')
  const signed = { ...outgoingTransaction, state: 'signed' as const }
  return [
    ...(isNew ? [{ outgoingTransaction, to: 'planned' as const }] : []),
    { outgoingTransaction: signed, to: 'signed' as const },
  ]
}
