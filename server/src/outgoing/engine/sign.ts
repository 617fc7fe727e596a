/**
 * Step 7 of each round of the engine (`run.ts`): asks the signer to sign planned transactions and fee bumps,
 * and handles its refusals.
 */
import { assert } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { RefusalCode } from '../../signing/signer-port.ts'
import { insertAttempts, readDearest } from './attempt-store.ts'
import { checkAnswers, type Refused, type Signed } from './check-answers.ts'
import { readActiveHalts } from './controls/active-halts.ts'
import { outsideHalts, readKeptAssets } from './controls/asset-halts.ts'
import { haltOutgoing } from './controls/halts.ts'
import type { EngineMemory } from './engine-memory.ts'
import { type EngineParts, haltUnderLease, raiseAlert } from './engine-parts.ts'
import { advanceLogPosition } from './log-position-store.ts'
import { notifySources } from './outgoing-source.ts'
import { bumpsMax, maxCostMinor } from './outgoing-transaction.ts'
import { deleteRefusals, insertRefusals, proposalOf } from './retries/refusal-store.ts'
import { isAbove, noteLimits, overLimitRetryS } from './retries/retry-cheaper.ts'
import { feeMaxMinor, feeModelErrorOf } from './signer-client/attested-limits.ts'
import { stopTampered } from './stop-tampered.ts'
import {
  deletePlanned,
  readUnsigned,
  type StoredOutgoingTransaction,
  saveFees,
  saveOfferedNow,
  saveSentHeight,
  saveState,
} from './store.ts'

/**
 * Asks the signer to sign transactions that are planned or have new fees, and stores the signed bytes before
 * they are sent anywhere. The answers are not trusted. If an answer does not match its request, it is not
 * stored, and all outgoing transactions are halted.
 * @param isClear is true if the chain matches the books; if it is false, only transactions of a recovery and
 * nonce-gap transactions are signed for the first time
 * @returns how many answers match their requests
 * @throws SignerAwayError if the signer does not answer; the signer's log then shows what was signed
 */
export async function signOutgoing(
  parts: EngineParts,
  memory: EngineMemory,
  isClear: boolean,
): Promise<number> {
  const { db, log, network, signer, strategy } = parts
  const isHalted = (await readActiveHalts(db, memory)).length > 0
  const unsigned = await readUnsigned(db, network.name, limits.outgoingSignedAtOnce)
  const held = isHalted ? [] : await takeHaltedBack(parts, memory, unsigned)
  // A fee bump is signed even if the chain does not match the books, because it can only replace bytes that
  // were signed before.
  const own = isClear ? new Set() : await strategy.recovery.findOwn(unsigned.map(({ id }) => id))
  const isTimely = ({ id, state }: StoredOutgoingTransaction) => isClear || state !== 'planned' || own.has(id)
  const mayBeSigned = (outgoingTransaction: StoredOutgoingTransaction) =>
    strategy.nonceGaps?.isNonceGapTransaction(outgoingTransaction) === true ||
    (!isHalted && !held.includes(outgoingTransaction) && isTimely(outgoingTransaction))
  const due = await stopTampered(parts, memory, unsigned.filter(mayBeSigned))
  if (due.length === 0) return 0
  const requests = await strategy.requestsFor(memory, due)
  const answers = await signer.sign(requests)
  assert(answers.length === due.length, 'the signer answers each request')
  const { signed, refused, errors } = await checkAnswers(strategy, memory, due, requests, answers)
  await noteLimits(strategy, memory, refused)
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await keepSigned(parts, tx, signed)
    for (const pair of refused) await takeBack(parts, memory, tx, pair)
    if (errors.length > 0) await haltOutgoing({ db: tx, log }, 'signer-answer', signerAnswerDetail(errors))
  })
  for (const pair of refused) await report(parts, memory, pair)
  return signed.length + refused.length
}

/** Returns the detail of a halt: the first error, and the number of other errors. */
function signerAnswerDetail(errors: readonly string[]): string {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return `the signer's answer does not match the request: ${errors[0]}${more}`
}

