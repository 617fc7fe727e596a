/**
 * The database, the signer's log with its checkpoint, or all three are restored from a snapshot while the
 * chain continued. Nobody is paid twice. soak.test.ts covers every other subset of the three.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { openQuorumSender } from '../../src/chains/quorum/sender.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { formatDecimal } from '../../src/core/money.ts'
import { balancesOf } from '../../src/ledger/balance.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { askRecovery } from '../../src/outgoing/engine/recovery/ask-recovery.ts'
import { readUnknownOutflows } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { pricePolicy } from '../../src/outgoing/evm/price-gas.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { altered } from '../support/altered.ts'
import { resumeHalts } from '../support/lifts.ts'
import { bookOutflows } from '../support/outflows.ts'
import { attemptsOf } from '../support/outgoing/attempts.ts'
import { attemptRecords, outgoingEvmRecords } from '../support/outgoing/records.ts'
import type { Engine } from '../support/outgoing-flow.ts'
import { balanceOf } from '../support/shop-readers.ts'
import type { TestSigner } from '../support/signer.ts'
import { restoreDatabase, restoreSigner, snapshotDatabase, snapshotSigner } from '../support/snapshot.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow({ hotWallets: 2 })
const { database, anvil } = flow

/** Small, so that few nonces have to be used up. */
const inFlightMax = 3
const usdt = 1_000_000n
/** Net amount of an order of 10 USDT after the fee. */
const netMinor = 9_800_000n

let signer: TestSigner
let merchantId = ''

beforeAll(() => {
  signer = flow.signer
})
afterAll(() => signer.signer.close().catch(() => {}))

async function engine(): Promise<Engine> {
  await flow.endLeases()
  return flow.engine({ outgoingSources: [flow.outgoingSource], signer: signer.signer, inFlightMax })
}

async function halts(): Promise<readonly string[]> {
  return (await readOutgoingFigures(database.db)).halts.map(({ cause }) => cause)
}

async function liftAll(): Promise<void> {
  await resumeHalts(database.db, flow.signer.keys)
}

/** Returns the signed transaction that paid an order. */
async function bytesOf(id: string): Promise<{ readonly hash: string; readonly raw: string }> {
  const { txHash, raw } = await attemptRecords.one(
    flow.shop.db,
    { outgoingTransactionId: id },
    'txHash',
    'raw',
  )
  return { hash: txHash, raw }
}

/**
 * Sends the signed transaction again, as anybody who has kept it can.
 * @returns whether a node accepted it
 */
async function sendForgotten({ raw }: { readonly raw: string }): Promise<boolean> {
  return anvil.rpc('eth_sendRawTransaction', [`0x${raw}`]).then(
    () => true,
    () => false,
  )
}

async function received(address: string): Promise<bigint> {
  return flow.held(address, flow.usdt)
}

/** Mines blocks and runs rounds until the orders are paid and no recovery is under way. */
async function playUntilPaid(running: Engine, ids: readonly string[]): Promise<void> {
  for (let blocks = 0; blocks < 40; blocks += 1) {
    await flow.mine()
    await running.settle()
    const states = await Promise.all(ids.map(async (id) => (await flow.row(id)).state))
    if (states.every((state) => state === 'completed')) return
  }
  const { waits } = await readOutgoingFigures(database.db)
  throw new Error(`not paid: ${JSON.stringify([await halts(), waits])}`)
}

/** Returns what the merchant's accounts of this name have of USDT. */
async function balanceMinor(name: 'available' | 'receivable'): Promise<bigint> {
  const balances = await balancesOf(flow.shop.db, [merchantId], name)
  return balances.get(merchantId)?.get('ethereum/USDT') ?? 0n
}

async function expectSound(): Promise<void> {
  const { entries } = await verify({ db: database.db, methods: flow.shop.methods })
  expect(entries.filter(({ ok }) => !ok)).toEqual([])
}

const subsets = [
  { name: 'the database alone', subset: ['database'] },
  { name: "the signer's log with its checkpoint", subset: ['log'] },
  { name: 'all three', subset: ['database', 'log'] },
] as const
const fates = ['mined', 'in the pool', 'in no pool'] as const

