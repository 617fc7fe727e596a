/** Tests what the signer signs on UTXO chains, and what it never signs. */
import type { Transaction } from '@scure/btc-signer'
import { Psbt, Transaction as SecondTransaction } from 'bitcoinjs-lib'
import { Hex, PublicKey, Secp256k1, Signature } from 'ox'
import { describe, expect, it } from 'vitest'
import { networks, type UtxoNetwork, utxoNetworkOf } from '../../src/chains/networks.ts'
import { required } from '../../src/core/assert.ts'
import type { Intent, UtxoKeyPath } from '../../src/signing/intent.ts'
import type { SignAnswer, SignRequest, UtxoRequest } from '../../src/signing/signer-port.ts'
import { type TestSigner, useTestSigner } from '../support/signer.ts'
import {
  approveUtxoPayment,
  changeKeyPath,
  type Drawing,
  derivationOf,
  draw,
  newExternalAddress,
  scriptAt,
  utxoRequest,
  validOutgoing,
} from '../support/utxo-requests.ts'

const litecoin = required(utxoNetworkOf('litecoin', 'regtest'), 'row')
const dogecoin = required(utxoNetworkOf('dogecoin', 'regtest'), 'row')
const bitcoin = required(utxoNetworkOf('bitcoin', 'regtest'), 'row')

async function ask({ signer }: TestSigner, request: unknown): Promise<SignAnswer> {
  const [answer] = await signer.sign([request as SignRequest])
  return required(answer, 'an answer')
}

function codeOf(answer: SignAnswer): string {
  return answer.type === 'refused' ? answer.code : 'signed'
}

async function signed(opened: TestSigner, request: unknown) {
  const answer = await ask(opened, request)
  if (answer.type === 'refused') throw new Error(`${answer.code}: ${answer.detail}`)
  return answer
}

describe.each([litecoin, bitcoin, dogecoin, networks.litecoin, networks.bitcoin, networks.dogecoin])(
  'a payout of $name on its $chain.kind chain',
  (network: UtxoNetwork) => {
    it('pays the approved amount and returns the rest, with an id that a second library computes too', async () => {
      const opened = await useTestSigner({ rows: [network] })
      const { payment, changeMinor, utxo, ask: right } = validOutgoing(opened, network)
      const { raw, txHash } = await signed(opened, right())
      const second = SecondTransaction.fromHex(raw)
      expect(second.getId()).toBe(txHash)
      expect(second.outs.map(({ value }) => BigInt(value))).toEqual([payment.netMinor, changeMinor])
      const script = Buffer.from(second.outs[1]?.script ?? []).toString('hex')
      expect(script).toBe(Buffer.from(scriptAt(opened.keys, network, changeKeyPath)).toString('hex'))
      const [input] = second.ins
      expect(
        `${Buffer.from(input?.hash ?? [])
          .reverse()
          .toString('hex')}:${input?.index}`,
      ).toBe(utxo.outpoint)
    })

    it('is signed for the whole transaction by the key of its coin, as a second library confirms', async () => {
      const opened = await useTestSigner({ rows: [network] })
      const { utxo, ask: right } = validOutgoing(opened, network)
      const request = right()
      const { raw } = await signed(opened, request)
      expect(isSignedRight(opened, network, raw, utxo)).toBe(true)
      const [input] = SecondTransaction.fromHex(raw).ins
      const signature = input?.witness[0] ?? input?.script.subarray(1, 1 + (input.script[0] ?? 0))
      // SIGHASH_ALL
      expect(signature?.at(-1)).toBe(1)
      expect(Psbt.fromBase64(request.psbt).txInputs).toHaveLength(1)
    })
  },
)

/**
 * Decides whether the signature is by the key at the output's derivation path, over the digest that a second
 * library computes.
 */
