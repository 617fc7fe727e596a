/**
 * Requests to sign UTXO transactions. They are built by hand as the service builds them, so that a test can
 * change each part.
 */
import { randomBytes } from 'node:crypto'
import { Address, OutScript, p2pkh, p2wpkh, RawTx, Transaction } from '@scure/btc-signer'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { required } from '../../src/core/assert.ts'
import type { KeyTree } from '../../src/signer/keys/key-tree.ts'
import type { Intent, Payment, UtxoKeyPath } from '../../src/signing/intent.ts'
import type { UtxoRequest } from '../../src/signing/signer-port.ts'
import { approved, type PaymentDraft } from './order-keys.ts'
import type { TestSigner } from './signer.ts'

export interface TestUtxo {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly keyPath: UtxoKeyPath
  /** The whole previous transaction, on chains without witnesses. */
  readonly made?: Uint8Array
}

export interface Drawing {
  readonly utxos: readonly TestUtxo[]
  readonly payments: readonly Pick<Payment, 'address' | 'netMinor'>[]
  readonly change?: readonly { readonly keyPath: UtxoKeyPath; readonly amountMinor: bigint }[]
  readonly lockTime?: number
  /** Changes the transaction before it is encoded. */
  readonly alter?: (transaction: Transaction) => void
}

const hardened = 2 ** 31

export function pathOf({ bech32, coinType }: UtxoNetwork['chain'], { type, branch, index }: UtxoKeyPath) {
  const purpose = bech32 === undefined ? 44 : 84
  return [purpose + hardened, coinType + hardened, (type === 'hot' ? 1 : 0) + hardened, branch, index]
}

/** Returns the derivation as BIP 174 defines it, with a fingerprint of zero. */
export function derivationOf(keys: KeyTree, { chain }: UtxoNetwork, keyPath: UtxoKeyPath) {
  const { publicKey } = keys.utxoKeyAt(chain, keyPath)
  const key = Uint8Array.from(Buffer.from(publicKey, 'hex'))
  return [[key, { fingerprint: 0, path: pathOf(chain, keyPath) }]] as [
    Uint8Array,
    { fingerprint: number; path: number[] },
  ][]
}

export function scriptAt(keys: KeyTree, { chain }: UtxoNetwork, keyPath: UtxoKeyPath): Uint8Array {
  const key = Buffer.from(keys.utxoKeyAt(chain, keyPath).publicKey, 'hex')
  return (chain.bech32 === undefined ? p2pkh : p2wpkh)(key, addressEncodingOf(chain)).script
}

export function addressAt(keys: KeyTree, network: UtxoNetwork, keyPath: UtxoKeyPath): string {
  return Address(addressEncodingOf(network.chain)).encode(OutScript.decode(scriptAt(keys, network, keyPath)))
}

/** Returns the PSBT in base64. */
export function draw(keys: KeyTree, network: UtxoNetwork, { utxos, payments, ...more }: Drawing): string {
  const transaction = new Transaction({
    allowUnknownOutputs: true,
    disableScriptCheck: true,
    ...(more.lockTime !== undefined && { lockTime: more.lockTime }),
  })
  for (const { outpoint, amountMinor, keyPath, made } of utxos) {
    const [txid = '', index = ''] = outpoint.split(':')
    const script = scriptAt(keys, network, keyPath)
    transaction.addInput({
      txid,
      index: Number(index),
      sequence: 0xfffffffd,
      ...(made === undefined ? { witnessUtxo: { script, amount: amountMinor } } : { nonWitnessUtxo: made }),
      bip32Derivation: derivationOf(keys, network, keyPath),
    })
  }
  const codec = Address(addressEncodingOf(network.chain))
  for (const { address, netMinor } of payments)
    transaction.addOutput({ script: OutScript.encode(codec.decode(address)), amount: netMinor })
  for (const { keyPath, amountMinor } of more.change ?? []) {
    const script = scriptAt(keys, network, keyPath)
    const bip32Derivation = derivationOf(keys, network, keyPath)
    transaction.addOutput({ script, amount: amountMinor, bip32Derivation })
  }
  more.alter?.(transaction)
  return Buffer.from(transaction.toPSBT()).toString('base64')
}

