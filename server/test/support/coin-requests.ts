/** Requests to sign transactions of coins, built as the service builds them: by hand, so that each part can be another. */
import { randomBytes } from 'node:crypto'
import { Address, OutScript, p2pkh, p2wpkh, RawTx, Transaction } from '@scure/btc-signer'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { spellingOf } from '../../src/chains/utxo/spelling.ts'
import { required } from '../../src/core/assert.ts'
import type { KeyTree } from '../../src/signer/keys/key-tree.ts'
import type { CoinPlace, Intent, Payment } from '../../src/signing/intent.ts'
import type { CoinRequest } from '../../src/signing/signer-port.ts'
import { approved, type PaymentDraft } from './order-keys.ts'
import type { TestSigner } from './signer.ts'

export interface TestCoin {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly place: CoinPlace
  /** The whole transaction that made it, where there are no witnesses. */
  readonly made?: Uint8Array
}

export interface Drawing {
  readonly coins: readonly TestCoin[]
  readonly payments: readonly Pick<Payment, 'address' | 'netMinor'>[]
  readonly change?: readonly { readonly place: CoinPlace; readonly amountMinor: bigint }[]
  readonly lockTime?: number
  /** Changes the transaction before it is written. */
  readonly alter?: (transaction: Transaction) => void
}

const hardened = 2 ** 31

export function pathOf({ bech32, coinType }: UtxoNetwork['chain'], { type, branch, index }: CoinPlace) {
  const purpose = bech32 === undefined ? 44 : 84
  return [purpose + hardened, coinType + hardened, (type === 'hot' ? 1 : 0) + hardened, branch, index]
}

/** As BIP 174 has it, with a fingerprint of nobody. */
export function derivationOf(keys: KeyTree, { chain }: UtxoNetwork, place: CoinPlace) {
  const { publicKey } = keys.coinKeyAt(chain, place)
  const key = Uint8Array.from(Buffer.from(publicKey, 'hex'))
  return [[key, { fingerprint: 0, path: pathOf(chain, place) }]] as [
    Uint8Array,
    { fingerprint: number; path: number[] },
  ][]
}

export function scriptAt(keys: KeyTree, { chain }: UtxoNetwork, place: CoinPlace): Uint8Array {
  const key = Buffer.from(keys.coinKeyAt(chain, place).publicKey, 'hex')
  return (chain.bech32 === undefined ? p2pkh : p2wpkh)(key, spellingOf(chain)).script
}

export function addressAt(keys: KeyTree, network: UtxoNetwork, place: CoinPlace): string {
  return Address(spellingOf(network.chain)).encode(OutScript.decode(scriptAt(keys, network, place)))
}

/** The PSBT in base64. */
export function draw(keys: KeyTree, network: UtxoNetwork, { coins, payments, ...more }: Drawing): string {
  const transaction = new Transaction({
    allowUnknownOutputs: true,
    disableScriptCheck: true,
    ...(more.lockTime !== undefined && { lockTime: more.lockTime }),
  })
  for (const { outpoint, amountMinor, place, made } of coins) {
    const [txid = '', index = ''] = outpoint.split(':')
    const script = scriptAt(keys, network, place)
    transaction.addInput({
      txid,
      index: Number(index),
      sequence: 0xfffffffd,
      ...(made === undefined ? { witnessUtxo: { script, amount: amountMinor } } : { nonWitnessUtxo: made }),
      bip32Derivation: derivationOf(keys, network, place),
    })
  }
  const codec = Address(spellingOf(network.chain))
  for (const { address, netMinor } of payments)
    transaction.addOutput({ script: OutScript.encode(codec.decode(address)), amount: netMinor })
  for (const { place, amountMinor } of more.change ?? []) {
    const script = scriptAt(keys, network, place)
    const bip32Derivation = derivationOf(keys, network, place)
    transaction.addOutput({ script, amount: amountMinor, bip32Derivation })
  }
  more.alter?.(transaction)
  return Buffer.from(transaction.toPSBT()).toString('base64')
}

let made = 0

/** A coin of ours that no chain has. */
export function inventCoin(network: UtxoNetwork, keys: KeyTree, over: Partial<TestCoin> = {}): TestCoin {
  made += 1
  const place: CoinPlace = over.place ?? { type: 'deposit', branch: 3_000_000, index: made }
  const amountMinor = over.amountMinor ?? 10n ** 8n
  if (network.chain.bech32 !== undefined)
    return { outpoint: `${randomBytes(32).toString('hex')}:${made % 4}`, amountMinor, place, ...over }
  const bytes = RawTx.encode({
    version: 1,
    segwitFlag: false,
    witnesses: undefined,
    lockTime: made,
    inputs: [{ txid: randomBytes(32), index: 0, finalScriptSig: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ amount: amountMinor, script: scriptAt(keys, network, place) }],
  })
  const { id } = Transaction.fromRaw(bytes, { allowUnknownInputs: true, allowUnknownOutputs: true })
  return { outpoint: `${id}:0`, amountMinor, place, made: bytes }
}

/** A payment as it is approved: a tenth of a coin to somebody outside, unless said otherwise. */
export function approveCoins(
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
    address: newOutsider(network),
    netMinor: 10n ** 7n,
    feeMinor: 0n,
    ...over,
  })
}

export function newOutsider({ chain }: UtxoNetwork): string {
  return Address(spellingOf(chain)).encode({ type: 'pkh', hash: randomBytes(20) })
}

export function coinRequest(
  network: UtxoNetwork,
  intent: Intent,
  psbt: string,
  { anchor, payoutId }: { readonly anchor: TestCoin; readonly payoutId?: string },
): CoinRequest {
  made += 1
  return {
    payoutId: payoutId ?? `coin-payout-${made}`,
    network: network.name,
    intent,
    anchor: anchor.outpoint,
    psbt,
  }
}

export const changePlace: CoinPlace = { type: 'hot', branch: 1, index: 0 }

/** A whole payout that is right: one payment of a tenth of a coin out of one coin, the rest but a fee as change. */
export function rightPayout(opened: TestSigner, network: UtxoNetwork) {
  const { keys } = opened
  const coin = inventCoin(network, keys)
  const payment = approveCoins(opened, network)
  const feeMinor = network.chain.usualFeeRate / 4n
  const changeMinor = coin.amountMinor - payment.netMinor - feeMinor
  const drawing: Drawing = {
    coins: [coin],
    payments: [payment],
    change: [{ place: changePlace, amountMinor: changeMinor }],
  }
  const intent: Intent = { kind: 'withdrawal', payments: [payment] }
  const ask = (over: Partial<Drawing> = {}, options: { intent?: Intent; payoutId?: string } = {}) =>
    coinRequest(network, options.intent ?? intent, draw(keys, network, { ...drawing, ...over }), {
      anchor: required(drawing.coins[0], 'anchor'),
      ...(options.payoutId !== undefined && { payoutId: options.payoutId }),
    })
  return { coin, payment, drawing, intent, changeMinor, ask }
}
