import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { newId } from '../../src/core/ids.ts'
import { pricePolicy } from '../../src/outgoing/evm/price-gas.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { altered } from '../support/altered.ts'
import { quantity } from '../support/anvil.ts'
import { overLimit } from '../support/over-limit.ts'
import { type Machine, usePayoutFlow } from '../support/payout-flow.ts'

const flow = usePayoutFlow({ lanes: 1 })
const { database, anvil } = flow

interface Attempt {
  readonly hash: string
  readonly raw: string
  readonly nonce: number
}

/** The bytes signed for a payout, the first first. */
function attemptsOf(id: string): Promise<readonly Attempt[]> {
  return database.db.query<Attempt>(sql`
    select tx_hash as hash, raw, nonce from payout_attempt join payout on payout.id = payout_id
    where payout_id = ${id} order by payout_attempt.max_fee_minor`)
}

async function sent(machine: Machine, over?: Parameters<typeof flow.pay>[0]) {
  const payment = await flow.pay(over)
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  return payment
}

/** Blocks until what can be mined is final. */
async function feesBooked(): Promise<bigint> {
  const [row] = await database.db.query<{ paid: string | null }>(
    sql`select sum(debits - credits) as paid from ledger_account where name = 'network_fees'`,
  )
  return BigInt(row?.paid ?? 0)
}

it('E04 a nonce gap is filled by the same bytes, and those behind it proceed', async () => {
  const machine = await flow.machine()
  const first = await sent(machine)
  const second = await sent(machine)
  const [dropped] = await attemptsOf(first.id)
  await anvil.rpc('anvil_dropTransaction', [dropped?.hash])
  await machine.finish()
  for (const payment of [first, second]) {
    expect((await flow.wish(payment.id)).isSuccess).toBe(true)
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
    expect(await attemptsOf(payment.id)).toHaveLength(1)
  }
  expect((await flow.wish(first.id)).moves).toContain('in_doubt')
})

it('E05 a base fee that spikes is followed at the same nonce, up to the ceiling; above it waits and alerts', async () => {
  const machine = await flow.machine()
  const payment = await sent(machine)
  const spike = 50n * 10n ** 9n
  for (let block = 0; block < 5; block += 1) {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(spike)])
    await flow.mine()
    await machine.settle()
  }
  const attempts = await attemptsOf(payment.id)
  expect(attempts.length).toBeGreaterThan(1)
  expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1)
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  const ceiling = { policy: { ...pricePolicy, maxFeeMinorMax: 5n * 10n ** 9n } }
  await flow.endLeases()
  const thrifty = await flow.machine(ceiling)
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(spike)])
  await flow.mine()
  const waiting = await flow.pay()
  await thrifty.settle()
  expect((await flow.wish(waiting.id)).moves).toEqual([])
  expect(flow.alerts).not.toContain('payouts-wait')
  await database.owner.query(sql`update payout_wait set since = now() - interval '1 hour'`)
  await thrifty.settle()
  expect(flow.alerts).toContain('payouts-wait')
  expect(await database.db.query(sql`select cause from payout_wait`)).toEqual([{ cause: 'price' }])
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 8n)])
  await flow.mine()
  await thrifty.finish()
  expect((await flow.wish(waiting.id)).isSuccess).toBe(true)
  expect(await database.db.query(sql`select cause from payout_wait`)).toEqual([])
})

