/**
 * Adopts transactions of our hot wallets that are in final blocks, but neither in the database nor in the
 * signer's log.
 */

import type { EvmFees, SentTransaction, Spend, TakenSlot, TransactionReceipt } from '../../../chains/port.ts'
import { post } from '../../../ledger/post.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { HotWalletKeyPath } from '../../../signing/intent.ts'
import { insertAttempts, type NewAttempt, readHashes } from '../../engine/attempt-store.ts'
import { haltOutgoing } from '../../engine/controls/halts.ts'
import { nodesHint } from '../../engine/controls/nodes-hint.ts'
import type { EngineMemory } from '../../engine/engine-memory.ts'
import { coinOf, raiseAlert } from '../../engine/engine-parts.ts'
import { feeJournal } from '../../engine/network-fees.ts'
import { notifySources, type Proposal } from '../../engine/outgoing-source.ts'
import { maxCostMinor } from '../../engine/outgoing-transaction.ts'
import {
  insertOutflow,
  type NewOutflowPayment,
  type OutflowKind,
} from '../../engine/recovery/outflow-store.ts'
import type { Recovery } from '../../engine/recovery/recovery.ts'
import { deleteRefusals } from '../../engine/retries/refusal-store.ts'
import {
  findOurBlocks,
  insertOutgoingTransactions,
  readOutgoingTransactions,
  type StoredOutgoingTransaction,
  saveState,
} from '../../engine/store.ts'
import { type AccountParts, ownAddressBook } from '../account-parts.ts'
import { spendOf } from '../spend-of.ts'
import { isDerived } from '../wallet-store.ts'
import { type OpenNonce, supersede } from './nonce-store.ts'

/** A transaction that used a nonce of a hot wallet. Its block is final and booked. */
interface Found {
  readonly from: HotWalletKeyPath
  readonly wallet: string
  readonly slot: TakenSlot
  readonly sent: SentTransaction
  readonly receipt: TransactionReceipt
}

/**
 * Finds the transaction that used a nonce, and stores it. An outgoing transaction of ours may have the same
 * nonce. If the found transaction made the payment of that outgoing transaction, it is stored as one of its
 * attempts. If it paid an order, it is stored as the outgoing transaction of that order. In all other cases
 * it is stored as an outflow. An operator must explain what an outflow moved to others.
 * @returns true if the transaction was stored; false if it cannot be read yet, or is already a known attempt
 */
export async function adoptTaken(
  parts: AccountParts,
  memory: EngineMemory,
  recovery: Recovery,
  from: HotWalletKeyPath,
  { nonce, outgoingTransactionId }: OpenNonce,
  height: number,
  signal: AbortSignal,
): Promise<boolean> {
  const wallet = memory.hotWallets[from.hotWallet] ?? ''
  const slot = await parts.sender.findTaken(wallet, nonce, height, signal)
  if (slot?.txHash === undefined || !(await isOurBlock(parts, slot))) return false
  if (outgoingTransactionId !== undefined && (await isOwn(parts, outgoingTransactionId, slot.txHash)))
    return false
  const sent = await readSent(parts, wallet, nonce, slot.txHash, signal)
  const [receipt] = await parts.sender.readReceipts([slot.txHash], signal)
  if (sent === undefined || receipt === undefined) {
    const fields = { subject: slot.txHash, wallet, nonce }
    raiseAlert(parts, memory, 'outflow-unread', fields, 'no node returns a mined transaction of ours')
    return false
  }
  const found: Found = { from, wallet, slot, sent, receipt }
  const kind = await storeFound(parts, memory, recovery, found, outgoingTransactionId)
  memory.followed = undefined
  if (kind === 'unknown') {
    const fields = { subject: sent.txHash, wallet, nonce, detail: wordsOf(sent.spend) }
    raiseAlert(parts, memory, 'outflow-unknown', fields, 'a hot wallet sent an unknown transaction')
  }
  return true
}

async function isOurBlock({ db, network }: AccountParts, slot: TakenSlot): Promise<boolean> {
  return (await findOurBlocks(db, network.name, [slot])).has(`${slot.height} ${slot.blockHash}`)
}

