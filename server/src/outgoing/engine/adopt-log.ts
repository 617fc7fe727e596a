import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { required } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { LogEntry } from '../../signing/signer-port.ts'
import { findKnown, insertAttempts } from './attempt-store.ts'
import { entryFaultOf } from './check-answers.ts'
import { haltPayouts } from './controls/halts.ts'
import { advanceLogMark, readLogMark } from './log-mark-store.ts'
import { coinOf, type PayoutParts } from './machine.ts'
import type { MachineMemory } from './machine-memory.ts'
import { foundAnew, type PayoutMove, tellPurposes } from './purpose.ts'
import { forgetRewind, isRewindAccepted } from './recovery/log-life.ts'
import { deleteOutflow } from './recovery/outflow-store.ts'
import { deleteRefusals, insertRefusals, proposalOf, type Refusal } from './retries/refusal-store.ts'
import { spentBy } from './spent-by.ts'
import {
  deletePlanned,
  findPlanned,
  insertPayouts,
  readPayouts,
  type StoredPayout,
  saveFees,
  saveSentHeight,
  saveState,
} from './store.ts'

/**
 * Takes over what the signer signed and the database does not know: a crash between both, or a database restored from
 * a backup. Until this has told `true`, nothing new is planned or signed.
 * @returns whether the database holds every entry of the log
 * @throws SignerAwayError
 */
export async function adoptLog(parts: PayoutParts, memory: MachineMemory): Promise<boolean> {
  const { db, signer, log, network } = parts
  for (;;) {
    const mark = await readLogMark(db)
    const read = await signer.readLog(Math.max(0, mark - 1), limits.signerLogEntries)
    if (mark > 0 && !(await isOurEntry(parts, mark, read[0]))) {
      const detail = `the signer's log does not hold entry ${mark} as we know it: put back the log that the signer wrote last`
      memory.isRewound = true
      if (await isRewindAccepted(parts, memory, mark, detail)) continue
      return false
    }
    if (memory.isRewound) await forgetRewind(parts)
    memory.isRewound = false
    const entries = read.filter(({ sequence }) => sequence > mark)
    if (entries.length === 0) return true
    const foreign = await findForeign(parts, memory, entries)
    const own =
      foreign === undefined ? entries : entries.filter(({ sequence }) => sequence < foreign.sequence)
    const adopted = await inTransaction(db, async (tx) => {
      await assertLease(tx, memory.lease)
      if (foreign !== undefined) await haltPayouts({ db: tx, log }, 'signer-answer', foreign.detail)
      return own.length === 0 ? { mark, count: 0 } : adopt(parts, memory, tx, mark, own)
    })
    if (adopted.count > 0) {
      log.warn({ network: network.name, ...adopted }, 'signed transactions were taken over from the log')
    }
    if (foreign !== undefined || adopted.mark === mark) return false
  }
}

/** The first entry of this network that is not stored and that we cannot have asked for; nothing from it on is taken over. */
async function findForeign(
  { db, network, way }: PayoutParts,
  memory: MachineMemory,
  entries: readonly LogEntry[],
): Promise<{ readonly sequence: number; readonly detail: string } | undefined> {
  const own = entries.filter((entry) => entry.network === network.name)
  const hashes = own.map(({ txHash }) => txHash)
  const known = await findKnown(db, network.name, hashes)
  for (const entry of own.filter(({ txHash }) => !known.has(txHash))) {
    const { sequence, payoutId } = entry
    const fault = entryFaultOf(way, memory, entry)
    const detail = `entry ${sequence} of the signer's log, of payout ${payoutId}, is not what we ask for: ${fault}`
    if (fault !== undefined) return { sequence, detail }
    await yieldToEvents()
  }
  return undefined
}

/** Whether the log still holds what we took over last: one that was shortened, or is another, would sign a payment twice. */
async function isOurEntry({ db }: PayoutParts, mark: number, entry: LogEntry | undefined): Promise<boolean> {
  if (entry?.sequence !== mark) return false
  return (await findKnown(db, entry.network, [entry.txHash])).has(entry.txHash)
}