/**
 * Deletes planned transactions whose assets were halted after planning. Without the deletion, they would
 * block transactions of other assets with later nonces of the same wallet. The deleted transactions are
 * planned again after the halt is lifted.
 * @returns the planned transactions of halted assets, which must not be signed
 */
async function takeHaltedBack(
  parts: EngineParts,
  memory: EngineMemory,
  unsigned: readonly StoredOutgoingTransaction[],
): Promise<readonly StoredOutgoingTransaction[]> {
  const planned = unsigned.filter(({ state }) => state === 'planned')
  const free = outsideHalts(planned, await readKeptAssets(parts.db, memory))
  const held = planned.filter((outgoingTransaction) => !free.includes(outgoingTransaction))
  if (held.length === 0) return held
  await inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    for (const outgoingTransaction of held) {
      const detail = `payouts of ${outgoingTransaction.spends?.asset} are halted`
      await takeBack(parts, memory, tx, [
        outgoingTransaction,
        { type: 'refused', code: 'over-limit', detail },
      ])
    }
  })
  return held
}

async function keepSigned(
  { network, outgoingSources, strategy }: EngineParts,
  tx: Tx,
  signed: readonly Signed[],
): Promise<void> {
  if (signed.length === 0) return
  const nonceGapTransactions = signed.flatMap(([outgoingTransaction]) =>
    strategy.nonceGaps?.isNonceGapTransaction(outgoingTransaction) === true ? [outgoingTransaction.id] : [],
  )
  if (nonceGapTransactions.length > 0) await deleteRefusals(tx, nonceGapTransactions)
  await insertAttempts(
    tx,
    signed.map(([{ id, fees }, { txHash, raw }]) => ({
      network: network.name,
      outgoingTransactionId: id,
      txHash,
      raw,
      maxCostMinor: maxCostMinor(fees),
    })),
  )
  await saveSentHeight(
    tx,
    signed.map(([{ id }]) => id),
    undefined,
  )
  const first = signed.flatMap(([outgoingTransaction]) =>
    outgoingTransaction.state === 'planned' ? [outgoingTransaction] : [],
  )
  await saveState(
    tx,
    first.map(({ id }) => id),
    'signed',
  )
  await movePosition(
    tx,
    signed.map(([, { sequence }]) => sequence),
  )
  await notifySources(
    outgoingSources,
    tx,
    first.map((outgoingTransaction) => ({
      outgoingTransaction: { ...outgoingTransaction, state: 'signed' },
      to: 'signed',
    })),
  )
}

/**
 * Advances the log position over the entries that were signed just now, up to the first gap in their
 * sequences. The entries after the gap are adopted from the signer's log later.
 */
async function movePosition(tx: Tx, sequences: readonly number[]): Promise<void> {
  const sorted = sequences.toSorted((a, b) => a - b)
  const [first = 0] = sorted
  const end = sorted.findIndex((sequence, index) => sequence !== first + index)
  const last = end === -1 ? sorted.length : end
  await advanceLogPosition(tx, first - 1, first + last - 1)
}

const tamperedCodes: readonly string[] = ['not-approved', 'not-as-intended']
/**
 * The codes of temporary refusals. A limit of the signer may cover only the last 24 hours, and a halt ends
 * when an operator lifts it.
 */
const passingCodes: readonly RefusalCode[] = ['over-limit', 'halted']

/**
 * Whether the refusal is temporary. Planning waits while the signer's policy is for transactions of another type, until
 * the operator corrects the policy. A signer that could not attest again may have that reason too.
 */
function isPassing({ network }: EngineParts, memory: EngineMemory, code: RefusalCode): boolean {
  if (code !== 'not-allowed') return passingCodes.includes(code)
  return !memory.isAttested || feeModelErrorOf(memory.limits, network) !== undefined
}

/**
 * Handles a refusal. A transaction that was never signed is deleted, and its slot becomes free. A nonce-gap
 * transaction is not deleted; it keeps its nonce and is tried again later. If the signer refused a fee bump,
 * the transaction also keeps its slot, because bytes that were signed earlier use this slot.
 */
