/** Database, signer's log, or both are restored from a snapshot while the chain went on: nobody is paid twice. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { readPayoutFigures } from '../../src/payouts/figures.ts'
import { resumePayouts } from '../../src/payouts/halts.ts'
import { askRecovery } from '../../src/payouts/recovery/ask-recovery.ts'
import { readUnknownOutflows } from '../../src/payouts/recovery/outflow-store.ts'
import { verify } from '../../src/verify/verify.ts'
import type { Machine } from '../support/payout-flow.ts'
import type { TestSigner } from '../support/signer.ts'
import { restoreDatabase, restoreSigner, snapshotDatabase, snapshotSigner } from '../support/snapshot.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow({ lanes: 2 })
const { database, anvil } = flow

/** Few, so that few places have to be used up. */
const inFlightMax = 3
const usdt = 1_000_000n
/** Of an order of 10 USDT, once the fee is taken. */
const netMinor = 9_800_000n

let signer: TestSigner
let merchantId = ''

beforeAll(() => {
  signer = flow.signer
})
afterAll(() => signer.signer.close().catch(() => {}))

async function machine(): Promise<Machine> {
  await flow.endLeases()
  return flow.machine({ purposes: [flow.purpose], signer: signer.signer, inFlightMax })
}

async function halts(): Promise<readonly string[]> {
  return (await readPayoutFigures(database.db)).halts.map(({ cause }) => cause)
}

async function liftAll(): Promise<void> {
  for (const cause of await halts())
    await inTransaction(database.db, (tx) => resumePayouts(tx, cause, { reason: 'a snapshot was restored' }))
}

/** The bytes of what paid an order. */
async function bytesOf(id: string): Promise<{ readonly hash: string; readonly raw: string }> {
  return flow.shop.row(sql`select tx_hash as hash, raw from payout_attempt where payout_id = ${id}`)
}

/** Somebody who kept the bytes sends them once more. @returns whether a node took them */
async function sendForgotten({ raw }: { readonly raw: string }): Promise<boolean> {
  return anvil.rpc('eth_sendRawTransaction', [`0x${raw}`]).then(
    () => true,
    () => false,
  )
}

async function received(address: string): Promise<bigint> {
  return flow.held(address, flow.usdt)
}

/** Blocks and rounds until the orders are paid and no recovery is under way. */
async function playUntilPaid(running: Machine, ids: readonly string[]): Promise<void> {
  for (let blocks = 0; blocks < 40; blocks += 1) {
    await flow.mine()
    await running.settle()
    const states = await Promise.all(ids.map(async (id) => (await flow.row(id)).state))
    if (states.every((state) => state === 'completed')) return
  }
  const { waits } = await readPayoutFigures(database.db)
  throw new Error(`not paid: ${JSON.stringify([await halts(), waits])}`)
}

async function expectSound(): Promise<void> {
  const { entries } = await verify({ db: database.db, methods: flow.shop.methods })
  expect(entries.filter(({ ok }) => !ok)).toEqual([])
}

const subsets = [
  { name: 'the database alone', subset: ['database'] },
  { name: "the signer's log alone", subset: ['log'] },
  { name: 'both', subset: ['database', 'log'] },
] as const
const fates = ['mined', 'in the pool', 'in no pool'] as const

describe.each(subsets)('where $name went back', ({ subset }) => {
  const isBack = (part: 'database' | 'log') => subset.some((one) => one === part)

  it.each(fates)('what was sent since, %s, is paid once', async (fate) => {
    merchantId = await flow.openFunded(100n * usdt)
    const before = await flow.order(merchantId)
    const first = await machine()
    await flow.playOut(first)
    const order = await flow.order(merchantId)
    const [rows, files] = [await snapshotDatabase(database), await snapshotSigner(signer)]
    await first.settle()
    const bytes = await bytesOf(order.id)
    if (fate === 'mined') await flow.playOut(first)
    if (fate === 'in no pool') await anvil.rpc('anvil_dropTransaction', [bytes.hash])

    if (isBack('database')) await restoreDatabase(database, rows)
    if (isBack('log')) signer = await restoreSigner(signer, files)
    await flow.follow()
    // Nothing shows that both went back where the bytes lie nowhere: the operator, who restored them, says so.
    if (subset.length === 2 && fate === 'in no pool')
      await inTransaction(database.db, (tx) => askRecovery(tx, { reason: 'the machine was restored' }))
    const restored = await machine()
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
