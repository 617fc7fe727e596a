/**
 * Sweeps of coin that contracts sent, on a real chain whose node reports no call traces. Real engine, real signer.
 * At the end of each test, a node with traces must agree with the books.
 */
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { acquireLease, releaseLease } from '../../src/platform/db/lease.ts'
import { passOnce } from '../../src/recovery/found-by-balance/run-pass.ts'
import { devNetwork, openDevChain } from '../chains/evm-harness.ts'
import { readTestContract } from '../support/anvil.ts'
import { startLimitedNode } from '../support/limited-node.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { depositRecords } from '../support/payments/records.ts'
import { takePrices, testMnemonic } from '../support/shop.ts'
import { balanceOf } from '../support/shop-readers.ts'
import { onChain } from './on-chain.ts'

const flow = useOutgoingFlow({ mnemonic: testMnemonic })
const sweeping = onChain(flow)
const never = new AbortController().signal
const finney = 10n ** 15n
let merchantId: string

beforeEach(async () => {
  await takePrices(flow.shop)
  merchantId = await flow.shop.openMerchant()
  const traced = flow.reader
  const node = await startLimitedNode(flow.anvil.url, { missing: ['trace_block', 'debug_traceBlockByHash'] })
  const plain = openDevChain(node.url)
  await plain.checkIdentity(never)
  use(plain)
  onTestFinished(async () => {
    use(traced)
    await plain.close()
    await node.close()
    await sweeping.expectRightBooks()
  })
})

/** Makes the watcher, the engine and the sweeps read the chain through this reader. */
function use(reader: ChainReader): void {
  Object.assign(flow, { reader })
}

async function pass(): Promise<number> {
  const { db, methods, feeDefaults } = flow.shop
  const params = { name: 'a pass', holderId: newId(), ttlMs: limits.leaseMs }
  const lease = required(await acquireLease(db, params), 'a lease')
  const parts = { db, chain: flow.reader, methods, feeDefaults, log: silentLog }
  const found = await passOnce(parts, lease, never).finally(() => releaseLease(db, lease))
  return found.length
}

async function sendInside(address: string, amountMinor: bigint): Promise<void> {
  const artifact = await readTestContract('Forwarder')
  const contract = await flow.anvil.deploy(artifact)
  const args = [[address], [amountMinor]]
  await flow.anvil.sendCall({ contract, artifact, name: 'pay', args, valueMinor: amountMinor })
}

function rowsOf(recipient: string) {
  return depositRecords.all(flow.database.db, { recipient }, 'amountMinor', 'sweepId', 'state')
}

const balance = () => balanceOf(flow.shop, { merchantId, invoiceId: '' }, 3)

it('is credited and swept, because the balance is compared before the sweep', async () => {
  const { address } = await sweeping.open(merchantId, { methodId: 3 })
  await sweeping.send(address, 10n * finney, 'coin')
  await sendInside(address, 7n * finney)
  await flow.mine(4)
  const engine = await sweeping.engine()
  await sweeping.runSweeps(engine)
  await engine.settle()
  expect(await flow.held(address), 'waits for the comparison').toBe(17n * finney)
  expect(await pass()).toBe(1)
  await sweeping.runSweeps(engine)
  expect(await flow.held(address)).toBe(0n)
  const rows = await rowsOf(address)
  expect(rows.map(({ amountMinor }) => amountMinor)).toEqual([`${10n * finney}`, `${7n * finney}`])
  for (const { sweepId, state } of rows) expect([sweepId === null, state]).toEqual([false, 'confirmed'])
  expect(await sweeping.events(merchantId)).toMatchObject([{ amount: '0.017', transactions: 2 }])
  const credited = await balance()
  await flow.mine(4)
  expect(await pass()).toBe(0)
  expect(await balance()).toBe(credited)
})

it('that a sweep took before it was booked is credited once, as swept', async () => {
  const { address } = await sweeping.open(merchantId, { methodId: 3 })
  await sweeping.send(address, 10n * finney, 'coin')
  await flow.mine(4)
  const engine = await sweeping.engine()
  await engine.settle()
  await pass()
  // It arrives after the comparison, and the sweep takes it along.
  await sendInside(address, 3n * finney)
  await flow.mine()
  await sweeping.runSweeps(engine)
  expect(await flow.held(address)).toBe(0n)
  expect(await rowsOf(address)).toHaveLength(1)
  await flow.mine(4)
  expect(await pass()).toBe(1)
  const rows = await rowsOf(address)
  expect(rows.map(({ amountMinor }) => amountMinor)).toEqual([`${10n * finney}`, `${3n * finney}`])
  expect(rows[1]?.sweepId, 'it is in a hot wallet').toBe(rows[0]?.sweepId)
  await flow.mine(4)
  expect(await pass()).toBe(0)
  await sendInside(address, 2n * finney)
  await flow.mine(4)
  expect(await pass()).toBe(1)
  expect((await rowsOf(address))[2]).toMatchObject({ amountMinor: `${2n * finney}`, sweepId: null })
})

it('is told from the top-up and the fees of an address that sends by itself', async () => {
  const { address } = await sweeping.open(merchantId)
  await sweeping.send(address, 3_000_000n)
  await flow.mine(4)
  const sender = openSender({
    network: { ...devNetwork, canDelegate: false },
    urls: [flow.anvil.url],
    log: silentLog,
  })
  const engine = await sweeping.engine({ sender })
  await sweeping.runSweeps(engine)
  await flow.mine(4)
  expect(await flow.held(address)).toBeGreaterThan(0n)
  expect(await pass(), 'what is left of the top-up').toBe(0)
  expect(await rowsOf(address)).toHaveLength(1)
  await sendInside(address, 5n * finney)
  await flow.mine(4)
  expect(await pass()).toBe(1)
  expect((await rowsOf(address))[1]).toMatchObject({ amountMinor: `${5n * finney}` })
  await sender.close()
})
