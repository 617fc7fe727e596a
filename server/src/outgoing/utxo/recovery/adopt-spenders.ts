/** Takes over what final blocks show to have spent coins of ours, and the database and the signer's log do not know. */
import { holdCursor, readCursor } from '../../../chains/blocks/store.ts'
import type { Coin, SpentCoin } from '../../../chains/outputs/output.ts'
import { insertCoins, spendCoins } from '../../../chains/outputs/store.ts'
import type { CoinTransaction } from '../../../chains/utxo/coin-port.ts'
import { newId } from '../../../core/ids.ts'
import { post } from '../../../ledger/post.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { HotPlace, Intent } from '../../../signing/intent.ts'
import { returnPlanned } from '../../engine/adopt-log.ts'
import { insertAttempts, type NewAttempt } from '../../engine/attempt-store.ts'
import { haltPayouts } from '../../engine/controls/halts.ts'
import { coinOf, raiseAlert } from '../../engine/machine.ts'
import type { MachineMemory } from '../../engine/machine-memory.ts'
import { feeJournal } from '../../engine/network-fees.ts'
import type { Fees } from '../../engine/payout.ts'
import { type Proposal, tellPurposes } from '../../engine/purpose.ts'
import { matchOrders, type OpenOrder, type SeenOutput } from '../../engine/recovery/match-orders.ts'
import { insertOutflow } from '../../engine/recovery/outflow-store.ts'
import { supersedeAt } from '../../engine/recovery/place-store.ts'
import type { Recovery } from '../../engine/recovery/recovery.ts'
import { deleteRefusals, dropPaid } from '../../engine/retries/refusal-store.ts'
import { spentBy } from '../../engine/spent-by.ts'
import {
  findOurBlocks,
  insertPayouts,
  readPayouts,
  type StoredPayout,
  saveState,
} from '../../engine/store.ts'
import type { CoinParts } from '../coin-parts.ts'
import { findHolders, findHotPlaces, insertHotPlaces, readInputs, reserveCoins } from '../coin-store.ts'
import { findTaken } from '../find-taken.ts'
import { feesOf, noChange, type PayoutInput, paidBy, totalOf } from '../shape.ts'
import { markMissed } from '../spent-store.ts'
import { findListed, readUnknownSpenders, type UnknownSpender } from './exposed-coin-store.ts'

/** Transactions that are looked up in one step, each with its block. */
const adoptedPerStep = 20

export interface Adoption {
  readonly done: number
  /** What spends coins of ours, is unknown, and could not be taken over yet. */
  readonly left: number
  /** Something cannot be explained: payouts are halted, and an operator decides. */
  readonly isHalted: boolean
}

