import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { saveOrder } from '../../src/outgoing/sweeps/deposited-store.ts'
import { previewSweeps } from '../../src/outgoing/sweeps/preview-sweeps.ts'
import { summarize } from '../../src/outgoing/sweeps/summarize.ts'
import { delegatedGas, sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { useDatabase } from '../support/database.ts'
import {
  collectionOrderRecords,
  collectionRecords,
  sweepRecords,
  sweepRetryRecords,
  sweptAddressRecords,
  sweptCoinRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import { depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { fromNow, moved } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import { delegate, hashOf, hotWallets, openSweeper, type Sweeper, single } from './sweeper.ts'

const database = useDatabase()
const shop = useShop(database)
let blocks: Blocks
let sweeper: Sweeper
let merchantId: string

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

beforeEach(async () => {
  await depositRecords.change(shop.db, {}, { sweepId: null })
  await sweepRetryRecords.remove(shop.db)
  await collectionOrderRecords.remove(shop.db)
  await sweptAddressRecords.remove(shop.db)
  await sweptCoinRecords.remove(shop.db)
  await collectionRecords.remove(shop.db)
  await sweepRecords.remove(shop.db)
  await depositRecords.change(shop.db, { state: 'confirmed' }, { confirmedAt: null, state: 'pending' })
  await depositRecords.change(shop.db, {}, { state: 'failed' })
  sweeper = await openSweeper(shop, blocks)
  merchantId = await shop.openMerchant()
})

const usdt = () => ({ type: 'token' as const, contract: shop.methods.byId(1)?.contract ?? '' })
const took = (sender: string, amountMinor: bigint) => ({ sender, asset: usdt(), amountMinor })

describe('a sweep', () => {
  it('takes many addresses of many merchants in one transaction, and completes and reports a collection of each once', async () => {
    const first = await sweeper.pay(merchantId, 10_000_000n)
    const second = await sweeper.pay(merchantId, 5_000_000n)
    const other = await shop.openMerchant()
    const third = await sweeper.pay(other, 7_000_000n)
    sweeper.node.delegated.add(second.address)
    const proposal = single(await sweeper.propose())
    expect(proposal).toMatchObject({
      intent: { kind: 'sweep', assets: [{ asset: 'ethereum/USDT', contract: usdt().contract }] },
      spends: undefined,
    })
    const { intent } = proposal
    if (intent.kind !== 'sweep') throw new Error('no sweep')
    expect(intent.deposits.map(({ delegationNonce }) => delegationNonce)).toEqual([0, 0, null])
    await sweeper.carryOut(proposal, [
      took(first.address, 10_000_000n),
      took(second.address, 5_000_000n),
      took(third.address, 7_000_000n),
    ])
    expect(await sweeper.propose()).toEqual([])
    expect(await sweeper.finish()).toBe(1)
    expect(await sweeper.finish()).toBe(0)
    expect(await sweeper.merchantSweeps(merchantId)).toEqual([
      { state: 'completed', amount: '15', transactions: 2 },
    ])
    expect(await sweeper.events(merchantId)).toEqual([
      {
        sweepID: expect.any(String),
        amount: '15',
        currency: 'USDT',
        paymentMethodID: 1,
        transactions: 2,
        txHash: hashOf(proposal),
        completedAt: expect.stringMatching(/Z$/),
      },
    ])
    expect(await sweeper.events(other)).toMatchObject([{ amount: '7', transactions: 1 }])
    expect(await sweeper.propose()).toEqual([])
  })

  it('is planned once: a planned sweep is not proposed again, and a repeated notification changes nothing', async () => {
    await sweeper.pay(merchantId, 10_000_000n)
    const proposal = single(await sweeper.propose())
    await sweeper.notify(proposal, 'planned')
    await sweeper.notify(proposal, 'planned')
    expect(await sweeper.propose()).toEqual([])
    expect(await sweeper.merchantSweeps(merchantId)).toEqual([
      { state: 'planned', amount: '10', transactions: 1 },
    ])
    await sweeper.notify(proposal, 'broadcast')
    expect(await sweeper.merchantSweeps(merchantId)).toMatchObject([{ state: 'sweeping' }])
  })

  it('waits for the contract that addresses are delegated to, which is deployed only once', async () => {
    await sweeper.pay(merchantId, 10_000_000n)
    sweeper.node.hasCode = false
    const deploy = single(await sweeper.propose())
    expect(deploy.intent).toEqual({ kind: 'deploy' })
    await sweeper.notify(deploy, 'planned')
    sweeper.node.hasCode = true
    expect(await sweeper.propose()).toEqual([])
    await sweeper.notify(deploy, 'final')
    expect(single(await sweeper.propose()).intent.kind).toBe('sweep')
  })

  it('E23 takes a deposit that arrived while it was in progress, and reports the total amount', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    const proposal = single(await sweeper.propose())
    await sweeper.notify(proposal, 'planned')
    await blocks.mine([blocks.pay(address, 3_000_000n)])
    await blocks.mine()
    await sweeper.carryOut(proposal, [took(address, 13_000_000n)])
    await sweeper.finish()
    expect(await sweeper.merchantSweeps(merchantId)).toEqual([
      { state: 'completed', amount: '13', transactions: 2 },
    ])
    expect(await sweeper.propose()).toEqual([])
  })

  it('E23 leaves a deposit that arrived after it to the next', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    const proposal = single(await sweeper.propose())
    await sweeper.notify(proposal, 'planned')
    await blocks.mine([blocks.pay(address, 3_000_000n)])
    await blocks.mine()
    await sweeper.carryOut(proposal, [took(address, 10_000_000n)])
    await sweeper.finish()
    const next = single(await sweeper.propose())
    await sweeper.carryOut(next, [took(address, 3_000_000n)])
    await sweeper.finish()
    expect(await sweeper.events(merchantId)).toMatchObject([{ amount: '10' }, { amount: '3' }])
  })

  it('A28 completes the addresses that it could take; the others are blocked, each time for longer', async () => {
    const good = await sweeper.pay(merchantId, 10_000_000n)
    const other = await shop.openMerchant()
    const bad = await sweeper.pay(other, 20_000_000n)
    const proposal = single(await sweeper.propose())
    await sweeper.carryOut(proposal, [took(good.address, 10_000_000n)])
    await sweeper.finish()
    expect(await sweeper.merchantSweeps(merchantId)).toMatchObject([{ state: 'completed' }])
    expect(await sweeper.merchantSweeps(other)).toMatchObject([{ state: 'blocked', amount: '20' }])
    expect(await sweeper.events(other)).toEqual([])
    expect(await sweeper.propose()).toEqual([])
    for (let tries = 2; tries <= 6; tries++) {
      await sweepRetryRecords.change(shop.db, {}, { retryAt: moved('-7 days') })
      await sweeper.carryOut(single(await sweeper.propose()), [])
      await sweeper.finish()
    }
    await sweepRetryRecords.change(shop.db, {}, { retryAt: moved('-7 days') })
    expect(await sweeper.propose()).toEqual([])
    await saveOrder(shop.db, 'ethereum')
    await sweeper.carryOut(single(await sweeper.propose()), [took(bad.address, 20_000_000n)])
    await sweeper.finish()
    expect(await sweeper.events(other)).toMatchObject([{ amount: '20' }])
    expect(await sweepRetryRecords.all(shop.db)).toEqual([])
  })

  it('that was mined without effect, or that the chain rejects before, leaves its deposits unswept', async () => {
    await sweeper.pay(merchantId, 10_000_000n)
    await sweeper.notify(single(await sweeper.propose()), 'refused')
    expect(await sweeper.propose()).toEqual([])
    await sweepRetryRecords.change(shop.db, {}, { retryAt: fromNow('-1 second') })
    const failing = single(await sweeper.propose())
    for (const to of ['planned', 'broadcast'] as const) await sweeper.notify(failing, to)
    await sweeper.notify(failing, 'final', { isSuccess: false })
    await sweeper.finish()
    expect(await sweeper.merchantSweeps(merchantId)).toMatchObject([{ state: 'blocked' }])
    await sweepRetryRecords.change(shop.db, {}, { retryAt: fromNow('-1 second') })
    expect(single(await sweeper.propose()).intent.kind).toBe('sweep')
  })

  it('is finished once, however many processes finish it', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    const proposal = single(await sweeper.propose())
    await sweeper.carryOut(proposal, [took(address, 10_000_000n)])
    const finished = await Promise.all(Array.from({ length: 5 }, () => sweeper.finish()))
    expect(finished.toSorted()).toEqual([0, 0, 0, 0, 1])
    expect(await sweeper.events(merchantId)).toHaveLength(1)
  })

  it('that is conflicted returns all its deposits for another sweep', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    const lost = single(await sweeper.propose())
    for (const to of ['planned', 'broadcast', 'conflicted'] as const) await sweeper.notify(lost, to)
    expect(await sweeper.merchantSweeps(merchantId)).toMatchObject([{ state: 'blocked' }])
    await sweeper.carryOut(single(await sweeper.propose()), [took(address, 10_000_000n)])
    await sweeper.finish()
    expect(await sweeper.events(merchantId)).toMatchObject([{ amount: '10' }])
  })

  it('that was planned, refused by the signer and given up returns all its deposits', async () => {
    await sweeper.pay(merchantId, 10_000_000n)
    const refused = single(await sweeper.propose())
    for (const to of ['planned', 'refused'] as const) await sweeper.notify(refused, to)
    expect(await sweeper.merchantSweeps(merchantId)).toMatchObject([{ state: 'blocked' }])
    expect(await sweepRecords.all(shop.db, {}, 'state')).toEqual([{ state: 'dropped' }])
    await sweepRetryRecords.remove(shop.db)
    expect(await sweeper.propose()).toHaveLength(1)
  })

  it('of a deposit that its chain reversed meanwhile takes nothing, and blocks no address', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    const proposal = single(await sweeper.propose())
    await sweeper.notify(proposal, 'planned')
    await blocks.undo(2)
    await sweeper.carryOut(proposal, [])
    await sweeper.finish()
    expect(await sweepRetryRecords.all(shop.db)).toEqual([])
    await blocks.mine([blocks.pay(address, 4_000_000n)])
    await blocks.mine()
    expect(single(await sweeper.propose()).intent.kind).toBe('sweep')
  })

  it('whose final block a dev chain loses is reported once', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    const proposal = single(await sweeper.propose())
    await sweeper.carryOut(proposal, [took(address, 10_000_000n)])
    await sweeper.finish()
    for (const to of ['broadcast', 'included', 'final'] as const) await sweeper.notify(proposal, to)
    expect(await sweeper.finish()).toBe(1)
    expect(await sweeper.events(merchantId)).toHaveLength(1)
    expect(await sweeper.propose()).toEqual([])
  })

  it('waits until the node shows it in its final block', async () => {
    await sweeper.pay(merchantId, 10_000_000n)
    const proposal = single(await sweeper.propose())
    for (const to of ['planned', 'broadcast', 'included', 'final'] as const)
      await sweeper.notify(proposal, to)
    expect(await sweeper.finish()).toBe(0)
    expect(await sweeper.merchantSweeps(merchantId)).toMatchObject([{ state: 'sweeping' }])
  })
})