describe.each(subsets)('after a restore of $name', ({ subset }) => {
  const isBack = (part: 'database' | 'log') => subset.some((one) => one === part)

  it.each(fates)('what was sent since the snapshot, %s, is paid once', async (fate) => {
    merchantId = await flow.openFunded(100n * usdt)
    const before = await flow.order(merchantId)
    const first = await engine()
    await flow.playOut(first)
    const order = await flow.order(merchantId)
    const rows = await snapshotDatabase(database)
    const files = await snapshotSigner(signer)
    await first.settle()
    const bytes = await bytesOf(order.id)
    if (fate === 'mined') await flow.playOut(first)
    if (fate === 'in no pool') await anvil.rpc('anvil_dropTransaction', [bytes.hash])

    if (isBack('database')) await restoreDatabase(database, rows)
    if (isBack('log')) signer = await restoreSigner(signer, files)
    await flow.follow()
    // If both were restored and the signed transactions are in no mempool, Coffer cannot detect the loss. The
    // operator who restored them must request the recovery.
    if (subset.length === 2 && fate === 'in no pool')
      await inTransaction(database.db, (tx) => askRecovery(tx, { reason: 'the machine was restored' }))
    const restored = await engine()
    await restored.settle()
    expect(await halts()).toEqual(isBack('log') ? haltOf(subset, fate) : [])
    await liftAll()
    const later = await flow.order(merchantId)
    await playUntilPaid(restored, [order.id, later.id])
    const wasTaken = await sendForgotten(bytes)
    expect(wasTaken).toBe(false)
    await flow.playOut(restored)
    for (const { address } of [before, order, later]) expect(await received(address)).toBe(netMinor)
    expect(await readUnknownOutflows(database.db)).toEqual([])
    await expectSound()
  })
})

function haltOf(subset: readonly string[], fate: string): readonly string[] {
  if (subset.length === 1) return ['log-unknown']
  return fate === 'in no pool' ? [] : ['chain-ahead']
}

/** Returns one order, and a snapshot from before it was planned. */
async function beforeAnything(over: { readonly address?: string } = {}) {
  merchantId = await flow.openFunded(100n * usdt)
  const running = await engine()
  await flow.playOut(running)
  const order = await flow.order(merchantId, over)
  const rows = await snapshotDatabase(database)
  const files = await snapshotSigner(signer)
  return { order, running, rows, files }
}

type Snapshot = Pick<Awaited<ReturnType<typeof beforeAnything>>, 'rows' | 'files'>

async function restoreBoth({ rows, files }: Snapshot): Promise<void> {
  await restoreDatabase(database, rows)
  signer = await restoreSigner(signer, files)
  await flow.follow()
}

/** Returns the hot wallet and nonce of an order's outgoing transaction. */
function slotOf(id: string): Promise<{ readonly wallet: string; readonly nonce: number }> {
  return outgoingEvmRecords.one(flow.shop.db, { outgoingTransactionId: id }, 'wallet', 'nonce')
}

/** Returns the bytes that were signed for nonce-gap transactions at a slot. */
async function nonceGapTransactionsAt(slot: { readonly wallet: string; readonly nonce: number }) {
  const ids = await outgoingEvmRecords.all(flow.shop.db, slot, 'outgoingTransactionId')
  const id = ids.map(({ outgoingTransactionId }) => outgoingTransactionId)
  return attemptsOf(flow.shop.db, { id, kind: 'rebalance' })
}

