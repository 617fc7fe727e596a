import type { Cursor } from '../../../chains/blocks/block.ts'
import { readCursor } from '../../../chains/blocks/store.ts'
import { required } from '../../../core/assert.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { returnPlanned } from '../../engine/adopt-log.ts'
import type { NewAttempt } from '../../engine/attempt-store.ts'
import { settledHeight } from '../../engine/machine.ts'
import type { MachineMemory } from '../../engine/machine-memory.ts'
import type { Wait } from '../../engine/placing.ts'
import { readOpenPlaces, readSignedEnd } from '../../engine/recovery/place-store.ts'
import type { Recovery, RecoveryStep } from '../../engine/recovery/recovery.ts'
import { saveTargets } from '../../engine/recovery/recovery-store.ts'
import type { RecoveryWay } from '../../engine/recovery/recovery-way.ts'
import { readOpen, type StoredPayout } from '../../engine/store.ts'
import { listUndecided } from '../../engine/unmoved/unmoved-store.ts'
import type { AccountParts } from '../account-parts.ts'
import { adoptTaken, attemptOf, isSameSpend } from './adopt-taken.ts'
import { findAhead, highestOf, inFlightMaxOf, readCounts } from './compare-nonces.ts'
import { targetNonce } from './nonces-to-fill.ts'
import { useUpPlaces } from './use-up-places.ts'

/** Of networks where senders count their transactions. */
export function recoverAccounts(parts: AccountParts): RecoveryWay {
  return {
    wayOut: `let payouts go on: ${parts.network.name} takes over what its chain shows, and uses up the nonces of forgotten transactions, before it sends anything else`,
    findAhead: (memory, signal) => findAhead(parts, memory, signal),
    recover: (memory, recovery, signal) => recover(parts, memory, recovery, signal),
    // Fillers are known by what they are.
    findOwn: async () => new Set(),
    readTwin: (memory, payout, height, signal) => readTwin(parts, memory, payout, height, signal),
  }
}

/** Places that are looked up in one step, each in a search through blocks. */
const adoptedPerStep = 50

/**
 * First fixes which nonces have to be used up; then takes over what final blocks show below them, and fills the free ones.
 * It is over when all of them are final, and each has a transaction that is known.
 */
async function recover(
  parts: AccountParts,
  memory: MachineMemory,
  recovery: Recovery,
  signal: AbortSignal,
): Promise<RecoveryStep> {
  const cursor = await readCursor(parts.db, parts.network.name)
  if (cursor === undefined) return { done: 0, waits: [], isOver: false }
  const targets = recovery.targets ?? (await fixTargets(parts, memory, cursor, signal))
  const lanes = memory.lanes.flatMap((wallet, lane) => {
    const target = targets[wallet]
    return target === undefined ? [] : [{ lane, wallet, target }]
  })
  const finalHeight = settledHeight(parts, cursor)
  const wallets = lanes.map(({ wallet }) => wallet)
  const finals =
    finalHeight < 0 || wallets.length === 0 ? [] : await parts.sender.readNonces(wallets, finalHeight, signal)
  let open = 0
  let adopted = 0
  for (const [index, { lane, wallet }] of lanes.entries()) {
    const places = await readOpenPlaces(
      parts.db,
      parts.network.name,
      wallet,
      finals[index] ?? 0,
      adoptedPerStep,
    )
    open += places.length
    for (const place of places) {
      const from = { type: 'lane' as const, lane }
      if (await adoptTaken(parts, memory, recovery, from, place, finalHeight, signal)) adopted += 1
    }
  }
  const filling = await useUpPlaces(parts, memory, lanes, cursor, signal)
  const isFinal = lanes.every(({ target }, index) => (finals[index] ?? 0) >= target)
  const undecided = open > 0 ? await findUndecided(parts) : []
  const waits = isFinal ? undecided : [...undecided, ...filling.waits, progressOf(lanes, finals)]
  return { done: adopted + filling.done, waits, isOver: isFinal && open === 0 }
}

function progressOf(lanes: readonly { readonly target: number }[], finals: readonly number[]): Wait {
  const left = lanes.reduce((sum, { target }, index) => sum + Math.max(0, target - (finals[index] ?? 0)), 0)
  return { cause: 'recovery-finality', detail: `${left} nonces of hot wallets are not final yet` }
}

/** As many are named in a wait; "coffer payouts list" has them all. */
const namedMax = 3

/** Payouts that were mined and moved nothing keep their nonces open until an operator says what became of them. */
async function findUndecided({ db, network }: AccountParts): Promise<readonly Wait[]> {
  const undecided = (await listUndecided(db)).filter((one) => one.network === network.name)
  if (undecided.length === 0) return []
  const ids = undecided.slice(0, namedMax).map(({ payoutId }) => payoutId)
  const detail =
    `${undecided.length} payouts were mined and moved nothing (${ids.join(', ')}): say of each what became of it, with ` +
    '"coffer payouts settle-paid <id> --reason ..." or "settle-unpaid"'
  return [{ cause: 'recovery-undecided', detail }]
}

/**
 * What was only planned is planned anew afterwards: its nonce may be one that the chain has used. A lane that never sent, and
 * holds nothing, signed nothing either: gas is planned from what a wallet holds.
 */
async function fixTargets(
  parts: AccountParts,
  memory: MachineMemory,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const { db, network, chain } = parts
  const { lanes } = memory
  const told = await readCounts(parts, lanes, signal)
  const balances = await chain.readBalances({ type: 'coin' }, lanes, cursor.height, signal)
  const targets: Record<string, number> = {}
  for (const [lane, wallet] of lanes.entries()) {
    const shown = told.flatMap((counts) => counts?.[lane] ?? []).map(highestOf)
    const counts = [...shown, await readSignedEnd(db, network.name, wallet)]
    const isUnused = Math.max(...counts) === 0 && required(balances[lane], 'a balance') === 0n
    if (!isUnused) targets[wallet] = targetNonce(counts, inFlightMaxOf(parts))
  }
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const planned = (await readOpen(tx, network.name)).filter(({ state }) => state === 'planned')
    await returnPlanned(
      tx,
      planned.map(({ id }) => id),
    )
    await saveTargets(tx, network.name, targets)
  })
  return targets
}

async function readTwin(
  parts: AccountParts,
  memory: MachineMemory,
  payout: StoredPayout,
  height: number,
  signal: AbortSignal,
): Promise<NewAttempt | undefined> {
  const place = await parts.sender.findTaken(payout.wallet, payout.nonce, height, signal)
  if (place?.txHash === undefined) return undefined
  const sent = await parts.sender.readSent(place.txHash, signal)
  const [receipt] = await parts.sender.readReceipts([place.txHash], signal)
  if (sent?.sender !== payout.wallet || receipt?.isSuccess !== true) return undefined
  return isSameSpend(parts, memory, payout, sent) ? attemptOf(parts, payout.id, sent) : undefined
}
