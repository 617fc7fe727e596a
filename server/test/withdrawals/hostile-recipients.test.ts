/** Tests recipients that try to make others pay for gas, on a real chain with the real engine. */
import sql from 'sql-template-tag'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { decimal, formatDecimal } from '../../src/core/money.ts'
import { operatorMoney } from '../../src/ledger/balance.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { ageWithdrawals } from '../support/age-withdrawals.ts'
import { type Artifact, quantity, readTestContract } from '../support/anvil.ts'
import { balancesIn, expectSoundBooks } from '../support/books.ts'
import { testOrderVerifier } from '../support/order-keys.ts'
import { attemptRecords, outgoingRecords, withdrawalRecords } from '../support/outgoing/records.ts'
import type { Engine } from '../support/outgoing-flow.ts'
import { overLimit } from '../support/over-limit.ts'
import { screeningOff } from '../support/screening.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
const eth = (amount: string) => decimal(amount, 18)
const gwei = 10n ** 9n
let artifact: Artifact

beforeAll(async () => {
  artifact = await readTestContract('Hostile')
})
/**
 * Sets the next block's base fee to 10 gwei, so that the gas of a transaction costs more than its network
 * fee.
 */
beforeEach(dear)

async function dear(): Promise<void> {
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n * gwei)])
}

const modes = { takes: 0, refuses: 1, needs: 2, answers: 3, bombs: 4, burns: 5, breaks: 6 } as const

async function hostile(mode: keyof typeof modes, measure = 0n): Promise<string> {
  const address = await flow.anvil.deploy(artifact, [BigInt(modes[mode]), measure])
  await dear()
  await flow.mine()
  await dear()
  return address
}

/** Makes a contract behave differently from the next block on, after it was simulated. */
async function switchTo(address: string, mode: keyof typeof modes): Promise<void> {
  const word = `0x${modes[mode].toString(16).padStart(64, '0')}`
  await flow.anvil.rpc('anvil_setStorageAt', [address, '0x0', word])
}

async function openWithEther(amount: string): Promise<string> {
  const merchantId = await flow.shop.openMerchant()
  const invoiceId = await flow.shop.openInvoice(merchantId, { amount: '10', methodId: 3 })
  const { address } = await flow.shop.addressFor(invoiceId, 3)
  await flow.anvil.sendCoin({ to: address, amountMinor: eth(amount) })
  await flow.mine(5)
  await dear()
  return merchantId
}

async function order(merchantId: string, address: string, amount: string): Promise<string> {
  const id = newId()
  await createWithdrawal(flow.orders, caller, { id, merchantId, address, amount, paymentMethodId: 3 })
  await flow.follow()
  return id
}

async function playOut(engine: Engine): Promise<void> {
  for (let block = 0; block < 5; block += 1) {
    await engine.settle()
    await dear()
    await flow.mine()
  }
  await dear()
  await engine.settle()
}

interface Row {
  readonly state: string
  readonly stage: string | null
  readonly waitsFor: string | null
  readonly endExplanation: string | null
  readonly networkCostMinor: string | null
}

function row(id: string): Promise<Row> {
  return withdrawalRecords.one(
    flow.shop.db,
    { id },
    'state',
    'stage',
    'waitsFor',
    'endExplanation',
    'networkCostMinor',
  )
}

function equity(): Promise<bigint> {
  return operatorMoney(flow.shop.db, 'ethereum/ETH')
}

/** Returns the network fee of a final transaction; undefined where nothing was mined. */
async function feeOf(id: string): Promise<bigint | undefined> {
  const [paid] = await outgoingRecords.all(flow.shop.db, { id, state: 'final' }, 'feeMinor')
  return paid && BigInt(required(paid.feeMinor, 'the fee'))
}