describe('after a restore of database and log', () => {
  it('an order is not paid again from a hot wallet whose nonce is not ahead', async () => {
    merchantId = await flow.openFunded(100n * usdt)
    const running = await engine()
    const busy = await flow.order(merchantId)
    await running.settle()
    const order = await flow.order(merchantId)
    const snapshot = { rows: await snapshotDatabase(database), files: await snapshotSigner(signer) }
    await running.settle()
    expect((await slotOf(order.id)).wallet).not.toBe((await slotOf(busy.id)).wallet)
    await flow.playOut(running)
    await restoreBoth(snapshot)
    const restored = await engine()
    await flow.playOut(restored)
    expect(await received(order.address)).toBe(netMinor)
    expect(await halts()).toEqual(['chain-ahead'])
    await liftAll()
    await playUntilPaid(restored, [busy.id, order.id])
    await flow.playOut(restored)
    for (const { address } of [busy, order]) expect(await received(address)).toBe(netMinor)
    await expectSound()
  })

  it('bytes that appear during the recovery use one of its nonces, and pay their order', async () => {
    const { order, running, ...snapshot } = await beforeAnything()
    await running.settle()
    const bytes = await bytesOf(order.id)
    const { wallet, nonce } = await slotOf(order.id)
    await anvil.rpc('anvil_dropTransaction', [bytes.hash])
    await restoreBoth(snapshot)
    await inTransaction(database.db, (tx) => askRecovery(tx, { reason: 'the machine was restored' }))
    const restored = await engine()
    await restored.settle()
    const nonceGapTransactions = await nonceGapTransactionsAt({ wallet, nonce })
    const nonceGapTransaction = required(nonceGapTransactions[0], 'a transaction that fills the gap')
    await anvil.rpc('anvil_dropTransaction', [nonceGapTransaction.hash])
    expect(await sendForgotten(bytes)).toBe(true)
    await playUntilPaid(restored, [order.id])
    expect((await flow.row(order.id)).tx_hash).toBe(bytes.hash)
    expect(await received(order.address)).toBe(netMinor)
    expect(await halts()).toEqual([])
    const later = await flow.order(merchantId)
    await playUntilPaid(restored, [later.id])
    expect(await received(order.address)).toBe(netMinor)
    expect(await readUnknownOutflows(database.db)).toEqual([])
    await expectSound()
  })

  it('an order that was signed again is completed by the forgotten bytes that were mined under its nonce, and payouts halt', async () => {
    const { order, running, ...snapshot } = await beforeAnything()
    await running.settle()
    const bytes = await bytesOf(order.id)
    const slot = await slotOf(order.id)
    await anvil.rpc('anvil_dropTransaction', [bytes.hash])
    await restoreBoth(snapshot)
    // The engine pays a higher gas price now, so it signs a different transaction for the order.
    await flow.endLeases()
    const policy = { ...pricePolicy, maxPriorityFeePerGasMin: 3n * 10n ** 9n }
    const own = { outgoingSources: [flow.outgoingSource], signer: signer.signer, inFlightMax }
    const restored = await flow.engine({ ...own, policy })
    await restored.settle()
    const again = await bytesOf(order.id)
    expect(await slotOf(order.id)).toEqual(slot)
    expect(again.hash).not.toBe(bytes.hash)
    await anvil.rpc('anvil_dropTransaction', [again.hash])
    expect(await sendForgotten(bytes)).toBe(true)
    await playUntilPaid(restored, [order.id])
    expect(await halts()).toEqual(['chain-ahead'])
    expect((await flow.row(order.id)).tx_hash).toBe(bytes.hash)
    expect(await received(order.address)).toBe(netMinor)
    await liftAll()
    await playUntilPaid(restored, [(await flow.order(merchantId)).id])
    await expectSound()
  })

  it("an order that its merchant cancels before the payment is found is paid from the merchant's balance", async () => {
    const { order, running, ...snapshot } = await beforeAnything()
    await flow.playOut(running)
    const owned = { merchantId, invoiceId: '' }
    const paidBalance = await balanceOf(flow.shop, owned)
    await restoreBoth(snapshot)
    const restored = await engine()
    await restored.settle()
    expect(await halts()).toEqual(['chain-ahead'])
    const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
    await cancelWithdrawal(flow.orders, caller, { merchantId, id: order.id })
    await liftAll()
    await playUntilPaid(restored, [order.id])
    expect(await received(order.address)).toBe(netMinor)
    expect(await balanceOf(flow.shop, owned)).toBe(paidBalance)
    await expectSound()
  })

  it('of two equal orders of which one was paid, the other is paid once', async () => {
    const address = `0x${randomBytes(20).toString('hex')}`
    const { order, running, ...before } = await beforeAnything({ address })
    const twin = await flow.order(merchantId, { address })
    const snapshot = { ...before, rows: await snapshotDatabase(database) }
    await running.settle()
    const kept = await bytesOf(order.id)
    const lost = await bytesOf(twin.id)
    await anvil.rpc('anvil_dropTransaction', [lost.hash])
    await flow.mine(4)
    expect(await received(address)).toBe(netMinor)
    await restoreBoth(snapshot)
    const restored = await engine()
    await restored.settle()
    await liftAll()
    await playUntilPaid(restored, [order.id, twin.id])
    for (const bytes of [kept, lost]) expect(await sendForgotten(bytes)).toBe(false)
    await flow.playOut(restored)
    expect(await received(address)).toBe(2n * netMinor)
    await expectSound()
  })

  it('forgotten bytes that use its nonce, and then others after a reorganisation, supersede one transaction after the other', async () => {
    const { order: one, ...before } = await beforeAnything()
    const other = await flow.order(merchantId, { amount: '7' })
    const snapshot = { ...before, rows: await snapshotDatabase(database) }
    const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
    /**
     * Returns the transaction that was signed for one order while the other order was cancelled. Without the
     * cancellation, the two orders would get different nonces.
     */
    const forgottenOf = async (id: string, cancelled: string) => {
      await cancelWithdrawal(flow.orders, caller, { merchantId, id: cancelled })
      await (await engine()).settle()
      const found = { ...(await bytesOf(id)), slot: await slotOf(id) }
      await anvil.rpc('anvil_dropTransaction', [found.hash])
      await restoreBoth(snapshot)
      return found
    }
    const first = await forgottenOf(one.id, other.id)
    const second = await forgottenOf(other.id, one.id)
    expect(second.slot).toEqual(first.slot)
    await inTransaction(database.db, (tx) => askRecovery(tx, { reason: 'the machine was restored' }))
    const restored = await engine()
    await restored.settle()
    const { wallet, nonce } = first.slot
    const nonceGapTransactions = await nonceGapTransactionsAt({ wallet, nonce })
    const nonceGapTransaction = required(nonceGapTransactions[0], 'a transaction that fills the gap')
    await anvil.rpc('anvil_dropTransaction', [nonceGapTransaction.hash])
    const beforeBoth = await anvil.rpc('evm_snapshot', [])
    expect(await sendForgotten(first)).toBe(true)
    while ((await flow.row(one.id)).stage === 'queued') {
      await flow.mine()
      await restored.round()
    }
    await anvil.rpc('evm_revert', [beforeBoth])
    expect(await sendForgotten(second)).toBe(true)
    await flow.mine(12)
    await playUntilPaid(restored, [other.id])
    await flow.playOut(restored)
    expect((await flow.row(other.id)).tx_hash).toBe(second.hash)
    expect(await received(other.address)).toBe(6_830_000n)
    // The only transaction that pays this order can never be mined, so the merchant gets the money back.
    expect((await flow.row(one.id)).state).toBe('failed')
    expect(await received(one.address)).toBe(0n)
    const conflicted = await outgoingEvmRecords.all(database.db, { wallet, nonce, isSuperseded: true })
    expect(conflicted.length).toBe(2)
    await expectSound()
  })

  it('a payment for a lost order is reported as an outflow, and nothing is sent until an operator has booked it', async () => {
    const { running, ...snapshot } = await beforeAnything()
    const lost = await flow.order(merchantId, { amount: '7' })
    await flow.playOut(running)
    const { hash } = await bytesOf(lost.id)
    await restoreBoth(snapshot)
    const restored = await engine()
    await restored.settle()
    expect(await halts()).toEqual(['chain-ahead'])
    await liftAll()
    const later = await flow.order(merchantId)
    await flow.playOut(restored)
    expect((await flow.row(later.id)).stage).toBe('queued')
    const { waits } = await readOutgoingFigures(database.db)
    expect(waits.map(({ cause }) => cause)).toContain('recovery-unbooked')
    const before = await balanceMinor('available')
    expect(await bookOutflows(flow.shop, () => merchantId)).toBe(1)
    expect(before - (await balanceMinor('available'))).toBe(6_830_000n)
    await playUntilPaid(restored, [later.id])
    expect(await readUnknownOutflows(database.db)).toMatchObject([
      { txHash: hash, detail: expect.stringContaining(lost.address) },
    ])
    expect(flow.alerts).toContain('outflow-unknown')
    await expectSound()
  })

  it('a merchant that spent the money of a lost payment again owes it, and is paid nothing until it has repaid', async () => {
    const { running, ...snapshot } = await beforeAnything()
    await flow.order(merchantId, { amount: '7' })
    await flow.playOut(running)
    await restoreBoth(snapshot)
    const restored = await engine()
    await restored.settle()
    await liftAll()
    const whole = formatDecimal(await balanceMinor('available'), 6)
    const again = await flow.order(merchantId, { amount: whole })
    await flow.playOut(restored)
    await bookOutflows(flow.shop, () => merchantId)
    await flow.playOut(restored)
    expect((await flow.row(again.id)).stage).toBe('queued')
    expect(await received(again.address)).toBe(0n)
    expect(await balanceMinor('receivable')).toBe(6_830_000n)
    await expectSound()
  })
})

