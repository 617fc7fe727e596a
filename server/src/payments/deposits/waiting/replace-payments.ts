import { required } from '../../../core/assert.ts'
import { chunksOf } from '../../../core/chunks.ts'
import { limits } from '../../../core/limits.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { NewEvent } from '../../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { failedEvent } from '../events.ts'
import type { BlockDeposits } from '../recording/value-deposits.ts'
import { failReplaced, forgetSpends, markReplaced, type SpendRow, saveSpends } from './store.ts'

/**
 * Records the outpoints that blocks spend on a UTXO chain. The inputs of deposits are stored, because a
 * reorganisation may drop the deposits. A payment without a block is marked as replaced if a block spends one
 * of its inputs. The payment fails once that block is final.
 * @param finalHeight The height up to which blocks are treated as final.
 * @returns the events of the failed payments
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
  for (const some of chunksOf(spent, limits.spentPerLookUp)) await markReplaced(tx, network, some)
  const { failed, at } = await failReplaced(tx, network, finalHeight)
  const lowest = required(blocks[0], 'a block').block
  const highest = required(blocks.at(-1), 'a block').block
  const depth = limits.rollbackBlocks + 1
  await forgetSpends(tx, network, lowest.height - depth, highest.height - depth)
  return failed.flatMap((deposit) => failedEvent(methods, deposit, at))
}

function ownSpend({ outpoint, txHash }: { outpoint: string; txHash: string }): SpendRow {
  return { outpoint, txHash, paymentHash: txHash }
}