it('A1 signs nothing for a recipient that needs more gas than the ceiling, and shows the merchant the reason', async () => {
  const merchantId = await openWithEther('0.1')
  const before = await equity()
  const id = await order(merchantId, await hostile('needs', 2_000_000n), '0.05')
  await playOut(await flow.payer())
  expect(await row(id)).toMatchObject({ state: 'failed', networkCostMinor: null })
  expect((await row(id)).endExplanation).toMatch(/needs \d{7} gas .* the maximum is 100000/)
  expect(await attemptRecords.all(flow.shop.db, { outgoingTransactionId: id })).toEqual([])
  expect(await equity()).toBe(before)
  expect(await flow.events(merchantId)).toMatchObject([
    { type: 'withdrawal.failed', data: { withdrawalID: id, networkCost: null, reason: 'transaction' } },
  ])
  await expectSoundBooks(flow.shop)
})

it('A1 charges the merchant the network fee of a payment that fails on chain, and the operator nothing', async () => {
  for (const mode of ['refuses', 'breaks', 'bombs'] as const) {
    const merchantId = await openWithEther('0.1')
    const opened = await balancesIn(flow.shop, merchantId, 'ethereum/ETH')
    const address = await hostile('takes', 3_000n)
    const before = await equity()
    const id = await order(merchantId, address, '0.01')
    const engine = await flow.payer()
    await engine.settle()
    await switchTo(address, mode)
    await playOut(engine)
    const paid = required(await feeOf(id), 'the fee of what was mined')
    const { state, networkCostMinor: charged } = await row(id)
    expect(state).toBe('failed')
    const chargedMinor = BigInt(charged ?? 0)
    expect(chargedMinor).toBeGreaterThanOrEqual(paid)
    expect(chargedMinor).toBeLessThan(paid + 10n ** 10n)
    expect(await equity()).toBe(before - paid + chargedMinor)
    expect(await balancesIn(flow.shop, merchantId, 'ethereum/ETH')).toEqual({
      ...opened,
      held: 0n,
      available: opened.available - chargedMinor,
    })
    expect(await flow.events(merchantId)).toMatchObject([
      { type: 'withdrawal.broadcast' },
      { type: 'withdrawal.failed', data: { networkCost: formatDecimal(chargedMinor, 18) } },
    ])
    await expectSoundBooks(flow.shop)
    await flow.endLeases()
  }
})

it('A1 refuses an order to a contract that does not hold the cost of a failure, and states the minimum', async () => {
  const merchantId = await openWithEther('0.1')
  const address = await hostile('takes')
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(100n * gwei)])
  const small = await order(merchantId, address, '0.001')
  const engine = await flow.payer()
  await engine.settle()
  const { state, endExplanation: why } = await row(small)
  expect(state).toBe('failed')
  const [, least = ''] = /the minimum is currently (0\.\d+) ETH/.exec(why ?? '') ?? []
  expect(eth(least)).toBeGreaterThan(eth('0.001'))
  const enough = await order(merchantId, address, least)
  await playOut(engine)
  expect(await row(enough)).toMatchObject({ state: 'completed', networkCostMinor: null })
  await expectSoundBooks(flow.shop)
})

it('A1 pays an order to an address without code as before, however small', async () => {
  const merchantId = await openWithEther('0.1')
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(100n * gwei)])
  const id = await order(merchantId, `0x${'d1'.repeat(20)}`, '0.0005')
  await playOut(await flow.payer())
  expect(await row(id)).toMatchObject({ state: 'completed', networkCostMinor: null })
})

const budget = eth('0.004')

function budgeted(signer?: Signer): Promise<Engine> {
  const { shop } = flow
  const outgoingSource = withdrawalOutgoingSource({
    db: shop.db,
    methods: shop.methods,
    log: { info() {}, warn() {}, error() {} },
    intentKey: flow.signer.intentKey,
    screening: screeningOff,
    approvalAboveUsd: undefined,
    orders: testOrderVerifier,
    gasBudgetsMinor: new Map([['ethereum', budget]]),
  })
  return flow.engine({ outgoingSources: [outgoingSource], signer: signer ?? flow.signer.signer })
}