async function isOwn({ db }: AccountParts, outgoingTransactionId: string, txHash: string): Promise<boolean> {
  return ((await readHashes(db, [outgoingTransactionId])).get(outgoingTransactionId) ?? []).includes(txHash)
}

/**
 * Returns the transaction if the wallet signed it for this nonce. The signature proves the sender. The hash
 * proves that the node returned the transaction's true bytes.
 */
async function readSent(
  { sender }: AccountParts,
  wallet: string,
  nonce: number,
  txHash: string,
  signal: AbortSignal,
): Promise<SentTransaction | undefined> {
  const sent = await sender.readSent(txHash, signal)
  return sent?.sender === wallet && sent.nonce === nonce ? sent : undefined
}

/**
 * Stores a found transaction.
 * @returns the kind of outflow; undefined if the transaction belongs to an outgoing transaction
 */
function storeFound(
  parts: AccountParts,
  memory: EngineMemory,
  recovery: Recovery,
  found: Found,
  outgoingTransactionId: string | undefined,
): Promise<OutflowKind | undefined> {
  const { db, outgoingSources } = parts
  return inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const [holder] =
      outgoingTransactionId === undefined ? [] : await readOutgoingTransactions(tx, [outgoingTransactionId])
    if (holder !== undefined && holder.state !== 'conflicted') {
      if (isSameSpend(parts, memory, holder, found.sent)) {
        await insertAttempts(tx, [attemptOf(parts, holder.id, found.sent)])
        return undefined
      }
      await saveState(tx, [holder.id], 'conflicted')
      await notifySources(outgoingSources, tx, [
        { outgoingTransaction: { ...holder, state: 'conflicted' }, to: 'conflicted' },
      ])
    }
    if (holder !== undefined) await supersede(tx, holder.id)
    const order = await findOrder(parts, tx, recovery, found)
    if (order !== undefined && (await insertAdopted(parts, tx, found, order))) return undefined
    return storeOutflow(parts, memory, tx, found)
  })
}

/** Returns the order that the transaction paid, or undefined. A failed transaction paid no order. */
async function findOrder(
  { network, coldAddress, outgoingSources }: AccountParts,
  tx: Tx,
  { requestedAt }: Recovery,
  { sent: { spend }, receipt }: Found,
): Promise<Proposal | undefined> {
  if (!receipt.isSuccess || spend?.type !== 'pay') return undefined
  const { asset, recipient, amountMinor } = spend
  for (const outgoingSource of outgoingSources) {
    const order = await outgoingSource.recognize?.(tx, {
      network: network.name,
      contract: asset.type === 'coin' ? null : asset.contract,
      recipient,
      amountMinor,
      isCold: recipient === coldAddress,
      since: new Date(requestedAt.getTime() - graceMs),
    })
    if (order !== undefined) return order
  }
  return undefined
}

/**
 * An order that was open in the restored snapshot may have ended before the recovery was requested. Orders
 * that ended at most 24 hours before the request are therefore matched too.
 */
const graceMs = 24 * 60 * 60 * 1000

/**
 * Stores the found transaction as the signed outgoing transaction of an order.
 * @returns false if the order already has an outgoing transaction
 */
async function insertAdopted(
  parts: AccountParts,
  tx: Tx,
  { from, wallet, sent }: Found,
  { id, intent, spends }: Proposal,
): Promise<boolean> {
  const { network, outgoingSources } = parts
  const { nonce } = sent
  const [outgoingTransaction] = await insertOutgoingTransactions(tx, [
    {
      id,
      network: network.name,
      intent,
      spends,
      family: 'evm',
      slot: { sender: from, wallet, nonce },
      fees: feesOf(sent),
      maxFeePerGasLimit: undefined,
    },
  ])
  if (outgoingTransaction === undefined) return false
  await deleteRefusals(tx, [id])
  await insertAttempts(tx, [attemptOf(parts, id, sent)])
  await saveState(tx, [id], 'signed')
  await notifySources(outgoingSources, tx, [
    { outgoingTransaction, to: 'planned' },
    { outgoingTransaction: { ...outgoingTransaction, state: 'signed' }, to: 'signed' },
  ])
  return true
}

