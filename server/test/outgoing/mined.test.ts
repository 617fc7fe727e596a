import { expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { newId } from '../../src/core/ids.ts'
import { pricePolicy } from '../../src/outgoing/evm/price-gas.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { altered } from '../support/altered.ts'
import { quantity } from '../support/anvil.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { attemptsOf } from '../support/outgoing/attempts.ts'
import { outgoingEvmRecords, outgoingRecords, waitRecords } from '../support/outgoing/records.ts'
import { type Engine, useOutgoingFlow } from '../support/outgoing-flow.ts'
import { overLimit } from '../support/over-limit.ts'
import { fromNow, times } from '../support/records/values.ts'

const flow = useOutgoingFlow({ hotWallets: 1 })
const { database, anvil } = flow

/** Returns the bytes signed for an outgoing transaction, the first attempt first. */
const signedOf = (id: string) => attemptsOf(database.db, { id })

async function sent(engine: Engine, over?: Parameters<typeof flow.pay>[0]) {
  const payment = await flow.pay(over)
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  return payment
}

/** Returns the network fees that are booked so far. */
async function feesBooked(): Promise<bigint> {
  const accounts = await ledgerAccountRecords.all(database.db, { name: 'network_fees' })
  return accounts.reduce((sum, { debits, credits }) => sum + BigInt(debits) - BigInt(credits), 0n)
}

it('E04 a nonce gap is filled with the same bytes, and later nonces proceed', async () => {
  const engine = await flow.engine()
  const first = await sent(engine)
  const second = await sent(engine)
  const [dropped] = await signedOf(first.id)
  await anvil.rpc('anvil_dropTransaction', [dropped?.hash])
  await engine.finish()
  for (const payment of [first, second]) {
    expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
    expect(await signedOf(payment.id)).toHaveLength(1)
  }
  expect((await flow.transferRequest(first.id)).moves).toContain('needs_recheck')
})

it('E05 a base fee that spikes is followed at the same nonce, up to the ceiling; above it the transaction waits and alerts', async () => {
  const engine = await flow.engine()
  const payment = await sent(engine)
  const spike = 50n * 10n ** 9n
  for (let block = 0; block < 5; block += 1) {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(spike)])
    await flow.mine()
    await engine.settle()
  }
  const attempts = await signedOf(payment.id)
  expect(attempts.length).toBeGreaterThan(1)
  expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1)
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  const ceiling = { policy: { ...pricePolicy, maxFeePerGasMax: 5n * 10n ** 9n } }
  await flow.endLeases()
  const thrifty = await flow.engine(ceiling)
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(spike)])
  await flow.mine()
  const waiting = await flow.pay()
  await thrifty.settle()
  expect((await flow.transferRequest(waiting.id)).moves).toEqual([])
  expect(flow.alerts).not.toContain('outgoing-waits')
  await waitRecords.change(database.owner, {}, { since: fromNow('-1 hour') })
  await thrifty.settle()
  expect(flow.alerts).toContain('outgoing-waits')
  expect(await waitRecords.all(database.db, {}, 'cause')).toEqual([{ cause: 'price' }])
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 8n)])
  await flow.mine()
  await thrifty.finish()
  expect((await flow.transferRequest(waiting.id)).isSuccess).toBe(true)
  expect(await waitRecords.all(database.db, {}, 'cause')).toEqual([])
})