describe('the deposits that are due', () => {
  it('are none below the merchant’s minimum, unless a withdrawal waits for them', async () => {
    await sweeper.pay(merchantId, 900_000n)
    expect(await sweeper.propose()).toEqual([])
    await withdrawalRecords.add(shop.db, { id: newId(), merchantId, ...smallOrder })
    sweeper.node.balances.set(`${hotWallets[1]}/${usdt().contract}`, 400_000n)
    expect(await sweeper.propose()).toEqual([])
    sweeper.node.balances.set(`${hotWallets[1]}/${usdt().contract}`, 399_999n)
    expect(single(await sweeper.propose()).intent.kind).toBe('sweep')
    await withdrawalRecords.remove(shop.db)
  })

  it('include coin if a waiting withdrawal lacks only the gas to send it', async () => {
    await sweeper.pay(merchantId, 3n * 10n ** 14n, 3)
    expect(await sweeper.propose()).toEqual([])
    await withdrawalRecords.add(shop.db, {
      id: newId(),
      merchantId,
      paymentMethodId: 3,
      asset: 'ethereum/ETH',
      address: '0x01',
      amountMinor: 10n ** 18n,
      amount: 1n,
      feeMinor: 0n,
    })
    // The gas at 3 gwei: a million units on each of the two hot wallets, and 21,000 for the transfer itself.
    const gasMinor = (2n * 1_000_000n + 21_000n) * 3n * 10n ** 9n
    sweeper.node.balances.set(`${hotWallets[0]}/`, 10n ** 18n + gasMinor)
    expect(await sweeper.propose()).toEqual([])
    sweeper.node.balances.set(`${hotWallets[0]}/`, 10n ** 18n + gasMinor - 1n)
    expect(single(await sweeper.propose()).intent.kind).toBe('sweep')
    await withdrawalRecords.remove(shop.db)
  })

  it('exclude an address while a payment to it is in quarantine, and not longer', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    const listed = { ...blocks.pay(address, 1_000_000n), verdict: 'listed' as const }
    await blocks.mine([listed])
    expect(await sweeper.propose()).toEqual([])
    await blocks.mine()
    expect(await sweeper.propose()).toEqual([])
    // The listed payment was dropped with its block, so no payment to the address is in quarantine.
    await blocks.undo(2)
    expect(await sweeper.propose()).toHaveLength(1)
    await blocks.mine([listed])
    await blocks.mine()
    expect(await sweeper.propose()).toEqual([])
    // A small payment of a listed sender must not lock other payments to the address for ever.
    await endQuarantine(shop, { depositId: await blocks.idOf(listed), outcome: 'seized' })
    expect(await sweeper.propose()).toHaveLength(1)
    await blocks.undo(2)
  })

  it('wait in production for others to share the fee, and are swept at once if an operator requests it', async () => {
    const production = await openSweeper(shop, blocks, sweepPolicies.production)
    await production.pay(merchantId, 50_000_000n)
    expect(await production.propose()).toEqual([])
    await saveOrder(shop.db, 'ethereum')
    expect(single(await production.propose()).intent.kind).toBe('sweep')
  })
})