/**
 * Stores an outflow and books only its fee, which is certain. What the outflow moved to others is not booked
 * until an operator has explained it.
 */
async function storeOutflow(
  parts: AccountParts,
  memory: EngineMemory,
  tx: Tx,
  { wallet, slot, sent, receipt }: Found,
): Promise<OutflowKind> {
  const kind = receipt.isSuccess ? await kindOf(parts, memory, tx, sent.spend) : 'failed'
  const payments = kind === 'unknown' ? paidBy(sent.spend) : []
  await insertOutflow(tx, {
    network: parts.network.name,
    txHash: sent.txHash,
    slot: { wallet, nonce: sent.nonce },
    height: slot.height,
    blockHash: slot.blockHash,
    kind,
    detail: wordsOf(sent.spend),
    raw: sent.raw,
    feeMinor: receipt.feeMinor,
    payments,
  })
  // What such a transaction moved cannot be booked as a payment, so an operator must look at it.
  if (kind === 'unknown' && payments.length === 0) {
    const detail = `${sent.txHash} on ${parts.network.name} is neither ours nor in the signer's log: ${wordsOf(sent.spend)}. Find out what it moved${nodesHint(parts.network.name)}`
    await haltOutgoing({ db: tx, log: parts.log }, 'log-unknown', detail)
  }
  if (receipt.feeMinor > 0n) await post(tx, [feeJournal(coinOf(parts), receipt)])
  return kind
}

async function kindOf(
  parts: AccountParts,
  memory: EngineMemory,
  tx: Tx,
  spend: Spend | undefined,
): Promise<'own' | 'unknown'> {
  if (spend === undefined) return 'unknown'
  const { hotWallets, delegate } = ownAddressBook(parts, memory)
  if (spend.type === 'deploy') return 'own'
  if (spend.type === 'sweep') return spend.delegate === delegate ? 'own' : 'unknown'
  const isOwn =
    hotWallets.includes(spend.recipient) || (await isDerived(tx, parts.network.family, spend.recipient))
  return isOwn ? 'own' : 'unknown'
}

function paidBy(spend: Spend | undefined): readonly NewOutflowPayment[] {
  if (spend?.type !== 'pay' || spend.amountMinor === 0n) return []
  const { asset, recipient, amountMinor } = spend
  return [{ contract: asset.type === 'coin' ? undefined : asset.contract, recipient, amountMinor }]
}

/**
 * Returns whether a transaction on chain made the payment that an outgoing transaction was planned to make.
 */
export function isSameSpend(
  parts: AccountParts,
  memory: EngineMemory,
  { intent }: Pick<StoredOutgoingTransaction, 'intent'>,
  { spend }: SentTransaction,
): boolean {
  const intended = spendOf(intent, ownAddressBook(parts, memory))
  if (spend?.type !== 'pay' || intended.type !== 'pay') return false
  const contractOf = ({ asset }: typeof intended) => (asset.type === 'coin' ? null : asset.contract)
  return (
    contractOf(spend) === contractOf(intended) &&
    spend.recipient === intended.recipient &&
    spend.amountMinor === intended.amountMinor
  )
}

export function attemptOf(
  { network }: Pick<AccountParts, 'network'>,
  outgoingTransactionId: string,
  sent: SentTransaction,
): NewAttempt {
  return {
    network: network.name,
    txHash: sent.txHash,
    outgoingTransactionId,
    raw: sent.raw,
    maxCostMinor: maxCostMinor(feesOf(sent)),
  }
}

function feesOf({ gasLimit, maxFeePerGas, maxPriorityFeePerGas }: SentTransaction): EvmFees {
  return { gasLimit, maxFeePerGas, maxPriorityFeePerGas }
}

function wordsOf(spend: Spend | undefined): string {
  switch (spend?.type) {
    case 'pay': {
      const asset = spend.asset.type === 'coin' ? 'coin' : `token ${spend.asset.contract}`
      return `${spend.amountMinor} of ${asset} to ${spend.recipient}`
    }
    case 'sweep':
      return `a sweep of ${spend.addresses.length} addresses through ${spend.delegate}`
    case 'deploy':
      return 'the deployment of a sweep contract'
    case undefined:
      return 'a call that is not made by any transaction of ours'
  }
}
