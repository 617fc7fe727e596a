/** The recovery of EVM chains uses up all nonces of signed transactions that the database may have lost. */
import type { Cursor } from '../../../chains/blocks/block.ts'
import { readCursor } from '../../../chains/blocks/store.ts'
import { required } from '../../../core/assert.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { returnPlanned } from '../../engine/adopt-signer-log.ts'
import type { NewAttempt } from '../../engine/attempt-store.ts'
import type { EngineMemory } from '../../engine/engine-memory.ts'
import { settledHeight } from '../../engine/engine-parts.ts'
import { asFamily } from '../../engine/outgoing-transaction.ts'
import type { Wait } from '../../engine/plan-outcome.ts'
import type { Recovery, RecoveryStep } from '../../engine/recovery/recovery.ts'
import { saveTargets } from '../../engine/recovery/recovery-store.ts'
import type { RecoveryStrategy } from '../../engine/recovery/recovery-strategy.ts'
import { type EvmOutgoingTransaction, readOpen } from '../../engine/store.ts'
import { listUndecided } from '../../engine/unmoved/unmoved-store.ts'
import type { AccountParts } from '../account-parts.ts'
import { adoptTaken, attemptOf, isSameSpend } from './adopt-taken.ts'
import { findAhead, highestOf, inFlightMaxOf, readCounts } from './compare-nonces.ts'
import { useUpNonces } from './fill-nonces.ts'
import { readOpenNonces, readSignedEnd } from './nonce-store.ts'
import { targetNonce } from './nonces-to-fill.ts'

/** Returns the recovery strategy of EVM chains. */
export function recoverAccounts(parts: AccountParts): RecoveryStrategy {
  return {
    instructions: `resume payouts: before ${parts.network.name} sends anything else, it adopts the transactions on its chain, and uses up the nonces of signed transactions that the database may have lost`,
    findAhead: (memory, signal) => findAhead(parts, memory, signal),
    recover: (memory, recovery, signal) => recover(parts, memory, recovery, signal),
    // No transaction is marked as part of the recovery. A recovery on EVM chains makes only nonce-gap
    // transactions, which are recognized by their intent.
    findOwn: async () => new Set(),
    readTwin: (memory, outgoingTransaction, height, signal) =>
      readTwin(parts, memory, asFamily('evm', outgoingTransaction), height, signal),
  }
}

/**
 * The maximum number of nonces per hot wallet that are looked up in one step, because each lookup searches
 * many blocks.
 */
const adoptedPerStep = 50

/**
 * Runs one step of a recovery. The first step chooses a target nonce for each hot wallet. Each step adopts the
 * transactions in final blocks that used nonces below the targets, and plans nonce-gap transactions for free
 * nonces. The recovery is over when all nonces below the targets are final and the transaction of each nonce
 * is known.
 */
async function recover(
  parts: AccountParts,
  memory: EngineMemory,
  recovery: Recovery,
  signal: AbortSignal,
): Promise<RecoveryStep> {
  const cursor = await readCursor(parts.db, parts.network.name)
  if (cursor === undefined) return { done: 0, waits: [], isOver: false }
  const targets = recovery.targets ?? (await fixTargets(parts, memory, cursor, signal))
  const hotWallets = memory.hotWallets.flatMap((wallet, hotWallet) => {
    const target = targets[wallet]
    return target === undefined ? [] : [{ hotWallet, wallet, target }]
  })
  const finalHeight = settledHeight(parts, cursor)
  const wallets = hotWallets.map(({ wallet }) => wallet)
  const finals =
    finalHeight < 0 || wallets.length === 0 ? [] : await parts.sender.readNonces(wallets, finalHeight, signal)
  let open = 0
  let adopted = 0
  for (const [index, { hotWallet, wallet }] of hotWallets.entries()) {
    const slots = await readOpenNonces(
      parts.db,
      parts.network.name,
      wallet,
      finals[index] ?? 0,
      adoptedPerStep,
    )
    open += slots.length
    for (const slot of slots) {
      const from = { type: 'hotWallet' as const, hotWallet }
      if (await adoptTaken(parts, memory, recovery, from, slot, finalHeight, signal)) adopted += 1
    }
  }
  const filling = await useUpNonces(parts, memory, hotWallets, cursor, signal)
  const isFinal = hotWallets.every(({ target }, index) => (finals[index] ?? 0) >= target)
  const undecided = open > 0 ? await findUndecided(parts) : []
  const waits = isFinal ? undecided : [...undecided, ...filling.waits, progressOf(hotWallets, finals)]
  return { done: adopted + filling.done, waits, isOver: isFinal && open === 0 }
}

