/**
 * Books missed payments with the same code as the watcher. A missed payment therefore gets the same data,
 * exchange rate and time as if the watcher had booked it from its block. The watcher's cursor does not move.
 * If the watcher reads the block again later, for example after a reorganisation, no second row is added.
 */

import { holdCursor } from '../../chains/blocks/store.ts'
import { addressFamilyOf } from '../../chains/networks.ts'
import { type BlockFacts, isBadAnswer, NodeError } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { formatDecimal, sum } from '../../core/money.ts'
import { saveExplained } from '../../payments/deposits/recording/explained-store.ts'
import { type Matched, matchBlocks } from '../../payments/deposits/recording/match-blocks.ts'
import { recordBlocks } from '../../payments/deposits/recording/record-blocks.ts'
import type { DepositTransfer } from '../../payments/deposits/recording/value-deposits.ts'
import type { Screening } from '../../payments/screening/screen.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { FeeDefaults } from '../../pricing/fees/fee.ts'
import { assertFence, readFence } from '../lost-history/fence-store.ts'
import { readBlockStatus, takeBlock } from './booked-block-store.ts'
import type { ComparisonParts } from './comparison.ts'
import { explainMissed } from './explain-missed.ts'
import { unrecordedOf } from './find-unrecorded.ts'
import type { MissedPayment } from './missed-payment.ts'
import { endMissed, holdUnbooked, keepRest, readUnbooked } from './store.ts'

export interface BookMissedParts extends ComparisonParts {
  readonly feeDefaults: FeeDefaults
  /** Screens the senders of payments. If undefined, no sender is screened. */
  readonly screening?: Pick<Screening, 'screenAll'>
}

/** A payment that was booked. */
export interface BookedPayment {
  readonly txHash: string
  readonly recipient: string
  readonly asset: string
  readonly amount: string
  readonly height: number
  /** Undefined if the payment belongs to no invoice in the books. */
  readonly invoiceId: string | undefined
}

/** The outcome of booking one finding. A finding is a stored missed payment. */
export type MissedOutcome =
  | {
      readonly type: 'booked'
      readonly payments: readonly BookedPayment[]
      /**
       * The part of the finding that no transfer explains, in the asset's smallest unit. This part remains as
       * a finding.
       */
      readonly restMinor: bigint
    }
  /** The payment was booked before, by the watcher or by another run. */
  | { readonly type: 'known' }
  | { readonly type: 'unexplained'; readonly why: string }

/** Books all findings of a network that are not booked yet, lowest block first. */
export async function bookAllMissed(
  parts: BookMissedParts,
  signal: AbortSignal,
  report: (missed: MissedPayment, outcome: MissedOutcome) => void,
): Promise<void> {
  for (const missed of await readUnbooked(parts.db, parts.chain.network))
    report(missed, await bookMissed(parts, missed, signal))
}

async function bookMissed(
  parts: BookMissedParts,
  missed: MissedPayment,
  signal: AbortSignal,
): Promise<MissedOutcome> {
  const { db, chain } = parts
  const fence = await readFence(db, addressFamilyOf(chain.network))
  if (fence === undefined)
    throw new NodeError(
      `lost records of ${chain.network} are being restored: run the command again in a minute`,
    )
  const found = await findTransfers(parts, missed, signal)
  if ('why' in found) return endUnexplained(db, missed, found.why)
  const matched = await match(parts, found.facts, signal).catch(asRefused)
  if ('why' in matched) return endUnexplained(db, missed, matched.why)
  if (matched.deposits.length === 0)
    return endUnexplained(db, missed, 'it came from an address of ours, or in an asset that is not listed')
  // Booking also confirms large deposits on this network that wait for confirmations. While only one node
  // answers, large deposits must not be confirmed. The same rule holds in the watcher.
  const { hasSingleNode = false } = await chain.readHead(signal)
  return inTransaction(db, (tx) => record({ ...parts, fence, hasSingleNode }, tx, missed, matched))
}

async function endUnexplained(db: Db, { id }: MissedPayment, why: string): Promise<MissedOutcome> {
  await inTransaction(db, (tx) => endMissed(tx, [id], 'unexplained'))
  return { type: 'unexplained', why }
}

/**
 * Returns the message of the error if a node's answer cannot be used. Rethrows any other error, for example
 * if no node can be reached; that error ends the command.
 */
function asRefused(error: unknown): { readonly why: string } {
  if (isBadAnswer(error)) return { why: error.message }
  throw error
}

type Found = { readonly facts: BlockFacts } | { readonly why: string }

/**
 * Reads the block of a finding. Returns its transfers of the finding's asset to the finding's address.
 * Returns a reason instead if none of them can be booked.
 */
async function findTransfers(
  { db, chain, methods }: BookMissedParts,
  { address, asset, height, isLocated }: MissedPayment,
  signal: AbortSignal,
): Promise<Found> {
  if (!isLocated) return { why: 'no node has the state of old blocks, which is needed to find its block' }
  const facts = await chain.readBlock(height, signal).catch(asUnkept)
  if (facts === undefined) return { why: `no node has block ${height} with all its transfers` }
  const status = await readBlockStatus(db, chain.network, facts.block)
  if (status === 'other') return { why: `the nodes have another block ${height} than the books` }
  if (status === 'absent') return { why: `the books have no block ${height}: it was reverted` }
  const contract = methods.byAsset(asset)?.contract
  const toAddress = facts.transfers.filter(
    ({ recipient, asset: moved }) =>
      recipient === address && (moved.type === 'token' ? moved.contract : undefined) === contract,
  )
  if (toAddress.length === 0)
    return {
      why: `no transfer in block ${height} explains it; if the nodes may omit transfers, configure another node`,
    }
  const hashes = new Set(toAddress.map(({ txHash }) => txHash))
  const spent = facts.spent?.filter(({ txHash }) => hashes.has(txHash))
  return { facts: { block: facts.block, transfers: toAddress, ...(spent && { spent }) } }
}

