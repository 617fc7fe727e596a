/** Outsiders' coins on a regtest chain, spent by keys that no node knows: each payment has coins of its own. */
import { Address, OutScript, p2pkh, p2wpkh, RawTx, Transaction } from '@scure/btc-signer'
import { pubECDSA, randomPrivateKeyBytes } from '@scure/btc-signer/utils.js'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { spellingOf } from '../../src/chains/utxo/spelling.ts'
import { required } from '../../src/core/assert.ts'
import { type Litecoind, litecoinRegtest } from './litecoind.ts'

export interface Paid {
  readonly txid: string
  /** The signed transaction in hex, which may be sent, mined, or kept. */
  readonly raw: string
  /** What it spends. */
  readonly coins: Coins
  /** What came back of them; undefined where nothing did. */
  readonly change: Coins | undefined
}

export interface Output {
  /** An address, or a script in hex. */
  readonly to: string
  readonly amountMinor: bigint
}

export interface PayOptions {
  /** Whether it says that it may be replaced (BIP 125). */
  readonly replaceable?: boolean
  /** The coins to spend; those of an earlier call, to spend them twice. */
  readonly coins?: Coins
  readonly feeMinor?: bigint
}

/** An output of the wallet's. */
export interface Coins {
  readonly txid: string
  readonly place: number
  readonly amountMinor: bigint
}

export interface LitecoinWallet {
  readonly address: string
  /** The next coins nobody has spent: 50 or fewer, from a coinbase of their own. */
  takeCoins(): Coins
  /** Signs a payment without sending it. What is left over the fee comes back to a script without an address. */
  sign(outputs: readonly Output[], options?: PayOptions): Paid
  /** A transaction that spends the change of another, which anybody may. */
  spendChange(of: Paid, outputs: readonly Output[]): Paid
  send(paid: Paid): Promise<Paid>
  /** Signs and sends. */
  pay(to: string, amountMinor: bigint, options?: PayOptions): Promise<Paid>
}

const spelling = spellingOf(litecoinRegtest.chain)
const coinbaseMinor = 50n * 10n ** 8n
const halvingBlocks = 150
const maturityBlocks = 100

/**
 * Mines so many coins for a new wallet on a chain that has no blocks yet, at most 149, and makes them ripe.
 * @param hasWitness whether its own address is one with witnesses
 */
export async function mineWallet(node: Litecoind, count: number, hasWitness = true): Promise<LitecoinWallet> {
  const key = randomPrivateKeyBytes()
  const own = (hasWitness ? p2wpkh : p2pkh)(pubECDSA(key), spelling)
  const address = required(own.address, 'address')
  const hashes = (await node.rpc(
    'generatetoaddress',
    Math.min(count, halvingBlocks - 1),
    address,
  )) as string[]
  await node.rpc('generatetodescriptor', maturityBlocks, 'raw(51)')
  const ripe: Coins[] = []
  for (const hash of hashes) {
    const { tx } = await node.rpc('getblock', hash)
    ripe.push({ txid: tx[0], place: 0, amountMinor: coinbaseMinor })
  }
  const takeCoins = () => required(ripe.shift(), 'coins of the wallet, which has no more,')
  const sign: LitecoinWallet['sign'] = (outputs, options = {}) => {
    const { coins = takeCoins(), replaceable = false, feeMinor = 100_000n } = options
    const transaction = new Transaction({
      allowUnknownOutputs: true,
      disableScriptCheck: true,
      // Nobody lies to this wallet about what its coins hold.
      allowLegacyWitnessUtxo: true,
    })
    transaction.addInput({
      txid: coins.txid,
      index: coins.place,
      sequence: replaceable ? 0xfffffffd : 0xffffffff,
      witnessUtxo: { script: own.script, amount: coins.amountMinor },
    })
    for (const { to, amountMinor } of outputs) addOutput(transaction, to, amountMinor)
    const changeMinor = coins.amountMinor - feeMinor - totalOf(outputs)
    if (changeMinor > 0n) addOutput(transaction, anybody, changeMinor)
    transaction.sign(key)
    transaction.finalize()
    return paidBy(transaction.extract(), coins)
  }
  const send: LitecoinWallet['send'] = async (paid) => {
    // No fee is too high here.
    await node.rpc('sendrawtransaction', paid.raw, 0)
    return paid
  }
  return {
    address,
    takeCoins,
    sign,
    send,
    spendChange: ({ change }, outputs) => spendFreely(required(change, 'change'), outputs),
    pay: (to, amountMinor, options) => send(sign([{ to, amountMinor }], options)),
  }
}

/** OP_TRUE: needs no key and has no address. */
const anybody = '51'
const feeOfChildMinor = 100_000n

function spendFreely(coins: Coins, outputs: readonly Output[]): Paid {
  const change = { to: anybody, amountMinor: coins.amountMinor - feeOfChildMinor - totalOf(outputs) }
  const bytes = RawTx.encode({
    version: 2,
    segwitFlag: false,
    inputs: [
      {
        txid: Buffer.from(coins.txid, 'hex'),
        index: coins.place,
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
  return paidBy(bytes, coins)
}

function totalOf(outputs: readonly Output[]): bigint {
  return outputs.reduce((total, { amountMinor }) => total + amountMinor, 0n)
}

function paidBy(bytes: Uint8Array, coins: Coins): Paid {
  const raw = Buffer.from(bytes).toString('hex')
  const { txid, outputs } = readRawTransaction(raw)
  const place = outputs.findIndex(({ script }) => Buffer.from(script).toString('hex') === anybody)
  const change = outputs[place] && { txid, place, amountMinor: outputs[place].amountMinor }
  return { txid, raw, coins, change }
}

function scriptOf(to: string): Uint8Array {
  return /^[0-9a-f]+$/.test(to) ? Buffer.from(to, 'hex') : OutScript.encode(Address(spelling).decode(to))
}

function addOutput(transaction: Transaction, to: string, amount: bigint): void {
  transaction.addOutput({ script: scriptOf(to), amount })
}

export function newAddress(): string {
  return required(p2wpkh(pubECDSA(randomPrivateKeyBytes()), spelling).address, 'address')
}
