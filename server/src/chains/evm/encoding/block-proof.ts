/**
 * Proves a node's answers about a block against the block's hash. The hash covers the header. The header
 * holds the roots of the transactions and of the receipts, and receipts contain the logs. So a node that is
 * trusted alone cannot omit a transaction or a log without changing the hash. The hash does not prove the
 * call traces, because no receipt contains the coin payments of contracts.
 */
import { groupBy } from '../../../core/group-by.ts'
import { type Fields, fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import { arrayOf, type Header, type Trace } from '../answers.ts'
import { bytesField, countField, isAbsent } from './bytes.ts'
import { keccakOfHex } from './keccak.ts'
import { orderedTrieRoot } from './ordered-trie-root.ts'
import { encodeRlp } from './rlp.ts'
import { encodeTransaction, typed } from './transaction-bytes.ts'
import { canonicalType, depositType, mayBeUntraced, transactionType } from './transaction-types.ts'

/**
 * The fields of a block header, in the order in which they are hashed. Upgrades of the chain appended the
 * fields after `nonce`, one by one. Avalanche has more fields (`customtypes/header_ext.go` of ava-labs/coreth),
 * and no other network reports fields of these names. A field that a block does not have is left out.
 */
const headerFields = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'count'],
  ['number', 'count'],
  ['gasLimit', 'count'],
  ['gasUsed', 'count'],
  ['timestamp', 'count'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
  // Avalanche
  ['extDataHash', 'bytes'],
  ['baseFeePerGas', 'count'],
  // Avalanche
  ['extDataGasUsed', 'count'],
  ['blockGasCost', 'count'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'count'],
  ['excessBlobGas', 'count'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
  // Avalanche, since Granite
  ['timestampMilliseconds', 'count'],
  ['minDelayExcess', 'count'],
] as const

/**
 * Checks that a block with whole transactions, and the block's receipts, match the block's hash.
 * @throws NodeError if they do not match
 */
export function requireProven({ block }: Header, answer: unknown, receipts: unknown): void {
  const { hash } = block
  const fields = fieldsOf(answer)
  const stated = headerFields.flatMap(([name, kind]) =>
    isAbsent(fields[name])
      ? []
      : [kind === 'count' ? countField(fields[name], name) : bytesField(fields[name], name)],
  )
  if (keccakOfHex(encodeRlp(stated)) !== hash)
    throw new NodeError(
      `the header of block ${hash} does not have that hash: the node altered it, or its chain has a header field that ` +
        'this version does not know; update Coffer, or configure three nodes, of which two must agree',
    )
  const transactions = arrayOf(fields['transactions'], 'transactions').map(encodeTransaction)
  if (orderedTrieRoot(transactions) !== fields['transactionsRoot'])
    throw new NodeError(`the transactions of block ${hash} do not match the root in its header`)
  if (orderedTrieRoot(arrayOf(receipts, 'receipts').map(encodeReceipt)) !== fields['receiptsRoot'])
    throw new NodeError(`the receipts of block ${hash} do not match the root in its header`)
}

/**
 * Checks the call traces against the transactions and receipts: whether each transaction succeeded, and the
 * amount and recipient of its own coin payment. Payments by contracts are not checked, because only call traces
 * report them.
 *
 * Some credits are in no call trace: the `mint` of an OP stack deposit, which remains even if the deposit fails;
 * the deposit and the refunds of an Arbitrum retryable ticket; withdrawals of validators; imports to Avalanche's
 * C-Chain. They are not transfers here. Comparing balances finds them.
 * @throws NodeError if the traces contradict the transactions or receipts
 */
export function requireProvenTransfers(answer: unknown, receipts: unknown, traces: readonly Trace[]): void {
  const statusOf = new Map(
    arrayOf(receipts, 'receipts').map((receipt) => {
      const { transactionHash, status } = fieldsOf(receipt)
      return [transactionHash, status]
    }),
  )
  const tracesOf = groupBy(traces, ({ txHash }) => txHash)
  for (const transaction of arrayOf(fieldsOf(answer)['transactions'], 'transactions')) {
    const fields = fieldsOf(transaction)
    // A node may pad the status with zeros. The receipts root does not reveal the padding, because leading
    // zeros are removed before hashing.
    const succeeded = BigInt(String(statusOf.get(fields['hash']) ?? 0)) === 1n
    requireProvenTransfer(fields, succeeded, tracesOf.get(String(fields['hash'])) ?? [])
  }
}

function requireProvenTransfer(
  { hash, type, to, value }: Fields,
  succeeded: boolean,
  traces: readonly Trace[],
): void {
  if (mayBeUntraced(type, succeeded) && traces.every(({ move }) => move === undefined)) return
  const trace = traces.findLast(({ position }) => position.length === 0)
  if (trace === undefined || trace.failed === succeeded)
    throw new NodeError(`the trace of ${String(hash)} and its receipt contradict each other`)
  const paidMinor = succeeded && transactionType(type).pays ? BigInt(String(value)) : 0n
  if (paidMinor !== (trace.move?.amountMinor ?? 0n))
    throw new NodeError(`the trace of ${String(hash)} does not have the amount of its transaction`)
  if (paidMinor > 0n && !isAbsent(to) && trace.move?.recipient !== String(to).toLowerCase())
    throw new NodeError(`the trace of ${String(hash)} does not have the recipient of its transaction`)
}

/**
 * Encodes a receipt as it is hashed into the receipts root (EIP-658, EIP-2718). Since Canyon, the receipts of
 * OP stack deposits have two fields more (OP stack specification, "Deposits"). Before Canyon, a node reports
 * the nonce, but the root does not cover it.
 */
function encodeReceipt(answer: unknown): string {
  const fields = fieldsOf(answer)
  const { type, status, cumulativeGasUsed, logsBloom, logs } = fields
  const items = arrayOf(logs, 'logs').map((log) => {
    const { address, topics, data } = fieldsOf(log)
    const words = arrayOf(topics, 'topics').map((topic) => bytesField(topic, 'topic'))
    return [bytesField(address, 'address of a log'), words, bytesField(data, 'payload of a log')]
  })
  const gas = countField(cumulativeGasUsed, 'gas used so far')
  const bloom = bytesField(logsBloom, 'logs bloom')
  return typed(type, [countField(status, 'status'), gas, bloom, items, ...depositItems(fields)])
}

function depositItems({ type, depositNonce, depositReceiptVersion: version }: Fields): readonly string[] {
  if (canonicalType(type) !== depositType || isAbsent(version)) return []
  return [countField(depositNonce, 'nonce of a deposit'), countField(version, 'version of a receipt')]
}
