import { assert, required } from '../../../core/assert.ts'
import { forfeit } from '../../../ledger/forfeit.ts'
import { post } from '../../../ledger/post.ts'
import { repaySuspense } from '../../../ledger/suspense.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { FeeDefaults } from '../../../pricing/fees/fee.ts'
import { finalHeightOf, type PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { confirmRipe } from '../confirm-deposits.ts'
import type { Transaction } from '../deposit.ts'
import { confirmedEvent, detectedEvent, quarantinedEvent } from '../events.ts'
import { areDepositsPaused } from '../pause-store.ts'
import { settleTouched } from '../settle-touched.ts'
import { includeDeposits } from '../store.ts'
import { replacePayments } from '../waiting/replace-payments.ts'
import { databaseNow } from '../waiting/store.ts'
import { recordCoins } from './record-coins.ts'
import { type BlockDeposits, valueDeposits } from './value-deposits.ts'

export interface RecordBlocksParts {
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  /** The height that the chain calls final; undefined where it has no such notion. */
  readonly finalHeight?: number | undefined
  /** Whether one of several nodes tells of the blocks, while the others are away. */
  readonly isOneWord?: boolean
  /** Where the chain is, if that is above the last of the blocks: where a block is booked long after those above it. */
  readonly tipHeight?: number
  /** Whether its transactions spend outpoints, so that payments may be replaced, and deposits are paused by deep rollbacks. */
  readonly hasOutpoints?: boolean
}

/**
 * Books everything new canonical blocks mean, inside the transaction that also moves the cursor: their deposits,
 * those they confirm, the invoices they change, the journals and the events. Several blocks take as many statements
 * as one, since state is derived from what there is at the end; catching up lives from that.
 * @param seen blocks, one on the other, lowest first
 */
export async function recordBlocks(
  parts: RecordBlocksParts,
  tx: Tx,
  network: string,
  seen: readonly BlockDeposits[],
): Promise<void> {
  const { methods, finalHeight, hasOutpoints = false, isOneWord = false } = parts
  const height = parts.tipHeight ?? required(seen.at(-1), 'a block').block.height
  const blocks = hasOutpoints ? await recordCoins(tx, network, seen) : seen
  const included = await include(tx, parts, network, blocks)
  const isFinalUpTo = finalHeightOf(methods, network, { height, finalHeight })
  const failedEvents = hasOutpoints ? await replacePayments(methods, tx, network, blocks, isFinalUpTo) : []
  const isPaused = hasOutpoints && (await areDepositsPaused(tx, network, height))
  const { confirmed, journals } = isPaused
    ? { confirmed: [], journals: [] }
    : await confirmRipe(methods, tx, network, { height, finalHeight, isOneWord })
  if (included.length + confirmed.length + failedEvents.length === 0) return
  const invoiceEvents = await settleTouched(methods, tx, [...included, ...confirmed])
  await post(tx, journals)
  await repaySuspense(tx, journals)
  await forfeitHeld(tx, confirmed)
  await appendEvents(tx, [
    ...included.flatMap((transaction) => detectedEvent(methods, transaction)),
    ...failedEvents,
    ...invoiceEvents,
    ...confirmed.flatMap((transaction) =>
      transaction.quarantine === 'held'
        ? quarantinedEvent(methods, transaction)
        : confirmedEvent(methods, transaction),
    ),
  ])
}

/** What is held of a deleted merchant is kept with all it left. */
async function forfeitHeld(tx: Tx, confirmed: readonly Transaction[]): Promise<void> {
  const held = confirmed.filter(({ quarantine }) => quarantine === 'held')
  const subjects = new Map(
    held.map(({ id, inclusion, merchantId = '' }) => [merchantId, `held:${id}:${inclusion}`]),
  )
  for (const ownerId of await lockDeleted(tx, [...subjects.keys()])) {
    await forfeit(tx, { ownerId, subject: required(subjects.get(ownerId), 'what was held') })
  }
}

/**
 * The price and whether a payment is in time are told by its block's time; where that is loose, as with outpoints, it is no
 * later than now.
 */
async function include(
  tx: Tx,
  { feeDefaults, hasOutpoints = false }: RecordBlocksParts,
  network: string,
  blocks: readonly BlockDeposits[],
): Promise<readonly Transaction[]> {
  const count = blocks.flatMap(({ deposits }) => deposits).length
  if (count === 0) return []
  const now = hasOutpoints ? await databaseNow(tx) : undefined
  const seen = blocks.map(({ block, deposits }) => ({
    block,
    deposits,
    at: now !== undefined && now < block.minedAt ? now : block.minedAt,
  }))
  const included = await includeDeposits(tx, await valueDeposits(tx, feeDefaults, network, seen))
  assert(included.length === count, `${network} holds a transfer in two canonical blocks`)
  return included
}
