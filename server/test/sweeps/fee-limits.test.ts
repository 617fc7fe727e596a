/** A8: what is brought in stays within what the signer attested that one transaction may cost. */
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AccountSender } from '../../src/chains/port.ts'
import { readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import type { NetworkPolicy, Policy } from '../../src/signer/judging/policy.ts'
import { sandboxPolicy } from '../../src/signer/judging/policy.ts'
import { altered } from '../support/altered.ts'
import { quantity } from '../support/anvil.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'
import { takePrices, testMnemonic } from '../support/shop.ts'
import { testChainId } from '../support/signer.ts'
import { onChain } from './on-chain.ts'

const flow = usePayoutFlow({ mnemonic: testMnemonic })
const { database, anvil } = flow
const sweeping = onChain(flow)
const gwei = 10n ** 9n
let merchantId: string

/** Of the example in docs/signer.md. */
const feePerTransactionMinor = 5n * 10n ** 16n

function policyOf(over: Partial<NetworkPolicy> = {}): Policy {
  const limits = { feePerTransactionMinor, feesPer24HoursMinor: 10n ** 20n, topUpsPer24HoursMinor: 0n }
  const ethereum = { chainId: testChainId, coin: { symbol: 'ETH', decimals: 18 }, ...limits, ...over }
  return { ...sandboxPolicy, networks: { ethereum } }
}

/** The node's own words, with another price of gas: as if blocks stayed as full as they are. */
function pricedAt(level: { baseFeeMinor: bigint }): AccountSender {
  return altered(flow.sender, {
    readFees: async () => ({ baseFeeMinor: level.baseFeeMinor, tipMinor: gwei }),
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
    from payout where kind = 'sweep' order by planned_at, id offset ${before}`)
  return rows.map(({ cost, deposits }) => ({ costMinor: BigInt(cost), deposits }))
}

async function refusals(): Promise<number> {
  return (await database.db.query(sql`select from payout_refusal`)).length
}

beforeEach(async () => {
  await takePrices(flow.shop)
  merchantId = await flow.shop.openMerchant()
  flow.signer = await flow.signer.reopen({ policy: policyOf() })
})

afterEach(() => sweeping.expectRightBooks())

async function deployed(): Promise<void> {
  await deposit(1)
  const machine = await sweeping.machine()
  await sweeping.bringIn(machine)
  await flow.endLeases()
}

it('A8 sixty addresses are swept at 50 gwei within the limits of the example, by several transactions', async () => {
  await deployed()
  const before = (await sweepsSince(0)).length
  const addresses = await deposit(60)
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(50n * gwei)])
  await flow.mine()
  const machine = await sweeping.machine({ sender: pricedAt({ baseFeeMinor: 50n * gwei }) })
  await sweeping.bringIn(machine)
  const sweeps = await sweepsSince(before)
  expect(sweeps.length).toBeGreaterThan(1)
  for (const { costMinor } of sweeps) expect(costMinor).toBeLessThanOrEqual(feePerTransactionMinor)
  expect(sweeps.reduce((total, { deposits }) => total + deposits, 0)).toBe(60)
  for (const address of addresses) expect(await flow.held(address, flow.usdt)).toBe(0n)
  expect([flow.alerts, await refusals(), await readHalts(database.db)]).toEqual([[], 0, []])
})

it('A8 what one address costs above the limit waits for the price, and goes as soon as that falls', async () => {
  await deployed()
  const [address = ''] = await deposit(1)
  const level = { baseFeeMinor: 50n * gwei }
  flow.signer = await flow.signer.reopen({ policy: policyOf({ feePerTransactionMinor: 2n * 10n ** 15n }) })
  const machine = await sweeping.machine({ sender: pricedAt(level) })
  await machine.settle()
  const waits = await database.db.query(sql`select cause from payout_wait`)
  expect(waits).toEqual([{ cause: 'price' }])
  expect(await flow.held(address, flow.usdt)).toBe(100_000_000n)
  level.baseFeeMinor = gwei
  await sweeping.bringIn(machine)
  expect(await flow.held(address, flow.usdt)).toBe(0n)
  expect(await refusals()).toBe(0)
})

it('A8 a sweep that the signer refused, since its limit was lowered meanwhile, goes in parts at once', async () => {
  await deployed()
  const before = (await sweepsSince(0)).length
  const machine = await sweeping.machine({ sender: pricedAt({ baseFeeMinor: 10n * gwei }) })
  await machine.settle()
  const loweredMinor = 12n * 10n ** 15n
  await flow.signer.signer.usePolicy(policyOf({ feePerTransactionMinor: loweredMinor }))
  const addresses = await deposit(12)
  await sweeping.bringIn(machine)
  const parts = await sweepsSince(before)
  expect(parts.length).toBeGreaterThan(1)
  for (const { costMinor } of parts) expect(costMinor).toBeLessThanOrEqual(loweredMinor)
  for (const address of addresses) expect(await flow.held(address, flow.usdt)).toBe(0n)
  expect([flow.alerts, await refusals()]).toEqual([['signer-refused'], 0])
})

it('A8 what used up the day is tried again when the price falls, before ten minutes are over', async () => {
  await deployed()
  const addresses = await deposit(4)
  const level = { baseFeeMinor: 20n * gwei }
  const spentMinor = 6n * 10n ** 15n
  // What the other tests paid was a day ago.
  const clock = { now: () => new Date(Date.now() + 25 * 60 * 60 * 1_000) }
  flow.signer = await flow.signer.reopen({ clock, policy: policyOf({ feesPer24HoursMinor: spentMinor }) })
  const machine = await sweeping.machine({ sender: pricedAt(level) })
  await machine.settle()
  expect(flow.alerts).toContain('signer-refused')
  await flow.mine()
  await machine.settle()
  expect(await database.db.query(sql`select cause from payout_wait`)).toEqual([{ cause: 'price' }])
  level.baseFeeMinor = 2n * gwei
  await sweeping.bringIn(machine)
  for (const address of addresses) expect(await flow.held(address, flow.usdt)).toBe(0n)
})
