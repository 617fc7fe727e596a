/**
 * Reads untrusted requests from the socket. It checks every field that it knows, and drops all other fields.
 * The values in the result therefore match their types.
 */
import type { Intent, IntentAsset, Payment, SweptDeposit, WalletKeyPath } from '../signing/intent.ts'
import type { SignRequest, UtxoRequest } from '../signing/signer-port.ts'
import { wireLimits } from '../signing/signer-wire.ts'
import { isKeyPathIndex } from './keys/key-tree.ts'

/** Thrown if a request has the wrong shape. The message names the wrong field. */
export class RequestShapeError extends Error {
  override readonly name = 'RequestShapeError'
}

const itemsMax = 500
const textCharsMax = 200
const unsignedCharsMax = 512 * 1024
/**
 * Maximum number of characters of a PSBT. On chains without SegWit, a PSBT contains the whole previous
 * transaction of each input.
 */
const psbtCharsMax = wireLimits.callBytes / 2

export function readSignRequest(value: unknown): SignRequest {
  const fields = fieldsOf(value, 'request')
  const network = textOf(fields['network'], 'network')
  if ('psbt' in fields) return utxoRequestOf(fields, network)
  return {
    outgoingTransactionId: textOf(fields['outgoingTransactionId'], 'outgoingTransactionId'),
    network,
    chainId: countOf(fields['chainId'], 'chainId'),
    from: keyPathOf(fields['from'], 'from'),
    nonce: countOf(fields['nonce'], 'nonce'),
    intent: intentOf(fields['intent'], network),
    unsigned: bytesOf(fields['unsigned']),
  }
}

function utxoRequestOf(fields: Fields, network: string): UtxoRequest {
  return {
    outgoingTransactionId: textOf(fields['outgoingTransactionId'], 'outgoingTransactionId'),
    network,
    pinnedOutpoint: outpointOf(fields['pinnedOutpoint'], 'pinnedOutpoint'),
    intent: intentOf(fields['intent'], network),
    psbt: base64Of(fields['psbt']),
  }
}

type Fields = Readonly<Record<string, unknown>>

function intentOf(value: unknown, network: string): Intent {
  const fields = fieldsOf(value, 'intent')
  const kind = fields['kind']
  switch (kind) {
    case 'withdrawal':
      return { kind, payments: listOf(fields['payments'], 'payments', (one) => paymentOf(one, network)) }
    case 'sweep':
      return {
        kind,
        deposits: listOf(fields['deposits'], 'deposits', sweptOf),
        assets: listOf(fields['assets'], 'assets', (one) => assetOf(fieldsOf(one, 'asset'), network)),
      }
    case 'top_up':
      return {
        kind,
        deposit: depositOf(fields['deposit'], 'deposit'),
        amountMinor: amountOf(fields, 'amountMinor'),
      }
    case 'direct_sweep':
    case 'rebalance':
      return { kind, hotWallet: numberOf(fields['hotWallet'], 'hotWallet'), ...movedOf(fields, network) }
    case 'treasury_withdrawal':
      return { kind, ...movedOf(fields, network) }
    case 'deploy':
    case 'consolidate':
      return { kind }
    case 'cpfp':
    case 'reclaim':
      return { kind, outgoingTransactionId: textOf(fields['outgoingTransactionId'], 'outgoingTransactionId') }
    default:
      throw new RequestShapeError('intent.kind is not known')
  }
}

function movedOf(fields: Fields, network: string): IntentAsset & { readonly amountMinor: bigint } {
  return { ...assetOf(fields, network), amountMinor: amountOf(fields, 'amountMinor') }
}

function paymentOf(value: unknown, network: string): Payment {
  const fields = fieldsOf(value, 'payment')
  return {
    ...assetOf(fields, network),
    withdrawalId: textOf(fields['withdrawalId'], 'withdrawalId'),
    merchantId: textOf(fields['merchantId'], 'merchantId'),
    address: textOf(fields['address'], 'address'),
    netMinor: amountOf(fields, 'netMinor'),
    feeMinor: amountOf(fields, 'feeMinor', 0n),
    invoiceId: fields['invoiceId'] === null ? null : textOf(fields['invoiceId'], 'invoiceId'),
    orderSignature: textOf(fields['orderSignature'], 'orderSignature'),
    mac: textOf(fields['mac'], 'mac'),
  }
}

function assetOf(fields: Fields, network: string): IntentAsset {
  const asset = textOf(fields['asset'], 'asset')
  if (!asset.startsWith(`${network}/`)) throw new RequestShapeError('asset belongs to another network')
  const contract = fields['contract']
  return { asset, contract: contract === null ? null : textOf(contract, 'contract') }
}

function sweptOf(value: unknown): SweptDeposit {
  const nonce = fieldsOf(value, 'deposits')['delegationNonce']
  return {
    ...depositOf(value, 'deposits'),
    delegationNonce: nonce === null ? null : countOf(nonce, 'delegationNonce'),
  }
}

function keyPathOf(value: unknown, name: string): WalletKeyPath {
  const fields = fieldsOf(value, name)
  if (fields['type'] === 'hotWallet')
    return { type: 'hotWallet', hotWallet: numberOf(fields['hotWallet'], `${name}.hotWallet`) }
  return depositOf(value, name)
}

function depositOf(value: unknown, name: string): Extract<WalletKeyPath, { type: 'deposit' }> {
  const fields = fieldsOf(value, name)
  if (fields['type'] !== 'deposit') throw new RequestShapeError(`${name}.type is not valid`)
  return {
    type: 'deposit',
    branch: numberOf(fields['branch'], `${name}.branch`),
    index: numberOf(fields['index'], `${name}.index`),
  }
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new RequestShapeError(`${name} is not an object`)
}

function listOf<T>(value: unknown, name: string, read: (item: unknown) => T): readonly T[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > itemsMax) {
    throw new RequestShapeError(`${name} is not a list of 1 to ${itemsMax} items`)
  }
  return value.map(read)
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= textCharsMax) return value
  throw new RequestShapeError(`${name} is not a text of 1 to ${textCharsMax} characters`)
}

/** Returns a whole number that is not negative, such as a chain id or a nonce. */
function countOf(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new RequestShapeError(`${name} is not a whole number from 0`)
}

function numberOf(value: unknown, name: string): number {
  if (isKeyPathIndex(value)) return value
  throw new RequestShapeError(`${name} is not a whole number below 2^31`)
}

function amountOf(fields: Fields, name: string, min = 1n): bigint {
  const value = fields[name]
  if (typeof value === 'bigint' && value >= min && value < 2n ** 256n) return value
  throw new RequestShapeError(`${name} is not an amount from ${min}`)
}

function outpointOf(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}:(0|[1-9]\d{0,9})$/.test(value)) return value
  throw new RequestShapeError(`${name} is not an outpoint`)
}

function base64Of(value: unknown): string {
  const isText = typeof value === 'string' && value.length % 4 === 0 && value.length <= psbtCharsMax
  if (isText && /^[A-Za-z0-9+/]+={0,2}$/.test(value)) return value
  throw new RequestShapeError('psbt is not base64')
}

function bytesOf(value: unknown): string {
  const isBytes =
    typeof value === 'string' && value.length <= unsignedCharsMax && /^([0-9a-f]{2})+$/.test(value)
  if (isBytes) return value
  throw new RequestShapeError('unsigned is not lower-case hex')
}
