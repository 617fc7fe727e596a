/**
 * An external wallet on a regtest chain. Its keys are known to no node, and each payment spends UTXOs of its
 * own.
 */
import { Address, OutScript, p2pkh, p2wpkh, RawTx, Transaction } from '@scure/btc-signer'
import { pubECDSA, randomPrivateKeyBytes } from '@scure/btc-signer/utils.js'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { required } from '../../src/core/assert.ts'
import { type Litecoind, litecoinRegtest } from './litecoind.ts'

export interface Paid {
  readonly txid: string
  /** The signed transaction in hex, which a test may send, mine or keep. */
  readonly raw: string
  /** The UTXO that it spends. */
  readonly utxo: WalletUtxo
  /** The change output, or undefined where there is none. */
  readonly change: WalletUtxo | undefined
}

export interface Output {
  /** An address, or a script in hex. */
  readonly to: string
  readonly amountMinor: bigint
}

export interface PayOptions {
  /** Whether the transaction signals that it may be replaced (BIP 125). */
  readonly replaceable?: boolean
  /** The UTXO to spend. With that of an earlier payment, the test makes a double spend. */
  readonly utxo?: WalletUtxo
  readonly feeMinor?: bigint
}

/** A UTXO of the wallet. */
export interface WalletUtxo {
  readonly txid: string
  readonly index: number
  readonly amountMinor: bigint
}

export interface LitecoinWallet {
  readonly address: string
  /** Returns the next unspent UTXO, a coinbase of 50 LTC. It throws if none is left. */
  takeUtxo(): WalletUtxo
  /** Signs a payment without sending it. The change goes to a script without an address. */
  sign(outputs: readonly Output[], options?: PayOptions): Paid
  /** Returns a transaction that spends the change of another one, which needs no key. */
  spendChange(of: Paid, outputs: readonly Output[]): Paid
  send(paid: Paid): Promise<Paid>
  /** Signs and sends a payment. */
  pay(to: string, amountMinor: bigint, options?: PayOptions): Promise<Paid>
}

const addressEncoding = addressEncodingOf(litecoinRegtest.chain)
const coinbaseMinor = 50n * 10n ** 8n
const halvingBlocks = 150
const maturityBlocks = 100

/**
 * Mines this many UTXOs for a new wallet on a chain without blocks, at most 149, and mines until they are
 * mature.
 * @param hasWitness whether the wallet's address is a witness address (P2WPKH)
 */
export async function mineWallet(node: Litecoind, count: number, hasWitness = true): Promise<LitecoinWallet> {
  const key = randomPrivateKeyBytes()
  const own = (hasWitness ? p2wpkh : p2pkh)(pubECDSA(key), addressEncoding)
  const address = required(own.address, 'address')
  const hashes = (await node.rpc(
    'generatetoaddress',
    Math.min(count, halvingBlocks - 1),
    address,
  )) as string[]
  await node.rpc('generatetodescriptor', maturityBlocks, 'raw(51)')
  const mature: WalletUtxo[] = []
  for (const hash of hashes) {
    const { tx } = await node.rpc('getblock', hash)
    mature.push({ txid: tx[0], index: 0, amountMinor: coinbaseMinor })
  }
  const takeUtxo = () => required(mature.shift(), 'coins of the wallet, which has no more,')
  const sign: LitecoinWallet['sign'] = (outputs, options = {}) => {
    const { utxo = takeUtxo(), replaceable = false, feeMinor = 100_000n } = options
    const transaction = new Transaction({
      allowUnknownOutputs: true,
      disableScriptCheck: true,
      // The wallet's own UTXOs are known, so their amounts need no proof by the previous transaction.
      allowLegacyWitnessUtxo: true,
    })
    transaction.addInput({
      txid: utxo.txid,
      index: utxo.index,
      sequence: replaceable ? 0xfffffffd : 0xffffffff,
      witnessUtxo: { script: own.script, amount: utxo.amountMinor },
    })
    for (const { to, amountMinor } of outputs) addOutput(transaction, to, amountMinor)
    const changeMinor = utxo.amountMinor - feeMinor - totalOf(outputs)
    if (changeMinor > 0n) addOutput(transaction, anyoneCanSpend, changeMinor)
    transaction.sign(key)
    transaction.finalize()
    return paidBy(transaction.extract(), utxo)
  }
  const send: LitecoinWallet['send'] = async (paid) => {
    // A maximum of 0 accepts any fee rate.
    await node.rpc('sendrawtransaction', paid.raw, 0)
    return paid
  }
  return {
    address,
    takeUtxo,
    sign,
    send,
    spendChange: ({ change }, outputs) => spendFreely(required(change, 'change'), outputs),
    pay: (to, amountMinor, options) => send(sign([{ to, amountMinor }], options)),
  }
}

/** The script OP_TRUE, which needs no key and has no address. */
const anyoneCanSpend = '51'
const feeOfChildMinor = 100_000n

function spendFreely(utxo: WalletUtxo, outputs: readonly Output[]): Paid {
  const change = { to: anyoneCanSpend, amountMinor: utxo.amountMinor - feeOfChildMinor - totalOf(outputs) }
  const bytes = RawTx.encode({
    version: 2,
    segwitFlag: false,
    inputs: [
      {
        txid: Buffer.from(utxo.txid, 'hex'),
        index: utxo.index,
        finalScriptSig: new Uint8Array(),
        sequence: 0xfffffffd,
      },
    ],
    outputs: [...outputs, change].map(({ to, amountMinor }) => ({
      amount: amountMinor,
      script: scriptOf(to),
    })),
    witnesses: undefined,
    lockTime: 0,
  })
  return paidBy(bytes, utxo)
}

function totalOf(outputs: readonly Output[]): bigint {
  return outputs.reduce((total, { amountMinor }) => total + amountMinor, 0n)
}

function paidBy(bytes: Uint8Array, utxo: WalletUtxo): Paid {
  const raw = Buffer.from(bytes).toString('hex')
  const { txid, outputs } = readRawTransaction(raw)
  const index = outputs.findIndex(({ script }) => Buffer.from(script).toString('hex') === anyoneCanSpend)
  const change = outputs[index] && { txid, index, amountMinor: outputs[index].amountMinor }
  return { txid, raw, utxo, change }
}

function scriptOf(to: string): Uint8Array {
  return /^[0-9a-f]+$/.test(to)
    ? Buffer.from(to, 'hex')
    : OutScript.encode(Address(addressEncoding).decode(to))
}

function addOutput(transaction: Transaction, to: string, amount: bigint): void {
  transaction.addOutput({ script: scriptOf(to), amount })
}

export function newAddress(): string {
  return required(p2wpkh(pubECDSA(randomPrivateKeyBytes()), addressEncoding).address, 'address')
}