async function takeBack(
  parts: EngineParts,
  memory: EngineMemory,
  tx: Tx,
  [outgoingTransaction, { code, detail }]: Refused,
): Promise<void> {
  if (
    outgoingTransaction.state === 'planned' &&
    parts.strategy.nonceGaps?.isNonceGapTransaction(outgoingTransaction) === true
  ) {
    const proposal = proposalOf(outgoingTransaction)
    return insertRefusals(tx, [{ proposal, code, detail, retryInS: overLimitRetryS }])
  }
  const [planned] = await deletePlanned(tx, [outgoingTransaction.id])
  if (planned?.intent.kind === 'sweep' && code === 'over-limit') {
    // The sweep is proposed again later. It then gets the gas price of that time, and is split into several
    // sweeps if needed.
    await notifySources(parts.outgoingSources, tx, [{ outgoingTransaction: planned, to: 'conflicted' }])
    return parts.strategy.nonceGaps?.fill(memory, tx, planned)
  }
  if (planned !== undefined) {
    const again = parts.strategy.partsOf(proposalOf(planned))
    // Every refusal of a rebalance is temporary, because the engine later proposes another rebalance in its
    // place.
    const isTemporary = isPassing(parts, memory, code) || planned.intent.kind === 'rebalance'
    const alone = isTemporary ? restOf(parts, memory, planned, code) : undefined
    // If the proposal was split, its parts are tried at once, each in a transaction of its own. Then only the
    // parts that are refused again must wait.
    const retryInS = again.length > 1 ? 0 : alone
    await insertRefusals(
      tx,
      again.map((proposal) => ({ proposal, code, detail, retryInS })),
    )
    await parts.strategy.nonceGaps?.fill(memory, tx, planned)
    return
  }
  await revertBump(parts, tx, outgoingTransaction, isPassing(parts, memory, code))
}

/**
 * Returns the seconds until the next try of a refused transaction. The result is 0 for a transaction above
 * the signer's limit for one transaction, and for one of another type than the signer's policy is for. Such a
 * transaction needs no delay, because it is planned only when the price is low enough, or the policy is corrected.
 */
function restOf(
  parts: EngineParts,
  memory: EngineMemory,
  { fees }: StoredOutgoingTransaction,
  code: RefusalCode,
): number {
  const isTooDear = code === 'over-limit' && isAbove(fees, feeMaxMinor(memory.limits, parts.network.name))
  const isOtherType = code === 'not-allowed' && isPassing(parts, memory, code)
  return isTooDear || isOtherType ? 0 : overLimitRetryS
}

/**
 * Restores the last signed fees after the signer refused a fee bump. After a temporary refusal, the fees may
 * be raised again later. After any other refusal, they are never raised again.
 */
async function revertBump(
  { strategy }: EngineParts,
  tx: Tx,
  outgoingTransaction: StoredOutgoingTransaction,
  isPutOff: boolean,
): Promise<void> {
  const dearest = await readDearest(tx, outgoingTransaction.id)
  if (dearest === undefined) return
  const fees = await strategy.readFees(tx, outgoingTransaction, dearest)
  const bumps = isPutOff ? Math.max(0, outgoingTransaction.bumps - 1) : bumpsMax
  await saveFees(tx, outgoingTransaction.id, fees, bumps)
  if (isPutOff) await saveOfferedNow(tx, outgoingTransaction.id)
}

async function report(
  parts: EngineParts,
  memory: EngineMemory,
  [outgoingTransaction, { code, detail }]: Refused,
) {
  const fields = { subject: outgoingTransaction.id, kind: outgoingTransaction.intent.kind, code, detail }
  raiseAlert(parts, memory, 'signer-refused', fields, 'the signer refused an outgoing transaction')
  if (tamperedCodes.includes(code)) {
    await haltUnderLease(
      parts,
      memory,
      'tampering',
      `the signer refused transaction ${outgoingTransaction.id} (${code}): ${detail}`,
    )
  }
}
