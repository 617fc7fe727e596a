/** Canonical blocks made by hand: what a watcher would book, without a node. */
import sql from 'sql-template-tag'
import { startCursor } from '../../src/chains/blocks/store.ts'
import type { Transfer } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { postCovered } from '../../src/outgoing/withdrawals/post-covered.ts'
import { recordBlocks } from '../../src/payments/deposits/recording/record-blocks.ts'
import { undoBlocksAbove } from '../../src/payments/deposits/recording/undo-blocks.ts'
import type { Deposit } from '../../src/payments/deposits/recording/value-deposits.ts'
import { findWatched } from '../../src/payments/deposits/recording/watched-store.ts'
import { recordWaiting } from '../../src/payments/deposits/waiting/record-waiting.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Shop } from './shop.ts'

/** With what screening said of its sender, where anybody is screened. */
export type ScreenedTransfer = Transfer & Pick<Deposit, 'verdict'>

export interface Blocks {
  /** Books the next block with these transfers; earlier ones of a block ago become confirmed. */
  mine(transfers?: readonly ScreenedTransfer[]): Promise<void>
  /** Notes transfers that wait for a block, as a look at a mempool does. */
  see(transfers: readonly ScreenedTransfer[]): Promise<void>
  /** Takes the last blocks back, as a reorganisation does. */
  undo(depth: number): Promise<void>
  /** A transfer from an outsider to an address in canonical spelling. */
  pay(recipient: string, amountMinor: bigint, methodId?: number): Transfer
  /** The id of the transaction as which a transfer was booked. */
  idOf(transfer: Pick<Transfer, 'key'>): Promise<string>
}

const network = 'ethereum'
const firstHeight = 100

/** @param isFollowed whether the cursor exists, without which no address is given away */
export async function startBlocks(shop: Shop, isFollowed: boolean): Promise<Blocks> {
  let height = firstHeight
  let place = 0
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
      const deposits = await toDeposits(shop, transfers)
      await inTransaction(shop.db, (tx) =>
        recordBlocks(shop, tx, network, [{ block: blockAt(height), deposits }]),
      )
    },
    async see(transfers) {
      const deposits = await toDeposits(shop, transfers)
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
      place += 1
      return transferOf({ place, contract, recipient, amountMinor })
    },
    async idOf({ key }) {
      const booked = sql`select id from transaction where network = ${network} and transfer_key = ${key}`
      return (await shop.row<{ id: string }>(booked)).id
    },
  }
}

/** The first log of a transaction of its own, which `place` names; of the coin where there is no contract. */
export function transferOf(parts: {
  readonly place: number
  readonly contract: string | undefined
  readonly recipient: string
  readonly amountMinor: bigint
}): Transfer {
  const { place, contract, recipient, amountMinor } = parts
  const txHash = `0x${place.toString(16).padStart(64, '0')}`
  const asset = contract === undefined ? { type: 'coin' as const } : { type: 'token' as const, contract }
  return { key: `${txHash}:log:0`, txHash, asset, sender: '0xpayer', recipient, amountMinor }
}

export async function toDeposits(
  shop: Shop,
  transfers: readonly ScreenedTransfer[],
): Promise<readonly Deposit[]> {
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