it('E05 a payout that is stuck at the ceiling stays as it is, and alerts', async () => {
  const machine = await flow.machine({ policy: { ...pricePolicy, maxFeeMinorMax: 5n * 10n ** 9n } })
  const payment = await sent(machine)
  for (let block = 0; block < 12; block += 1) {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 10n)])
    await flow.mine()
    await machine.settle()
  }
  expect(flow.alerts).toContain('payout-stuck')
  expect((await flow.wish(payment.id)).moves).not.toContain('included')
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 6n)])
  await machine.finish()
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E06 the original that is mined after its replacement was sent counts once', async () => {
  const machine = await flow.machine()
  const payment = await sent(machine)
  const spike = 10n ** 11n
  for (let block = 0; block < 5 && (await attemptsOf(payment.id)).length < 2; block += 1) {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(spike)])
    await flow.mine()
    await machine.settle()
  }
  const [original, replacement] = await attemptsOf(payment.id)
  const before = await feesBooked()
  await anvil.rpc('anvil_dropTransaction', [replacement?.hash])
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 6n)])
  await anvil.mine()
  await anvil.rpc('eth_sendRawTransaction', [`0x${original?.raw}`])
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 6n)])
  await machine.finish()
  const { moves, isSuccess } = await flow.wish(payment.id)
  expect(moves.filter((move) => move === 'final')).toHaveLength(1)
  expect(isSuccess).toBe(true)
  const [row] = await database.db.query<{ hash: string }>(
    sql`select included_tx_hash as hash from payout where id = ${payment.id}`,
  )
  expect(row?.hash).toBe(original?.hash)
  expect((await feesBooked()) - before).toBe(await feeOf(original))
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E06 a raise for what is mined already is refused without harm, and alerts nobody', async () => {
  const machine = await flow.machine()
  const payment = await sent(machine)
  await anvil.mine()
  await database.owner.query(sql`
    update payout set max_fee_minor = max_fee_minor * 2, tip_minor = tip_minor * 2, bumps = 1 where id = ${payment.id}`)
  await machine.settle()
  expect(await attemptsOf(payment.id)).toHaveLength(2)
  expect(flow.alerts).toEqual([])
  expect((await flow.wish(payment.id)).moves).not.toContain('in_doubt')
  await machine.finish()
  expect(await flow.wish(payment.id)).toMatchObject({ isSuccess: true })
  expect((await flow.wish(payment.id)).moves).not.toContain('displaced')
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E08 a reorg that drops a payout has the same bytes sent again, and its fee is booked once', async () => {
  const machine = await flow.machine()
  const payment = await sent(machine)
  await flow.mine()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('included')
  await anvil.rpc('anvil_rollback', [1])
  expect(await flow.held(payment.address)).toBe(0n)
  await anvil.sendCoin({ to: anvil.accounts[3] ?? '', amountMinor: 1n })
  await flow.mine()
  const before = await feesBooked()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('broadcast')
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
  expect(await attemptsOf(payment.id)).toHaveLength(1)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  const [attempt] = await attemptsOf(payment.id)
  const receipt = await anvil.receiptOf(attempt?.hash ?? '')
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  expect((await feesBooked()) - before).toBe(fee)
})

it('E08 a dev chain that loses a final payout gets the same bytes again, and nothing is booked twice', async () => {
  const machine = await flow.machine()
  const payment = await sent(machine)
  await machine.finish()
  const [attempt] = await attemptsOf(payment.id)
  const before = (await feesBooked()) - (await feeOf(attempt))
  await anvil.rpc('anvil_rollback', [8])
  await anvil.sendCoin({ to: anvil.accounts[3] ?? '', amountMinor: 1n })
  await flow.mine()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('broadcast')
  await machine.finish()
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('final')
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  expect(await feesBooked()).toBe(before + (await feeOf(attempt)))
})

it('E08 a final payout that a dev chain mines again at another fee leaves the books with what it cost at last', async () => {
  const machine = await flow.machine()
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n ** 9n)])
  await flow.mine()
  const before = await feesBooked()
  const payment = await sent(machine)
  await machine.finish()
  const [attempt] = await attemptsOf(payment.id)
  const fees = [await feeOf(attempt)]
  // Dearer, then cheaper: more is booked, then less.
  for (const baseFee of [15n * 10n ** 8n, 10n ** 7n]) {
    await anvil.rpc('anvil_rollback', [8])
    await anvil.sendCoin({ to: anvil.accounts[3] ?? '', amountMinor: 1n })
    await flow.mine()
    await machine.settle()
    expect((await flow.wish(payment.id)).moves.at(-1)).toBe('broadcast')
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(baseFee)])
    await machine.finish()
    expect((await flow.wish(payment.id)).moves.at(-1)).toBe('final')
    fees.push(await feeOf(attempt))
    expect((await feesBooked()) - before).toBe(fees.at(-1))
  }
  expect(new Set(fees).size).toBe(3)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  const { entries } = await verify({ db: database.db, methods: flow.shop.methods })
  expect(entries.find(({ id }) => id === 'M10-fees')).toMatchObject({ ok: true })
})

async function feeOf(attempt: Attempt | undefined): Promise<bigint> {
  const receipt = await anvil.receiptOf(attempt?.hash ?? '')
  return BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
}

