/** What recipients do to have others pay for gas, on a real chain with the real machine. */
import sql from 'sql-template-tag'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { decimal, formatDecimal } from '../../src/core/money.ts'
import { operatorMoney } from '../../src/ledger/balance.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { withdrawalPurpose } from '../../src/outgoing/withdrawals/withdrawal-purpose.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { ageWithdrawals } from '../support/age-withdrawals.ts'
import { type Artifact, quantity, readTestContract } from '../support/anvil.ts'
import { expectSoundBooks, standingIn } from '../support/books.ts'
import { testOrderVerifier } from '../support/order-keys.ts'
import { overLimit } from '../support/over-limit.ts'
import type { Machine } from '../support/payout-flow.ts'
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
/** The base fee of the next block is 10 gwei, so that the gas of a payout costs more than its network fee. */
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

/** From the next block on it does otherwise than when it was tried. */
async function turn(address: string, mode: keyof typeof modes): Promise<void> {
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

async function playOut(machine: Machine): Promise<void> {
  for (let block = 0; block < 5; block += 1) {
    await machine.settle()
    await dear()
    await flow.mine()
  }
  await dear()
  await machine.settle()
}

interface Row {
  readonly state: string
  readonly stage: string | null
  readonly waits_for: string | null
  readonly end_explanation: string | null
  readonly network_cost_minor: string | null
}

function row(id: string): Promise<Row> {
  return flow.shop.row(sql`
    select state, stage, waits_for, end_explanation, network_cost_minor from withdrawal where id = ${id}`)
}

function equity(): Promise<bigint> {
  return operatorMoney(flow.shop.db, 'ethereum/ETH')
}

/** What the network took for a payout; undefined where nothing was mined. */
async function feeOf(id: string): Promise<bigint | undefined> {
  const [paid] = await flow.shop.db.query<{ fee_minor: string }>(
    sql`select fee_minor from payout where id = ${id} and state = 'final'`,
  )
  return paid && BigInt(paid.fee_minor)
}

it('A1 a recipient that needs more gas than is spent on one gets nothing signed, and its merchant is told why', async () => {
  const merchantId = await openWithEther('0.1')
  const before = await equity()
  const id = await order(merchantId, await hostile('needs', 2_000_000n), '0.05')
  await playOut(await flow.payer())
  expect(await row(id)).toMatchObject({ state: 'failed', network_cost_minor: null })
  expect((await row(id)).end_explanation).toMatch(/needs \d{7} gas .* at most 100000 is spent/)
  expect(await flow.shop.db.query(sql`select from payout_attempt where payout_id = ${id}`)).toEqual([])
  expect(await equity()).toBe(before)
  expect(await flow.events(merchantId)).toMatchObject([
    { type: 'withdrawal.failed', data: { withdrawalID: id, networkCost: null, reason: 'payout' } },
  ])
  await expectSoundBooks(flow.shop)
})

it('A1 a payment that fails on chain costs its merchant what the network took, and the operator nothing', async () => {
  for (const mode of ['refuses', 'breaks', 'bombs'] as const) {
    const merchantId = await openWithEther('0.1')
    const opened = await standingIn(flow.shop, merchantId, 'ethereum/ETH')
    const address = await hostile('takes', 3_000n)
    const before = await equity()
    const id = await order(merchantId, address, '0.01')
    const machine = await flow.payer()
    await machine.settle()
    await turn(address, mode)
    await playOut(machine)
    const paid = required(await feeOf(id), 'the fee of what was mined')
    const { state, network_cost_minor: charged } = await row(id)
    expect(state).toBe('failed')
    const chargedMinor = BigInt(charged ?? 0)
    expect(chargedMinor).toBeGreaterThanOrEqual(paid)
    expect(chargedMinor).toBeLessThan(paid + 10n ** 10n)
    expect(await equity()).toBe(before - paid + chargedMinor)
    expect(await standingIn(flow.shop, merchantId, 'ethereum/ETH')).toEqual({
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

it('A1 an order to a contract that does not hold what its failure would cost is told the least that does', async () => {
  const merchantId = await openWithEther('0.1')
  const address = await hostile('takes')
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(100n * gwei)])
  const small = await order(merchantId, address, '0.001')
  const machine = await flow.payer()
  await machine.settle()
  const { state, end_explanation: why } = await row(small)
  expect(state).toBe('failed')
  const [, least = ''] = /the least that is sent there now is (0\.\d+) ETH/.exec(why ?? '') ?? []
  expect(eth(least)).toBeGreaterThan(eth('0.001'))
  const enough = await order(merchantId, address, least)
  await playOut(machine)
  expect(await row(enough)).toMatchObject({ state: 'completed', network_cost_minor: null })
  await expectSoundBooks(flow.shop)
})

it('A1 an order to an address without code is paid as before, however small', async () => {
  const merchantId = await openWithEther('0.1')
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(100n * gwei)])
  const id = await order(merchantId, `0x${'d1'.repeat(20)}`, '0.0005')
  await playOut(await flow.payer())
  expect(await row(id)).toMatchObject({ state: 'completed', network_cost_minor: null })
})

const budget = eth('0.004')

function budgeted(signer?: Signer): Promise<Machine> {
  const { shop } = flow
  const purpose = withdrawalPurpose({
    db: shop.db,
    methods: shop.methods,
    log: { info() {}, warn() {}, error() {} },
    intentKey: flow.signer.intentKey,
    screening: screeningOff,
    approvalAboveUsd: undefined,
    orders: testOrderVerifier,
    gasBudgetMinor: budget,
  })
  return flow.machine({ purposes: [purpose], signer: signer ?? flow.signer.signer })
}

it("A1 a merchant's payments cost a day at most its budget beyond its fees, and others' are not touched", async () => {
  // Fees on what it got count for it: little came, so that little is paid for.
  const merchantId = await openWithEther('0.02')
  const other = await openWithEther('0.1')
  // Not above the ceiling, and never a failure: only what it costs tells.
  const burner = await hostile('needs', 60_000n)
  const machine = await budgeted()
  const before = await equity()
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.push(await order(merchantId, burner, '0.003'))
  for (let round = 0; round < 3; round += 1) await playOut(machine)
  const honest = await order(other, `0x${'d2'.repeat(20)}`, '0.01')
  await playOut(machine)
  const rows = await Promise.all(ids.map(row))
  const waiting = rows.filter(({ waits_for: cause }) => cause === 'gas-budget')
  expect(rows[0]).toMatchObject({ state: 'completed' })
  expect(waiting.length).toBeGreaterThan(0)
  expect(waiting.every(({ state, stage }) => state === 'pending' && stage === 'approved')).toBe(true)
  expect(before - (await equity())).toBeLessThanOrEqual(budget)
  expect(await row(honest)).toMatchObject({ state: 'completed' })
  await expectSoundBooks(flow.shop)

  await ageWithdrawals(flow.database, 25, sql`merchant_id = ${merchantId}`)
  for (let round = 0; round < 3; round += 1) await playOut(machine)
  const later = await Promise.all(ids.map(row))
  const completed = (all: readonly Row[]) => all.filter(({ state }) => state === 'completed').length
  expect(completed(later)).toBeGreaterThan(completed(rows))
})

it('A4 an order that the signer refused and that is over its budget by now says so, and is paid once it fits', async () => {
  const merchantId = await openWithEther('0.02')
  const burner = await hostile('needs', 60_000n)
  let refused = ''
  const machine = await budgeted(overLimit(flow.signer.signer, ({ payoutId }) => payoutId === refused))
  const first = await order(merchantId, burner, '0.003')
  refused = first
  await playOut(machine)
  expect(await row(first)).toMatchObject({ stage: 'planned', waits_for: null })
  for (let count = 0; count < 3; count += 1) await order(merchantId, burner, '0.003')
  for (let round = 0; round < 3; round += 1) await playOut(machine)
  refused = ''
  const comeDue = sql`update payout_refusal set retry_at = now()`
  await flow.database.owner.query(comeDue)
  await playOut(machine)
  expect(await row(first)).toMatchObject({ state: 'pending', stage: 'planned', waits_for: 'gas-budget' })
  await ageWithdrawals(flow.database, 25, sql`merchant_id = ${merchantId}`)
  for (let round = 0; round < 3; round += 1) await playOut(machine)
  expect(await row(first)).toMatchObject({ state: 'completed', waits_for: null })
  await expectSoundBooks(flow.shop)
})

it('A1 whatever recipients do, nothing above the ceiling is signed, and no merchant takes more of the operator than its budget', async () => {
  const tricks = Object.keys(modes) as (keyof typeof modes)[]
  const merchantId = await openWithEther('1')
  const machine = await budgeted()
  const before = await equity()
  for (const [place, trick] of tricks.entries()) {
    const measure = [50_000n, 80_000n, 300_000n][place % 3] ?? 0n
    const address = await hostile(trick, measure)
    const turned = await hostile('takes', measure)
    await order(merchantId, address, '0.01')
    await order(merchantId, turned, '0.01')
    await machine.settle()
    await turn(turned, trick)
    await playOut(machine)
  }
  expect(before - (await equity())).toBeLessThanOrEqual(budget)
  const [most] = await flow.shop.db.query<{ gas: string }>(sql`
    select max(gas) as gas from payout join withdrawal using (id) where merchant_id = ${merchantId}`)
  expect(BigInt(most?.gas ?? 0)).toBeLessThanOrEqual(100_000n)
  await expectSoundBooks(flow.shop)
})
