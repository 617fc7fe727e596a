/**
 * Books coin that was found by balance, with the same code as the watcher books transfers. A deposit found by
 * balance is one row for its chain, address and block.
 */
import { isDeepStrictEqual } from 'node:util'
import { lockTip, readBlocks } from '../../chains/blocks/store.ts'
import { addressFamilyOf, type NetworkName, networkOf } from '../../chains/networks.ts'
import type { BlockRef, ChainReader } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import { balanceKey } from '../../payments/deposits/recording/found-by-balance.ts'
import { markImplausible } from '../../payments/deposits/recording/mark-implausible.ts'
import { recordBlocks } from '../../payments/deposits/recording/record-blocks.ts'
import type { BlockDeposits, DepositTransfer } from '../../payments/deposits/recording/value-deposits.ts'
import { findWatched } from '../../payments/deposits/recording/watched-store.ts'
import type { Screening } from '../../payments/screening/screen.ts'
import { assertLease, type Lease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { FeeDefaults } from '../../pricing/fees/fee.ts'
import {
  finalHeightOf,
  type PaymentMethod,
  type PaymentMethods,
} from '../../pricing/payment-methods/payment-method.ts'
import { assertFence } from '../lost-history/fence-store.ts'
import { hasDeposit, markSwept, readCoinBooks } from './coin-books-store.ts'
import type { FoundAmount } from './excess.ts'
import { findPaidHeight } from './paid-height.ts'
import type { PassAddress } from './pass-store.ts'
import { readExcessAt, type Weighed, type WeighParts } from './weigh-address.ts'

export interface BalancePassParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  /** If undefined, no sender is screened. */
  readonly screening?: Pick<Screening, 'screenAll'> | undefined
  readonly log: Log
}

/** The right and the state of the addresses under which a pass books. */
export interface PassLocks {
  readonly lease: Lease
  readonly fence: string
}

interface Finding {
  readonly own: PassAddress
  readonly weighed: Weighed
}

/** A deposit found by balance before it is stored. */
interface FoundBlock extends BlockDeposits {
  readonly transferKey: string
  readonly sweepId: string | undefined
}

/**
 * Books what was found at one address. Everything is read again under the lock of the cursor: a block may have
 * been reverted, and another process may have booked the same.
 * @returns false if nothing was booked because something has changed. The next pass decides again.
 */
export async function bookFound(
  parts: BalancePassParts,
  weighing: WeighParts,
  locks: PassLocks,
  finding: Finding,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, chain } = parts
  const blocks: FoundBlock[] = []
  for (const amount of finding.weighed.found) {
    const block = await toBlock(parts, weighing, finding, amount, signal)
    if (block === undefined) return false
    blocks.push(block)
  }
  // Booking also confirms large deposits that wait for confirmations, which a single node of several must not do.
  const { hasSingleNode = false } = await chain.readHead(signal)
  if (hasSingleNode) return false
  return inTransaction(db, async (tx) => {
    await assertLease(tx, locks.lease)
    const tip = required(await lockTip(tx, chain.network), 'the cursor of a network with a pass')
    await assertFence(tx, addressFamilyOf(chain.network), locks.fence)
    if (!(await isUnchanged(parts, tx, { tip, blocks, weighing, finding }))) return false
    await record(parts, tx, tip, blocks)
    return true
  })
}

/** Returns the deposit for one amount; undefined if its block is no longer in the books. */
async function toBlock(
  parts: BalancePassParts,
  weighing: WeighParts,
  { own, weighed }: Finding,
  { height, amountMinor, sweepId }: FoundAmount,
  signal: AbortSignal,
): Promise<FoundBlock | undefined> {
  const { db, chain } = parts
  const { network } = chain
  const [block] = await readBlocks(db, network, height, height)
  const [watched] = await findWatched(db, { family: addressFamilyOf(network), network }, [own.address])
  const method = coinOf(parts)
  if (block === undefined || watched === undefined || method === undefined) return undefined
  const transferKey = balanceKey(chainIdOf(network), own.address, height)
  const recipient = own.address
  const transfer = {
    key: transferKey,
    txHash: transferKey,
    asset: { type: 'coin' },
    sender: undefined,
    recipient,
    amountMinor,
  } as const
  const deposit = { transfer, method, watched, verdict: await verdictOf(parts, signal) }
  const deposits = await markImplausible(chain, block, [deposit], signal)
  const at = { height, amountMinor }
  const inTimeAt = await receivedAt(weighing, { own, weighed }, at, block, signal)
  return { block, deposits, inTimeAt, transferKey, sweepId }
}