describe('a preview', () => {
  it('returns by asset the amounts that a sweep takes and leaves, and the break-even amount, and requests nothing', async () => {
    for (const amountMinor of [20_000_000n, 5_000_000n, 100_000n]) {
      await sweeper.pay(await shop.openMerchant(), amountMinor)
    }
    await sweeper.pay(merchantId, 10n ** 16n, 3)
    const parts = { methods: shop.methods, policy: sweepPolicies.production, chainOf: () => sweeper.chain }
    const signal = new AbortController().signal
    const options = { signal, isOrdered: true }
    const found = await previewSweeps(parts, shop.db, 'ethereum', options)
    if (found === undefined) throw new Error('nothing lies there')
    const gasPriceMinor = 2n * 10n ** 9n
    const [usdtPreview, ethPreview] = summarize(shop.methods, found)
    expect(usdtPreview).toMatchObject({
      due: { amountMinor: 25_000_000n, addresses: 2, transactions: 1 },
      left: { amountMinor: 100_000n, addresses: 1 },
      costMinor: (delegatedGas.baseGas + 2n * delegatedGas.addressGas) * gasPriceMinor,
      // 75,000 gas at 2 gwei cost 0.00015 ETH, which is 0.375 USD at 2,500 USD per ETH.
      breakEvenMinor: 375_000n,
    })
    expect(ethPreview).toMatchObject({ due: { amountMinor: 10n ** 16n }, left: { addresses: 0 } })
    const unordered = await previewSweeps(parts, shop.db, 'ethereum', { signal })
    expect(unordered?.sweeps).toEqual([])
    expect(await collectionOrderRecords.all(shop.db)).toEqual([])
  })
})