it("A1 limits the daily cost of a merchant's payments to its budget beyond its fees, and does not affect others", async () => {
  // Fees on deposits count for the gas budget. The deposit is small, so few failures are covered.
  const merchantId = await openWithEther('0.02')
  const other = await openWithEther('0.1')
  // The payment stays below the ceiling and never fails, so that only its cost counts.
  const burner = await hostile('needs', 60_000n)
  const engine = await budgeted()
  const before = await equity()
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.push(await order(merchantId, burner, '0.003'))
  for (let round = 0; round < 3; round += 1) await playOut(engine)
  const honest = await order(other, `0x${'d2'.repeat(20)}`, '0.01')
  await playOut(engine)
  const rows = await Promise.all(ids.map(row))
  const waiting = rows.filter(({ waitsFor: cause }) => cause === 'gas-budget')
  expect(rows[0]).toMatchObject({ state: 'completed' })
  expect(waiting.length).toBeGreaterThan(0)
  expect(waiting.every(({ state, stage }) => state === 'pending' && stage === 'approved')).toBe(true)
  expect(before - (await equity())).toBeLessThanOrEqual(budget)
  expect(await row(honest)).toMatchObject({ state: 'completed' })
  await expectSoundBooks(flow.shop)

  await ageWithdrawals(flow.database, 25, sql`merchant_id = ${merchantId}`)
  for (let round = 0; round < 3; round += 1) await playOut(engine)
  const later = await Promise.all(ids.map(row))
  const completed = (all: readonly Row[]) => all.filter(({ state }) => state === 'completed').length
  expect(completed(later)).toBeGreaterThan(completed(rows))
})

it('A4 an order that the signer refused and that exceeds its budget now states this, and is paid once it fits', async () => {
  const merchantId = await openWithEther('0.02')
  const burner = await hostile('needs', 60_000n)
  let refused = ''
  const engine = await budgeted(
    overLimit(flow.signer.signer, ({ outgoingTransactionId }) => outgoingTransactionId === refused),
  )
  const first = await order(merchantId, burner, '0.003')
  refused = first
  await playOut(engine)
  expect(await row(first)).toMatchObject({ stage: 'planned', waitsFor: null })
  for (let count = 0; count < 3; count += 1) await order(merchantId, burner, '0.003')
  for (let round = 0; round < 3; round += 1) await playOut(engine)
  refused = ''
  const comeDue = sql`update outgoing_refusal set retry_at = now()`
  await flow.database.owner.query(comeDue)
  await playOut(engine)
  expect(await row(first)).toMatchObject({ state: 'pending', stage: 'planned', waitsFor: 'gas-budget' })
  await ageWithdrawals(flow.database, 25, sql`merchant_id = ${merchantId}`)
  for (let round = 0; round < 3; round += 1) await playOut(engine)
  expect(await row(first)).toMatchObject({ state: 'completed', waitsFor: null })
  await expectSoundBooks(flow.shop)
})

it('A1 signs nothing above the ceiling, and no merchant costs the operator more than its budget, whatever recipients do', async () => {
  const tricks = Object.keys(modes) as (keyof typeof modes)[]
  const merchantId = await openWithEther('1')
  const engine = await budgeted()
  const before = await equity()
  for (const [index, trick] of tricks.entries()) {
    const measure = [50_000n, 80_000n, 300_000n][index % 3] ?? 0n
    const address = await hostile(trick, measure)
    const turned = await hostile('takes', measure)
    await order(merchantId, address, '0.01')
    await order(merchantId, turned, '0.01')
    await engine.settle()
    await switchTo(turned, trick)
    await playOut(engine)
  }
  expect(before - (await equity())).toBeLessThanOrEqual(budget)
  const [most] = await flow.shop.db.query<{ gas: string }>(sql`
    select max(gas_limit) as gas from outgoing_evm join withdrawal on id = outgoing_transaction_id where merchant_id = ${merchantId}`)
  expect(BigInt(most?.gas ?? 0)).toBeLessThanOrEqual(100_000n)
  await expectSoundBooks(flow.shop)
})