function isSignedRight(
  { keys }: TestSigner,
  network: UtxoNetwork,
  raw: string,
  utxo: { readonly keyPath: UtxoKeyPath; readonly amountMinor: bigint },
): boolean {
  const second = SecondTransaction.fromHex(raw)
  const key = Buffer.from(keys.utxoKeyAt(network.chain, utxo.keyPath).publicKey, 'hex')
  const script = scriptAt(keys, network, utxo.keyPath)
  const input = required(second.ins[0], 'input')
  const hasWitness = network.chain.bech32 !== undefined
  const [signature, given] = hasWitness ? input.witness : pushesOf(input.script)
  if (signature === undefined || given === undefined || !key.equals(given)) return false
  // BIP 143: the script code of a P2WPKH output is that of the P2PKH one.
  const code = hasWitness
    ? Buffer.concat([Buffer.from('76a914', 'hex'), script.subarray(2), Buffer.from('88ac', 'hex')])
    : script
  const digest = hasWitness
    ? second.hashForWitnessV0(0, code, utxo.amountMinor, SecondTransaction.SIGHASH_ALL)
    : second.hashForSignature(0, script, SecondTransaction.SIGHASH_ALL)
  return Secp256k1.verify({
    payload: Hex.fromBytes(digest),
    publicKey: PublicKey.fromHex(Hex.fromBytes(key)),
    signature: Signature.fromDerBytes(signature.subarray(0, -1)),
  })
}

function pushesOf(script: Uint8Array): readonly Uint8Array[] {
  const length = script[0] ?? 0
  return [script.subarray(1, 1 + length), script.subarray(2 + length)]
}

/** A request that is valid except for one fault. */
interface Tampering {
  readonly name: string
  readonly code: string
  /** Matches the message of the refusal. */
  readonly says: RegExp
  readonly request: (opened: TestSigner, right: ReturnType<typeof validOutgoing>) => unknown
}

const foreign: UtxoKeyPath = { type: 'deposit', branch: 3_000_000, index: 2 ** 30 }

/** Alters the transaction of a valid request. */
function altered(change: (transaction: Transaction, opened: TestSigner) => void): Tampering['request'] {
  return (opened, { ask: right }) => right({ alter: (transaction) => change(transaction, opened) })
}

/** Makes a request with other outputs, payments or change than the valid ones. */
function redrawn(
  change: (right: ReturnType<typeof validOutgoing>, opened: TestSigner) => Partial<Drawing>,
): Tampering['request'] {
  return (opened, right) => right.ask(change(right, opened))
}

/** Sets fields of an input that the library refuses to set. */
function setInput(transaction: Transaction, change: object): void {
  const { inputs } = transaction as unknown as { inputs: object[] }
  inputs[0] = { ...inputs[0], ...change }
}

function setOutput(transaction: Transaction, index: number, change: object): void {
  const { outputs } = transaction as unknown as { outputs: object[] }
  outputs[index] = { ...outputs[index], ...change }
}

function derivationIn(transaction: Transaction) {
  const [key, { fingerprint, path }] = required(transaction.getInput(0).bip32Derivation?.[0], 'derivation')
  return { key, fingerprint, path }
}

function withPath(change: (path: readonly number[]) => readonly number[]): Tampering['request'] {
  return altered((transaction) => {
    const { key, fingerprint, path } = derivationIn(transaction)
    setInput(transaction, { bip32Derivation: [[key, { fingerprint, path: change(path) }]] })
  })
}

const notOurKey = { code: 'not-as-intended', says: /does not belong to the key/ }
const notIntended = { code: 'not-as-intended', says: /outputs differ from the intent/ }
const hidden = 2 ** 31

