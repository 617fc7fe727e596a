/**
 * Adopts transactions in final blocks that spend our UTXOs, but are neither in the database nor in the
 * signer's log.
 */
import { holdCursor, readCursor } from '../../../chains/blocks/store.ts'
import type { OwnOutput, SpentOutput } from '../../../chains/outputs/output.ts'
import { insertOwnOutputs, markSpent } from '../../../chains/outputs/store.ts'
import type { UtxoTransaction } from '../../../chains/utxo/utxo-port.ts'
import { newId } from '../../../core/ids.ts'
import { post } from '../../../ledger/post.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { Intent, UtxoHotKeyPath } from '../../../signing/intent.ts'
import { returnPlanned } from '../../engine/adopt-signer-log.ts'
import { insertAttempts, type NewAttempt } from '../../engine/attempt-store.ts'
import { haltOutgoing } from '../../engine/controls/halts.ts'
import type { EngineMemory } from '../../engine/engine-memory.ts'
import { coinOf, raiseAlert } from '../../engine/engine-parts.ts'
import { feeJournal } from '../../engine/network-fees.ts'
import { notifySources, type Proposal } from '../../engine/outgoing-source.ts'
import { maxCostMinor } from '../../engine/outgoing-transaction.ts'
import { matchOrders, type OpenOrder, type SeenOutput } from '../../engine/recovery/match-orders.ts'
import { insertOutflow } from '../../engine/recovery/outflow-store.ts'
import type { Recovery } from '../../engine/recovery/recovery.ts'
import { deleteRefusals, dropPaid } from '../../engine/retries/refusal-store.ts'
import { spentBy } from '../../engine/spent-by.ts'
import {
  findOurBlocks,
  insertOutgoingTransactions,
  readOutgoingTransactions,
  type StoredOutgoingTransaction,
  saveState,
} from '../../engine/store.ts'
import { findTaken } from '../find-taken.ts'
import { type OutgoingTransactionInput, paidBy, totalOf } from '../shape.ts'
import { feesOfBytes } from '../signed-fees.ts'
import { markMissed } from '../spent-store.ts'
import type { UtxoParts } from '../utxo-parts.ts'
import {
  findHolders,
  findHotWalletKeyPaths,
  insertHotWalletAddresses,
  readInputs,
  reserveInputs,
} from '../utxo-store.ts'
import { findListed, readUnknownSpenders, type UnknownSpender } from './exposed-utxo-store.ts'

/** The maximum number of transactions that are looked up in one step. Each lookup reads a block. */
const adoptedPerStep = 20

export interface Adoption {
  readonly done: number
  /**
   * The number of transactions that still must be adopted. They spend our UTXOs, and the database does not
   * know them.
   */
  readonly left: number
  /**
   * Whether a payment matched no order. In that case, all outgoing transactions are halted, and an operator
   * must decide.
   */
  readonly isHalted: boolean
}

/**
 * Adopts transactions that spend our UTXOs in blocks up to `height` and that the database does not know. Such
 * transactions in higher blocks are only counted.
 */
export async function adoptSpenders(
  parts: UtxoParts,
  memory: EngineMemory,
  recovery: Recovery,
  height: number,
  signal: AbortSignal,
): Promise<Adoption> {
  const spenders = await readUnknownSpenders(parts.db, parts.network.name, adoptedPerStep)
  let done = 0
  for (const spender of spenders.filter((one) => one.height <= height)) {
    const found = await readFound(parts, spender, signal)
    if (found === undefined) {
      const message = 'no node returns a mined transaction of ours'
      raiseAlert(parts, memory, 'outflow-unread', { subject: spender.txHash }, message)
      continue
    }
    const unlisted = await findUnlisted(parts, found, signal)
    const outcome = await storeFound(parts, memory, recovery, found, unlisted)
    if (outcome === 'moved') continue
    done += 1
    memory.followed = undefined
    if (outcome === 'adopted') continue
    const fields = { subject: spender.txHash, detail: outcome.unexplained }
    raiseAlert(parts, memory, 'outflow-unknown', fields, 'UTXOs of ours were spent for unknown payments')
    return { done, left: spenders.length - done, isHalted: true }
  }
  return { done, left: spenders.length - done, isHalted: false }
}

