/** Tests money that the books count and the chain does not hold: its asset halts, and no other. */
import { once } from 'node:events'
import { beforeAll, expect, it, vi } from 'vitest'
import { type AccountSender, NodeError } from '../../src/chains/port.ts'
import { openQuorumSender } from '../../src/chains/quorum/sender.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { readAssetHalts } from '../../src/outgoing/engine/controls/asset-halt-store.ts'
import { resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { SolvencyState } from '../../src/outgoing/engine/controls/solvency-state.ts'
import { readWaits } from '../../src/outgoing/engine/controls/wait-store.ts'
import { runEngine } from '../../src/outgoing/engine/run.ts'
import { overAccounts } from '../../src/outgoing/evm/evm-strategy.ts'
import { solvencyCheck } from '../../src/oversight/verify/continuous-solvency.ts'
import { acquireLease } from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { type Signer, SignerAwayError } from '../../src/signing/signer-port.ts'
import { altered } from '../support/altered.ts'
import { quantity } from '../support/anvil.ts'
import { leaseRecords } from '../support/chains/records.ts'
import { anyHistory } from '../support/going-back.ts'
import { assetHaltRecords } from '../support/outgoing/records.ts'
import { depositRecords } from '../support/payments/records.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'
import { type HostileToken, makeHostile } from './hostile-token.ts'

const flow = useWithdrawalFlow()
let token: HostileToken

beforeAll(async () => {
  token = await makeHostile(flow)
  await flow.setTokens(0n, 0n)
})

/** Runs one comparison as payouts do under their lease, and returns its result. */
async function check(
  signer: Signer = flow.signer.signer,
  solvency: SolvencyState = new SolvencyState(),
  sender: AccountSender = flow.sender,
): Promise<SolvencyState> {
  const { db, methods } = flow.shop
  const transferRequest = { name: 'a comparison', holderId: newId(), ttlMs: 60_000 }
  await leaseRecords.change(db, { name: transferRequest.name }, { expiresAt: '-infinity' })
  const lease = required(await acquireLease(db, transferRequest), 'the lease')
  const { log } = flow.parts()
  const engine = overAccounts(flow.parts({ signer, sender }))
  await solvencyCheck({ db, methods, log, engine }, lease, solvency).runBatch(new AbortController().signal)
  return solvency
}

async function fundedAddress(): Promise<{ merchantId: string; address: string }> {
  const merchantId = await flow.openFunded(100_000_000n)
  const { recipient: address } = await depositRecords.one(flow.shop.db, { merchantId }, 'recipient')
  return { merchantId, address }
}

/** Runs one comparison with several nodes that report receipts, and returns its result. */
function checkWith(senders: readonly AccountSender[]): Promise<SolvencyState> {
  return check(flow.signer.signer, new SolvencyState(), openQuorumSender(senders, silentLog))
}

it('an asset does not halt while nodes disagree on the receipt of a payout that the books still count', async () => {
  const { sender } = flow
  const { merchantId, address } = await fundedAddress()
  // The hot wallet pays, and together with the deposit it holds exactly what the books say.
  await flow.setTokens(20_000_000n, 0n)
  await token.take(address, 20_000_000n)
  const engine = await flow.payer()
  await engine.settle()
  const { id } = await flow.order(merchantId)
  await engine.settle()
  const denying = altered(sender, {
    readReceipts: async (hashes, signal) => {
      const receipts = await sender.readReceipts(hashes, signal)
      return receipts.map((receipt) => receipt && { ...receipt, isSuccess: false })
    },
  })
  const lagging = altered(sender, { readReceipts: async (hashes) => hashes.map(() => undefined) })
  const away = altered(sender, { readReceipts: () => Promise.reject(new NodeError('away')) })
  await flow.anvil.mine(1)
  // The receipt is above the last booked block, so it does not matter who has it.
  expect((await checkWith([sender, lagging])).isFresh).toBe(true)
  await flow.follow()
  await expect(checkWith([sender, denying, away])).rejects.toThrow('no two of 3 nodes agree')
  await expect(checkWith([sender, lagging])).rejects.toThrow('no two of 2 nodes agree')
  expect(await readAssetHalts(flow.shop.db)).toEqual([])
  expect((await checkWith([denying, sender, sender])).isFresh).toBe(true)
  expect(await readAssetHalts(flow.shop.db)).toEqual([])
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ state: 'completed' })
  await check()
  expect(await readAssetHalts(flow.shop.db)).toEqual([])
})

