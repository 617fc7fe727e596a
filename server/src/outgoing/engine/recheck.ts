/**
 * Step 4 of each round of the engine (`run.ts`): handles outgoing transactions that are not mined in time.
 * Either no node knows the transaction, its fees are too low, or it is conflicted.
 */

import type { Cursor } from '../../chains/blocks/block.ts'
import { readCursor } from '../../chains/blocks/store.ts'
import { NodeError } from '../../chains/port.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { readHashes } from './attempt-store.ts'
import { haltOutgoing } from './controls/halts.ts'
import { nodesHint } from './controls/nodes-hint.ts'
import { readFreeCapital } from './controls/read-capital.ts'
import type { EngineMemory } from './engine-memory.ts'
import { coinOf, type EngineParts, raiseAlert, settledHeight } from './engine-parts.ts'
import { notifySources, type OutgoingMove } from './outgoing-source.ts'
import { bumpsMax, type Fees, maxCostMinor, slotText } from './outgoing-transaction.ts'
import { keepTwins } from './recovery/guard-past.ts'
import { requestRecovery } from './recovery/recovery-store.ts'
import { findOurBlocks, readOpen, type StoredOutgoingTransaction, saveFees, saveState } from './store.ts'

/**
 * A transaction is rechecked at each new block from this many blocks after it was sent. If a node knows the
 * transaction, the node reports it by then.
 */
const recheckBlocks = 2
/** The fees of a transaction are raised if it is not mined within this number of blocks. */
const stuckBlocks = 4

/**
 * Rechecks outgoing transactions that are not mined in time, once for each new block in our list.
 * @param isLogKnown is true if the database contains all bytes that were ever signed; if it is false, no
 * transaction is marked as conflicted and no fees are raised
 * @returns how many outgoing transactions changed
 */
export async function recheckOutgoing(
  parts: EngineParts,
  memory: EngineMemory,
  isLogKnown: boolean,
  signal: AbortSignal,
): Promise<number> {
  const { db, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined || cursor.hash === memory.lastRecheckedBlock) return 0
  const open = await readOpen(db, network.name)
  const since = (height: number | undefined) => (height === undefined ? -1 : cursor.height - height)
  const waiting = open.filter(({ state }) => state === 'broadcast' || state === 'needs_recheck')
  const late = waiting.filter(
    ({ state, sentHeight }) => state === 'needs_recheck' || since(sentHeight) >= recheckBlocks,
  )
  if (late.length === 0) {
    memory.lastRecheckedBlock = cursor.hash
    return 0
  }
  const taken = isLogKnown ? await findConflicted(parts, late, cursor, signal) : []
  const conflicted = await keepTwins(parts, memory, taken, settledHeight(parts, cursor), signal)
  await giveUp(parts, memory, conflicted)
  const rest = late.filter((outgoingTransaction) => !taken.includes(outgoingTransaction))
  const unknown = await findUnknown(
    parts,
    rest.filter(({ state }) => state === 'broadcast'),
    signal,
  )
  if (unknown.length > 0)
    await inTransaction(db, (tx) => saveRecheckStates(parts, memory, tx, unknown, 'needs_recheck'))
  const first = parts.strategy.firstOf(
    open.filter(({ state }) => state !== 'included' && state !== 'planned'),
  )
  const firstIds = new Set(first.map(({ id }) => id))
  const stuck = rest.filter(
    ({ id, offeredHeight }) => firstIds.has(id) && since(offeredHeight) >= stuckBlocks,
  )
  const bumpedCount = isLogKnown ? await bumpStuck(parts, memory, stuck, signal) : 0
  // Set only after every step succeeded. If a node did not answer, the next round runs the steps again.
  memory.lastRecheckedBlock = cursor.hash
  return conflicted.length + unknown.length + bumpedCount
}

async function saveRecheckStates(
  { outgoingSources }: EngineParts,
  { lease }: EngineMemory,
  tx: Tx,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
  to: 'conflicted' | 'needs_recheck',
): Promise<void> {
  await assertLease(tx, lease)
  await saveState(
    tx,
    outgoingTransactions.map(({ id }) => id),
    to,
  )
  await notifySources(
    outgoingSources,
    tx,
    outgoingTransactions.map(
      (outgoingTransaction): OutgoingMove => ({
        outgoingTransaction: { ...outgoingTransaction, state: to },
        to,
      }),
    ),
  )
}

/**
 * Marks transactions as conflicted and halts all outgoing transactions. Both happen in one database
 * transaction, because no later round finds the same conflict again. A conflict may mean that somebody else
 * has the key.
 */