/** Takes over those in blocks up to `height`; of what lies above it is only told that there is something. */
export async function adoptSpenders(
  parts: CoinParts,
  memory: MachineMemory,
  recovery: Recovery,
  height: number,
  signal: AbortSignal,
): Promise<Adoption> {
  const spenders = await readUnknownSpenders(parts.db, parts.network.name, adoptedPerStep)
  let done = 0
  for (const spender of spenders.filter((one) => one.height <= height)) {
    const found = await readFound(parts, spender, signal)
    if (found === undefined) {
      const message = 'no node shows a transaction of ours that a block holds'
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
    raiseAlert(
      parts,
      memory,
      'outflow-unknown',
      fields,
      'coins of ours were spent for what nobody here knows of',
    )
    return { done, left: spenders.length - done, isHalted: true }
  }
  return { done, left: spenders.length - done, isHalted: false }
}

interface Found extends UnknownSpender {
  readonly blockHash: string
  /** In hex, without witnesses: it is final, and nobody is sent it again. */
  readonly raw: string
  readonly transaction: CoinTransaction
}

/** By the nodes' word that its block spends the coin, and by bytes that have the hash of both. */
async function readFound(
  { db, network, sender, drafts }: CoinParts,
  spender: UnknownSpender,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { txHash, height, coins } = spender
  const [first] = coins
  const spent = first && (await sender.findSpent(first.outpoint, { from: height, to: height }, signal))
  if (spent?.txHash !== txHash) return undefined
  if (!(await findOurBlocks(db, network.name, [spent])).has(`${height} ${spent.blockHash}`)) return undefined
  const raw = (await sender.readMakers(spent.blockHash, [txHash], signal)).get(txHash)
  if (raw === undefined) return undefined
  return { ...spender, blockHash: spent.blockHash, raw, transaction: drafts.readRaw(txHash, raw) }
}

/** Change that came back before its address was watched: a snapshot may be from before the hot wallet was first seen. */
interface Unlisted {
  /** The hash of our last block when nodes were asked what spends it. */
  readonly at: string | undefined
  readonly coins: readonly Coin[]
  readonly spent: readonly SpentCoin[]
}

async function findUnlisted(parts: CoinParts, found: Found, signal: AbortSignal): Promise<Unlisted> {
  const { db, network, sender } = parts
  const { txHash, height, transaction } = found
  const cursor = await readCursor(db, network.name)
  const addresses = transaction.outputs.flatMap(({ address }) => address ?? [])
  const places = await findHotPlaces(db, network.name, addresses)
  const own = transaction.outputs.flatMap(({ address = '', amountMinor }, place): readonly Coin[] =>
    places.has(address)
      ? [{ outpoint: `${txHash}:${place}`, txHash, address, amountMinor, height, maturesAfter: 1 }]
      : [],
  )
  const listed = await findListed(
    db,
    network.name,
    own.map(({ outpoint }) => outpoint),
  )
  const coins = own.filter(({ outpoint }) => !listed.has(outpoint))
  const spent: SpentCoin[] = []
  for (const { outpoint } of coins) {
    const by = await sender.findSpent(outpoint, { from: height, to: cursor?.height ?? height }, signal)
    if (by !== undefined) spent.push({ outpoint, txHash: by.txHash, height: by.height })
  }
  return { at: cursor?.hash, coins, spent }
}

type Outcome = 'moved' | 'adopted' | { readonly unexplained: string }

/** Payouts that were to spend one of its coins can never be mined any more, unless it did what one of them was to do. */
function storeFound(
  parts: CoinParts,
  memory: MachineMemory,
  recovery: Recovery,
  found: Found,
  unlisted: Unlisted,
): Promise<Outcome> {
  const { db, network, purposes } = parts
  return inTransaction(db, async (tx): Promise<Outcome> => {
    await assertLease(tx, memory.lease)
    // Blocks read since would have passed over what is listed here.
    if ((await holdCursor(tx, network.name))?.hash !== unlisted.at) return 'moved'
    if (!(await findOurBlocks(tx, network.name, [found])).has(`${found.height} ${found.blockHash}`))
      return 'moved'
    const outpoints = found.coins.map(({ outpoint }) => outpoint)
    const holders = await readPayouts(tx, await findHolders(tx, network.name, outpoints))
    // One that is in a block by our last look is looked at again first.
    if (holders.some(({ state }) => state === 'included' || state === 'final')) return 'moved'
    await insertCoins(tx, network.name, unlisted.coins)
    await spendCoins(tx, network.name, unlisted.spent)
    const sent = await readSent(parts, tx, found)
    const inputs = await readInputs(
      tx,
      holders.map(({ id }) => id),
    )
    const twin = holders.find((payout) => isTwin(parts, payout, inputs.get(payout.id) ?? [], sent))
    if (twin !== undefined && twin.state !== 'planned') {
      await insertAttempts(tx, [attemptOf(parts, twin.id, sent)])
      return 'adopted'
    }
    await returnPlanned(tx, idsOf(holders.filter(({ state }) => state === 'planned')))
    const displaced = holders.filter(({ state }) => state !== 'planned')
    await saveState(tx, idsOf(displaced), 'displaced')
    const moves = displaced.map((payout) => ({
      payout: { ...payout, state: 'displaced' as const },
      to: 'displaced' as const,
    }))
    await tellPurposes(purposes, tx, moves)
    await supersedeAt(tx, { network: network.name, wallet: anchorOf(sent), nonce: 0 })
    return explain(parts, tx, recovery, sent)
  })
}

function idsOf(payouts: readonly StoredPayout[]): readonly string[] {
  return payouts.map(({ id }) => id)
}

/** What a transaction of ours spent, what it paid to others, and where its change went. */
interface Sent extends Found {
  /** What it paid to anybody but the hot wallet. */
  readonly paid: readonly SeenOutput[]
  readonly change: { readonly place: HotPlace; readonly address: string } | undefined
  /** Undefined where it spends coins of others, too. */
  readonly feeMinor: bigint | undefined
}

async function readSent({ network }: Pick<CoinParts, 'network'>, tx: Tx, found: Found): Promise<Sent> {
  const { outpoints, outputs } = found.transaction
  const addresses = outputs.flatMap(({ address }) => address ?? [])
  const places = await findHotPlaces(tx, network.name, addresses)
  const placeOf = (address: string | undefined) => (address === undefined ? undefined : places.get(address))
  const change = outputs.flatMap(({ address = '' }) => {
    const place = placeOf(address)
    return place === undefined ? [] : [{ place, address }]
  })
  const isOurs = outpoints.length === found.coins.length
  return {
    ...found,
    paid: outputs
      .filter(({ address }) => placeOf(address) === undefined)
      .map(({ address, amountMinor }) => ({ recipient: address, amountMinor })),
    change: change.find(({ place }) => place.branch === 1),
    feeMinor: isOurs ? totalOf(found.coins) - totalOf(outputs) : undefined,
  }
}

/** All attempts of a payout share their anchor. */
function anchorOf({ transaction, coins }: Sent): string {
  const own = new Set(coins.map(({ outpoint }) => outpoint))
  return transaction.outpoints.find((outpoint) => own.has(outpoint)) ?? ''
}

/** Whether it is other bytes of a payout: it spends the same coins, and pays what that was to pay. */
function isTwin(
  { coldAddress }: Pick<CoinParts, 'coldAddress'>,
  { intent }: Pick<StoredPayout, 'intent'>,
  inputs: readonly PayoutInput[],
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

function attemptOf(parts: CoinParts, payoutId: string, sent: Sent): NewAttempt {
  const { txHash, raw } = sent
  return { network: parts.network.name, txHash, payoutId, raw, fees: feesOfSent(parts, sent) }
}

function feesOfSent({ drafts }: CoinParts, { transaction, feeMinor = 0n }: Sent): Fees {
  const { outpoints, outputs } = transaction
  // Of a script without an address nothing is known but that it is there.
  const outputsWeight = outputs.reduce(
    (weight, { address }) => weight + (address === undefined ? 0 : drafts.outputWeight(address)),
    0,
  )
  return feesOf(drafts.emptyWeight + outpoints.length * drafts.inputWeight + outputsWeight, feeMinor)
}

/** The orders that it paid follow it from here on; what it paid beside them is told, and an operator decides. */
async function explain(parts: CoinParts, tx: Tx, recovery: Recovery, sent: Sent): Promise<Outcome> {
  const { proposal, unexplained } = await findOrders(parts, tx, recovery, sent)
  if (proposal !== undefined) await insertAdopted(parts, tx, sent, proposal)
  if (proposal !== undefined && unexplained.length === 0) return 'adopted'
  const detail = wordsOf(sent, unexplained)
  await storeOutflow(parts, tx, sent, detail)
  const about = `${sent.txHash} on ${parts.network.name} is neither ours nor in the signer's log and ${detail}, which no order here asks for`
  await haltPayouts({ db: tx, log: parts.log }, 'log-unknown', `${about}: find out what it was for`)
  return { unexplained: detail }
}

interface Explained {
  readonly proposal: Pick<Proposal, 'id' | 'intent'> | undefined
  readonly unexplained: readonly SeenOutput[]
}

async function findOrders(
  { network, purposes, coldAddress }: CoinParts,
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
    for (const { recognize } of purposes) {
      const takeOut = await recognize?.(tx, { ...seen, isCold: true, since })
      if (takeOut?.intent.kind === 'take_out') return { proposal: takeOut, unexplained: [] }
    }
  }
  const recipients = [...new Set(paid.flatMap(({ recipient }) => recipient ?? []))]
  const orders: OpenOrder[] = []
  for (const { findOpenOrders } of purposes)
    orders.push(...((await findOpenOrders?.(tx, { network: network.name, recipients, since })) ?? []))
  const matched = matchOrders(paid, orders)
  const intent: Intent = { kind: 'withdrawal', payments: matched.paid }
  const proposal = matched.paid.length === 0 ? undefined : { id: newId(), intent }
  return { proposal, unexplained: matched.unexplained }
}

/** An order that ended so long before the sign of going back was found may have been open in the snapshot. */
const graceMs = 24 * 60 * 60 * 1000

async function insertAdopted(
  parts: CoinParts,
  tx: Tx,
  sent: Sent,
  { id, intent }: Pick<Proposal, 'id' | 'intent'>,
): Promise<void> {
  const { network, purposes } = parts
  const { name } = network
  const spends = spentBy(intent, coinOf(parts))
  const from = sent.change?.place ?? noChange
  const wallet = anchorOf(sent)
  const planned = { id, network: name, intent, from, wallet, nonce: 0, fees: feesOfSent(parts, sent), spends }
  const [payout] = await insertPayouts(tx, [planned])
  if (payout === undefined) throw new Error(`payout ${id} is there, and nothing was signed for it`)
  const anchor = sent.coins.filter(({ outpoint }) => outpoint === wallet)
  const others = sent.coins.filter(({ outpoint }) => outpoint !== wallet)
  await reserveCoins(tx, [{ payoutId: id, network: name, inputs: [...anchor, ...others] }])
  await insertHotPlaces(tx, name, sent.change === undefined ? [] : [sent.change])
  await deleteRefusals(tx, [id])
  if (intent.kind === 'withdrawal')
    await dropPaid(
      tx,
      name,
      intent.payments.map(({ withdrawalId }) => withdrawalId),
    )
  await insertAttempts(tx, [attemptOf(parts, id, sent)])
  await saveState(tx, [id], 'signed')
  await tellPurposes(purposes, tx, [
    { payout, to: 'planned' },
    { payout: { ...payout, state: 'signed' }, to: 'signed' },
  ])
}

/** Its fee is booked, which is certain; what it moved to others is an operator's to account for. */
async function storeOutflow(parts: CoinParts, tx: Tx, sent: Sent, detail: string): Promise<void> {
  const { txHash, height, blockHash, raw, feeMinor = 0n, coins } = sent
  const { name } = parts.network
  const place = { network: name, txHash, wallet: anchorOf(sent), nonce: undefined, height, blockHash }
  await insertOutflow(tx, { ...place, kind: 'unknown', detail, raw, feeMinor })
  if (feeMinor > 0n)
    await post(tx, [feeJournal(coinOf(parts), { txHash, height, blockHash, isSuccess: true, feeMinor })])
  await markMissed(
    tx,
    name,
    coins.map(({ outpoint }) => outpoint),
  )
}

function wordsOf({ feeMinor }: Sent, unexplained: readonly SeenOutput[]): string {
  const some = unexplained.slice(0, 3).map(({ recipient, amountMinor }) => `${amountMinor} to ${recipient}`)
  const more = unexplained.length > some.length ? ` and ${unexplained.length - some.length} more` : ''
  const others = feeMinor === undefined ? ', with coins of others' : ''
  return `paid ${some.join(', ')}${more}${others}`
}

/**
 * The transaction that spent a payout's coins in its place, where it paid the same: bytes that were signed for it and
 * forgotten.
 */
export async function readCoinTwin(
  parts: CoinParts,
  payout: StoredPayout,
  height: number,
  signal: AbortSignal,
): Promise<NewAttempt | undefined> {
  const { db, sender, drafts } = parts
  const [taken] = await findTaken(parts, [payout], height, signal)
  if (taken === undefined || taken.isUnmade) return undefined
  const { txHash, blockHash } = taken
  const raw = (await sender.readMakers(blockHash, [txHash], signal)).get(txHash)
  if (raw === undefined) return undefined
  const coins = (await readInputs(db, [payout.id])).get(payout.id) ?? []
  const transaction = drafts.readRaw(txHash, raw)
  return inTransaction(db, async (tx) => {
    const sent = await readSent(parts, tx, {
      txHash,
      height: taken.height,
      coins,
      blockHash,
      raw,
      transaction,
    })
    return isTwin(parts, payout, coins, sent) ? attemptOf(parts, payout.id, sent) : undefined
  })
}