describe('a collect invoice', () => {
  const collectStateOf = async (id: string) =>
    (await invoiceRecords.one(shop.db, { id }, 'collectState')).collectState

  it('is not swept while it collects, then changes through sweeping to completed', async () => {
    const invoiceId = await shop.openInvoice(merchantId, { type: 'collect', amount: '10' })
    const { address } = await shop.addressFor(invoiceId)
    await blocks.mine([blocks.pay(address, 4_000_000n)])
    await blocks.mine()
    expect(await sweeper.propose()).toEqual([])
    await blocks.mine([blocks.pay(address, 6_000_000n)])
    await blocks.mine()
    const lost = single(await sweeper.propose())
    await sweeper.notify(lost, 'planned')
    expect(await collectStateOf(invoiceId)).toBe('sweeping')
    await sweeper.notify(lost, 'conflicted')
    expect(await collectStateOf(invoiceId)).toBe('collecting')
    await sweeper.carryOut(single(await sweeper.propose()), [took(address, 10_000_000n)])
    expect(await collectStateOf(invoiceId)).toBe('sweeping')
    await sweeper.finish()
    expect(await collectStateOf(invoiceId)).toBe('completed')
  })

  it('whose money a withdrawal has taken already is completed when it ends', async () => {
    const invoiceId = await shop.openInvoice(merchantId, { type: 'collect', amount: '10' })
    const { address } = await shop.addressFor(invoiceId)
    await blocks.mine([blocks.pay(address, 4_000_000n)])
    await blocks.mine()
    await withdrawalRecords.add(shop.db, { id: newId(), merchantId, ...smallOrder })
    await sweeper.carryOut(single(await sweeper.propose()), [took(address, 4_000_000n)])
    await withdrawalRecords.remove(shop.db)
    await sweeper.finish()
    expect(await collectStateOf(invoiceId)).toBe('collecting')
    await invoiceRecords.change(shop.db, { id: invoiceId }, { state: 'expired' })
    await sweeper.finish()
    expect(await collectStateOf(invoiceId)).toBe('completed')
  })
})