it('an asset of which the chain holds less than the books say is halted until an operator lifts the halt', async () => {
  const { merchantId, address } = await fundedAddress()
  const engine = await flow.payer()
  await engine.settle()
  await check()
  expect(await readAssetHalts(flow.shop.db)).toEqual([])
  await token.take(address, 1n)
  await flow.mine()
  // Nothing halts yet. The missing amount may have been sent by a transaction that is only in the signer's
  // log, and the signer does not answer now.
  const away = () => Promise.reject(new SignerAwayError('away'))
  const control = { countersign: away, halt: away, lift: away }
  await check({ control, attest: away, sign: away, readLog: away })
  expect(await readAssetHalts(flow.shop.db)).toEqual([])
  await check()
  expect(await readAssetHalts(flow.shop.db)).toMatchObject([
    {
      asset: 'ethereum/USDT',
      cause: 'insolvent',
      detail: expect.stringContaining('1 ethereum/USDT are missing'),
    },
  ])
  expect(flow.alerts).toContain('asset-halted')
  await flow.setTokens(100_000_000n)
  const { id } = await flow.order(merchantId)
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ stage: 'queued' })
  expect((await readWaits(flow.shop.db)).map(({ cause }) => cause)).toContain('asset-halted:ethereum/USDT')
  await inTransaction(flow.shop.db, (tx) => resumeAsset(tx, 'ethereum/USDT', { reason: 'refilled' }))
  await check()
  expect(await readAssetHalts(flow.shop.db)).toEqual([])
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ state: 'completed' })
})

it('one slow comparison, as at a start, does not delay the next; a second slow one does', async () => {
  const { db, methods } = flow.shop
  const { log } = flow.parts()
  const { signer } = flow.signer
  const realNow = performance.now.bind(performance)
  let waitedMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + waitedMs)
  const readLog: Signer['readLog'] = (from, max) => {
    waitedMs += 5_000
    return signer.readLog(from, max)
  }
  const engine = overAccounts(
    flow.parts({
      signer: {
        control: signer.control,
        attest: () => signer.attest(),
        sign: (requests) => signer.sign(requests),
        readLog,
      },
    }),
  )
  const leaseParams = { name: 'slow comparisons', holderId: newId(), ttlMs: 60_000 }
  const lease = required(await acquireLease(db, leaseParams), 'the lease')
  const slow = solvencyCheck({ db, methods, log, engine }, lease, new SolvencyState())
  try {
    await slow.runBatch(new AbortController().signal)
    expect(slow.idleMs).toBe(limits.continuousCheckMs)
    await slow.runBatch(new AbortController().signal)
    expect(slow.idleMs).toBeGreaterThanOrEqual(20 * 5_000)
  } finally {
    clock.mockRestore()
  }
})

it('transactions that were planned before the halt of their asset are withdrawn, and orders of other assets are kept', async () => {
  await flow.setTokens(100_000_000n, 100_000_000n)
  const paid = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 5n })
  const coin = await flow.pay({ asset: 'ethereum/ETH', contract: null, netMinor: 7n })
  const { signer } = flow.signer
  let isDead = true
  const engine = await flow.engine({
    signer: {
      control: signer.control,
      attest: () => signer.attest(),
      readLog: (from, max) => signer.readLog(from, max),
      sign: async (requests) => {
        if (isDead) throw new Error('died before it signed')
        return signer.sign(requests)
      },
    },
  })
  await expect(engine.round()).rejects.toThrow('died')
  isDead = false
  await assetHaltRecords.add(flow.shop.db, { asset: 'ethereum/USDT', cause: 'insolvent', detail: 'a test' })
  await engine.settle()
  await engine.finish(4)
  expect(await flow.held(coin.address)).toBe(7n)
  expect(await flow.held(paid.address, flow.usdt)).toBe(0n)
  await inTransaction(flow.shop.db, (tx) => resumeAsset(tx, 'ethereum/USDT', { reason: 'a test' }))
  await engine.finish(4)
  expect(await flow.held(paid.address, flow.usdt)).toBe(5n)
})

