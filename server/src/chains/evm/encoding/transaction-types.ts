/**
 * The types of transactions that blocks contain, and how each is encoded. The encoding of a type is one entry
 * in the table.
 */
import { type Fields, fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import { arrayOf } from '../answers.ts'
import { bytesField, countField, isAbsent } from './bytes.ts'
import type { RlpItem } from './rlp.ts'

export interface TransactionType {
  /** Whether a sender signs the transaction. The rules of the chain authorise the others. */
  readonly isSigned: boolean
  /**
   * Whether the transaction itself pays `value` to `to`. If false, it pays nothing, and its hash covers neither
   * field, so that a node may report any.
   */
  readonly pays: boolean
  /** When a node may report the transaction without a call trace. */
  readonly untraced: 'never' | 'if failed' | 'always'
  /**
   * Returns the fields in the order in which they are encoded, without the signature. Undefined if nodes do
   * not report all of them. The encoded bytes must then be requested, and are added as the field `raw`.
   */
  readonly items: Items | undefined
}

type Items = (read: FieldReader) => readonly RlpItem[]

/** The type of an OP stack deposit. */
export const depositType = '0x7e'

const types: Readonly<Record<string, TransactionType>> = {
  // Yellow Paper 4.2, with the chain id of EIP-155 in the signature.
  '0x0': signed((read) => [read.count('nonce'), read.count('gasPrice'), ...call(read)]),
  // EIP-2930
  '0x1': signed((read) => [...begin(read), read.count('gasPrice'), ...call(read), accessList(read)]),
  // EIP-1559
  '0x2': signed((read) => [...begin(read), ...fees(read), ...call(read), accessList(read)]),
  // EIP-4844
  '0x3': signed((read) => [...begin(read), ...fees(read), ...call(read), accessList(read), ...blobs(read)]),
  // EIP-7702
  '0x4': signed((read) => [
    ...begin(read),
    ...fees(read),
    ...call(read),
    accessList(read),
    read.list('authorizationList').map(authorization),
  ]),
  // Arbitrum Nitro, core/types/arb_types.go of OffchainLabs/go-ethereum: ArbitrumDepositTx
  '0x64': unsigned((read) => [
    read.count('chainId'),
    read.bytes('requestId'),
    read.bytes('from'),
    read.bytes('to'),
    read.count('value'),
  ]),
  // ArbitrumUnsignedTx
  '0x65': unsigned((read) => [
    read.count('chainId'),
    read.bytes('from'),
    read.count('nonce'),
    gasFeeCap(read),
    ...call(read),
  ]),
  // ArbitrumContractTx
  '0x66': unsigned((read) => [
    read.count('chainId'),
    read.bytes('requestId'),
    read.bytes('from'),
    gasFeeCap(read),
    ...call(read),
  ]),
  // ArbitrumRetryTx
  '0x68': unsigned((read) => [
    ...begin(read),
    read.bytes('from'),
    gasFeeCap(read),
    ...call(read),
    read.bytes('ticketId'),
    read.bytes('refundTo'),
    read.count('maxRefund'),
    read.count('submissionFeeRefund'),
  ]),
  // ArbitrumSubmitRetryableTx
  '0x69': payingNothing((read) => [
    read.count('chainId'),
    read.bytes('requestId'),
    read.bytes('from'),
    read.count('l1BaseFee'),
    read.count('depositValue'),
    gasFeeCap(read),
    read.count('gas'),
    read.recipient('retryTo'),
    read.count('retryValue'),
    read.bytes('beneficiary'),
    read.count('maxSubmissionFee'),
    read.bytes('refundTo'),
    read.bytes('retryData'),
  ]),
  // ArbitrumInternalTx
  '0x6a': payingNothing((read) => [read.count('chainId'), read.bytes('input')]),
  // OP stack specification, "Deposits". Nodes may omit a mint of zero. A deposit whose sender has less than
  // its value fails without being executed.
  [depositType]: unsigned(
    (read) => [
      read.bytes('sourceHash'),
      read.bytes('from'),
      read.recipient('to'),
      read.isAbsent('mint') ? '' : read.count('mint'),
      read.count('value'),
      read.count('gas'),
      read.flag('isSystemTx'),
      read.bytes('input'),
    ],
    'if failed',
  ),
  // Polygon, PIP-74 and core/types/tx_state_sync.go of 0xPolygon/bor. Nodes report none of the encoded events,
  // and may not trace them.
  '0x7f': payingNothing(undefined, 'always'),
}

/**
 * Returns the type of a transaction or receipt in canonical form: lower-case hex without leading zeros. The
 * first transactions had no type and are of type 0. Some nodes write types in upper case.
 */
export function canonicalType(type: unknown): string {
  return isAbsent(type) ? '0x0' : `0x${countField(type, 'type').toLowerCase().replace(/^0/, '') || '0'}`
}

/** @throws NodeError if the type is unknown */
export function transactionType(type: unknown): TransactionType {
  const known = types[canonicalType(type)]
  if (known !== undefined) return known
  throw new NodeError(
    `a transaction has the unknown type ${String(type)}; update Coffer, or configure three nodes, of which two must agree`,
  )
}

/** Whether a node may report a transaction of this type without a call trace. */
export function mayBeUntraced(type: unknown, succeeded: boolean): boolean {
  const { untraced } = transactionType(type)
  return untraced === 'always' || (untraced === 'if failed' && !succeeded)
}

/** Reads the fields of one transaction in the form in which they are encoded: hex without 0x. */
export class FieldReader {
  readonly #fields: Fields

  constructor(fields: Fields) {
    this.#fields = fields
  }

  isAbsent(name: string): boolean {
    return isAbsent(this.#fields[name])
  }

  count(name: string): string {
    return countField(this.#fields[name], name)
  }

  bytes(name: string): string {
    return bytesField(this.#fields[name], name)
  }

  /** Reads an address that is absent if the transaction creates a contract. */
  recipient(name: string): string {
    return this.isAbsent(name) ? '' : this.bytes(name)
  }

  /** Reads a flag that is encoded as 1 or nothing. Nodes may omit it if it is false. */
  flag(name: string): string {
    return this.#fields[name] === true ? '01' : ''
  }

  list(name: string): readonly unknown[] {
    return arrayOf(this.#fields[name], name)
  }
}

function signed(items: Items): TransactionType {
  return { isSigned: true, pays: true, untraced: 'never', items }
}

function unsigned(items: Items, untraced: TransactionType['untraced'] = 'never'): TransactionType {
  return { isSigned: false, pays: true, untraced, items }
}

function payingNothing(
  items: Items | undefined,
  untraced: TransactionType['untraced'] = 'never',
): TransactionType {
  return { isSigned: false, pays: false, untraced, items }
}

function begin(read: FieldReader): readonly RlpItem[] {
  return [read.count('chainId'), read.count('nonce')]
}

function fees(read: FieldReader): readonly RlpItem[] {
  return [read.count('maxPriorityFeePerGas'), read.count('maxFeePerGas')]
}

/** Nodes report the maximum price of gas in one of two fields. */
function gasFeeCap(read: FieldReader): RlpItem {
  return read.count(read.isAbsent('maxFeePerGas') ? 'gasPrice' : 'maxFeePerGas')
}

function call(read: FieldReader): readonly RlpItem[] {
  return [read.count('gas'), read.recipient('to'), read.count('value'), read.bytes('input')]
}

function blobs(read: FieldReader): readonly RlpItem[] {
  const hashes = read.list('blobVersionedHashes').map((one) => bytesField(one, 'hash of a blob'))
  return [read.count('maxFeePerBlobGas'), hashes]
}

function accessList(read: FieldReader): RlpItem {
  return read.list('accessList').map((entry) => {
    const { address, storageKeys } = fieldsOf(entry)
    const keys = arrayOf(storageKeys, 'storage keys').map((key) => bytesField(key, 'storage key'))
    return [bytesField(address, 'address of an access list'), keys]
  })
}

function authorization(answer: unknown): RlpItem {
  const { chainId, address, nonce, yParity, r, s } = fieldsOf(answer)
  const delegate = bytesField(address, 'address of an authorization')
  const signature = [countField(yParity, 'yParity'), countField(r, 'r'), countField(s, 's')]
  return [countField(chainId, 'chainId'), delegate, countField(nonce, 'nonce'), ...signature]
}