function progressOf(hotWallets: readonly { readonly target: number }[], finals: readonly number[]): Wait {
  const left = hotWallets.reduce(
    (sum, { target }, index) => sum + Math.max(0, target - (finals[index] ?? 0)),
    0,
  )
  return { cause: 'recovery-finality', detail: `${left} nonces of hot wallets are not final yet` }
}

/** The text of a wait names at most this many transactions; "coffer payouts list" shows all of them. */
const namedMax = 3

/**
 * Returns a wait (a reason to delay payouts) if transactions of the network were mined without their expected
 * transfers. The recovery waits until an operator has decided whether their orders were paid.
 */
async function findUndecided({ db, network }: AccountParts): Promise<readonly Wait[]> {
  const undecided = (await listUndecided(db)).filter((one) => one.network === network.name)
  if (undecided.length === 0) return []
  const ids = undecided.slice(0, namedMax).map(({ outgoingTransactionId }) => outgoingTransactionId)
  const detail =
    `${undecided.length} transactions were mined but moved nothing (${ids.join(', ')}): settle each with ` +
    '"coffer payouts settle-paid <id> --reason ..." or "settle-unpaid"'
  return [{ cause: 'recovery-undecided', detail }]
}

/**
 * Chooses and stores a target nonce for each hot wallet. The recovery uses up all nonces below the target.
 * Transactions that are planned but not signed are deleted, because the chain may have used their nonces.
 * Deleted transactions are planned again later. A hot wallet that never sent and holds no coin needs no
 * target. Nothing can have been signed for such a wallet, because a transaction is planned only on a wallet
 * that holds coin for the gas.
 */
async function fixTargets(
  parts: AccountParts,
  memory: EngineMemory,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const { db, network, chain } = parts
  const { hotWallets } = memory
  const reported = await readCounts(parts, hotWallets, signal)
  const balances = await chain.readBalances({ type: 'coin' }, hotWallets, cursor.height, signal)
  const targets: Record<string, number> = {}
  for (const [hotWallet, wallet] of hotWallets.entries()) {
    const shown = reported.flatMap((counts) => counts?.[hotWallet] ?? []).map(highestOf)
    const counts = [...shown, await readSignedEnd(db, network.name, wallet)]
    const isUnused = Math.max(...counts) === 0 && required(balances[hotWallet], 'a balance') === 0n
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
  memory: EngineMemory,
  outgoingTransaction: EvmOutgoingTransaction,
  height: number,
  signal: AbortSignal,
): Promise<NewAttempt | undefined> {
  const { wallet, nonce } = outgoingTransaction.slot
  const slot = await parts.sender.findTaken(wallet, nonce, height, signal)
  if (slot?.txHash === undefined) return undefined
  const sent = await parts.sender.readSent(slot.txHash, signal)
  const [receipt] = await parts.sender.readReceipts([slot.txHash], signal)
  if (sent?.sender !== wallet || receipt?.isSuccess !== true) return undefined
  return isSameSpend(parts, memory, outgoingTransaction, sent)
    ? attemptOf(parts, outgoingTransaction.id, sent)
    : undefined
}