/**
 * Returns undefined if the nodes answer but do not have the block and its transfers. Rethrows any other
 * error, for example if no node can be reached; that error ends the command.
 */
function asUnkept(error: unknown): undefined {
  if (isBadAnswer(error)) return undefined
  throw error
}

/**
 * Finds the payments to our addresses in a block, with the same checks as the watcher: receipts, screening,
 * and the check for implausible amounts.
 */
async function match(
  { db, chain, methods, screening }: BookMissedParts,
  facts: BlockFacts,
  signal: AbortSignal,
): Promise<Matched> {
  const screen = async (senders: readonly string[]) =>
    screening?.screenAll(db, chain.network, senders, signal)
  for await (const matched of matchBlocks(db, chain, methods, [facts], signal, screen)) return matched
  throw new Error('a block was matched to nothing')
}

/**
 * Books those deposits of a block that are not booked yet. Locks the watcher's cursor without moving it, so
 * that the watcher cannot book or revert blocks at the same time. Books nothing while lost invoices are being
 * restored, because the payments of these invoices would become unattributed.
 */
async function record(
  parts: BookMissedParts & { readonly fence: string; readonly hasSingleNode: boolean },
  tx: Tx,
  missed: MissedPayment,
  matched: Matched,
): Promise<MissedOutcome> {
  const { chain, methods, feeDefaults, hasSingleNode } = parts
  const { network, traits } = chain
  const { height } = matched.block
  const cursor = required(await holdCursor(tx, network), 'the cursor of a network with findings')
  await assertFence(tx, addressFamilyOf(network), parts.fence)
  if (!(await takeBlock(tx, network, matched.block)))
    throw new NodeError(`block ${height} was reverted meanwhile: run the command again`)
  // Lock the finding. Without the lock, two concurrent runs would both regard the payment as missing.
  const held = await holdUnbooked(tx, missed.id)
  if (held === undefined) return { type: 'known' }
  const transfers = matched.deposits.map(({ transfer }) => transfer)
  const unrecorded = await unrecordedOf(tx, chain, transfers)
  const { explained, contested, unexplained } = await explainMissed(tx, network, height, unrecorded)
  await saveExplained(tx, network, explained)
  const dueKeys = new Set(unexplained.map(({ transfer }) => transfer.key))
  const deposits = matched.deposits.filter(({ transfer }) => dueKeys.has(transfer.key))
  if (deposits.length === 0 && contested.length > 0) {
    await endMissed(tx, [held.id], 'unexplained')
    return {
      type: 'unexplained',
      why: 'its address has a deposit found by balance from a later block, which does not contain it',
    }
  }
  if (deposits.length === 0) return endKnown(tx, held)
  const payments = deposits.map((deposit) => toBooked(deposit, height))
  const finalHeight = cursor.finalHeight < 0 ? undefined : cursor.finalHeight
  const context = { methods, feeDefaults, finalHeight, tipHeight: cursor.height }
  await recordBlocks({ ...context, hasSingleNode, hasOutpoints: traits.hasOutpoints }, tx, network, [
    { ...matched, deposits },
  ])
  await recordAudit(tx, {
    action: 'deposits.missed_booked',
    subject: String(missed.id),
    details: { network, address: missed.address, payments },
  })
  const restMinor = await endBooked(tx, held, sum(deposits.map(({ transfer }) => transfer.amountMinor)))
  return { type: 'booked', payments, restMinor }
}

/**
 * Ends a finding after all transfers in its block were booked, by the watcher or by another run. There is one
 * exception: a surplus without an explanation stays `unexplained` until a search sees no surplus any more. A
 * finding from a block that was read again has no such surplus, because it consists only of transfers.
 */
async function endKnown(tx: Tx, { id, state, foundBy }: MissedPayment): Promise<MissedOutcome> {
  if (state === 'unexplained' && foundBy !== 'block')
    return { type: 'unexplained', why: 'all transfers of its block are booked' }
  await endMissed(tx, [id], 'booked')
  return { type: 'known' }
}

/**
 * Ends a finding if its whole amount was booked. If only a part was booked, reduces the finding to the rest.
 * @returns the amount that was not booked, in the asset's smallest unit
 */
async function endBooked(tx: Tx, { id, amountMinor }: MissedPayment, bookedMinor: bigint): Promise<bigint> {
  if (bookedMinor >= amountMinor) {
    await endMissed(tx, [id], 'booked')
    return 0n
  }
  await keepRest(tx, id, amountMinor - bookedMinor)
  return amountMinor - bookedMinor
}

function toBooked({ transfer, method, watched }: DepositTransfer, height: number): BookedPayment {
  const { txHash, recipient, amountMinor } = transfer
  const amount = formatDecimal(amountMinor, method.decimals)
  return { txHash, recipient, asset: method.asset, amount, height, invoiceId: watched.invoiceId }
}