/** Nobody knows who sent the coin. With screening, it goes to quarantine like any payment without a sender. */
async function verdictOf(
  { db, chain, screening }: BalancePassParts,
  signal: AbortSignal,
): Promise<DepositTransfer['verdict']> {
  const verdicts = await screening?.screenAll(db, chain.network, [], signal)
  return verdicts === undefined ? undefined : 'unknown'
}

/**
 * Returns the time of the block in which the coin was received. The price, and whether the payment is in time,
 * depend on this time.
 */
async function receivedAt(
  weighing: WeighParts,
  { own, weighed: { beforeMinor } }: Finding,
  { height, amountMinor }: Pick<FoundAmount, 'height' | 'amountMinor'>,
  block: BlockRef,
  signal: AbortSignal,
): Promise<Date> {
  const excessAt = async (at: number) => {
    const read = await readExcessAt(weighing, own, { height: at, beforeMinor }, signal)
    return read?.excessMinor ?? 0n
  }
  const { firstHeight, chain } = weighing
  const paidHeight = await findPaidHeight(excessAt, { firstHeight, height, amountMinor })
  const header = paidHeight === height ? block : await chain.readHeader(paidHeight, signal)
  return header?.minedAt ?? block.minedAt
}

/**
 * Returns whether the blocks are still final and in the books, and the books of the address are those with which
 * the amounts were found.
 */
async function isUnchanged(
  { chain: { network }, methods }: BalancePassParts,
  tx: Tx,
  {
    tip,
    blocks,
    weighing: { coin },
    finding: { own, weighed },
  }: {
    readonly tip: { readonly height: number; readonly finalHeight: number }
    readonly blocks: readonly FoundBlock[]
    readonly weighing: WeighParts
    readonly finding: Finding
  },
): Promise<boolean> {
  const finalHeight = Math.min(tip.height, finalHeightOf(methods, network, tip))
  for (const { block, transferKey } of blocks) {
    const [stored] = await readBlocks(tx, network, block.height, block.height)
    if (stored?.hash !== block.hash || block.height > finalHeight) return false
    if (await hasDeposit(tx, network, transferKey)) return false
  }
  for (const [height, books] of weighed.booksAt) {
    const [now] = await readCoinBooks(tx, coin, { addressIds: [own.id], height })
    if (!isDeepStrictEqual(now, books)) return false
  }
  return true
}

async function record(
  { chain: { network }, methods, feeDefaults }: BalancePassParts,
  tx: Tx,
  tip: { readonly height: number; readonly finalHeight: number },
  blocks: readonly FoundBlock[],
): Promise<void> {
  const finalHeight = tip.finalHeight < 0 ? undefined : tip.finalHeight
  const context = { methods, feeDefaults, finalHeight, tipHeight: tip.height }
  const ordered = blocks.toSorted((a, b) => a.block.height - b.block.height)
  await recordBlocks(context, tx, network, ordered)
  for (const { transferKey, sweepId } of ordered)
    if (sweepId !== undefined) await markSwept(tx, network, transferKey, sweepId)
}

function chainIdOf(network: NetworkName): number {
  const row = networkOf(network)
  if (row?.family === 'evm') return row.chainId
  throw new RangeError(`${network} has no chain id`)
}

export function coinOf({
  chain,
  methods,
}: Pick<BalancePassParts, 'chain' | 'methods'>): PaymentMethod | undefined {
  return methods.byTransferred(chain.network, undefined)
}