let made = 0

/** Returns a UTXO of ours that is on no chain. */
export function inventUtxo(network: UtxoNetwork, keys: KeyTree, over: Partial<TestUtxo> = {}): TestUtxo {
  made += 1
  const keyPath: UtxoKeyPath = over.keyPath ?? { type: 'deposit', branch: 3_000_000, index: made }
  const amountMinor = over.amountMinor ?? 10n ** 8n
  if (network.chain.bech32 !== undefined)
    return { outpoint: `${randomBytes(32).toString('hex')}:${made % 4}`, amountMinor, keyPath, ...over }
  const bytes = RawTx.encode({
    version: 1,
    segwitFlag: false,
    witnesses: undefined,
    lockTime: made,
    inputs: [{ txid: randomBytes(32), index: 0, finalScriptSig: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ amount: amountMinor, script: scriptAt(keys, network, keyPath) }],
  })
  const { id } = Transaction.fromRaw(bytes, { allowUnknownInputs: true, allowUnknownOutputs: true })
  return { outpoint: `${id}:0`, amountMinor, keyPath, made: bytes }
}

/** Returns an approved payment: by default a tenth of a coin to an external address. */
export function approveUtxoPayment(
  { intentKey }: Pick<TestSigner, 'intentKey'>,
  network: UtxoNetwork,
  over: Partial<PaymentDraft> = {},
): Payment {
  made += 1
  return approved(intentKey, network.name, {
    withdrawalId: `coins-${made}`,
    merchantId: 'merchant',
    asset: `${network.name}/${network.coin.symbol}`,
    contract: null,
    address: newExternalAddress(network),
    netMinor: 10n ** 7n,
    feeMinor: 0n,
    ...over,
  })
}

export function newExternalAddress({ chain }: UtxoNetwork): string {
  return Address(addressEncodingOf(chain)).encode({ type: 'pkh', hash: randomBytes(20) })
}

export function utxoRequest(
  network: UtxoNetwork,
  intent: Intent,
  psbt: string,
  {
    pinnedOutpoint,
    outgoingTransactionId,
  }: { readonly pinnedOutpoint: TestUtxo; readonly outgoingTransactionId?: string },
): UtxoRequest {
  made += 1
  return {
    outgoingTransactionId: outgoingTransactionId ?? `coin-payout-${made}`,
    network: network.name,
    intent,
    pinnedOutpoint: pinnedOutpoint.outpoint,
    psbt,
  }
}

export const changeKeyPath: UtxoKeyPath = { type: 'hot', branch: 1, index: 0 }

/**
 * Returns a valid outgoing transaction. It spends one UTXO and pays a tenth of a coin. The change is the rest
 * of the UTXO after the payment and a fee.
 */
export function validOutgoing(opened: TestSigner, network: UtxoNetwork) {
  const { keys } = opened
  const utxo = inventUtxo(network, keys)
  const payment = approveUtxoPayment(opened, network)
  const feeMinor = network.chain.usualFeeRate / 4n
  const changeMinor = utxo.amountMinor - payment.netMinor - feeMinor
  const drawing: Drawing = {
    utxos: [utxo],
    payments: [payment],
    change: [{ keyPath: changeKeyPath, amountMinor: changeMinor }],
  }
  const intent: Intent = { kind: 'withdrawal', payments: [payment] }
  const ask = (
    over: Partial<Drawing> = {},
    options: { intent?: Intent; outgoingTransactionId?: string } = {},
  ) =>
    utxoRequest(network, options.intent ?? intent, draw(keys, network, { ...drawing, ...over }), {
      pinnedOutpoint: required(drawing.utxos[0], 'pinned'),
      ...(options.outgoingTransactionId !== undefined && {
        outgoingTransactionId: options.outgoingTransactionId,
      }),
    })
  return { utxo, payment, drawing, intent, changeMinor, ask }
}
