/**
 * What a node tells of a block, bound to the block's hash. The hash is that of the header; the header states the roots of
 * the transactions and of their receipts, which carry the logs. So a node that is believed alone cannot leave out a transaction
 * or a log without telling of another block. What contracts pay is in no receipt: traces are bound by nothing.
 */
import { type Fields, fieldsOf } from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import { arrayOf, type Header, type Trace } from './answers.ts'
import { keccak256 } from './keccak.ts'
import { orderedTrieRoot } from './ordered-trie-root.ts'
import { bytesOfCount, encodeRlp, type RlpItem } from './rlp.ts'

/** The fields of a header in their order; those after `nonce` came with later forks, each after the one before. */
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
  ['baseFeePerGas', 'count'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'count'],
  ['excessBlobGas', 'count'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
] as const

/**
 * Checks that a block, told with whole transactions, and its receipts are what the block's hash stands for.
 * @throws NodeError where they are not
 */
export function requireProven({ block }: Header, told: unknown, receipts: unknown): void {
  const { hash } = block
  const fields = fieldsOf(told)
  const stated = headerFields.flatMap(([name, kind]) =>
    isAbsent(fields[name])
      ? []
      : [kind === 'count' ? countField(fields[name], name) : bytesField(fields[name], name)],
  )
  if (spell(keccak256(encodeRlp(stated))) !== hash)
    throw new NodeError(
      `the header of block ${hash} does not have that hash: the node altered it, or its chain has a field of headers that ` +
        'this version does not know; update Coffer, or name three nodes, of which two must agree',
    )
  const transactions = arrayOf(fields['transactions'], 'transactions').map(encodeTransaction)
  if (orderedTrieRoot(transactions) !== fields['transactionsRoot'])
    throw new NodeError(`the transactions of block ${hash} do not make the root that its header states`)
  if (orderedTrieRoot(arrayOf(receipts, 'receipts').map(encodeReceipt)) !== fields['receiptsRoot'])
    throw new NodeError(`the receipts of block ${hash} do not make the root that its header states`)
}

/**
 * Checks the traces against the transactions, as far as these say what moved: the coin that a transaction pays itself, and
 * whether anything of it holds. What its contracts pay in turn is told by traces alone.
 * @throws NodeError where they contradict each other
 */
export function requireToldMoves(told: unknown, receipts: unknown, traces: readonly Trace[]): void {
  const statusOf = new Map(
    arrayOf(receipts, 'receipts').map((receipt) => {
      const { transactionHash, status } = fieldsOf(receipt)
      return [transactionHash, status]
    }),
  )
  const topOf = new Map(
    traces.flatMap((trace) => (trace.place.length === 0 ? [[trace.txHash, trace] as const] : [])),
  )
  for (const transaction of arrayOf(fieldsOf(told)['transactions'], 'transactions')) {
    const { hash, to, value } = fieldsOf(transaction)
    const trace = topOf.get(String(hash))
    // A node may write the number with zeros before it, of which the root says nothing.
    const holds = BigInt(String(statusOf.get(hash) ?? 0)) === 1n
    if (trace === undefined || trace.failed === holds)
      throw new NodeError(`the trace of ${String(hash)} and its receipt contradict each other`)
    const paidMinor = holds ? BigInt(String(value)) : 0n
    if (paidMinor !== (trace.move?.amountMinor ?? 0n))
      throw new NodeError(`the trace of ${String(hash)} does not pay what its transaction says`)
    if (paidMinor > 0n && !isAbsent(to) && trace.move?.recipient !== String(to).toLowerCase())
      throw new NodeError(`the trace of ${String(hash)} does not pay whom its transaction says`)
  }
}

/** A transaction as it was signed; its hash must be the one that is stated. */
function encodeTransaction(told: unknown): Buffer {
  const fields = fieldsOf(told)
  const encoded = typed(fields['type'], itemsOfTransaction(fields))
  if (spell(keccak256(encoded)) === fields['hash']) return encoded
  throw new NodeError(`transaction ${String(fields['hash'])} does not have that hash`)
}