const inputTamperings: readonly Tampering[] = [
  {
    name: 'a coin that lies at another key than the one that is named',
    ...notOurKey,
    request: altered((transaction, { keys }) => {
      const script = scriptAt(keys, litecoin, foreign)
      setInput(transaction, { witnessUtxo: { script, amount: 10n ** 8n } })
    }),
  },
  {
    name: 'a coin of somebody else',
    ...notOurKey,
    request: async (_, { ask: right }) => {
      const other = await useTestSigner()
      return right({ alter: (one) => setInput(one, inputAt(other, foreign)) })
    },
  },
  {
    name: 'a second coin of somebody else beside our own',
    ...notOurKey,
    request: async (_, { ask: right }) => {
      const other = await useTestSigner()
      return right({
        alter: (one) => one.addInput({ txid: 'cd'.repeat(32), index: 0, ...inputAt(other, foreign) }),
      })
    },
  },
  {
    name: 'a key that is not at the path that is named',
    ...notOurKey,
    request: withPath((path) => path.with(4, 2 ** 30)),
  },
  { name: 'a path of another coin', ...notOurKey, request: withPath((path) => path.with(1, hidden + 2)) },
  { name: 'a path of another purpose', ...notOurKey, request: withPath((path) => path.with(0, hidden + 44)) },
  {
    name: 'a path below another account',
    ...notOurKey,
    request: withPath((path) => path.with(2, hidden + 2)),
  },
  { name: 'a path with a hardened end', ...notOurKey, request: withPath((path) => path.with(4, hidden)) },
  { name: 'a path that ends early', ...notOurKey, request: withPath((path) => path.slice(0, 4)) },
  { name: 'a path that goes on', ...notOurKey, request: withPath((path) => [...path, 0]) },
  {
    name: 'a coin without a path',
    code: 'not-as-intended',
    says: /exactly one key/,
    request: altered((transaction) => setInput(transaction, { bip32Derivation: undefined })),
  },
  {
    name: 'a coin that is not shown',
    code: 'not-as-intended',
    says: /lacks the UTXO/,
    request: altered((transaction) => setInput(transaction, { witnessUtxo: undefined })),
  },
  ...[0x81, 0x82, 0x83, 2, 3, 0].map((sighashType) => ({
    name: `signatures for less than the whole (SIGHASH ${sighashType})`,
    code: 'not-as-intended',
    says: /cover the whole|PSBT cannot be read/,
    request: altered((transaction) => setInput(transaction, { sighashType })),
  })),
  {
    name: 'an anchor that it does not spend',
    code: 'not-as-intended',
    says: /does not spend its pinned outpoint/,
    request: (_, { ask: right }) => ({ ...right(), pinnedOutpoint: `${'ab'.repeat(32)}:0` }),
  },
  {
    name: 'a redeem script',
    code: 'not-as-intended',
    says: /unexpected field|PSBT cannot be read/,
    request: altered((transaction) => setInput(transaction, { redeemScript: Uint8Array.of(0x51) })),
  },
  {
    name: 'a signature of somebody',
    code: 'not-as-intended',
    says: /unexpected field/,
    request: altered((transaction) => {
      const { key } = derivationIn(transaction)
      setInput(transaction, {
        partialSig: [[key, Uint8Array.from(Buffer.from('3006020101020101', 'hex')).with(0, 0x30)]],
      })
    }),
  },
  {
    name: 'a field that is unknown',
    code: 'not-as-intended',
    says: /PSBT cannot be read/,
    request: (_, { ask: right }) => withUnknownField(right()),
  },
  {
    name: 'a lock time',
    code: 'not-as-intended',
    says: /lock time/,
    request: (opened, right) => {
      const { keys } = opened
      return utxoRequest(litecoin, right.intent, draw(keys, litecoin, { ...right.drawing, lockTime: 500 }), {
        pinnedOutpoint: right.utxo,
      })
    },
  },
  {
    name: 'a coin that must have some age first',
    code: 'not-as-intended',
    says: /relative lock time/,
    request: altered((transaction) => setInput(transaction, { sequence: 10 })),
  },
]

function inputAt({ keys }: TestSigner, keyPath: UtxoKeyPath) {
  return {
    witnessUtxo: { script: scriptAt(keys, litecoin, keyPath), amount: 10n ** 8n },
    bip32Derivation: derivationOf(keys, litecoin, keyPath),
  }
}

/**
 * Appends a field of type 0x77 to the PSBT's global map. The map ends with the first zero byte after the
 * transaction.
 */
