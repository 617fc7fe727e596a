/**
 * Books payments that were missed, by the path by which the watcher books blocks: each as its block has it, at the price and in the
 * time of that block. The cursor stays where it is; what the watcher reads again meanwhile, as after a reorganisation, is the same row.
 */

import { holdCursor } from '../../chains/blocks/store.ts'
import { addressFamilyOf } from '../../chains/networks.ts'
import { type BlockFacts, isBadAnswer, NodeError } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { formatDecimal, sum } from '../../core/money.ts'
import { type Matched, matchBlocks } from '../../payments/deposits/recording/match-blocks.ts'
import { recordBlocks } from '../../payments/deposits/recording/record-blocks.ts'
import type { Deposit } from '../../payments/deposits/recording/value-deposits.ts'
import type { Screening } from '../../payments/screening/screen.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { FeeDefaults } from '../../pricing/fees/fee.ts'
import { assertFence, readFence } from '../lost-history/fence-store.ts'
import { readBlockStanding, takeBlock } from './booked-block-store.ts'
import type { ComparisonParts } from './comparison.ts'
import { unrecordedOf } from './find-unrecorded.ts'
import type { MissedPayment } from './missed-payment.ts'
import { endMissed, holdUnbooked, keepRest, readUnbooked } from './store.ts'

export interface BookMissedParts extends ComparisonParts {
  readonly feeDefaults: FeeDefaults
  /** Absent: nobody is screened. */
  readonly screening?: Pick<Screening, 'screenAll'>
}

/** A payment that was booked. */
export interface BookedPayment {
  readonly txHash: string
  readonly recipient: string
  readonly asset: string
  readonly amount: string
  readonly height: number
  /** Undefined where it is nobody's that we know. */
  readonly invoiceId: string | undefined
}

/** What became of one finding. */
export type MissedOutcome =
  | {
      readonly type: 'booked'
      readonly payments: readonly BookedPayment[]
      /** What of the finding no transfer explains, in the asset's smallest unit: it stays a finding. */
      readonly restMinor: bigint
    }
  /** Booked before, by the watcher or by another run. */
  | { readonly type: 'known' }
  | { readonly type: 'unexplained'; readonly why: string }

/** Books all that was found on a network and is not booked yet, oldest block first. */
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
      `what the database lost on ${chain.network} is being put back: run the command again in a minute`,
    )
  const found = await findTransfers(parts, missed, signal)
  if ('why' in found) return endUnexplained(db, missed, found.why)
  const matched = await match(parts, found.facts, signal).catch(asRefused)
  if ('why' in matched) return endUnexplained(db, missed, matched.why)
  if (matched.deposits.length === 0)
    return endUnexplained(
      db,
      missed,
      'its block has it from an address of ours, or in an asset that is not listed',
    )
  // Large deposits that wait on the same network are confirmed with it, and wait for a second node as they do with the watcher.
  const { isOneWord = false } = await chain.readHead(signal)
  return inTransaction(db, (tx) => record({ ...parts, fence, isOneWord }, tx, missed, matched))
}

async function endUnexplained(db: Db, { id }: MissedPayment, why: string): Promise<MissedOutcome> {
  await inTransaction(db, (tx) => endMissed(tx, [id], 'unexplained'))
  return { type: 'unexplained', why }
}

/** A node that contradicts itself. With a cause it is away, which ends the command. */
function asRefused(error: unknown): { readonly why: string } {
  if (isBadAnswer(error)) return { why: error.message }
  throw error
}

type Found = { readonly facts: BlockFacts } | { readonly why: string }

