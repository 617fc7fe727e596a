/**
 * Tests the UTXO chain of the simulation: which transactions miners accept, which remain after
 * reorganisations, and which fees are allowed.
 */
import { Address, OutScript, RawTx } from '@scure/btc-signer'
import { beforeEach, expect, it } from 'vitest'
import { Dice } from '../../simulation/dice.ts'
import { findDearFees } from '../../simulation/model/check-fees.ts'
import { transfersOn } from '../../simulation/model/transfers.ts'
import { fixedUtxo } from '../../simulation/world/fixed.ts'
import { UtxoSide } from '../../simulation/world/utxo-side.ts'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { required } from '../../src/core/assert.ts'

const never = new AbortController().signal
const at = new Date(0)
const fixed = fixedUtxo('litecoin')
const [hotWallet = '', change = '', nextChange = ''] = fixed.hotWallets
const ours = new Set(fixed.hotWallets)
const fundedMinor = 1_000_000n
const paidMinor = 300_000n

let side: UtxoSide
let dice: Dice
let recipient: string

beforeEach(() => {
  side = new UtxoSide(1, at, fixed)
  dice = new Dice(1)
  recipient = side.newAddress(dice)
  side.pay([{ recipient: hotWallet, amountMinor: fundedMinor }])
  side.mine(dice, at)
})

function minedHashes(): readonly string[] {
  return side.chain.transactionsUpTo(side.chain.head.height).map(({ hash }) => hash)
}

/** Sends a transaction that spends an output for these outputs, with a signature of this size. Returns its hash. */
async function send(
  outpoint: string,
  outputs: Readonly<Record<string, bigint>>,
  signatureBytes = 72,
): Promise<string> {
  const [txid = '', index = ''] = outpoint.split(':')
  const codec = Address(addressEncodingOf(fixed.network.chain))
  const input = { txid: Buffer.from(txid, 'hex'), index: Number(index), sequence: 0xfffffffd }
  const bytes = RawTx.encode({
    version: 2,
    segwitFlag: true,
    witnesses: [[new Uint8Array(signatureBytes), new Uint8Array(33)]],
    lockTime: 0,
    inputs: [{ ...input, finalScriptSig: new Uint8Array() }],
    outputs: Object.entries(outputs).map(([address, amount]) => ({
      amount,
      script: OutScript.encode(codec.decode(address)),
    })),
  })
  expect(await side.sender.broadcast(Buffer.from(bytes).toString('hex'), never)).toEqual({ type: 'taken' })
  return required(side.chain.waiting.hashes.at(-1), 'a hash')
}

/** Sends a withdrawal with change, at this fee and with a signature of this size. Returns its hash. */
async function withdraw(feeMinor: bigint, signatureBytes?: number): Promise<string> {
  const [funded = ''] = minedHashes()
  const outputs = { [recipient]: paidMinor, [change]: fundedMinor - paidMinor - feeMinor }
  return send(`${funded}:0`, outputs, signatureBytes)
}

it('mines a cheap transaction once a child pays for both', async () => {
  side.setRates(10_000n, 10_000n)
  const parent = await withdraw(500n)
  side.mine(dice, at)
  expect(minedHashes()).not.toContain(parent)
  const child = await send(`${parent}:1`, { [nextChange]: fundedMinor - paidMinor - 500n - 5_000n })
  side.mine(dice, at)
  expect(minedHashes().slice(-2)).toEqual([parent, child])
})

it('mines one of two payments that spend the same money', () => {
  side.pay([{ recipient: hotWallet, amountMinor: 5n }])
  const [first] = side.waitingPayments
  side.replace(required(first, 'a payment'), [{ recipient, amountMinor: 5n }])
  side.mine(dice, at)
  const mined = transfersOn({ ...checked(), feeTerms: undefined }, ours).slice(1)
  expect(mined.map((one) => one.recipient)).toEqual([recipient])
  expect(side.lost).toEqual([])
})

it('remembers the payments that a reorganisation drops for good', async () => {
  const [funded] = minedHashes()
  await side.reorganise(dice, 1, 1, at)
  expect(side.lost.map(({ hash }) => hash)).toEqual([funded])
  for (let blocks = 0; blocks < 3; blocks += 1) side.mine(dice, at)
  expect(minedHashes()).not.toContain(funded)
})

it('knows which transfers are ours by what they spend', async () => {
  await withdraw(5_000n)
  side.mine(dice, at)
  expect(transfersOn(checked(), ours).map((one) => [one.isFromUs, one.recipient])).toEqual([
    [false, hotWallet],
    [true, recipient],
    [true, change],
  ])
})

it('finds a fee that no rate explains, also of a child that pays for its parent', async () => {
  side.setRates(10_000n, 1_000n)
  const parent = await withdraw(1_100n)
  side.mine(dice, at)
  expect(findDearFees(checked(), ours)).toEqual([])
  await send(`${parent}:1`, { [nextChange]: fundedMinor - paidMinor - 1_100n - 10_000n })
  side.mine(dice, at)
  expect(findDearFees(checked(), ours)).toHaveLength(1)
})

// With a signature of 72 bytes and a count of three bytes, the transaction has 143 virtual bytes.
it.each([
  [1_430n, 72, 0],
  [1_430n, 70, 0],
  [1_431n, 72, 1],
  [1_431n, 70, 1],
])(
  'accepts the fee of the longest signature: %s with a signature of %s bytes',
  async (feeMinor, bytes, found) => {
    side.setRates(10_000n, 1_000n)
    await withdraw(feeMinor, bytes)
    side.mine(dice, at)
    expect(findDearFees(checked(), ours)).toHaveLength(found)
  },
)

function checked() {
  const { name: network, chain, lost, feeTerms, deepest } = side
  const firstMinedMs = (txHash: string) => deepest.firstMinedMs(txHash)
  return { network, chain, hotWallets: fixed.hotWallets, lost, feeTerms, firstMinedMs }
}
