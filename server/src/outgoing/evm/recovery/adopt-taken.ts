/** Takes over what final blocks show of our wallets' past, and the database and the signer's log do not. */

import type { SentTransaction, Spend, TakenPlace, TransactionReceipt } from '../../../chains/port.ts'
import { post } from '../../../ledger/post.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { LanePlace } from '../../../signing/intent.ts'
import { insertAttempts, type NewAttempt, readHashes } from '../../engine/attempt-store.ts'
import { coinOf, raiseAlert } from '../../engine/machine.ts'
import type { MachineMemory } from '../../engine/machine-memory.ts'
import { feeJournal } from '../../engine/network-fees.ts'
import type { Fees } from '../../engine/payout.ts'
import { type Proposal, tellPurposes } from '../../engine/purpose.ts'
import { insertOutflow, type OutflowKind } from '../../engine/recovery/outflow-store.ts'
import { type OpenPlace, supersede } from '../../engine/recovery/place-store.ts'
import type { Recovery } from '../../engine/recovery/recovery.ts'
import { deleteRefusals } from '../../engine/retries/refusal-store.ts'
import {
  findOurBlocks,
  insertPayouts,
  readPayouts,
  type StoredPayout,
  saveState,
} from '../../engine/store.ts'
import { isDerived } from '../../engine/wallet-store.ts'
import { type AccountParts, ownPlaces } from '../account-parts.ts'
import { spendOf } from '../spend-of.ts'

/** A transaction that used a nonce of a lane and is in a final block of our own list. */
interface Found {
  readonly from: LanePlace
  readonly wallet: string
  readonly place: TakenPlace
  readonly sent: SentTransaction
  readonly receipt: TransactionReceipt
}

/**
 * Finds what used a nonce, and stores it: as other bytes of the payout that holds the nonce, as the payout of the order that
 * it paid, or as an outflow that an operator must account for.
 * @returns whether the nonce is settled by that; false where it is not shown yet, or is the own payout's
 */
export async function adoptTaken(
  parts: AccountParts,
  memory: MachineMemory,
  recovery: Recovery,
  from: LanePlace,
  { nonce, payoutId }: OpenPlace,
  height: number,
  signal: AbortSignal,
): Promise<boolean> {
  const wallet = memory.lanes[from.lane] ?? ''
  const place = await parts.sender.findTaken(wallet, nonce, height, signal)
  if (place?.txHash === undefined || !(await isOurBlock(parts, place))) return false
  if (payoutId !== undefined && (await isOwn(parts, payoutId, place.txHash))) return false
  const sent = await readSent(parts, wallet, nonce, place.txHash, signal)
  const [receipt] = await parts.sender.readReceipts([place.txHash], signal)
  if (sent === undefined || receipt === undefined) {
    const fields = { subject: place.txHash, wallet, nonce }
    raiseAlert(
      parts,
      memory,
      'outflow-unread',
      fields,
      'no node shows a transaction of ours that a block holds',
    )
    return false
  }
  const found: Found = { from, wallet, place, sent, receipt }
  const kind = await storeFound(parts, memory, recovery, found, payoutId)
  memory.followed = undefined
  if (kind === 'unknown') {
    const fields = { subject: sent.txHash, wallet, nonce, detail: wordsOf(sent.spend) }
    raiseAlert(parts, memory, 'outflow-unknown', fields, 'a hot wallet sent what nobody here knows of')
  }
  return true
}

async function isOurBlock({ db, network }: AccountParts, place: TakenPlace): Promise<boolean> {
  return (await findOurBlocks(db, network.name, [place])).has(`${place.height} ${place.blockHash}`)
}

async function isOwn({ db }: AccountParts, payoutId: string, txHash: string): Promise<boolean> {
  return ((await readHashes(db, [payoutId])).get(payoutId) ?? []).includes(txHash)
}

/** Bytes that the wallet itself signed for that nonce, by their signature; a node says which, and proves it by the hash. */
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

/** @returns what kind of outflow it is; undefined where it is a payout's */
function storeFound(
  parts: AccountParts,
  memory: MachineMemory,
  recovery: Recovery,
  found: Found,
  payoutId: string | undefined,
): Promise<OutflowKind | undefined> {
  const { db, purposes } = parts
  return inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const [holder] = payoutId === undefined ? [] : await readPayouts(tx, [payoutId])
    if (holder !== undefined && holder.state !== 'displaced') {
      if (isSameSpend(parts, memory, holder, found.sent)) {
        await insertAttempts(tx, [attemptOf(parts, holder.id, found.sent)])
        return undefined
      }
      await saveState(tx, [holder.id], 'displaced')
      await tellPurposes(purposes, tx, [{ payout: { ...holder, state: 'displaced' }, to: 'displaced' }])
    }
    if (holder !== undefined) await supersede(tx, holder.id)
    const order = await findOrder(parts, tx, recovery, found)
    if (order !== undefined && (await insertAdopted(parts, tx, found, order))) return undefined
    return storeOutflow(parts, memory, tx, found)
  })
}