it('halts if one node of several shows an unknown transaction, and waits if too few of them answer', async () => {
  const { order, running, ...snapshot } = await beforeAnything()
  await flow.playOut(running)
  await restoreBoth(snapshot)
  const over = { outgoingSources: [flow.outgoingSource], signer: signer.signer, inFlightMax }
  const behind = altered(flow.sender, {
    readSentCounts: async (addresses) => [addresses.map(() => ({ final: 0, latest: 0, pending: 0 }))],
  })
  const away = altered(flow.sender, { readSentCounts: () => Promise.reject(new NodeError('away')) })
  await flow.endLeases()
  const alone = await flow.engine({ ...over, sender: openQuorumSender([behind, away], silentLog) })
  await expect(alone.round()).rejects.toThrow('1 of 2 nodes report the nonces of the hot wallets')
  expect((await flow.row(order.id)).stage).toBe('queued')
  expect(await halts()).toEqual([])
  await flow.endLeases()
  const quorumEngine = await flow.engine({
    ...over,
    sender: openQuorumSender([behind, flow.sender], silentLog),
  })
  await quorumEngine.settle()
  expect(await halts()).toEqual(['chain-ahead'])
  const [{ detail } = { detail: '' }] = (await readOutgoingFigures(database.db)).halts
  expect(detail).toContain('node 2 of 2')
  await liftAll()
  await playUntilPaid(await engine(), [order.id])
  expect(await received(order.address)).toBe(netMinor)
})

