import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import { type AccountSender, NodeError } from '../../src/chains/port.ts'
import { silentLog } from '../../src/core/log.ts'
import { devNetwork } from '../chains/evm-harness.ts'
import { altered } from '../support/altered.ts'
import { outgoingRecords, signerLogRecords, sweepRetryRecords } from '../support/outgoing/records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { noneOf, now } from '../support/records/values.ts'
import { takePrices, testMnemonic } from '../support/shop.ts'
import { onChain } from './on-chain.ts'

const flow = useOutgoingFlow({ mnemonic: testMnemonic })
const sweeping = onChain(flow)
let merchantId: string

beforeEach(async () => {
  await takePrices(flow.shop)
  merchantId = await flow.shop.openMerchant()
})

afterEach(() => sweeping.expectRightBooks())

it('sweeps a hundred addresses by one transaction, after its contract is deployed and final', async () => {
  const addresses: string[] = []
  for (let count = 0; count < 100; count += 1) addresses.push((await sweeping.open(merchantId)).address)
  for (const address of addresses) await sweeping.send(address, 2_000_000n)
  await flow.mine(2)
  const engine = await sweeping.engine()
  await sweeping.runSweeps(engine)
  expect(await sweeping.sent()).toEqual([
    { kind: 'deploy', state: 'final' },
    { kind: 'sweep', state: 'final' },
  ])
  expect(await sweeping.merchantSweeps(merchantId)).toEqual([
    { state: 'completed', amount: '200', transactions: 100 },
  ])
  expect(await sweeping.events(merchantId)).toMatchObject([{ amount: '200', transactions: 100 }])
  for (const address of addresses) expect(await flow.held(address, flow.usdt)).toBe(0n)
  await engine.settle()
  expect(await sweeping.sent()).toHaveLength(2)
})

it('sweeps coin as well as tokens, and money of an address that was delegated before', async () => {
  const token = await sweeping.open(merchantId)
  const coin = await sweeping.open(merchantId, { methodId: 3 })
  await sweeping.send(token.address, 3_000_000n)
  await sweeping.send(coin.address, 10n ** 16n, 'coin')
  await flow.mine(2)
  const engine = await sweeping.engine()
  await sweeping.runSweeps(engine)
  await sweeping.send(coin.address, 2n * 10n ** 16n, 'coin')
  await flow.mine(2)
  await sweeping.runSweeps(engine)
  expect(await sweeping.events(merchantId)).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ amount: '3', currency: 'USDT' }),
      expect.objectContaining({ amount: '0.01', currency: 'ETH' }),
      expect.objectContaining({ amount: '0.02', currency: 'ETH' }),
    ]),
  )
  expect(await flow.held(coin.address)).toBe(0n)
})

it('E23 a deposit mined before the sweep is taken with it, and one mined after it by the next', async () => {
  const { address } = await sweeping.open(merchantId)
  await sweeping.send(address, 3_000_000n)
  await flow.mine(2)
  await sweeping.send(address, 4_000_000n)
  const engine = await sweeping.engine()
  await engine.settle()
  await sweeping.send(address, 5_000_000n)
  await flow.mine()
  expect(await flow.held(address, flow.usdt)).toBe(5_000_000n)
  await sweeping.runSweeps(engine)
  await flow.mine(2)
  await sweeping.runSweeps(engine)
  expect(await sweeping.events(merchantId)).toMatchObject([
    { amount: '7', transactions: 2 },
    { amount: '5', transactions: 1 },
  ])
})

it('A28 an address whose sweep fails does not stop others from being swept, and is skipped for a while', async () => {
  const good = await sweeping.open(merchantId)
  const other = await flow.shop.openMerchant()
  const bad = await sweeping.open(other)
  await sweeping.send(good.address, 3_000_000n)
  await sweeping.send(bad.address, 4_000_000n)
  await flow.mine(2)
  await flow.anvil.rpc('anvil_dealERC20', [bad.address, flow.usdt, '0x0'])
  const engine = await sweeping.engine()
  await sweeping.runSweeps(engine)
  expect(await sweeping.merchantSweeps(merchantId)).toMatchObject([{ state: 'completed', amount: '3' }])
  expect(await sweeping.merchantSweeps(other)).toMatchObject([{ state: 'blocked', amount: '4' }])
  await flow.anvil.rpc('anvil_dealERC20', [bad.address, flow.usdt, '0x3d0900'])
  const before = (await sweeping.sent()).length
  await flow.mine()
  await engine.settle()
  expect(await sweeping.sent()).toHaveLength(before)
  await sweepRetryRecords.change(flow.database.db, {}, { retryAt: now })
  await sweeping.runSweeps(engine)
  expect(await sweeping.events(other)).toMatchObject([{ amount: '4' }])
})