it('E05 a transaction that is stuck at the ceiling stays unchanged, and alerts', async () => {
  const engine = await flow.engine({ policy: { ...pricePolicy, maxFeePerGasMax: 5n * 10n ** 9n } })
  const payment = await sent(engine)
  for (let block = 0; block < 12; block += 1) {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 10n)])
    await flow.mine()
    await engine.settle()
  }
  expect(flow.alerts).toContain('outgoing-stuck')
  expect((await flow.transferRequest(payment.id)).moves).not.toContain('included')
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 6n)])
  await engine.finish()
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E06 an original that is mined after its replacement was sent counts once', async () => {
  const engine = await flow.engine()
  const payment = await sent(engine)
  const spike = 10n ** 11n
  for (let block = 0; block < 5 && (await signedOf(payment.id)).length < 2; block += 1) {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(spike)])
    await flow.mine()
    await engine.settle()
  }
  const [original, replacement] = await signedOf(payment.id)
  const before = await feesBooked()
  await anvil.rpc('anvil_dropTransaction', [replacement?.hash])
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 6n)])
  await anvil.mine()
  await anvil.rpc('eth_sendRawTransaction', [`0x${original?.raw}`])
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 6n)])
  await engine.finish()
  const { moves, isSuccess } = await flow.transferRequest(payment.id)
  expect(moves.filter((move) => move === 'final')).toHaveLength(1)
  expect(isSuccess).toBe(true)
  const [row] = await outgoingRecords.all(database.db, { id: payment.id }, 'includedTxHash')
  expect(row?.includedTxHash).toBe(original?.hash)
  expect((await feesBooked()) - before).toBe(await feeOf(original))
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E06 a bump of a transaction that is mined already is refused without harm, and alerts nobody', async () => {
  const engine = await flow.engine()
  const payment = await sent(engine)
  await anvil.mine()
  await outgoingRecords.change(database.owner, { id: payment.id }, { maxCostMinor: times(2), bumps: 1 })
  await outgoingEvmRecords.change(
    database.owner,
    { outgoingTransactionId: payment.id },
    { maxFeePerGas: times(2), maxPriorityFeePerGas: times(2) },
  )
  await engine.settle()
  expect(await signedOf(payment.id)).toHaveLength(2)
  expect(flow.alerts).toEqual([])
  expect((await flow.transferRequest(payment.id)).moves).not.toContain('needs_recheck')
  await engine.finish()
  expect(await flow.transferRequest(payment.id)).toMatchObject({ isSuccess: true })
  expect((await flow.transferRequest(payment.id)).moves).not.toContain('conflicted')
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E08 a transaction that a reorganisation drops is sent again with the same bytes, and its fee is booked once', async () => {
  const engine = await flow.engine()
  const payment = await sent(engine)
  await flow.mine()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('included')
  await anvil.rpc('anvil_rollback', [1])
  expect(await flow.held(payment.address)).toBe(0n)
  await anvil.sendCoin({ to: anvil.accounts[3] ?? '', amountMinor: 1n })
  await flow.mine()
  const before = await feesBooked()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('broadcast')
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
  expect(await signedOf(payment.id)).toHaveLength(1)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  const [attempt] = await signedOf(payment.id)
  const receipt = await anvil.receiptOf(attempt?.hash ?? '')
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  expect((await feesBooked()) - before).toBe(fee)
})

it('E08 a final transaction that a dev chain loses is sent again with the same bytes, and nothing is booked twice', async () => {
  const engine = await flow.engine()
  const payment = await sent(engine)
  await engine.finish()
  const [attempt] = await signedOf(payment.id)
  const before = (await feesBooked()) - (await feeOf(attempt))
  await anvil.rpc('anvil_rollback', [8])
  await anvil.sendCoin({ to: anvil.accounts[3] ?? '', amountMinor: 1n })
  await flow.mine()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('broadcast')
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('final')
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  expect(await feesBooked()).toBe(before + (await feeOf(attempt)))
})

it('E08 a final transaction that a dev chain mines again at another fee is booked with its last fee', async () => {
  const engine = await flow.engine()
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 9n)])
  await flow.mine()
  const before = await feesBooked()
  const payment = await sent(engine)
  await engine.finish()
  const [attempt] = await signedOf(payment.id)
  const fees = [await feeOf(attempt)]
  // The block's base fee is first higher and then lower, so one correction books more and one books less.
  for (const baseFee of [15n * 10n ** 8n, 10n ** 7n]) {
    await anvil.rpc('anvil_rollback', [8])
    await anvil.sendCoin({ to: anvil.accounts[3] ?? '', amountMinor: 1n })
    await flow.mine()
    await engine.settle()
    expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('broadcast')
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(baseFee)])
    await engine.finish()
    expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('final')
    fees.push(await feeOf(attempt))
    expect((await feesBooked()) - before).toBe(fees.at(-1))
  }
  expect(new Set(fees).size).toBe(3)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  const { entries } = await verify({ db: database.db, methods: flow.shop.methods })
  expect(entries.find(({ id }) => id === 'M10-fees')).toMatchObject({ ok: true })
})

async function feeOf(attempt: { readonly hash: string } | undefined): Promise<bigint> {
  const receipt = await anvil.receiptOf(attempt?.hash ?? '')
  return BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
}