it('a log of a higher incarnation starts a recovery of every network, and one of a lower incarnation does so once an operator resumes payouts', async () => {
  const of = (logGeneration: number): Signer =>
    altered(signer.signer, { attest: async () => ({ ...(await signer.signer.attest()), logGeneration }) })
  const running = async (logGeneration: number) => {
    await flow.endLeases()
    return flow.engine({ outgoingSources: [flow.outgoingSource], signer: of(logGeneration), inFlightMax })
  }
  const { order } = await beforeAnything()
  await playUntilPaid(await running(1), [order.id])
  const next = await flow.order(merchantId)
  const higher = await running(2)
  await higher.settle()
  const [wait] = (await readOutgoingFigures(database.db)).waits
  expect(wait).toMatchObject({ cause: 'recovery', detail: expect.stringContaining('generation 2 after 1') })
  expect((await flow.row(next.id)).stage).toBe('queued')
  await playUntilPaid(higher, [next.id])
  await (await running(1)).settle()
  expect(await halts()).toEqual(['log-unknown'])
  await liftAll()
  // The newest log is found after all. If an older one comes again, an operator must decide again.
  await (await running(2)).settle()
  expect(await halts()).toEqual([])
  const last = await flow.order(merchantId)
  await (await running(1)).settle()
  await (await running(1)).settle()
  expect(await halts()).toEqual(['log-unknown'])
  expect((await flow.row(last.id)).stage).toBe('queued')
  await liftAll()
  const lower = await running(1)
  await lower.settle()
  const [again] = (await readOutgoingFigures(database.db)).waits
  expect(again).toMatchObject({ cause: 'recovery', detail: expect.stringContaining('has generation 1') })
  await playUntilPaid(lower, [last.id])
  for (const { address } of [order, next, last]) expect(await received(address)).toBe(netMinor)
  expect(await halts()).toEqual([])
  await expectSound()
})
