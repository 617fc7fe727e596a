import { readProgress } from '../../chains/blocks/store.ts'
import { limits } from '../../core/limits.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { isSealBehind } from '../../ledger/store.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { outsideHalts, readHaltWaits, readKeptAssets } from './controls/asset-halts.ts'
import { readBooksCheck } from './controls/books-check-store.ts'
import { readFreeCapital } from './controls/read-capital.ts'
import { readStanding } from './controls/standing-halts.ts'
import { readLongWaits, replaceWaits } from './controls/wait-store.ts'
import { coinOf, haltUnderLease, type PayoutParts, raiseAlert } from './machine.ts'
import type { MachineMemory } from './machine-memory.ts'
import type { Placing, Wait } from './placing.ts'
import { NotWantedError, type Proposal, TamperedError, tellPurposes } from './purpose.ts'
import { readFreeRetries } from './retries/read-free-retries.ts'
import { deleteRefusals } from './retries/refusal-store.ts'
import { retryCheaper } from './retries/retry-cheaper.ts'
import { findHistoryFault, findSignedHead, type SignedHead } from './signer-client/countersign-head.ts'
import { insertPayouts } from './store.ts'

/** More than this behind the node, or this long without its word, and nothing is decided by our blocks. */
const lagBlocksMax = 10
const silentSecondsMax = 60

/**
 * Has what is proposed placed, and stores it.
 * @returns how many were planned
 */
export async function planPayouts(
  parts: PayoutParts,
  memory: MachineMemory,
  signal: AbortSignal,
): Promise<number> {
  if ((await readStanding(parts.db, memory)).length > 0) return 0
  const signed = await findSignedHead(parts.db, memory.statementKey)
  alertForgedHeads(parts, memory, signed)
  const historyFault = findHistoryFault(signed)
  if (historyFault !== undefined) {
    await haltUnderLease(parts, memory, 'history', historyFault)
    return 0
  }
  await retryCheaper(parts, memory, signal)
  const halted = await readKeptAssets(parts.db, memory)
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
  const placing = await parts.way.place(memory, proposals, signal)
  const isSaved = await save(parts, memory, placing)
  await noteWaits(parts, memory, placing.waits)
  return isSaved ? placing.planned.length + placing.refused.length : 0
}

/** What somebody stored as countersigned is passed over, so that it stops nobody; who could write it is for operators to find. */
function alertForgedHeads(parts: PayoutParts, memory: MachineMemory, { forged }: SignedHead): void {
  const [newest] = forged
  if (newest === undefined) return
  const fields = { subject: `seal ${newest.sequence}`, count: forged.length }
  const message = 'stored as countersigned is what the signer did not sign: who can write to the database?'
  raiseAlert(parts, memory, 'head-forged', fields, message)
}