/** The transfers of the block to the address that are not booked, or why there are none. */
async function findTransfers(
  { db, chain, methods }: BookMissedParts,
  { address, asset, height, isLocated }: MissedPayment,
  signal: AbortSignal,
): Promise<Found> {
  if (!isLocated) return { why: 'no node keeps the state of old blocks, by which its block would be found' }
  const facts = await chain.readBlock(height, signal).catch(asUnkept)
  if (facts === undefined) return { why: `no node keeps block ${height} with all that moved in it` }
  const standing = await readBlockStanding(db, chain.network, facts.block)
  if (standing === 'other') return { why: `the nodes have another block ${height} than the books` }
  if (standing === 'absent') return { why: `the books have no block ${height}: it was taken back` }
  const contract = methods.byAsset(asset)?.contract
  const toAddress = facts.transfers.filter(
    ({ recipient, asset: moved }) =>
      recipient === address && (moved.type === 'token' ? moved.contract : undefined) === contract,
  )
  if (toAddress.length === 0)
    return {
      why: `block ${height} has no transfer that brought it; where nodes may leave one out, name another node`,
    }
  const hashes = new Set(toAddress.map(({ txHash }) => txHash))
  const spent = facts.spent?.filter(({ txHash }) => hashes.has(txHash))
  return { facts: { block: facts.block, transfers: toAddress, ...(spent && { spent }) } }
}

/** With a cause the node is away, which ends the command. */
function asUnkept(error: unknown): undefined {
  if (isBadAnswer(error)) return undefined
  throw error
}

/** As the watcher matches a block: receipts, screening and what nobody can have sent. */
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
 * Under the cursor, which stays where it is, what is booked already is left out: the watcher cannot book beside it, and takes
 * the block back only before or after. Nothing is booked while invoices are put back: their payments would be nobody's.
 */
async function record(
  parts: BookMissedParts & { readonly fence: string; readonly isOneWord: boolean },
  tx: Tx,
  missed: MissedPayment,
  matched: Matched,
): Promise<MissedOutcome> {
  const { chain, methods, feeDefaults, isOneWord } = parts
  const { network, traits } = chain
  const { height } = matched.block
  const cursor = required(await holdCursor(tx, network), 'the cursor of a network with findings')
  await assertFence(tx, addressFamilyOf(network), parts.fence)
  if (!(await takeBlock(tx, network, matched.block)))
    throw new NodeError(`block ${height} was taken back meanwhile: run the command again`)
  // Two runs at once would both find it missing.
  const held = await holdUnbooked(tx, missed.id)
  if (held === undefined) return { type: 'known' }
  const transfers = matched.deposits.map(({ transfer }) => transfer)
  const due = await unrecordedOf(tx, chain, transfers)
  const dueKeys = new Set(due.map(({ key }) => key))
  const deposits = matched.deposits.filter(({ transfer }) => dueKeys.has(transfer.key))
  if (deposits.length === 0) return endKnown(tx, held)
  const payments = deposits.map((deposit) => toBooked(deposit, height))
  const finalHeight = cursor.finalHeight < 0 ? undefined : cursor.finalHeight
  const told = { methods, feeDefaults, finalHeight, tipHeight: cursor.height }
  await recordBlocks({ ...told, isOneWord, hasOutpoints: traits.hasOutpoints }, tx, network, [
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
 * A surplus that could not be explained before is not explained by what is booked: the next look ends it where nothing is left. What
 * was found in a block is what that block tells of.
 */
async function endKnown(tx: Tx, { id, state, foundBy }: MissedPayment): Promise<MissedOutcome> {
  if (state === 'unexplained' && foundBy !== 'block')
    return { type: 'unexplained', why: 'all that its block tells of is booked' }
  await endMissed(tx, [id], 'booked')
  return { type: 'known' }
}

/** @returns what is left of it */
async function endBooked(tx: Tx, { id, amountMinor }: MissedPayment, bookedMinor: bigint): Promise<bigint> {
  if (bookedMinor >= amountMinor) {
    await endMissed(tx, [id], 'booked')
    return 0n
  }
  await keepRest(tx, id, amountMinor - bookedMinor)
  return amountMinor - bookedMinor
}

function toBooked({ transfer, method, watched }: Deposit, height: number): BookedPayment {
  const { txHash, recipient, amountMinor } = transfer
  const amount = formatDecimal(amountMinor, method.decimals)
  return { txHash, recipient, asset: method.asset, amount, height, invoiceId: watched.invoiceId }
}
