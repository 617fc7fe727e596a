/** Shows the outermost calls of a block whose node reports no traces. Pure. */
import * as ContractAddress from 'ox/ContractAddress'
import type { Hex } from 'ox/Hex'
import { type Fields, field, fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import {
  addressOf,
  amountOf,
  arrayOf,
  type CoinMove,
  countOf,
  type Header,
  hashOf,
  type Trace,
} from '../answers.ts'
import { receiptsOf } from '../block-receipts.ts'
import { transactionType } from '../encoding/transaction-types.ts'

/**
 * Returns one trace for each transaction: its outermost call, as the transaction and its receipt show it. The
 * traces have the form and the positions of those that nodes report, so a payment by a transaction has the same
 * key in both. The calls that contracts make are missing.
 * @param reported the block with whole transactions
 * @param receipts the block's receipts, in its order
 * @throws NodeError if transactions and receipts do not belong together, or a receipt has no status
 */
export function plainTraces(header: Header, reported: unknown, receipts: unknown): readonly Trace[] {
  const transactions = arrayOf(field(reported, 'transactions'), 'transactions')
  return receiptsOf(header, receipts).map(({ txHash, succeeded, status }, index): Trace => {
    const transaction = fieldsOf(transactions[index])
    if (hashOf(transaction['hash'], 'transaction hash') !== txHash)
      throw new NodeError(`the transactions do not match block ${header.block.hash}`)
    // A status in another form would hide a payment if it counted as a failure.
    if (!succeeded && status !== '0x0') throw new NodeError(`the receipt of ${txHash} has no status`)
    const move = succeeded ? moveOf(transaction) : undefined
    return { txHash, position: [], failed: !succeeded, move, signer: transaction['from'] }
  })
}

function moveOf({ type, from, to, value, nonce }: Fields): CoinMove | undefined {
  const amountMinor = transactionType(type).pays ? amountOf(value, 'value of a transaction') : 0n
  if (amountMinor === 0n) return undefined
  const sender = addressOf(from, 'sender of a transaction')
  const recipient =
    to === null || to === undefined
      ? createdBy(sender, countOf(nonce, 'nonce'))
      : addressOf(to, 'recipient of a transaction')
  return { sender, recipient, amountMinor }
}

/**
 * Returns the address of the contract that a transaction creates (Yellow Paper, section 7). The receipt states
 * it too, but the receipts root does not cover it.
 */
function createdBy(sender: string, nonce: number): string {
  return ContractAddress.fromCreate({ from: sender as Hex, nonce: BigInt(nonce) }).toLowerCase()
}