/** What was refused before and has its time now, then what each purpose has; a purpose that fails keeps nobody else. */
async function propose(
  { db, log, network, chain, purposes }: PayoutParts,
  { lease }: MachineMemory,
  halted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly Proposal[]> {
  const max = limits.payoutsPlannedAtOnce
  const proposals = [...(await readFreeRetries(db, { network: network.name, purposes, halted, max }))]
  for (const purpose of purposes) {
    try {
      await purpose.prepare?.(lease, network.name, signal, chain)
      proposals.push(...(await purpose.propose(db, network.name, max)))
    } catch (error) {
      if (signal.aborted) throw error
      log.error(
        { network: network.name, kinds: purpose.kinds, err: error },
        'a purpose of payouts could not propose',
      )
    }
  }
  return [...new Map(proposals.map((proposal) => [proposal.id, proposal])).values()]
}

/** Why nothing may be planned just now, whatever it is. */
async function findStandstill(
  { db, network }: PayoutParts,
  { solvency }: MachineMemory,
): Promise<Wait | undefined> {
  const progress = (await readProgress(db)).find((chain) => chain.network === network.name)
  if (progress === undefined) return { cause: 'chain-stale', detail: `${network.name} is not followed yet` }
  const lag = progress.headHeight - progress.height
  if (lag > lagBlocksMax || progress.seenSecondsAgo > silentSecondsMax) {
    const detail = `our blocks of ${network.name} are ${lag} behind and ${Math.round(progress.seenSecondsAgo)} s old`
    return { cause: 'chain-stale', detail }
  }
  if (await isSealBehind(db))
    return { cause: 'unsealed', detail: 'journals wait for their seal longer than they should' }
  const { isOverdue, checkedSecondsAgo } = await readBooksCheck(db)
  if (isOverdue) return { cause: 'books-unchecked', detail: unchecked(checkedSecondsAgo) }
  if (solvency?.isFresh === false) {
    const detail = `the books of ${network.name} were not compared with its chain lately, or not since payouts started`
    return { cause: 'solvency-unchecked', detail }
  }
  return undefined
}

function unchecked(secondsAgo: number | undefined): string {
  const last = secondsAgo === undefined ? 'never was' : `was last checked ${Math.round(secondsAgo)} s ago`
  return `whether the books are sound ${last}: the check does not come to its end`
}

/** @returns false where something was taken back since it was proposed: then it is proposed anew without it. */
async function save(parts: PayoutParts, memory: MachineMemory, placing: Placing): Promise<boolean> {
  const { planned, refused } = placing
  if (planned.length + refused.length === 0) return true
  try {
    await store(parts, memory, placing)
  } catch (error) {
    if (error instanceof TamperedError) {
      await haltUnderLease(parts, memory, 'tampering', error.message)
      return false
    }
    if (!(error instanceof NotWantedError)) throw error
    parts.log.info({ reason: error.message }, 'a payout is not wanted any more')
    return false
  }
  for (const { proposal, reason } of refused) {
    parts.log.warn(
      { payout: proposal.id, kind: proposal.intent.kind, reason },
      'a payout would fail, or may cost too much, and is not made',
    )
  }
  return true
}

async function store(
  parts: PayoutParts,
  { lease }: MachineMemory,
  { planned, refused }: Placing,
): Promise<void> {
  const { db, network, purposes, way } = parts
  const carried = new Map(planned.map(({ id, carries }) => [id, carries ?? [id]]))
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    const inserted = await insertPayouts(tx, planned)
    await way.reserve(tx, planned)
    const settled = [...[...carried.values()].flat(), ...refused.map(({ proposal }) => proposal.id)]
    const retried = await deleteRefusals(tx, settled)
    const isNew = ({ id }: { readonly id: string }) => !carried.get(id)?.some((one) => retried.has(one))
    await tellPurposes(purposes, tx, [
      ...inserted.filter(isNew).map((payout) => ({ payout, to: 'planned' as const })),
      ...refused.map((one) => ({ ...one, to: 'refused' as const })),
    ])
    if (planned.length === 0) return
    // What pays for gas was read before: an operator may have ordered it to be taken out since.
    await lockOwnMoney(tx, coinOf(parts))
    if ((await readFreeCapital({ db: tx, network })) < 0n)
      throw new NotWantedError("the operator's own coin went elsewhere while gas was planned")
  })
}

/** Keeps what waits where operators see it, and alerts of what goes on: money that comes in a moment is no matter. */
export async function noteWaits(
  parts: PayoutParts,
  memory: MachineMemory,
  own: readonly Wait[],
): Promise<void> {
  const { db, network } = parts
  const all = [...own, ...(await readHaltWaits(db, network.name, memory))]
  // Several may wait for the same: the first of them is told.
  const waits = all.filter(({ cause }, place) => all.findIndex((other) => other.cause === cause) === place)
  const text = JSON.stringify(waits)
  if (text !== memory.waits) {
    await inTransaction(db, async (tx) => {
      await assertLease(tx, memory.lease)
      await replaceWaits(tx, network.name, waits)
    })
    memory.waits = text
  }
  if (waits.length === 0) return
  for (const { cause, detail } of await readLongWaits(db, network.name, limits.payoutsWaitS)) {
    if (cause === 'lanes-full') continue
    raiseAlert(parts, memory, 'payouts-wait', { subject: cause, detail }, 'payouts wait')
  }
}