it('E08 a sweep whose block was dropped is sent again unchanged, and completes its collections once', async () => {
  const { address } = await sweeping.open(merchantId)
  await sweeping.send(address, 3_000_000n)
  await flow.mine(2)
  const engine = await sweeping.engine()
  await engine.settle()
  await flow.mine()
  await engine.settle()
  expect((await sweeping.sent()).at(-1)).toEqual({ kind: 'sweep', state: 'included' })
  await flow.anvil.rpc('anvil_rollback', [1])
  await flow.anvil.rpc('anvil_dropAllTransactions')
  await flow.mine()
  await engine.settle()
  await sweeping.runSweeps(engine)
  expect(await sweeping.events(merchantId)).toMatchObject([{ amount: '3', transactions: 1 }])
})

it('E01 a sweep that was signed and never sent is sent by the next engine', async () => {
  const { address } = await sweeping.open(merchantId)
  await sweeping.send(address, 3_000_000n)
  await flow.mine(2)
  const silent = await sweeping.engine({ sender: mute(flow.sender) })
  await silent.settle().catch(() => {})
  await flow.endLeases()
  const engine = await sweeping.engine()
  const sweeps = (await sweeping.sent()).length
  await sweeping.runSweeps(engine)
  expect(await sweeping.sent()).toHaveLength(sweeps)
  expect(await sweeping.events(merchantId)).toMatchObject([{ amount: '3' }])
})

it('D16 a sweep that a restored database does not know is adopted from the signer’s log', async () => {
  const { address } = await sweeping.open(merchantId)
  await sweeping.send(address, 3_000_000n)
  await flow.mine(2)
  const engine = await sweeping.engine()
  const [position] = await signerLogRecords.all(flow.database.db, {}, 'lastSequence')
  await engine.settle()
  await flow.endLeases()
  await forgetSince(position?.lastSequence ?? 0)
  const after = await sweeping.engine()
  await sweeping.runSweeps(after)
  expect(await sweeping.merchantSweeps(merchantId)).toEqual([
    { state: 'completed', amount: '3', transactions: 1 },
  ])
  expect(await sweeping.events(merchantId)).toHaveLength(1)
})

describe('on a chain without delegation', () => {
  it('tokens are sent by their address with coin from a hot wallet, and coin pays for itself', async () => {
    const token = await sweeping.open(merchantId)
    const coin = await sweeping.open(merchantId, { methodId: 3 })
    await sweeping.send(token.address, 3_000_000n)
    await sweeping.send(coin.address, 10n ** 17n, 'coin')
    await flow.mine(2)
    const sender = openSender({
      network: { ...devNetwork, canDelegate: false },
      urls: [flow.anvil.url],
      log: silentLog,
    })
    try {
      const engine = await sweeping.engine({ sender })
      await sweeping.runSweeps(engine)
      await sweeping.runSweeps(engine)
    } finally {
      await sender.close()
    }
    expect(await flow.held(token.address, flow.usdt)).toBe(0n)
    expect((await flow.held(coin.address)) < 10n ** 15n).toBe(true)
    expect((await sweeping.merchantSweeps(merchantId)).map(({ state }) => state)).toEqual([
      'completed',
      'completed',
    ])
    expect(await sweeping.events(merchantId)).toHaveLength(2)
  })
})

it('a collect invoice is completed through its sweep', async () => {
  const { invoiceId, address } = await sweeping.open(merchantId, { type: 'collect', amount: '10' })
  await sweeping.send(address, 4_000_000n)
  await flow.mine(2)
  const engine = await sweeping.engine()
  const before = (await sweeping.sent()).length
  await engine.settle()
  expect(await sweeping.sent()).toHaveLength(before)
  await sweeping.send(address, 6_000_000n)
  await flow.mine(2)
  await sweeping.runSweeps(engine)
  const row = await invoiceRecords.one(flow.shop.db, { id: invoiceId }, 'collectState')
  expect(row.collectState).toBe('completed')
})

/** Returns a sender that reads from the chain but broadcasts nothing. */
function mute(sender: AccountSender): AccountSender {
  return altered(sender, { broadcast: () => Promise.reject(new NodeError('nobody answers')) })
}

/** Takes the database back to before the entries of the signer's log after `sequence`. */
async function forgetSince(sequence: number): Promise<void> {
  await flow.database.owner.query(sql`
    with lost as (
      select id from outgoing_transaction where state not in ('final', 'conflicted')
    ), position as (update signer_log_position set last_sequence = ${sequence}
    ), attempts as (delete from outgoing_transaction_attempt where outgoing_transaction_id in (select id from lost)
    ), deposits as (update deposit set sweep_id = null where sweep_id in (select id from lost)
    ), merchant_sweeps as (delete from merchant_sweep where sweep_id in (select id from lost))
    delete from swept_address where sweep_id in (select id from lost)`)
  await flow.database.owner.query(
    sql`delete from sweep where id in (select id from outgoing_transaction where state not in ('final', 'conflicted'))`,
  )
  await outgoingRecords.remove(flow.database.owner, { state: noneOf('final', 'conflicted') })
}
