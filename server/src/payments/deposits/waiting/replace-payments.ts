import { required } from '../../../core/assert.ts'
import { limits } from '../../../core/limits.ts'
import { piecesOf } from '../../../core/pieces.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { NewEvent } from '../../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { failedEvent } from '../events.ts'
import type { BlockDeposits } from '../recording/value-deposits.ts'
import { failReplaced, forgetSpends, markReplaced, type SpendRow, saveSpends } from './store.ts'

/**
 * Books what blocks spend, on a chain of outpoints: what their deposits live by is kept, in case a reorganisation drops
 * them, and payments in no block of which they spend anything are replaced, and fail once that is final.
 * @param finalHeight up to which a block is taken as final
 * @returns the events of those that failed
 */
export async function replacePayments(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  blocks: readonly BlockDeposits[],
  finalHeight: number,
): Promise<readonly NewEvent[]> {
  const paid = new Set(blocks.flatMap(({ deposits }) => deposits.map(({ transfer }) => transfer.txHash)))
  const spent = blocks.flatMap(({ block: { height }, spent: own = [] }) =>
    own.map((one) => ({ ...one, height })),
  )
  await saveSpends(tx, network, spent.filter(({ txHash }) => paid.has(txHash)).map(ownSpend))
  for (const some of piecesOf(spent, limits.spentPerLookUp)) await markReplaced(tx, network, some)
  const { failed, at } = await failReplaced(tx, network, finalHeight)
  const lowest = required(blocks[0], 'a block').block
  const highest = required(blocks.at(-1), 'a block').block
  const depth = limits.rollbackBlocks + 1
  await forgetSpends(tx, network, lowest.height - depth, highest.height - depth)
  return failed.flatMap((transaction) => failedEvent(methods, transaction, at))
}

function ownSpend({ outpoint, txHash }: { outpoint: string; txHash: string }): SpendRow {
  return { outpoint, txHash, paymentHash: txHash }
}