it('nothing is planned or signed before the paying process itself has compared the books with the chain', async () => {
  await flow.setTokens(100_000_000n, 100_000_000n)
  const planned = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 5n })
  const { signer } = flow.signer
  const died = () => Promise.reject(new Error('died before it signed'))
  const { control } = signer
  const dead: Signer = {
    control,
    attest: () => signer.attest(),
    readLog: (from, max) => signer.readLog(from, max),
    sign: died,
  }
  await expect((await flow.engine({ signer: dead })).round()).rejects.toThrow('died')
  await flow.endLeases()
  const engine = await flow.engine()
  const solvency = new SolvencyState()
  engine.memory.solvency = solvency
  const later = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 7n })
  await engine.finish(3)
  expect(await flow.held(planned.address, flow.usdt)).toBe(0n)
  expect((await flow.transferRequest(later.id)).moves).toEqual([])
  const causes = (await readWaits(flow.shop.db)).map(({ cause }) => cause)
  expect(causes).toEqual(['solvency-unchecked'])
  solvency.note([], 60_000)
  await engine.finish(4)
  expect(await flow.held(planned.address, flow.usdt)).toBe(5n)
  expect(await flow.held(later.address, flow.usdt)).toBe(7n)
})

it('a halt that somebody deletes still stops its asset, until the chain holds what the books say', async () => {
  const { address } = await fundedAddress()
  // Resets the balances, because the transfer requests of other tests are not in the books.
  for (const hotWallet of flow.signer.keys.hotWallets)
    await flow.anvil.rpc('anvil_setBalance', [hotWallet, quantity(200n * 10n ** 18n)])
  await flow.setTokens(0n, 0n)
  const engine = await flow.engine()
  engine.memory.solvency = await check()
  await token.take(address, 50_000_000n)
  await flow.mine()
  await check(flow.signer.signer, engine.memory.solvency)
  expect(await readAssetHalts(flow.shop.db)).toMatchObject([{ cause: 'insolvent' }])
  await assetHaltRecords.remove(flow.shop.db)
  await flow.setTokens(100_000_000n, 100_000_000n)
  const paid = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 5n })
  const coin = await flow.pay({ asset: 'ethereum/ETH', contract: null, netMinor: 7n })
  await engine.finish(4)
  expect(await flow.held(coin.address)).toBe(7n)
  expect((await flow.transferRequest(paid.id)).moves).toEqual([])
  expect((await readWaits(flow.shop.db)).map(({ cause }) => cause)).toEqual(['asset-halted:ethereum/USDT'])
  await check(flow.signer.signer, engine.memory.solvency)
  await engine.finish(4)
  expect(await flow.held(paid.address, flow.usdt)).toBe(5n)
})

it('running payouts begin with a comparison under their own lease, and continue as soon as it ends', async () => {
  const stopping = new AbortController()
  let solvency: SolvencyState | undefined
  const running = runEngine({
    ...overAccounts(flow.parts()),
    clock: systemClock,
    guard: anyHistory,
    pollMs: 60_000,
    signal: stopping.signal,
    keepSolvent: async (lease, own, signal) => {
      expect(lease.name).toBe('payouts ethereum')
      solvency = own
      await once(signal, 'abort')
    },
  })
  try {
    const paid = await flow.pay()
    const causes = async () => (await readWaits(flow.shop.db)).map(({ cause }) => cause)
    await vi.waitFor(() => expect(solvency).toBeDefined(), 10_000)
    await flow.mine()
    await vi.waitFor(async () => expect(await causes()).toContain('solvency-unchecked'), 10_000)
    expect((await flow.transferRequest(paid.id)).moves).toEqual([])
    solvency?.note([], 60_000)
    await vi.waitFor(
      async () => expect((await flow.transferRequest(paid.id)).moves).toContain('signed'),
      10_000,
    )
  } finally {
    stopping.abort()
    await running
  }
})