interface Found extends UnknownSpender {
  readonly blockHash: string
  /**
   * The transaction in hex, without witnesses. Witnesses are not needed, because the transaction is final and
   * is never sent again.
   */
  readonly raw: string
  readonly transaction: UtxoTransaction
}

/**
 * Reads a transaction that spends our UTXOs from the nodes. Returns undefined if no node returns it, or if
 * the nodes do not confirm that its block spends the UTXO. The bytes must match the hash of the transaction.
 */
async function readFound(
  { db, network, sender, drafts }: UtxoParts,
  spender: UnknownSpender,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { txHash, height, utxos } = spender
  const [first] = utxos
  const spent = first && (await sender.findSpent(first.outpoint, { from: height, to: height }, signal))
  if (spent?.txHash !== txHash) return undefined
  if (!(await findOurBlocks(db, network.name, [spent])).has(`${height} ${spent.blockHash}`)) return undefined
  const raw = (await sender.readPreviousTransactions(spent.blockHash, [txHash], signal)).get(txHash)
  if (raw === undefined) return undefined
  return { ...spender, blockHash: spent.blockHash, raw, transaction: drafts.readRaw(txHash, raw) }
}

/**
 * Outputs that a found transaction pays to the hot wallet and that are not stored yet, and the transactions
 * that spent these outputs. The outputs were mined before their address was watched, because the restored
 * snapshot is older than the first use of the hot wallet.
 */
interface Unlisted {
  /** The hash of the last booked block at the time when the nodes were asked what spent the outputs. */
  readonly at: string | undefined
  readonly utxos: readonly OwnOutput[]
  readonly spent: readonly SpentOutput[]
}

async function findUnlisted(parts: UtxoParts, found: Found, signal: AbortSignal): Promise<Unlisted> {
  const { db, network, sender } = parts
  const { txHash, height, transaction } = found
  const cursor = await readCursor(db, network.name)
  const addresses = transaction.outputs.flatMap(({ address }) => address ?? [])
  const keyPaths = await findHotWalletKeyPaths(db, network.name, addresses)
  const own = transaction.outputs.flatMap(({ address = '', amountMinor }, index): readonly OwnOutput[] =>
    keyPaths.has(address)
      ? [{ outpoint: `${txHash}:${index}`, txHash, address, amountMinor, height, maturesAfter: 1 }]
      : [],
  )
  const listed = await findListed(
    db,
    network.name,
    own.map(({ outpoint }) => outpoint),
  )
  const utxos = own.filter(({ outpoint }) => !listed.has(outpoint))
  const spent: SpentOutput[] = []
  for (const { outpoint } of utxos) {
    const by = await sender.findSpent(outpoint, { from: height, to: cursor?.height ?? height }, signal)
    if (by !== undefined) spent.push({ outpoint, txHash: by.txHash, height: by.height })
  }
  return { at: cursor?.hash, utxos, spent }
}

type Outcome = 'moved' | 'adopted' | { readonly unexplained: string }

/**
 * Stores a transaction that was found on chain and spends our UTXOs. If it spends the same UTXOs and makes
 * the same payments as a signed outgoing transaction, it is stored as an attempt of that transaction.
 * Otherwise, each signed outgoing transaction that reserved one of these UTXOs becomes conflicted, because it
 * can no longer be mined.
 */
