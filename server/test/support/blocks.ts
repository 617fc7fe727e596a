/** Canonical blocks made by hand, booked as a watcher would book them, without a node. */
import sql from 'sql-template-tag'
import { startCursor } from '../../src/chains/blocks/store.ts'
import type { BlockRef, Transfer } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { postCovered } from '../../src/outgoing/withdrawals/post-covered.ts'
import { recordBlocks } from '../../src/payments/deposits/recording/record-blocks.ts'
import { undoBlocksAbove } from '../../src/payments/deposits/recording/undo-blocks.ts'
import type { DepositTransfer } from '../../src/payments/deposits/recording/value-deposits.ts'
import { findWatched } from '../../src/payments/deposits/recording/watched-store.ts'
import { recordWaiting } from '../../src/payments/deposits/waiting/record-waiting.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Shop } from './shop.ts'

/** A transfer with the verdict of screening on its sender, where senders are screened. */
export type ScreenedTransfer = Transfer & Pick<DepositTransfer, 'verdict'>

export interface Blocks {
  /** Books the next block with these transfers, and confirms those of the block before it. */
  mine(transfers?: readonly ScreenedTransfer[]): Promise<void>
  /** Leaves the booking of the next block to the caller. */
  mineWith(book: (block: BlockRef) => Promise<void>): Promise<void>
  /** Books transfers that wait for a block, as a poll of the mempool does. */
  see(transfers: readonly ScreenedTransfer[]): Promise<void>
  /** Takes the last blocks back, as a reorganisation does. */
  undo(depth: number): Promise<void>
  /** Returns a transfer from an external sender to an address in its canonical form. */
  pay(recipient: string, amountMinor: bigint, methodId?: number): Transfer
  /** Returns the id of the deposit as which a transfer was booked. */
  idOf(transfer: Pick<Transfer, 'key'>): Promise<string>
}

const firstHeight = 100

/**
 * Starts a chain of blocks for the shop.
 * @param isFollowed whether the chain has a cursor; without one the service assigns no address
 */
export async function startBlocks(
  shop: Shop,
  isFollowed: boolean,
  network: 'ethereum' | 'base' = 'ethereum',
): Promise<Blocks> {
  let height = firstHeight
  let index = 0
  const blockAt = (at: number) => ({
    height: at,
    hash: `hash-${at}`,
    parentHash: `hash-${at - 1}`,
    minedAt: new Date(),
  })
  if (isFollowed) await inTransaction(shop.db, (tx) => startCursor(tx, network, blockAt(height)))
  return {
    async mine(transfers = []) {
      height += 1
      const deposits = await toDeposits(shop, transfers, network)
      await inTransaction(shop.db, (tx) =>
        recordBlocks(shop, tx, network, [{ block: blockAt(height), deposits }]),
      )
    },
    async mineWith(book) {
      height += 1
      await book(blockAt(height))
    },
    async see(transfers) {
      const deposits = await toDeposits(shop, transfers, network)
      const nothing = { spends: [], spent: [], gone: [] }
      await inTransaction(shop.db, (tx) => recordWaiting(shop, tx, network, { deposits, ...nothing }))
    },
    async undo(depth) {
      height -= depth
      await inTransaction(shop.db, (tx) =>
        undoBlocksAbove({ methods: shop.methods, postCovered }, tx, network, height),
      )
    },
    pay(recipient, amountMinor, methodId = 1) {
      const contract = shop.methods.byId(methodId)?.contract
      index += 1
      return transferOf({ index, contract, recipient, amountMinor })
    },
    async idOf({ key }) {
      const booked = sql`select id from deposit where network = ${network} and transfer_key = ${key}`
      return (await shop.row<{ id: string }>(booked)).id
    },
  }
}

/**
 * Returns a transfer that is the first log of a transaction of its own. The index determines its hash. It
 * moves the network's coin where `contract` is undefined.
 */
export function transferOf(parts: {
  readonly index: number
  readonly contract: string | undefined
  readonly recipient: string
  readonly amountMinor: bigint
}): Transfer {
  const { index, contract, recipient, amountMinor } = parts
  const txHash = `0x${index.toString(16).padStart(64, '0')}`
  const asset = contract === undefined ? { type: 'coin' as const } : { type: 'token' as const, contract }
  return { key: `${txHash}:log:0`, txHash, asset, sender: '0xpayer', recipient, amountMinor }
}

export async function toDeposits(
  shop: Shop,
  transfers: readonly ScreenedTransfer[],
  network: 'ethereum' | 'base' = 'ethereum',
): Promise<readonly DepositTransfer[]> {
  const recipients = transfers.map(({ recipient }) => recipient)
  const watched = await findWatched(shop.db, { family: 'evm', network }, recipients)
  return transfers.map((transfer) => {
    const contract = transfer.asset.type === 'token' ? transfer.asset.contract : undefined
    const found = watched.find(({ address }) => address === transfer.recipient)
    return {
      transfer,
      verdict: transfer.verdict,
      method: required(shop.methods.byTransferred(network, contract), 'a method'),
      watched: required(found, 'an address of ours'),
    }
  })
}
