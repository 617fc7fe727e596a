/** Tests the fault case A8: sweeps stay within the limit for one transaction that the signer attested. */
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AccountSender } from '../../src/chains/port.ts'
import { readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import type { NetworkPolicy, Policy } from '../../src/signer/authorization/policy.ts'
import { sandboxPolicy } from '../../src/signer/authorization/policy.ts'
import { altered } from '../support/altered.ts'
import { quantity } from '../support/anvil.ts'
import { refusalRecords, waitRecords } from '../support/outgoing/records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { takePrices, testMnemonic } from '../support/shop.ts'
import { testChainId } from '../support/signer.ts'
import { onChain } from './on-chain.ts'

const flow = useOutgoingFlow({ mnemonic: testMnemonic })
const { database, anvil } = flow
const sweeping = onChain(flow)
const gwei = 10n ** 9n
let merchantId: string

/** The limit of the example in docs/signer.md. */
const feePerTransactionMinor = 5n * 10n ** 16n

function policyOf(over: Partial<NetworkPolicy> = {}): Policy {
  const limits = { feePerTransactionMinor, feesPer24HoursMinor: 10n ** 20n, topUpsPer24HoursMinor: 0n }
  const ethereum = { chainId: testChainId, coin: { symbol: 'ETH', decimals: 18 }, ...limits, ...over }
  return { ...sandboxPolicy, networks: { ethereum } }
}

/** Returns the node's sender with another gas price that stays the same from block to block. */
function pricedAt(level: { baseFeePerGas: bigint }): AccountSender {
  return altered(flow.sender, {
    readFees: async () => ({ baseFeePerGas: level.baseFeePerGas, maxPriorityFeePerGas: gwei }),
  })
}

async function deposit(count: number): Promise<readonly string[]> {
  const addresses: string[] = []
  for (let made = 0; made < count; made += 1) addresses.push((await sweeping.open(merchantId)).address)
  for (const address of addresses) await sweeping.send(address, 100_000_000n)
  await flow.mine(2)
  return addresses
}

async function sweepsSince(before: number) {
  const rows = await database.db.query<{ cost: string; deposits: number }>(sql`
    select max_cost_minor as cost, jsonb_array_length(intent::jsonb -> 'deposits') as deposits
    from outgoing_transaction where kind = 'sweep' order by planned_at, id offset ${before}`)
  return rows.map(({ cost, deposits }) => ({ costMinor: BigInt(cost), deposits }))
}

async function refusals(): Promise<number> {
  return (await refusalRecords.all(database.db)).length
}

beforeEach(async () => {
  await takePrices(flow.shop)
  merchantId = await flow.shop.openMerchant()
  flow.signer = await flow.signer.reopen({ policy: policyOf() })
})

afterEach(() => sweeping.expectRightBooks())

async function deployed(): Promise<void> {
  await deposit(1)
  const engine = await sweeping.engine()
  await sweeping.runSweeps(engine)
  await flow.endLeases()
}

it('A8 sweeps sixty addresses at 50 gwei within the limits of the example, by several transactions', async () => {
  await deployed()
  const before = (await sweepsSince(0)).length
  const addresses = await deposit(60)
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(50n * gwei)])
  await flow.mine()
  const engine = await sweeping.engine({ sender: pricedAt({ baseFeePerGas: 50n * gwei }) })
  await sweeping.runSweeps(engine)
  const sweeps = await sweepsSince(before)
  expect(sweeps.length).toBeGreaterThan(1)
  for (const { costMinor } of sweeps) expect(costMinor).toBeLessThanOrEqual(feePerTransactionMinor)
  expect(sweeps.reduce((total, { deposits }) => total + deposits, 0)).toBe(60)
  for (const address of addresses) expect(await flow.held(address, flow.usdt)).toBe(0n)
  expect([flow.alerts, await refusals(), await readHalts(database.db)]).toEqual([[], 0, []])
})

it('A8 postpones an address whose sweep costs more than the limit until the price falls', async () => {
  await deployed()
  const [address = ''] = await deposit(1)
  const level = { baseFeePerGas: 50n * gwei }
  flow.signer = await flow.signer.reopen({ policy: policyOf({ feePerTransactionMinor: 2n * 10n ** 15n }) })
  const engine = await sweeping.engine({ sender: pricedAt(level) })
  await engine.settle()
  const waits = await waitRecords.all(database.db, {}, 'cause')
  expect(waits).toEqual([{ cause: 'price' }])
  expect(await flow.held(address, flow.usdt)).toBe(100_000_000n)
  level.baseFeePerGas = gwei
  await sweeping.runSweeps(engine)
  expect(await flow.held(address, flow.usdt)).toBe(0n)
  expect(await refusals()).toBe(0)
})

it('A8 splits a sweep at once that the signer refused because its limit was lowered meanwhile', async () => {
  await deployed()
  const before = (await sweepsSince(0)).length
  const engine = await sweeping.engine({ sender: pricedAt({ baseFeePerGas: 10n * gwei }) })
  await engine.settle()
  const loweredMinor = 12n * 10n ** 15n
  await flow.signer.signer.usePolicy(policyOf({ feePerTransactionMinor: loweredMinor }))
  const addresses = await deposit(12)
  await sweeping.runSweeps(engine)
  const parts = await sweepsSince(before)
  expect(parts.length).toBeGreaterThan(1)
  for (const { costMinor } of parts) expect(costMinor).toBeLessThanOrEqual(loweredMinor)
  for (const address of addresses) expect(await flow.held(address, flow.usdt)).toBe(0n)
  expect([flow.alerts, await refusals()]).toEqual([['signer-refused'], 0])
})

it('A8 tries a sweep that exceeded the limit of the day again when the price falls, before ten minutes are over', async () => {
  await deployed()
  const addresses = await deposit(4)
  const level = { baseFeePerGas: 20n * gwei }
  const spentMinor = 6n * 10n ** 15n
  // The clock is 25 hours ahead, so that the payments of the other tests no longer count.
  const clock = { now: () => new Date(Date.now() + 25 * 60 * 60 * 1_000) }
  flow.signer = await flow.signer.reopen({ clock, policy: policyOf({ feesPer24HoursMinor: spentMinor }) })
  const engine = await sweeping.engine({ sender: pricedAt(level) })
  await engine.settle()
  expect(flow.alerts).toContain('signer-refused')
  await flow.mine()
  await engine.settle()
  expect(await waitRecords.all(database.db, {}, 'cause')).toEqual([{ cause: 'price' }])
  level.baseFeePerGas = 2n * gwei
  await sweeping.runSweeps(engine)
  for (const address of addresses) expect(await flow.held(address, flow.usdt)).toBe(0n)
})