/** The order that it paid; nothing that failed on the chain paid any. */
async function findOrder(
  { network, coldAddress, purposes }: AccountParts,
  tx: Tx,
  { requestedAt }: Recovery,
  { sent: { spend }, receipt }: Found,
): Promise<Proposal | undefined> {
  if (!receipt.isSuccess || spend?.type !== 'pay') return undefined
  const { asset, recipient, amountMinor } = spend
  for (const purpose of purposes) {
    const order = await purpose.recognize?.(tx, {
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

/** An order that ended so long before the sign of going back was found may have been open in the snapshot. */
const graceMs = 24 * 60 * 60 * 1000

/** The order follows the payout from here on, as it does one that the log of the signer knew and the database did not. */
async function insertAdopted(
  parts: AccountParts,
  tx: Tx,
  { from, wallet, sent }: Found,
  { id, intent, spends }: Proposal,
): Promise<boolean> {
  const { network, purposes } = parts
  const { nonce } = sent
  const [payout] = await insertPayouts(tx, [
    { id, network: network.name, intent, from, wallet, nonce, fees: feesOf(sent), spends },
  ])
  if (payout === undefined) return false
  await deleteRefusals(tx, [id])
  await insertAttempts(tx, [attemptOf(parts, id, sent)])
  await saveState(tx, [id], 'signed')
  await tellPurposes(purposes, tx, [
    { payout, to: 'planned' },
    { payout: { ...payout, state: 'signed' }, to: 'signed' },
  ])
  return true
}

/** Its fee is booked, which is certain; what else it moved to others is an operator's to account for. */
async function storeOutflow(
  parts: AccountParts,
  memory: MachineMemory,
  tx: Tx,
  { wallet, place, sent, receipt }: Found,
): Promise<OutflowKind> {
  const kind = receipt.isSuccess ? await kindOf(parts, memory, tx, sent.spend) : 'failed'
  await insertOutflow(tx, {
    network: parts.network.name,
    txHash: sent.txHash,
    wallet,
    nonce: sent.nonce,
    height: place.height,
    blockHash: place.blockHash,
    kind,
    detail: wordsOf(sent.spend),
    raw: sent.raw,
    feeMinor: receipt.feeMinor,
  })
  if (receipt.feeMinor > 0n) await post(tx, [feeJournal(coinOf(parts), receipt)])
  return kind
}

async function kindOf(
  parts: AccountParts,
  memory: MachineMemory,
  tx: Tx,
  spend: Spend | undefined,
): Promise<'own' | 'unknown'> {
  if (spend === undefined) return 'unknown'
  const { lanes, delegate } = ownPlaces(parts, memory)
  if (spend.type === 'deploy') return 'own'
  if (spend.type === 'gather') return spend.delegate === delegate ? 'own' : 'unknown'
  const isOwn =
    lanes.includes(spend.recipient) || (await isDerived(tx, parts.network.family, spend.recipient))
  return isOwn ? 'own' : 'unknown'
}

/** Whether a transaction did what a payout was to do. */
export function isSameSpend(
  parts: AccountParts,
  memory: MachineMemory,
  { intent }: Pick<StoredPayout, 'intent'>,
  { spend }: SentTransaction,
): boolean {
  const intended = spendOf(intent, ownPlaces(parts, memory))
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
  payoutId: string,
  sent: SentTransaction,
): NewAttempt {
  return { network: network.name, txHash: sent.txHash, payoutId, raw: sent.raw, fees: feesOf(sent) }
}

function feesOf({ gas, maxFeeMinor, tipMinor }: SentTransaction): Fees {
  return { gas, maxFeeMinor, tipMinor }
}

function wordsOf(spend: Spend | undefined): string {
  switch (spend?.type) {
    case 'pay': {
      const asset = spend.asset.type === 'coin' ? 'coin' : `token ${spend.asset.contract}`
      return `${spend.amountMinor} of ${asset} to ${spend.recipient}`
    }
    case 'gather':
      return `a sweep of ${spend.addresses.length} addresses through ${spend.delegate}`
    case 'deploy':
      return 'the deployment of a sweep contract'
    case undefined:
      return 'a call that no transaction of ours makes'
  }
}