const reverts = '0x60006000fd'

it('E19 a destination that rejects the payment is refused before anything is signed', async () => {
  const engine = await flow.engine()
  const payment = await flow.pay()
  await anvil.rpc('anvil_setCode', [payment.address, reverts])
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual(['refused'])
  expect(await signedOf(payment.id)).toEqual([])
})

it('E19 a destination that needs more than 21,000 gas gets it', async () => {
  const engine = await flow.engine()
  const payment = await flow.pay()
  const storesWhatCame = '0x3460005500'
  await anvil.rpc('anvil_setCode', [payment.address, storesWhatCame])
  await engine.settle()
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E19 a transaction that fails on chain is final without success, and its fee is booked', async () => {
  const engine = await flow.engine()
  const payment = await sent(engine)
  await anvil.rpc('anvil_setCode', [payment.address, reverts])
  const before = await feesBooked()
  await engine.finish()
  expect(await flow.transferRequest(payment.id)).toMatchObject({ isSuccess: false })
  expect(await flow.held(payment.address)).toBe(0n)
  expect(await feesBooked()).toBeGreaterThan(before)
})

/** Code of a token that reports a balance of 10^9 to everyone and reverts every other call. */
const frozenToken = '0x60003560e01c6370a0823114601457600060 00fd5b633b9aca0060005260206000f3'.replaceAll(
  ' ',
  '',
)

it('E20 a token that rejects the destination is refused before anything is signed', async () => {
  const contract = evmAddresses.canonical(`0x${newId().replaceAll('-', '')}00000001`) ?? ''
  await anvil.rpc('anvil_setCode', [contract, frozenToken])
  await flow.mine()
  const engine = await flow.engine()
  const payment = await flow.pay({ asset: 'ethereum/FROZEN', contract, netMinor: 5n })
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual(['refused'])
})

it('E21 an estimate below the minimum of any transaction is raised to it, and alerts', async () => {
  const estimateGas = async () => ({ gas: 0n })
  const engine = await flow.engine({ sender: altered(flow.sender, { estimateGas }) })
  const payment = await sent(engine, { asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 5n })
  expect(flow.alerts).toEqual(['gas-estimate-absurd'])
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('A1 an estimate above the ceiling of its kind is refused before anything is signed, and never reduced', async () => {
  for (const [gas, over] of [
    [100_001n, {}],
    [1_000_001n, { asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 5n }],
  ] as const) {
    const estimateGas = async () => ({ gas })
    const engine = await flow.engine({ sender: altered(flow.sender, { estimateGas }) })
    const payment = await flow.pay(over)
    await engine.settle()
    expect((await flow.transferRequest(payment.id)).moves).toEqual(['refused'])
    expect(await signedOf(payment.id)).toEqual([])
    await flow.endLeases()
  }
})

it('E05 a bump above a limit is proposed again every round, and made once the limit allows it', async () => {
  let isOver = false
  const signer = overLimit(flow.signer.signer, () => isOver)
  const engine = await flow.engine({ signer })
  const payment = await sent(engine)
  const asked: number[] = []
  const dearBlocks = async (blocks: number) => {
    for (let block = 0; block < blocks; block += 1) {
      await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(50n * 10n ** 9n)])
      await flow.mine()
      await engine.settle()
    }
    asked.push(signer.asked.length)
  }
  isOver = true
  await dearBlocks(4)
  await dearBlocks(3)
  await dearBlocks(1)
  expect(asked).toEqual([2, 2, 3])
  expect(await signedOf(payment.id)).toHaveLength(1)
  expect(flow.alerts).toContain('signer-refused')
  isOver = false
  await dearBlocks(4)
  expect(await signedOf(payment.id)).toHaveLength(2)
  expect(await bumpsOf(payment.id)).toBe(1)
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

async function bumpsOf(id: string): Promise<number> {
  return (await outgoingRecords.one(flow.shop.db, { id }, 'bumps')).bumps
}

it('M19 nonces of a hot wallet have no gap, and the chain has mined as many', async () => {
  const rows = await outgoingEvmRecords.all(database.db, {}, 'nonce')
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => index))
  const hotWallets = flow.signer.keys.hotWallets
  expect(await flow.sender.readNonces(hotWallets, undefined, new AbortController().signal)).toEqual([
    rows.length,
  ])
})
