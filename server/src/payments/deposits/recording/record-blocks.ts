import { assert, required } from '../../../core/assert.ts'
import { forfeit } from '../../../ledger/forfeit.ts'
import { post } from '../../../ledger/post.ts'
import { repayReceivable } from '../../../ledger/receivable.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { FeeDefaults } from '../../../pricing/fees/fee.ts'
import { finalHeightOf, type PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { confirmReady } from '../confirm-deposits.ts'
import type { Deposit } from '../deposit.ts'
import { confirmedEvent, detectedEvent, quarantinedEvent } from '../events.ts'
import { areDepositsPaused } from '../pause-store.ts'
import { settleTouched } from '../settle-touched.ts'
import { includeDeposits } from '../store.ts'
import { replacePayments } from '../waiting/replace-payments.ts'
import { databaseNow } from '../waiting/store.ts'
import { type OwnTransfersOfBlock, saveOwnTransfers } from './own-transfer-store.ts'
import { recordOutputs } from './record-outputs.ts'
import { type BlockDeposits, valueDeposits } from './value-deposits.ts'

export interface RecordBlocksParts {
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  /**
   * The height up to which the chain reports blocks as final; undefined if the chain has no notion of
   * finality.
   */
  readonly finalHeight?: number | undefined
  /** True if only one of several nodes reports the blocks, because the other nodes do not answer. */
  readonly hasSingleNode?: boolean
  /** The height of the chain's tip. Absent if the last of the booked blocks is the tip. */
  readonly tipHeight?: number
  /**
   * Whether the chain uses UTXOs. Payments can then be replaced, and a deep reorganisation pauses deposits.
   */
  readonly hasOutpoints?: boolean
}

/**
 * Books everything that new canonical blocks change: deposits, journals, the status of invoices, and events.
 * Runs in the transaction that also moves the cursor, which marks the last booked block. Statuses are derived
 * once, after the last block. Many blocks therefore need only as many statements as one block, and catching
 * up is fast.
 * @param seen Consecutive blocks, lowest first.
 */
export async function recordBlocks(
  parts: RecordBlocksParts,
  tx: Tx,
  network: string,
  seen: readonly (BlockDeposits & OwnTransfersOfBlock)[],
): Promise<void> {
  const { methods, finalHeight, hasOutpoints = false, hasSingleNode = false } = parts
  const height = parts.tipHeight ?? required(seen.at(-1), 'a block').block.height
  const blocks = hasOutpoints ? await recordOutputs(tx, network, seen) : seen
  const included = await include(tx, parts, network, blocks)
  await saveOwnTransfers(tx, network, seen)
  const isFinalUpTo = finalHeightOf(methods, network, { height, finalHeight })
  const failedEvents = hasOutpoints ? await replacePayments(methods, tx, network, blocks, isFinalUpTo) : []
  const isPaused = hasOutpoints && (await areDepositsPaused(tx, network, height))
  const { confirmed, journals } = isPaused
    ? { confirmed: [], journals: [] }
    : await confirmReady(methods, tx, network, { height, finalHeight, hasSingleNode })
  if (included.length + confirmed.length + failedEvents.length === 0) return
  const invoiceEvents = await settleTouched(methods, tx, [...included, ...confirmed])
  await post(tx, journals)
  await repayReceivable(tx, journals)
  await forfeitHeld(tx, confirmed)
  await appendEvents(tx, [
    ...included.flatMap((deposit) => detectedEvent(methods, deposit)),
    ...failedEvents,
    ...invoiceEvents,
    ...confirmed.flatMap((deposit) =>
      deposit.quarantine === 'held' ? quarantinedEvent(methods, deposit) : confirmedEvent(methods, deposit),
    ),
  ])
}

/** Moves the money of held deposits from quarantine to `forfeited`, for merchants that are deleted. */
async function forfeitHeld(tx: Tx, confirmed: readonly Deposit[]): Promise<void> {
  const held = confirmed.filter(({ quarantine }) => quarantine === 'held')
  const subjects = new Map(
    held.map(({ id, inclusion, merchantId = '' }) => [merchantId, `held:${id}:${inclusion}`]),
  )
  for (const ownerId of await lockDeleted(tx, [...subjects.keys()])) {
    await forfeit(tx, { ownerId, subject: required(subjects.get(ownerId), 'what was held') })
  }
}

/**
 * Stores the deposits of blocks. The time of a block decides the price of its deposits and whether they are
 * in time. On a UTXO chain that time is not exact and may lie in the future, so at most the current time is
 * used.
 */
async function include(
  tx: Tx,
  { feeDefaults, hasOutpoints = false }: RecordBlocksParts,
  network: string,
  blocks: readonly BlockDeposits[],
): Promise<readonly Deposit[]> {
  const count = blocks.flatMap(({ deposits }) => deposits).length
  if (count === 0) return []
  const now = hasOutpoints ? await databaseNow(tx) : undefined
  const seen = blocks.map(({ block, deposits, inTimeAt }) => ({
    block,
    deposits,
    at: inTimeAt ?? (now !== undefined && now < block.minedAt ? now : block.minedAt),
  }))
  const included = await includeDeposits(tx, await valueDeposits(tx, feeDefaults, network, seen))
  assert(included.length === count, `${network} has the same transfer in two canonical blocks`)
  return included
}