function storeFound(
  parts: UtxoParts,
  memory: EngineMemory,
  recovery: Recovery,
  found: Found,
  unlisted: Unlisted,
): Promise<Outcome> {
  const { db, network, outgoingSources } = parts
  return inTransaction(db, async (tx): Promise<Outcome> => {
    await assertLease(tx, memory.lease)
    // A block that was booked in the meantime was not searched for spends of the outputs that are stored
    // below. In that case, the step starts again.
    if ((await holdCursor(tx, network.name))?.hash !== unlisted.at) return 'moved'
    if (!(await findOurBlocks(tx, network.name, [found])).has(`${found.height} ${found.blockHash}`))
      return 'moved'
    const outpoints = found.utxos.map(({ outpoint }) => outpoint)
    const holders = await readOutgoingTransactions(tx, await findHolders(tx, network.name, outpoints))
    // If an outgoing transaction with one of these UTXOs is stored as mined, it contradicts the found
    // transaction. Its state must be read from the chain again first.
    if (holders.some(({ state }) => state === 'included' || state === 'final')) return 'moved'
    await insertOwnOutputs(tx, network.name, unlisted.utxos)
    await markSpent(tx, network.name, unlisted.spent)
    const sent = await readSent(parts, tx, found)
    const inputs = await readInputs(
      tx,
      holders.map(({ id }) => id),
    )
    const twin = holders.find((outgoingTransaction) =>
      isTwin(parts, outgoingTransaction, inputs.get(outgoingTransaction.id) ?? [], sent),
    )
    if (twin !== undefined && twin.state !== 'planned') {
      await insertAttempts(tx, [attemptOf(parts, twin.id, sent)])
      return 'adopted'
    }
    await returnPlanned(tx, idsOf(holders.filter(({ state }) => state === 'planned')))
    const conflicted = holders.filter(({ state }) => state !== 'planned')
    await saveState(tx, idsOf(conflicted), 'conflicted')
    const moves = conflicted.map((outgoingTransaction) => ({
      outgoingTransaction: { ...outgoingTransaction, state: 'conflicted' as const },
      to: 'conflicted' as const,
    }))
    await notifySources(outgoingSources, tx, moves)
    return explain(parts, tx, recovery, sent)
  })
}

function idsOf(outgoingTransactions: readonly StoredOutgoingTransaction[]): readonly string[] {
  return outgoingTransactions.map(({ id }) => id)
}

interface PaidOutput extends SeenOutput {
  readonly outpoint: string
}

/** A found transaction with its payments, its change and its fee. */
interface Sent extends Found {
  /** All outputs except those to the hot wallet. */
  readonly paid: readonly PaidOutput[]
  readonly change: { readonly keyPath: UtxoHotKeyPath; readonly address: string } | undefined
  /** The fee; undefined if the transaction also spends UTXOs of others. */
  readonly feeMinor: bigint | undefined
}

async function readSent({ network }: Pick<UtxoParts, 'network'>, tx: Tx, found: Found): Promise<Sent> {
  const { outpoints, outputs } = found.transaction
  const addresses = outputs.flatMap(({ address }) => address ?? [])
  const keyPaths = await findHotWalletKeyPaths(tx, network.name, addresses)
  const keyPathOf = (address: string | undefined) =>
    address === undefined ? undefined : keyPaths.get(address)
  const change = outputs.flatMap(({ address = '' }) => {
    const keyPath = keyPathOf(address)
    return keyPath === undefined ? [] : [{ keyPath, address }]
  })
  const hasOnlyOwnCoins = outpoints.length === found.utxos.length
  return {
    ...found,
    paid: outputs
      .map(({ address, amountMinor }, index) => ({
        recipient: address,
        amountMinor,
        outpoint: `${found.txHash}:${index}`,
      }))
      .filter(({ recipient }) => keyPathOf(recipient) === undefined),
    change: change.find(({ keyPath }) => keyPath.branch === 1),
    feeMinor: hasOnlyOwnCoins ? totalOf(found.utxos) - totalOf(outputs) : undefined,
  }
}

/** Returns the pinned outpoint, which is the first UTXO of ours among the transaction's inputs. */
function pinnedOutpointOf({ transaction, utxos }: Sent): string {
  const own = new Set(utxos.map(({ outpoint }) => outpoint))
  return transaction.outpoints.find((outpoint) => own.has(outpoint)) ?? ''
}

/**
 * Returns whether a found transaction is an attempt of an outgoing transaction: it spends the same UTXOs and
 * makes the same payments.
 */
function isTwin(
  { coldAddress }: Pick<UtxoParts, 'coldAddress'>,
  { intent }: Pick<StoredOutgoingTransaction, 'intent'>,
  inputs: readonly OutgoingTransactionInput[],
  { transaction, paid, feeMinor }: Sent,
): boolean {
  if (paid.length === 0 || feeMinor === undefined) return false
  const wanted = paidBy(intent).map(({ address = coldAddress, amountMinor }) => `${address} ${amountMinor}`)
  const given = paid.map(({ recipient, amountMinor }) => `${recipient} ${amountMinor}`)
  return (
    wanted.toSorted().join() === given.toSorted().join() &&
    inputs
      .map(({ outpoint }) => outpoint)
      .toSorted()
      .join() === transaction.outpoints.toSorted().join()
  )
}