async function adopt(
  parts: PayoutParts,
  memory: MachineMemory,
  tx: Tx,
  mark: number,
  entries: readonly LogEntry[],
): Promise<{ readonly mark: number; readonly count: number }> {
  const hashesOf = (name: string) =>
    entries.filter((entry) => entry.network === name).map(({ txHash }) => txHash)
  const known = new Map<string, ReadonlySet<string>>()
  for (const name of new Set(entries.map((entry) => entry.network))) {
    known.set(name, await findKnown(tx, name, hashesOf(name)))
  }
  const isKnown = ({ network, txHash }: LogEntry) => known.get(network)?.has(txHash) === true
  const unknown = entries.filter((entry) => !isKnown(entry))
  const own = unknown.filter(({ network }) => network === parts.network.name)
  // One after the other: several entries can be of one payout, and of one place in a wallet's order.
  for (const entry of own) await adoptEntry(parts, memory, tx, entry)
  // What another network's machine has to take over first keeps the mark before it.
  const foreign = unknown.find(({ network }) => network !== parts.network.name)
  const to = foreign === undefined ? required(entries.at(-1), 'an entry').sequence : foreign.sequence - 1
  await advanceLogMark(tx, mark, to)
  return { mark: to, count: own.length }
}

async function adoptEntry(parts: PayoutParts, memory: MachineMemory, tx: Tx, entry: LogEntry): Promise<void> {
  const { payoutId, intent } = entry
  const network = parts.network.name
  const { from, wallet, nonce, fees } = parts.way.readEntry(memory, entry)
  const inTheWay = await parts.way.findInTheWay(tx, entry)
  const wasPlanned = await clearPlace(tx, { network, wallet, nonce, payoutId }, inTheWay)
  const inserted = await insertPayouts(tx, [
    { id: payoutId, network, intent, from, wallet, nonce, fees, spends: spentBy(intent, coinOf(parts)) },
  ])
  await deleteOutflow(tx, network, entry.txHash)
  await parts.way.adopt(memory, tx, entry)
  const wasRefused = (await deleteRefusals(tx, [payoutId])).size > 0
  const isNew = inserted.length > 0 && !wasPlanned && !wasRefused
  const payout = required((await readPayouts(tx, [payoutId]))[0], 'the payout of a log entry')
  await insertAttempts(tx, [{ network, txHash: entry.txHash, payoutId, raw: entry.raw, fees }])
  if (fees.maxFeeMinor > payout.fees.maxFeeMinor || payout.state === 'planned') {
    await saveFees(tx, payoutId, fees, payout.bumps)
  }
  if (payout.state !== 'final' && payout.state !== 'displaced')
    await saveSentHeight(tx, [payoutId], undefined)
  await tellPurposes(parts.purposes, tx, await movesOf(tx, payout, isNew))
}

/**
 * What was only planned for that place in the wallet's order is planned anew; our own ideas are found anew.
 * @returns whether that payout itself was planned, for another place
 */
async function clearPlace(
  tx: Tx,
  place: {
    readonly network: string
    readonly wallet: string
    readonly nonce: number
    readonly payoutId: string
  },
  inTheWay: readonly string[],
): Promise<boolean> {
  const cleared = await returnPlanned(
    tx,
    [...new Set([...(await findPlanned(tx, place)), ...inTheWay])],
    place.payoutId,
  )
  return cleared.some(({ id }) => id === place.payoutId)
}

/**
 * Takes payouts back that were only planned: they are planned anew, our own ideas are found anew.
 * @param exceptId is taken back and not planned anew
 */
export async function returnPlanned(
  tx: Tx,
  ids: readonly string[],
  exceptId?: string,
): Promise<readonly StoredPayout[]> {
  const cleared = await deletePlanned(tx, ids)
  const others = cleared.filter(({ id }) => id !== exceptId)
  const own = others.filter(({ intent }) => foundAnew.includes(intent.kind))
  const orders = others.filter((payout) => !own.includes(payout))
  if (orders.length > 0) await insertRefusals(tx, orders.map(renumbered))
  const ownIds = own.map(({ id }) => id)
  if (own.length > 0) await deleteRefusals(tx, ownIds)
  return cleared
}

function renumbered(payout: StoredPayout): Refusal {
  return {
    proposal: proposalOf(payout),
    code: 'renumbered',
    detail: 'the signer gave its place in the order to another',
    retryInS: 0,
  }
}

async function movesOf(tx: Tx, payout: StoredPayout, isNew: boolean): Promise<readonly PayoutMove[]> {
  if (payout.state !== 'planned') return []
  await saveState(tx, [payout.id], 'signed')
  const signed = { ...payout, state: 'signed' as const }
  return [...(isNew ? [{ payout, to: 'planned' as const }] : []), { payout: signed, to: 'signed' as const }]
}