const reverts = '0x60006000fd'

it('E19 a destination that refuses money is refused before anything is signed', async () => {
  const machine = await flow.machine()
  const payment = await flow.pay()
  await anvil.rpc('anvil_setCode', [payment.address, reverts])
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual(['refused'])
  expect(await attemptsOf(payment.id)).toEqual([])
})

it('E19 a destination that needs more than 21,000 gas gets it', async () => {
  const machine = await flow.machine()
  const payment = await flow.pay()
  const storesWhatCame = '0x3460005500'
  await anvil.rpc('anvil_setCode', [payment.address, storesWhatCame])
  await machine.settle()
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

it('E19 a payout that fails on chain is final without success, and its fee is booked', async () => {
  const machine = await flow.machine()
  const payment = await sent(machine)
  await anvil.rpc('anvil_setCode', [payment.address, reverts])
  const before = await feesBooked()
  await machine.finish()
  expect(await flow.wish(payment.id)).toMatchObject({ isSuccess: false })
  expect(await flow.held(payment.address)).toBe(0n)
  expect(await feesBooked()).toBeGreaterThan(before)
})

/** Tells everyone that it holds 10^9 and moves nothing. */
const frozenToken = '0x60003560e01c6370a0823114601457600060 00fd5b633b9aca0060005260206000f3'.replaceAll(
  ' ',
  '',
)

it('E20 a token that refuses the destination is refused before anything is signed', async () => {
  const contract = evmAddresses.canonical(`0x${newId().replaceAll('-', '')}00000001`) ?? ''
  await anvil.rpc('anvil_setCode', [contract, frozenToken])
  await flow.mine()
  const machine = await flow.machine()
  const payment = await flow.pay({ asset: 'ethereum/FROZEN', contract, netMinor: 5n })
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual(['refused'])
})

it('E21 an estimate below what any transaction takes is raised to the floor, and alerts', async () => {
  const estimateGas = async () => ({ gas: 0n })
  const machine = await flow.machine({ sender: altered(flow.sender, { estimateGas }) })
  const payment = await sent(machine, { asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 5n })
  expect(flow.alerts).toEqual(['gas-estimate-absurd'])
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('A1 an estimate above the ceiling of its kind is refused before anything is signed, and never cut down', async () => {
  for (const [gas, over] of [
    [100_001n, {}],
    [1_000_001n, { asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 5n }],
  ] as const) {
    const estimateGas = async () => ({ gas })
    const machine = await flow.machine({ sender: altered(flow.sender, { estimateGas }) })
    const payment = await flow.pay(over)
    await machine.settle()
    expect((await flow.wish(payment.id)).moves).toEqual(['refused'])
    expect(await attemptsOf(payment.id)).toEqual([])
    await flow.endLeases()
  }
})

it('E05 a raise that is over a limit is offered again as often as any, and made once there is room', async () => {
  let isOver = false
  const signer = overLimit(flow.signer.signer, () => isOver)
  const machine = await flow.machine({ signer })
  const payment = await sent(machine)
  const asked: number[] = []
  const dearBlocks = async (blocks: number) => {
    for (let block = 0; block < blocks; block += 1) {
      await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(50n * 10n ** 9n)])
      await flow.mine()
      await machine.settle()
    }
    asked.push(signer.asked.length)
  }
  isOver = true
  await dearBlocks(4)
  await dearBlocks(3)
  await dearBlocks(1)
  expect(asked).toEqual([2, 2, 3])
  expect(await attemptsOf(payment.id)).toHaveLength(1)
  expect(flow.alerts).toContain('signer-refused')
  isOver = false
  await dearBlocks(4)
  expect(await attemptsOf(payment.id)).toHaveLength(2)
  expect(await bumpsOf(payment.id)).toBe(1)
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

async function bumpsOf(id: string): Promise<number> {
  return (await flow.shop.row<{ bumps: number }>(sql`select bumps from payout where id = ${id}`)).bumps
}

it('M19 nonces of a lane have no gap, and the chain has mined as many', async () => {
  const rows = await database.db.query<{ nonce: number }>(sql`select nonce from payout order by nonce`)
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => index))
  const lanes = flow.signer.keys.lanes
  expect(await flow.sender.readNonces(lanes, undefined, new AbortController().signal)).toEqual([rows.length])
})