function attemptOf(parts: UtxoParts, outgoingTransactionId: string, sent: Sent): NewAttempt {
  const { txHash, raw, transaction, feeMinor = 0n } = sent
  const maxCost = maxCostMinor(feesOfBytes(parts, transaction, feeMinor))
  return { network: parts.network.name, txHash, outgoingTransactionId, raw, maxCostMinor: maxCost }
}

/**
 * Matches the payments of a found transaction with orders. From now on, this transaction pays the matched
 * orders. If an output matches no order, all outgoing transactions are halted, and an operator must decide.
 */
async function explain(parts: UtxoParts, tx: Tx, recovery: Recovery, sent: Sent): Promise<Outcome> {
  const { proposal, unexplained } = await findOrders(parts, tx, recovery, sent)
  if (proposal !== undefined) await insertAdopted(parts, tx, sent, proposal)
  if (proposal !== undefined && unexplained.length === 0) return 'adopted'
  const detail = wordsOf(sent, unexplained)
  await storeOutflow(parts, tx, sent, { detail, unexplained })
  const about = `${sent.txHash} on ${parts.network.name} is neither ours nor in the signer's log and ${detail}, which matches no order`
  await haltOutgoing({ db: tx, log: parts.log }, 'log-unknown', `${about}: find out why it was sent`)
  return { unexplained: detail }
}

interface Explained {
  readonly proposal: Pick<Proposal, 'id' | 'intent'> | undefined
  readonly unexplained: readonly PaidOutput[]
}

async function findOrders(
  { network, outgoingSources, coldAddress }: UtxoParts,
  tx: Tx,
  { requestedAt }: Recovery,
  { paid, feeMinor }: Sent,
): Promise<Explained> {
  if (feeMinor === undefined) return { proposal: undefined, unexplained: paid }
  if (paid.length === 0)
    return { proposal: { id: newId(), intent: { kind: 'consolidate' } }, unexplained: [] }
  const since = new Date(requestedAt.getTime() - graceMs)
  const [only] = paid
  if (only?.recipient !== undefined && only.recipient === coldAddress && paid.length === 1) {
    const seen = { network: network.name, contract: null, ...only, recipient: only.recipient }
    for (const { recognize } of outgoingSources) {
      const treasuryWithdrawal = await recognize?.(tx, { ...seen, isCold: true, since })
      if (treasuryWithdrawal?.intent.kind === 'treasury_withdrawal')
        return { proposal: treasuryWithdrawal, unexplained: [] }
    }
  }
  const recipients = [...new Set(paid.flatMap(({ recipient }) => recipient ?? []))]
  const orders: OpenOrder[] = []
  for (const { findOpenOrders } of outgoingSources)
    orders.push(...((await findOpenOrders?.(tx, { network: network.name, recipients, since })) ?? []))
  const matched = matchOrders(paid, orders)
  const intent: Intent = { kind: 'withdrawal', payments: matched.paid }
  const proposal = matched.paid.length === 0 ? undefined : { id: newId(), intent }
  return { proposal, unexplained: matched.unexplained }
}

/**
 * An order that was open in the restored snapshot may have ended before the recovery was requested. Orders
 * that ended at most 24 hours before the request are therefore matched too.
 */
const graceMs = 24 * 60 * 60 * 1000