function withUnknownField(request: UtxoRequest): UtxoRequest {
  const bytes = Buffer.from(request.psbt, 'base64')
  // Skips "psbt\xff", a key of one byte, and the transaction's length byte (the transaction is shorter than
  // 253 bytes).
  const at = 5 + 2 + 1 + (bytes[7] ?? 0)
  const psbt = Buffer.concat([bytes.subarray(0, at), Buffer.from('01770101', 'hex'), bytes.subarray(at)])
  return { ...request, psbt: psbt.toString('base64') }
}

const outputTamperings: readonly Tampering[] = [
  {
    name: 'an output to somebody else',
    ...notIntended,
    request: redrawn(({ payment }) => ({
      payments: [payment, { address: newExternalAddress(litecoin), netMinor: 10_000n }],
    })),
  },
  {
    name: 'the payment to somebody else',
    ...notIntended,
    request: redrawn(({ payment }) => ({
      payments: [{ ...payment, address: newExternalAddress(litecoin) }],
    })),
  },
  {
    name: 'another amount than was approved',
    ...notIntended,
    request: redrawn(({ payment }) => ({ payments: [{ ...payment, netMinor: payment.netMinor - 1n }] })),
  },
  {
    name: 'the payment twice',
    ...notIntended,
    request: redrawn(({ payment }) => ({ payments: [payment, payment] })),
  },
  {
    name: 'the payment left out',
    ...notIntended,
    request: redrawn(() => ({ payments: [] })),
  },
  {
    name: 'the payment called our own',
    code: 'not-as-intended',
    says: /outputs differ from the intent/,
    request: altered((transaction, { keys }) =>
      setOutput(transaction, 0, { bip32Derivation: derivationOf(keys, litecoin, changeKeyPath) }),
    ),
  },
  {
    name: 'change to a key that is not derived at the path that is named',
    code: 'not-as-intended',
    says: /change output does not belong/,
    request: altered((transaction) =>
      setOutput(transaction, 1, { script: Uint8Array.from(Buffer.from(`0014${'55'.repeat(20)}`, 'hex')) }),
    ),
  },
  {
    name: 'change that names no path',
    ...notIntended,
    request: altered((transaction) => setOutput(transaction, 1, { bip32Derivation: undefined })),
  },
  {
    name: 'change to a deposit address, which would be credited to somebody',
    code: 'not-as-intended',
    says: /change output does not belong/,
    request: redrawn(({ changeMinor }) => ({ change: [{ keyPath: foreign, amountMinor: changeMinor }] })),
  },
  {
    name: 'change in more outputs than a few',
    code: 'not-as-intended',
    says: /more than 4/,
    request: redrawn(({ changeMinor }) => ({
      change: Array.from({ length: 5 }, (_, index) => ({
        keyPath: { type: 'hot', branch: 1, index } as const,
        amountMinor: changeMinor / 5n,
      })),
    })),
  },
  {
    name: 'change that is dust',
    code: 'not-as-intended',
    says: /below the dust limit/,
    request: redrawn(({ changeMinor }) => ({
      change: [changeMinor - 5_459n, 5_459n].map((amountMinor) => ({ keyPath: changeKeyPath, amountMinor })),
    })),
  },
  {
    name: 'more paid out than is spent',
    code: 'not-as-intended',
    says: /more than the inputs/,
    request: redrawn(({ utxo }) => ({ change: [{ keyPath: changeKeyPath, amountMinor: utxo.amountMinor }] })),
  },
  {
    name: 'bytes as data',
    ...notIntended,
    request: altered((transaction) =>
      transaction.addOutput({ script: Uint8Array.from([0x6a, 1, 7]), amount: 0n }),
    ),
  },
]

