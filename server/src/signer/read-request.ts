/**
 * Reads what came over the socket: anything may be in it. Every field is looked at and nothing else is taken along, so
 * that what is judged later is of the shape its type says.
 */
import type { Intent, IntentAsset, Payment, SweptDeposit, WalletPlace } from '../signing/intent.ts'
import type { CoinRequest, SignRequest } from '../signing/signer-port.ts'
import { wireLimits } from '../signing/signer-wire.ts'
import { isPlaceNumber } from './keys/key-tree.ts'

/** What is asked has another shape than it must have; the message says where. */
export class RequestShapeError extends Error {
  override readonly name = 'RequestShapeError'
}

const itemsMax = 500
const textCharsMax = 200
const unsignedCharsMax = 512 * 1024
/** Where there are no witnesses, each coin comes with the whole transaction that made it. */
const psbtCharsMax = wireLimits.callBytes / 2

export function readSignRequest(value: unknown): SignRequest {
  const fields = fieldsOf(value, 'request')
  const network = textOf(fields['network'], 'network')
  if ('psbt' in fields) return coinRequestOf(fields, network)
  return {
    payoutId: textOf(fields['payoutId'], 'payoutId'),
    network,
    chainId: countOf(fields['chainId'], 'chainId'),
    from: placeOf(fields['from'], 'from'),
    nonce: countOf(fields['nonce'], 'nonce'),
    intent: intentOf(fields['intent'], network),
    unsigned: bytesOf(fields['unsigned']),
  }
}

function coinRequestOf(fields: Fields, network: string): CoinRequest {
  return {
    payoutId: textOf(fields['payoutId'], 'payoutId'),
    network,
    anchor: outpointOf(fields['anchor'], 'anchor'),
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
    case 'forward':
    case 'rebalance':
      return { kind, lane: numberOf(fields['lane'], 'lane'), ...movedOf(fields, network) }
    case 'take_out':
      return { kind, ...movedOf(fields, network) }
    case 'deploy':
    case 'consolidate':
      return { kind }
    case 'lift':
    case 'reclaim':
      return { kind, payoutId: textOf(fields['payoutId'], 'payoutId') }
    default:
      throw new RequestShapeError('intent.kind is none that is known')
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
  if (!asset.startsWith(`${network}/`)) throw new RequestShapeError('asset is of another network')
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

function placeOf(value: unknown, name: string): WalletPlace {
  const fields = fieldsOf(value, name)
  if (fields['type'] === 'lane') return { type: 'lane', lane: numberOf(fields['lane'], `${name}.lane`) }
  return depositOf(value, name)
}

function depositOf(value: unknown, name: string): Extract<WalletPlace, { type: 'deposit' }> {
  const fields = fieldsOf(value, name)
  if (fields['type'] !== 'deposit') throw new RequestShapeError(`${name}.type is none that fits`)
  return {
    type: 'deposit',
    branch: numberOf(fields['branch'], `${name}.branch`),
    index: numberOf(fields['index'], `${name}.index`),
  }
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new RequestShapeError(`${name} is no object`)
}

function listOf<T>(value: unknown, name: string, read: (item: unknown) => T): readonly T[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > itemsMax) {
    throw new RequestShapeError(`${name} is no list of 1 to ${itemsMax}`)
  }
  return value.map(read)
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= textCharsMax) return value
  throw new RequestShapeError(`${name} is no text of 1 to ${textCharsMax} characters`)
}

/** Chain ids and nonces. */
function countOf(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new RequestShapeError(`${name} is no whole number from 0`)
}

function numberOf(value: unknown, name: string): number {
  if (isPlaceNumber(value)) return value
  throw new RequestShapeError(`${name} is no whole number below 2^31`)
}

function amountOf(fields: Fields, name: string, min = 1n): bigint {
  const value = fields[name]
  if (typeof value === 'bigint' && value >= min && value < 2n ** 256n) return value
  throw new RequestShapeError(`${name} is no amount from ${min}`)
}

function outpointOf(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}:(0|[1-9]\d{0,9})$/.test(value)) return value
  throw new RequestShapeError(`${name} is no outpoint`)
}

function base64Of(value: unknown): string {
  const isText = typeof value === 'string' && value.length % 4 === 0 && value.length <= psbtCharsMax
  if (isText && /^[A-Za-z0-9+/]+={0,2}$/.test(value)) return value
  throw new RequestShapeError('psbt is no base64')
}

function bytesOf(value: unknown): string {
  const isBytes =
    typeof value === 'string' && value.length <= unsignedCharsMax && /^([0-9a-f]{2})+$/.test(value)
  if (isBytes) return value
  throw new RequestShapeError('unsigned is no bytes in lower-case hex')
}