async function insertAdopted(
  parts: UtxoParts,
  tx: Tx,
  sent: Sent,
  { id, intent }: Pick<Proposal, 'id' | 'intent'>,
): Promise<void> {
  const { network, outgoingSources } = parts
  const { name } = network
  const spends = spentBy(intent, coinOf(parts))
  const pinnedOutpoint = pinnedOutpointOf(sent)
  const slot = { pinnedOutpoint, change: sent.change?.keyPath }
  const fees = feesOfBytes(parts, sent.transaction, sent.feeMinor ?? 0n)
  const planned = { id, network: name, intent, spends, family: 'utxo', slot, fees } as const
  const [outgoingTransaction] = await insertOutgoingTransactions(tx, [planned])
  if (outgoingTransaction === undefined)
    throw new Error(`transaction ${id} exists, but nothing was signed for it`)
  const pinned = sent.utxos.filter(({ outpoint }) => outpoint === pinnedOutpoint)
  const others = sent.utxos.filter(({ outpoint }) => outpoint !== pinnedOutpoint)
  await reserveInputs(tx, [{ outgoingTransactionId: id, network: name, inputs: [...pinned, ...others] }])
  await insertHotWalletAddresses(tx, name, sent.change === undefined ? [] : [sent.change])
  await deleteRefusals(tx, [id])
  if (intent.kind === 'withdrawal')
    await dropPaid(
      tx,
      name,
      intent.payments.map(({ withdrawalId }) => withdrawalId),
    )
  await insertAttempts(tx, [attemptOf(parts, id, sent)])
  await saveState(tx, [id], 'signed')
  await notifySources(outgoingSources, tx, [
    { outgoingTransaction, to: 'planned' },
    { outgoingTransaction: { ...outgoingTransaction, state: 'signed' }, to: 'signed' },
  ])
}

/**
 * Stores an outflow and books only its fee, which is certain. What the outflow moved to others is not booked
 * until an operator has explained it.
 */
async function storeOutflow(
  parts: UtxoParts,
  tx: Tx,
  sent: Sent,
  { detail, unexplained }: { readonly detail: string; readonly unexplained: readonly PaidOutput[] },
): Promise<void> {
  const { txHash, height, blockHash, raw, feeMinor = 0n, utxos } = sent
  const { name } = parts.network
  const listed = await findListed(
    tx,
    name,
    unexplained.map(({ outpoint }) => outpoint),
  )
  // If the transaction also spends UTXOs of others, nobody can say which of its payments are from us. Outputs to our
  // deposit addresses are still ours.
  const payments =
    sent.feeMinor === undefined
      ? []
      : unexplained
          .filter(({ outpoint }) => !listed.has(outpoint))
          .map(({ recipient, amountMinor }) => ({ contract: undefined, recipient, amountMinor }))
  const outflow = {
    network: name,
    txHash,
    slot: { pinnedOutpoint: pinnedOutpointOf(sent) },
    height,
    blockHash,
  }
  await insertOutflow(tx, { ...outflow, kind: 'unknown', detail, raw, feeMinor, payments })
  if (feeMinor > 0n)
    await post(tx, [feeJournal(coinOf(parts), { txHash, height, blockHash, isSuccess: true, feeMinor })])
  await markMissed(
    tx,
    name,
    utxos.map(({ outpoint }) => outpoint),
  )
}

function wordsOf({ feeMinor }: Sent, unexplained: readonly SeenOutput[]): string {
  const some = unexplained.slice(0, 3).map(({ recipient, amountMinor }) => `${amountMinor} to ${recipient}`)
  const more = unexplained.length > some.length ? ` and ${unexplained.length - some.length} more` : ''
  const others = feeMinor === undefined ? ', with UTXOs of others' : ''
  return `paid ${some.join(', ')}${more}${others}`
}

/**
 * Returns the transaction on chain that spent the UTXOs of an outgoing transaction and made its payments, or
 * undefined. That transaction was signed for the outgoing transaction, and the database has lost it.
 */
export async function readUtxoTwin(
  parts: UtxoParts,
  outgoingTransaction: StoredOutgoingTransaction,
  height: number,
  signal: AbortSignal,
): Promise<NewAttempt | undefined> {
  const { db, sender, drafts } = parts
  const [taken] = await findTaken(parts, [outgoingTransaction], height, signal)
  if (taken === undefined || taken.isUnmade) return undefined
  const { txHash, blockHash } = taken
  const raw = (await sender.readPreviousTransactions(blockHash, [txHash], signal)).get(txHash)
  if (raw === undefined) return undefined
  const utxos = (await readInputs(db, [outgoingTransaction.id])).get(outgoingTransaction.id) ?? []
  const transaction = drafts.readRaw(txHash, raw)
  return inTransaction(db, async (tx) => {
    const sent = await readSent(parts, tx, {
      txHash,
      height: taken.height,
      utxos,
      blockHash,
      raw,
      transaction,
    })
    return isTwin(parts, outgoingTransaction, utxos, sent)
      ? attemptOf(parts, outgoingTransaction.id, sent)
      : undefined
  })
}