describe('on a chain without delegation', () => {
  beforeEach(() => {
    sweeper.node.canDelegate = false
  })

  it('a token is sent by its address, which gets the coin for it, at most three times a day', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    sweeper.node.balances.set(`${address}/${usdt().contract}`, 12_000_000n)
    const topUp = single(await sweeper.propose())
    expect(topUp).toMatchObject({
      intent: { kind: 'top_up' },
      spends: { asset: 'ethereum/ETH', contract: null },
    })
    await sweeper.notify(topUp, 'planned')
    expect(await sweeper.merchantSweeps(merchantId)).toEqual([
      { state: 'funding', amount: '10', transactions: 1 },
    ])
    expect(await sweeper.propose()).toEqual([])
    await sweeper.notify(topUp, 'final')
    sweeper.node.balances.set(`${address}/`, 10n ** 18n)
    const directSweep = single(await sweeper.propose())
    expect(directSweep).toMatchObject({
      from: { type: 'deposit' },
      intent: { kind: 'direct_sweep', asset: 'ethereum/USDT', amountMinor: 10_000_000n },
    })
    await sweeper.carryOut(directSweep, [took(address, 10_000_000n)])
    await sweeper.finish()
    expect(await sweeper.merchantSweeps(merchantId)).toEqual([
      { state: 'completed', amount: '10', transactions: 1 },
    ])
    expect(await sweeper.events(merchantId)).toMatchObject([{ amount: '10', txHash: hashOf(directSweep) }])
  })

  it('E23 an address whose coin is spent repeatedly is topped up at most three times a day', async () => {
    const { address } = await sweeper.pay(merchantId, 10_000_000n)
    sweeper.node.balances.set(`${address}/${usdt().contract}`, 10_000_000n)
    for (let times = 0; times < 3; times++) {
      const topUp = single(await sweeper.propose())
      await sweeper.notify(topUp, 'planned')
      await sweeper.notify(topUp, 'final')
    }
    expect(await sweeper.propose()).toEqual([])
    await sweepRecords.change(shop.db, {}, { plannedAt: moved('-1 day') })
    expect(single(await sweeper.propose()).intent.kind).toBe('top_up')
  })

  it('coin pays for its own transfer, and later deposits are sent by the next', async () => {
    const { address } = await sweeper.pay(merchantId, 10n ** 16n, 3)
    sweeper.node.balances.set(`${address}/`, 3n * 10n ** 16n)
    const directSweep = single(await sweeper.propose())
    const { intent } = directSweep
    if (intent.kind !== 'direct_sweep') throw new Error('no forward')
    expect(intent.amountMinor < 10n ** 16n && intent.amountMinor > 9n * 10n ** 15n).toBe(true)
    await blocks.mine([blocks.pay(address, 2n * 10n ** 16n, 3)])
    await blocks.mine()
    const sent = { sender: address, asset: { type: 'coin' as const }, amountMinor: intent.amountMinor }
    await sweeper.carryOut(directSweep, [sent])
    await sweeper.finish()
    expect(await sweeper.merchantSweeps(merchantId)).toMatchObject([{ state: 'completed', transactions: 1 }])
    sweeper.node.balances.set(`${address}/`, 2n * 10n ** 16n)
    expect(single(await sweeper.propose()).intent.kind).toBe('direct_sweep')
  })
})

it('the purpose of a transaction in the signer’s log is restored from its intent alone', async () => {
  const { address } = await sweeper.pay(merchantId, 10_000_000n)
  const proposal = single(await sweeper.propose())
  expect(delegate).toMatch(/^0x/)
  await sweeper.notify(proposal, 'planned')
  await sweeper.notify(proposal, 'signed')
  await sweeper.carryOut(proposal, [took(address, 10_000_000n)])
  await sweeper.finish()
  expect(await sweeper.events(merchantId)).toHaveLength(1)
})

/** A withdrawal order of 0.5 USDT. */
const smallOrder = {
  paymentMethodId: 1,
  asset: 'ethereum/USDT',
  address: '0x01',
  amountMinor: 500_000n,
  amount: '0.5',
  feeMinor: 100_000n,
}