/** The fields by the type of the transaction: EIP-155, EIP-2930, EIP-1559, EIP-4844, EIP-7702. */
function itemsOfTransaction(fields: Fields): readonly RlpItem[] {
  const count = (name: string) => countField(fields[name], name)
  const recipient = isAbsent(fields['to']) ? none : bytesField(fields['to'], 'to')
  const call = () => [count('gas'), recipient, count('value'), bytesField(fields['input'], 'input')]
  const signature = (first: string) => [count(first), count('r'), count('s')]
  const fees = () => [count('maxPriorityFeePerGas'), count('maxFeePerGas')]
  const access = () => accessList(fields['accessList'])
  const begin = () => [count('chainId'), count('nonce')]
  switch (fields['type']) {
    case undefined:
    case '0x0':
      return [count('nonce'), count('gasPrice'), ...call(), ...signature('v')]
    case '0x1':
      return [...begin(), count('gasPrice'), ...call(), access(), ...signature('yParity')]
    case '0x2':
      return [...begin(), ...fees(), ...call(), access(), ...signature('yParity')]
    case '0x3': {
      const blobs = arrayOf(fields['blobVersionedHashes'], 'hashes of blobs')
      const own = [count('maxFeePerBlobGas'), blobs.map((one) => bytesField(one, 'hash of a blob'))]
      return [...begin(), ...fees(), ...call(), access(), ...own, ...signature('yParity')]
    }
    case '0x4': {
      const list = arrayOf(fields['authorizationList'], 'authorizations').map(authorization)
      return [...begin(), ...fees(), ...call(), access(), list, ...signature('yParity')]
    }
    default:
      throw new NodeError(
        `a transaction is of the unknown type ${String(fields['type'])}; update Coffer, or name three nodes, of which two must agree`,
      )
  }
}

function accessList(told: unknown): RlpItem {
  return arrayOf(told, 'access list').map((entry) => {
    const { address, storageKeys } = fieldsOf(entry)
    const keys = arrayOf(storageKeys, 'storage keys').map((key) => bytesField(key, 'storage key'))
    return [bytesField(address, 'address of an access list'), keys]
  })
}

function authorization(told: unknown): RlpItem {
  const { chainId, address, nonce, yParity, r, s } = fieldsOf(told)
  const delegate = bytesField(address, 'address of an authorization')
  const signature = [countField(yParity, 'yParity'), countField(r, 'r'), countField(s, 's')]
  return [countField(chainId, 'chainId'), delegate, countField(nonce, 'nonce'), ...signature]
}

/** A receipt as its root has it (EIP-658, EIP-2718). */
function encodeReceipt(told: unknown): Buffer {
  const { type, status, cumulativeGasUsed, logsBloom, logs } = fieldsOf(told)
  const items = arrayOf(logs, 'logs').map((log) => {
    const { address, topics, data } = fieldsOf(log)
    const words = arrayOf(topics, 'topics').map((topic) => bytesField(topic, 'topic'))
    return [bytesField(address, 'address of a log'), words, bytesField(data, 'payload of a log')]
  })
  const gas = countField(cumulativeGasUsed, 'gas used so far')
  return typed(type, [countField(status, 'status'), gas, bytesField(logsBloom, 'logs bloom'), items])
}

/** Typed transactions and receipts begin with their type (EIP-2718). */
function typed(type: unknown, items: readonly RlpItem[]): Buffer {
  const encoded = encodeRlp(items)
  return type === undefined || type === '0x0' ? encoded : Buffer.concat([countField(type, 'type'), encoded])
}

const none = Buffer.alloc(0)

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function bytesField(value: unknown, what: string): Buffer {
  if (typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value))
    return Buffer.from(value.slice(2), 'hex')
  throw new NodeError(`the node's ${what} is malformed`)
}

/** Some nodes pad the numbers of signatures with zeros. */
function countField(value: unknown, what: string): Buffer {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return bytesOfCount(BigInt(value))
  throw new NodeError(`the node's ${what} is malformed`)
}

function spell(hash: Buffer): string {
  return `0x${hash.toString('hex')}`
}
