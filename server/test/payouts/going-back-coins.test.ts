/** Database, signer's log, or both are restored from a snapshot while coins of ours were spent on litecoind: nobody is paid twice. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { CoinParts } from '../../src/payouts/coins/coin-parts.ts'
import { readPayoutFigures } from '../../src/payouts/figures.ts'
import { askRecovery } from '../../src/payouts/recovery/ask-recovery.ts'
import { sumSetAside } from '../../src/payouts/recovery/exposed-coin-store.ts'
import { readUnknownOutflows } from '../../src/payouts/recovery/outflow-store.ts'
import { readShownHalts } from '../../src/payouts/standing-halts.ts'
import { type CoinMachine, type Ordered, useCoinFlow } from '../support/coin-flow.ts'
import { resumeHalts } from '../support/lifts.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import type { TestSigner } from '../support/signer.ts'
import { restoreDatabase, restoreSigner, snapshotDatabase, snapshotSigner } from '../support/snapshot.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('where database and log went back, on litecoind', () => {
  const flow = useCoinFlow(80)
  const { database } = flow
  let signer: TestSigner
  let merchantId = ''

  beforeAll(() => {
    signer = flow.signer
  })
  afterAll(() => signer.signer.close().catch(() => {}))

  async function machine(over: Partial<CoinParts> = {}): Promise<CoinMachine> {
    await flow.endLeases()
    return flow.machine({ signer: signer.signer, ...over })
  }

  const halts = async () => (await readShownHalts(database.db)).map(({ cause }) => cause)
  const liftAll = () => resumeHalts(database.db, signer.keys)
  const recover = () => inTransaction(database.db, (tx) => askRecovery(tx, { reason: 'it was restored' }))

  /** Signs and stores, and hands nobody anything: the bytes lie in no pool. */
  const silent = () => ({
    sender: {
      ...flow.sender(),
      broadcast: async () => {
        throw new NodeError('the node is away')
      },
    },
  })

  /** The bytes that pay an order, by now. */
  async function bytesOf({ id }: Pick<Ordered, 'id'>): Promise<string> {
    const { raw } = await flow.shop.row<{ raw: string }>(sql`
      select raw from payout_attempt join payout on payout.id = payout_id
      where kind = 'withdrawal' and position(${id} in intent) > 0
      order by signed_at desc limit 1`)
    return raw
  }

  /** Somebody who kept the bytes sends them once more. @returns whether a node took them */
  const sendForgotten = (raw: string): Promise<boolean> =>
    flow.node.rpc('sendrawtransaction', raw, 0).then(
      () => true,
      () => false,
    )

  /** Blocks and rounds until the orders are paid and no recovery is under way. */
  async function playUntilPaid(running: CoinMachine, orders: readonly Ordered[]): Promise<void> {
    for (let blocks = 0; blocks < 30; blocks += 1) {
      await running.settle()
      await flow.mineAndFollow()
      const states = await Promise.all(orders.map(async ({ id }) => (await flow.withdrawal(id)).state))
      if (states.every((state) => state === 'completed')) return
    }
    const { waits, refused } = await readPayoutFigures(database.db)
    throw new Error(`not paid: ${JSON.stringify([await readShownHalts(database.db), waits, refused])}`)
  }

  async function playUntilOver(running: CoinMachine): Promise<void> {
    for (let blocks = 0; blocks < 30; blocks += 1) {
      await running.settle()
      if (!(await isRecovering())) return
      await flow.mineAndFollow()
    }
    throw new Error(`not over: ${JSON.stringify((await readPayoutFigures(database.db)).waits)}`)
  }

  async function isRecovering(): Promise<boolean> {
    return (await database.db.query(sql`select from payout_recovery where network = 'litecoin'`)).length > 0
  }

  async function expectSound(): Promise<void> {
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  }

  interface Snapshot {
    readonly rows: Awaited<ReturnType<typeof snapshotDatabase>>
    readonly files: string
  }

  const snapshot = async (): Promise<Snapshot> => ({
    rows: await snapshotDatabase(database),
    files: await snapshotSigner(signer),
  })

  async function restore(
    { rows, files }: Snapshot,
    parts: readonly ('database' | 'log')[] = ['database', 'log'],
  ) {
    await flow.endLeases()
    if (parts.includes('database')) await restoreDatabase(database, rows)
    if (parts.includes('log')) signer = await restoreSigner(signer, files)
    await flow.follow()
  }

  const net = (ordered: bigint) => (ordered * 99n) / 100n

  const subsets = [
    { name: 'the database alone', subset: ['database'] },
    { name: "the signer's log alone", subset: ['log'] },
    { name: 'both', subset: ['database', 'log'] },
  ] as const
  const fates = ['mined', 'in the pool', 'in no pool'] as const

  describe.each(subsets)('$name', ({ subset }) => {
    it.each(fates)('what was sent since, %s, is paid once', async (fate) => {
      merchantId = await flow.openFunded(3n * ltc, 3n * ltc, 2n * ltc)
      const before = await flow.order(merchantId, '0.5')
      await playUntilPaid(await machine(), [before])
      const order = await flow.order(merchantId, '1')
      const kept = await snapshot()
      const first = await machine(fate === 'in no pool' ? silent() : {})
      await first.settle()
      const bytes = await bytesOf(order)
      if (fate === 'mined') await flow.mineAndFollow()
      await restore(kept, subset)
      // Nothing shows that both went back where the bytes lie nowhere: the operator, who restored them, says so.
      if (subset.length === 2 && fate === 'in no pool') await recover()
      const restored = await machine()
      await restored.settle()
      expect(await halts()).toEqual(haltsOf(subset, fate))
      await liftAll()
      const later = await flow.order(merchantId, '0.25')
      await playUntilPaid(restored, [order, later])
      expect(await sendForgotten(bytes)).toBe(false)
      await flow.playOut(restored)
      expect(await flow.received(before.address)).toBe(net(ltc / 2n))
      expect(await flow.received(order.address)).toBe(net(ltc))
      expect(await flow.received(later.address)).toBe(net(ltc / 4n))
      expect(await readUnknownOutflows(database.db)).toEqual([])
      expect(await halts()).toEqual([])
      await expectSound()
    })
  })

  function haltsOf(subset: readonly string[], fate: string): readonly string[] {
    if (!subset.includes('log')) return []
    if (subset.length === 1) return ['log-unknown']
    if (fate === 'in no pool') return []
    return fate === 'mined' ? ['log-unknown'] : ['chain-ahead']
  }

  it('what waits in the mempool, or is in a block that is not read yet, halts payouts before its order is paid again', async () => {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    const first = await machine()
    await first.settle()
    expect((await flow.withdrawal(order.id)).stage).toBe('broadcast')
    await restore(kept)
    const halted = async () => {
      await (await machine()).settle()
      const [halt] = await readShownHalts(database.db)
      expect(halt).toMatchObject({ cause: 'chain-ahead', detail: expect.stringContaining('spends the coin') })
      expect((await flow.withdrawal(order.id)).stage).toBe('queued')
    }
    await halted()
    await flow.endLeases()
    await restore(kept)
    // It is mined now, and our own blocks end before.
    await flow.node.mine()
    await halted()
    await liftAll()
    await flow.follow()
    await playUntilPaid(await machine(), [order])
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })
})