const intentTamperings: readonly Tampering[] = [
  {
    name: 'a payment that was altered after its approval',
    code: 'not-approved',
    says: /differs from what was approved/,
    request: (_, { payment, ask: right }) => {
      const other = { ...payment, netMinor: payment.netMinor + 1n }
      return right({ payments: [other] }, { intent: { kind: 'withdrawal', payments: [other] } })
    },
  },
  {
    name: 'a payment that was approved on another network',
    code: 'not-approved',
    says: /differs from what was approved/,
    request: (opened, { ask: right }) => {
      const { mac } = approveUtxoPayment(opened, bitcoin)
      const payment = { ...approveUtxoPayment(opened, litecoin), mac }
      return right({ payments: [payment] }, { intent: { kind: 'withdrawal', payments: [payment] } })
    },
  },
  {
    name: 'the same payment named twice, and paid twice',
    code: 'not-allowed',
    says: /a payment twice/,
    request: (_, { payment, ask: right }) =>
      right(
        { payments: [payment, payment] },
        { intent: { kind: 'withdrawal', payments: [payment, payment] } },
      ),
  },
  {
    name: 'more payments than a transaction carries',
    code: 'not-allowed',
    says: /at most 50/,
    request: (opened, { ask: right }) => {
      const payments = Array.from({ length: 51 }, () =>
        approveUtxoPayment(opened, litecoin, { netMinor: 10_000n }),
      )
      return right({ payments, change: [] }, { intent: { kind: 'withdrawal', payments } })
    },
  },
  {
    name: 'another asset than the coin',
    code: 'not-as-intended',
    says: /is not the coin of/,
    request: (opened, { ask: right }) => {
      const payment = approveUtxoPayment(opened, litecoin, { asset: 'litecoin/USDT' })
      return right({ payments: [payment] }, { intent: { kind: 'withdrawal', payments: [payment] } })
    },
  },
  ...(['sweep', 'top_up', 'direct_sweep', 'rebalance', 'deploy'] as const).map((kind) => ({
    name: `a ${kind}, which is for accounts`,
    code: 'not-allowed',
    says: /A transaction of UTXOs cannot be/,
    request: (_: TestSigner, { ask: right }: ReturnType<typeof validOutgoing>) =>
      right({}, { intent: accountIntents[kind] }),
  })),
  {
    name: 'a treasury withdrawal without an address of the operator',
    code: 'not-allowed',
    says: /no cold address/,
    request: (_, { payment, ask: right }) => right({}, { intent: treasuryWithdrawal(payment.netMinor) }),
  },
  {
    name: 'a payment in what only gathers coins',
    ...notIntended,
    request: (_, { ask: right }) => right({}, { intent: { kind: 'consolidate' } }),
  },
  {
    name: 'a network that has accounts',
    code: 'not-allowed',
    says: /no UTXO network/,
    request: (_, { ask: right }) => ({
      ...right({}, { intent: { kind: 'consolidate' } }),
      network: 'ethereum',
    }),
  },
]

const coin = { asset: 'litecoin/LTC', contract: null, amountMinor: 10n }
const deposit = { type: 'deposit', branch: 1, index: 1 } as const
const accountIntents: Readonly<Record<'sweep' | 'top_up' | 'direct_sweep' | 'rebalance' | 'deploy', Intent>> =
  {
    sweep: { kind: 'sweep', deposits: [{ ...deposit, delegationNonce: null }], assets: [coin] },
    top_up: { kind: 'top_up', deposit, amountMinor: 10n },
    direct_sweep: { kind: 'direct_sweep', hotWallet: 0, ...coin },
    rebalance: { kind: 'rebalance', hotWallet: 0, ...coin },
    deploy: { kind: 'deploy' },
  }

function treasuryWithdrawal(amountMinor: bigint): Intent {
  return { kind: 'treasury_withdrawal', asset: 'litecoin/LTC', contract: null, amountMinor }
}

describe('an outgoing transaction is refused', () => {
  it.each([...inputTamperings, ...outputTamperings, ...intentTamperings])(
    'E17 with $name',
    async ({ code, says, request }) => {
      const opened = await useTestSigner()
      const right = validOutgoing(opened, litecoin)
      const answer = await ask(opened, await request(opened, right))
      expect(answer).toMatchObject({ type: 'refused', code })
      expect(answer).toHaveProperty('detail', expect.stringMatching(says))
      expect(codeOf(await ask(opened, right.ask()))).toBe('signed')
    },
  )
})