async function giveUp(
  parts: EngineParts,
  memory: EngineMemory,
  conflicted: readonly StoredOutgoingTransaction[],
): Promise<void> {
  const [first] = conflicted
  if (first === undefined) return
  await inTransaction(parts.db, async (tx) => {
    await saveRecheckStates(parts, memory, tx, conflicted, 'conflicted')
    const detail = `${slotText(first)} is neither ours nor in the signer's log: its key may be compromised${nodesHint(parts.network.name)}`
    // The conflicting transaction may also be one that the signer signed and the database lost. In that case,
    // a recovery must make all other lost transactions invalid before anything else is sent.
    if (first.family === 'evm' && first.slot.sender.type === 'hotWallet')
      await requestRecovery(tx, parts.network.name, detail)
    await haltOutgoing({ db: tx, log: parts.log }, 'log-unknown', detail)
  })
  for (const outgoingTransaction of conflicted) {
    const fields = { subject: outgoingTransaction.id, slot: slotText(outgoingTransaction) }
    const message = 'another transaction replaced an outgoing transaction'
    raiseAlert(parts, memory, 'outgoing-conflicted', fields, message)
  }
}

/** Returns the transactions whose newest attempt is no longer known to any node. */
async function findUnknown(
  { db, chain }: EngineParts,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
  signal: AbortSignal,
): Promise<readonly StoredOutgoingTransaction[]> {
  const hashes = await readHashes(
    db,
    outgoingTransactions.map(({ id }) => id),
  )
  const lookups = await Promise.all(
    outgoingTransactions.map(async ({ id }) => {
      const [newest] = hashes.get(id) ?? []
      return newest === undefined ? undefined : (await chain.readTransaction(newest, signal)).type
    }),
  )
  return outgoingTransactions.filter((_, index) => lookups[index] === 'unknown')
}

/**
 * Returns the conflicted transactions: those whose nonce or UTXO was used by another transaction in a final
 * block. Only blocks in our own list of blocks count. Data that a node does not have never counts as a
 * conflict, because a conflict releases the money that is held for a withdrawal. Returns nothing if a node
 * cannot answer.
 */
async function findConflicted(
  parts: EngineParts,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
  cursor: Cursor,
  signal: AbortSignal,
): Promise<readonly StoredOutgoingTransaction[]> {
  const { db, log, network, strategy } = parts
  const finalHeight = settledHeight(parts, cursor)
  if (finalHeight < 0) return []
  try {
    const slots = await strategy.findTaken(outgoingTransactions, finalHeight, signal)
    const ids = outgoingTransactions.filter((_, index) => slots[index] !== undefined).map(({ id }) => id)
    const blocks = slots.flatMap((slot) => slot ?? [])
    const hashes = await readHashes(db, ids)
    const ownBlocks = await findOurBlocks(db, network.name, blocks)
    return outgoingTransactions.filter((outgoingTransaction, index) => {
      const slot = slots[index]
      if (slot === undefined || slot.height > finalHeight) return false
      const isOwn =
        slot.txHash !== undefined && (hashes.get(outgoingTransaction.id) ?? []).includes(slot.txHash)
      return !isOwn && ownBlocks.has(`${slot.height} ${slot.blockHash}`)
    })
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    log.warn(
      { network: network.name, err: error },
      'nodes cannot determine whether outgoing transactions are conflicted',
    )
    return []
  }
}

/**
 * Stores higher fees for stuck transactions. Such a transaction keeps its slot, and step 7 of the round signs
 * it with the new fees.
 */
async function bumpStuck(
  parts: EngineParts,
  memory: EngineMemory,
  stuck: readonly StoredOutgoingTransaction[],
  signal: AbortSignal,
): Promise<number> {
  if (stuck.length === 0) return 0
  const offers = await parts.strategy.bumpFees(memory, stuck, signal)
  return inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    await lockOwnMoney(tx, coinOf(parts))
    const free = await readFreeCapital({ ...parts, db: tx })
    const bumped = affordable(parts, memory, { stuck, offers }, free)
    for (const { outgoingTransaction, fees } of bumped)
      await saveFees(tx, outgoingTransaction.id, fees, outgoingTransaction.bumps + 1)
    return bumped.length
  })
}

/**
 * Returns the fee bumps that are allowed and that the operator's own money can pay for. This money must cover
 * the increase of the maximum cost. Raises an alert for each stuck transaction whose fees are not raised.
 */
function affordable(
  parts: EngineParts,
  memory: EngineMemory,
  { stuck, offers }: { stuck: readonly StoredOutgoingTransaction[]; offers: readonly (Fees | undefined)[] },
  capitalMinor: bigint,
): readonly { readonly outgoingTransaction: StoredOutgoingTransaction; readonly fees: Fees }[] {
  let left = capitalMinor
  return stuck.flatMap((outgoingTransaction, index) => {
    const fees = outgoingTransaction.bumps < bumpsMax ? offers[index] : undefined
    const moreMinor = fees === undefined ? 0n : maxCostMinor(fees) - outgoingTransaction.maxCostMinor
    if (fees !== undefined && moreMinor <= left) {
      left -= moreMinor
      return [{ outgoingTransaction, fees }]
    }
    const fields = {
      subject: outgoingTransaction.id,
      bumps: outgoingTransaction.bumps,
      maxCostMinor: `${outgoingTransaction.maxCostMinor}`,
    }
    raiseAlert(
      parts,
      memory,
      'outgoing-stuck',
      fields,
      'an outgoing transaction is stuck, and its fee cannot be raised further',
    )
    return []
  })
}
