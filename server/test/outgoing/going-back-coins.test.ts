/** Database, signer's log, or both are restored from a snapshot while coins of ours were spent on litecoind: nobody is paid twice. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import type { CoinSender } from '../../src/chains/utxo/coin-port.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { readPayoutFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/standing-halts.ts'
import { askRecovery } from '../../src/outgoing/engine/recovery/ask-recovery.ts'
import { readUnknownOutflows } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import type { CoinParts } from '../../src/outgoing/utxo/coin-parts.ts'
import { sumSetAside } from '../../src/outgoing/utxo/recovery/exposed-coin-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { SignerAwayError } from '../../src/signing/signer-port.ts'
import { altered } from '../support/altered.ts'
import { type CoinMachine, type Ordered, useCoinFlow } from '../support/coin-flow.ts'
import { newOutsider } from '../support/coin-requests.ts'
import { dyingBefore } from '../support/dying.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { resumeHalts } from '../support/lifts.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
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

  /** What the node would estimate depends on what was paid before. */
  const usualRate = 10_000n
  const senderAt = (rateMinor: bigint): CoinSender => ({
    ...flow.sender(),
    readFeeRate: async () => ({ rateMinor, leastMinor: 1n, source: 'usual' }),
  })

  async function machine(over: Partial<CoinParts> = {}): Promise<CoinMachine> {
    await flow.endLeases()
    return flow.machine({ signer: signer.signer, sender: senderAt(usualRate), ...over })
  }

  const halts = async () => (await readShownHalts(database.db)).map(({ cause }) => cause)
  const liftAll = () => resumeHalts(database.db, signer.keys)
  const recover = () => inTransaction(database.db, (tx) => askRecovery(tx, { reason: 'it was restored' }))

  /** Signs and stores, and hands nobody anything: the bytes lie in no pool. */
  const silent = () => ({
    sender: {
      ...senderAt(usualRate),
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

  /** One order that was paid since by bytes in no pool, and what a snapshot from before holds. */
  async function forgotten(...more: readonly bigint[]) {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc, ...more)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    await (await machine(silent())).settle()
    return { order, kept, bytes: await bytesOf(order) }
  }

  const kindsOf = async (kind: string, state = 'final') =>
    (await flow.payouts()).filter((payout) => payout.kind === kind && payout.state === state)

  it('bytes that are mined in the middle of the recovery are the payment of their order, and what they spend beside is respent', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    await recover()
    const restored = await machine(silent())
    await restored.settle()
    const [respend] = await kindsOf('consolidate', 'in_doubt')
    expect(respend?.inputs).toBeGreaterThan(1)
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    await playUntilPaid(await machine(), [order])
    expect((await flow.withdrawal(order.id)).txHash).toBe(readRawTransaction(bytes).txid)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await playUntilOver(await machine())
    expect((await flow.payouts()).find(({ id }) => id === respend?.id)).toMatchObject({ state: 'displaced' })
    expect((await kindsOf('reclaim')).length).toBeGreaterThan(0)
    expect(await halts()).toEqual([])
    const later = await flow.order(merchantId, '0.25')
    await playUntilPaid(await machine(), [later])
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(flow.alerts).not.toContain('signer-refused')
    await expectSound()
  })

  it('equal orders that one forgotten transaction paid are not paid again', async () => {
    const address = newOutsider(litecoinRegtest)
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const one = await flow.order(merchantId, '1', address)
    const other = await flow.order(merchantId, '1', address)
    const kept = await snapshot()
    await (await machine()).settle()
    expect((await kindsOf('withdrawal', 'broadcast')).length).toBe(1)
    await flow.mineAndFollow()
    await restore(kept)
    const restored = await machine()
    await restored.settle()
    await liftAll()
    await playUntilPaid(restored, [one, other])
    await flow.playOut(restored)
    expect(await flow.received(address)).toBe(2n * net(ltc))
    await expectSound()
  })

  it('of two equal orders of which one was paid the other is paid once more', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    const twin = await flow.order(merchantId, '1', order.address)
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    const restored = await machine()
    await restored.settle()
    expect(await halts()).toEqual(['log-unknown'])
    await liftAll()
    await playUntilPaid(restored, [order, twin])
    await flow.playOut(restored)
    expect(await flow.received(order.address)).toBe(2n * net(ltc))
    await expectSound()
  })

  it('of orders that were planned together, and were not signed, those are not paid again that were paid', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    const beside = await flow.order(merchantId, '0.5')
    const away = altered(signer.signer, { sign: () => Promise.reject(new SignerAwayError('away')) })
    await (await machine({ signer: away })).settle()
    expect(await kindsOf('withdrawal', 'planned')).toHaveLength(1)
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    const restored = await machine()
    await restored.settle()
    expect(await halts()).toEqual(['log-unknown'])
    await liftAll()
    await playUntilPaid(restored, [order, beside])
    await flow.playOut(restored)
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await flow.received(beside.address)).toBe(net(ltc / 2n))
    await expectSound()
  })

  it('a restore in the middle of a recovery has it begin anew, and what either forgot is paid once', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    await recover()
    const first = await machine()
    await first.settle()
    const middle = await snapshot()
    await playUntilOver(first)
    await (await machine(silent())).settle()
    const again = await bytesOf(order)
    expect(again).not.toBe(bytes)
    await restore(middle)
    await recover()
    const second = await machine()
    await playUntilOver(second)
    for (const raw of [bytes, again]) expect(await sendForgotten(raw)).toBe(false)
    await playUntilPaid(second, [order])
    for (const raw of [bytes, again]) expect(await sendForgotten(raw)).toBe(false)
    await flow.playOut(second)
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await halts()).toEqual([])
    await expectSound()
  })

  it('a respend that a reorganisation takes back is mined again before anything else is sent', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    await recover()
    const restored = await machine()
    await restored.settle()
    await flow.mineAndFollow()
    await restored.settle()
    expect((await kindsOf('consolidate', 'included')).length).toBeGreaterThan(0)
    await flow.node.rollBack(1)
    await flow.node.mineOnly([])
    await flow.node.mineOnly([])
    await flow.follow()
    await restored.settle()
    expect(await isRecovering()).toBe(true)
    expect((await flow.withdrawal(order.id)).stage).toBe('queued')
    await playUntilPaid(restored, [order])
    expect(await sendForgotten(bytes)).toBe(false)
    await flow.playOut(restored)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })

  it('coins that are not worth their fee are set aside, pay for nothing, and are respent once they are', async () => {
    const small = 100_000n
    const { order, kept, bytes } = await forgotten(small)
    const { outpoint } = await flow.shop.row<{ outpoint: string }>(
      sql`select outpoint from coin where amount_minor = ${`${small}`}::numeric and spent_by is null`,
    )
    await restore(kept)
    await recover()
    const dear = { sender: senderAt(800_000n) }
    await playUntilOver(await machine(dear))
    expect(await sumSetAside(database.db)).toContainEqual({
      network: 'litecoin',
      reason: 'small',
      count: 1,
      minor: small,
    })
    expect(flow.alerts).toContain('coins-set-aside')
    const inputs = () =>
      database.db.query<{ kind: string }>(sql`
        select kind from payout join payout_input on payout_id = payout.id where outpoint = ${outpoint}`)
    const restored = await machine(dear)
    await playUntilPaid(restored, [order])
    expect(await inputs()).toEqual([])
    await playUntilPaid(await machine(), [await flow.order(merchantId, '0.25')])
    expect(await inputs()).toEqual([{ kind: 'consolidate' }])
    expect(await sumSetAside(database.db)).toEqual([])
    expect(await sendForgotten(bytes)).toBe(false)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })

  it('coins that the books let nobody spend are set aside, and are respent once they are let go', async () => {
    const held = 40_000_000n
    const { order, kept, bytes } = await forgotten(held)
    const hold = (quarantine: string | null) =>
      database.owner.query(sql`
        update transaction set quarantine = ${quarantine}, net_minor = null where network = 'litecoin' and amount_minor = ${`${held}`}::numeric`)
    await restore(kept)
    const credited = await flow.shop.row<{ minor: string }>(
      sql`select net_minor as minor from transaction where amount_minor = ${`${held}`}::numeric`,
    )
    await hold('held')
    await recover()
    await playUntilOver(await machine())
    const aside = { network: 'litecoin', reason: 'books', count: 1, minor: held }
    expect(await sumSetAside(database.db)).toContainEqual(aside)
    await hold(null)
    await database.owner.query(
      sql`update transaction set net_minor = ${credited.minor}::numeric where amount_minor = ${`${held}`}::numeric`,
    )
    await playUntilPaid(await machine(), [order, await flow.order(merchantId, '0.25')])
    expect(await sumSetAside(database.db)).toEqual([])
    expect(await sendForgotten(bytes)).toBe(false)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })

  /** Processes that die before their first statement, their second and so on, until one has done all. @returns how many died */
  async function dyingBeforeEach(): Promise<number> {
    for (let statement = 1; ; statement += 1) {
      const { db, hasDied } = dyingBefore(database.db, statement)
      await (await machine({ db })).settle().catch((error: unknown) => {
        if (!hasDied()) throw error
      })
      if (!hasDied()) return statement - 1
    }
  }

  it('it is over only when all is final, though its process dies before each of its statements in turn', async () => {
    const { order, kept, bytes } = await forgotten(2n * ltc)
    await restore(kept)
    const beside = await flow.order(merchantId, '0.5')
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    const first = await machine()
    await first.settle()
    await liftAll()
    let deaths = 0
    for (let blocks = 0; await isRecovering(); blocks += 1) {
      if (blocks > 20) throw new Error('it does not come to its end')
      deaths += await dyingBeforeEach()
      await flow.mineAndFollow()
    }
    expect(deaths).toBeGreaterThan(50)
    await playUntilPaid(await machine(), [order, beside])
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await flow.received(beside.address)).toBe(net(ltc / 2n))
    await expectSound()
  })

  it('a transaction of many coins to few that was forgotten is taken over, and what it made is respent', async () => {
    merchantId = await flow.openFunded(2n * ltc, 2n * ltc)
    const order = await flow.order(merchantId, '0.25')
    const kept = await snapshot()
    await recover()
    const first = await machine()
    await first.settle()
    const made = (await kindsOf('consolidate', 'broadcast')).map(({ id }) => id)
    expect(made.length).toBeGreaterThan(0)
    await flow.mineAndFollow()
    await restore(kept)
    const restored = await machine()
    await restored.settle()
    expect(await halts()).toEqual(['log-unknown'])
    await liftAll()
    await playUntilPaid(restored, [order])
    const unspent = await database.db.query(sql`
      select outpoint from coin join payout_attempt using (network, tx_hash) join payout on payout.id = payout_id
      where spent_by is null and kind = 'consolidate' and not exists (
        select from payout_respend where payout_respend.payout_id = payout.id)`)
    expect(unspent).toEqual([])
    expect(await halts()).toEqual([])
    await expectSound()
  })

  it.each([
    ['is followed at once', 1, 'log-unknown'],
    ['was final before anybody looked', 4, 'chain-ahead'],
  ] as const)(
    'an order that was signed anew is completed by forgotten bytes of the same coins, whose block %s',
    async (_, blocks, cause) => {
      const { order, kept, bytes } = await forgotten()
      await restore(kept)
      const away = silent().sender
      const again = { sender: { ...away, readFeeRate: senderAt(2n * usualRate).readFeeRate } }
      await (await machine(again)).settle()
      expect(await bytesOf(order)).not.toBe(bytes)
      expect(await sendForgotten(bytes)).toBe(true)
      await flow.mineAndFollow(blocks)
      const restored = await machine()
      await restored.settle()
      expect(await halts()).toEqual([cause])
      await liftAll()
      await playUntilPaid(restored, [order])
      expect((await flow.withdrawal(order.id)).txHash).toBe(readRawTransaction(bytes).txid)
      expect(await kindsOf('withdrawal', 'displaced')).toEqual([])
      await flow.playOut(restored)
      expect(await flow.received(order.address)).toBe(net(ltc))
      expect(await halts()).toEqual([])
      await expectSound()
    },
  )

  it('what waits in the mempool and is not mined for long makes way for what spends its coins to ourselves where nodes replace it', async () => {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    await (await machine()).settle()
    const bytes = await bytesOf(order)
    await restore(kept)
    const network = { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, canReplace: true } }
    const restored = await machine({ network })
    await restored.settle()
    expect(await halts()).toEqual(['chain-ahead'])
    await liftAll()
    await restored.settle()
    const { waits } = await readPayoutFigures(database.db)
    expect(waits.map(({ cause }) => cause)).toContain('recovery-mempool')
    const { txid } = readRawTransaction(bytes)
    for (let blocks = 0; ((await flow.node.rpc('getrawmempool')) as string[]).includes(txid); blocks += 1) {
      if (blocks > 40) throw new Error('it does not make way')
      await flow.node.mineOnly([])
      await flow.follow()
      await restored.settle()
    }
    expect((await flow.withdrawal(order.id)).stage).toBe('queued')
    await playUntilPaid(restored, [order])
    expect(await sendForgotten(bytes)).toBe(false)
    await flow.playOut(restored)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })

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

  it('what one transaction paid for an order that is lost halts and is told, and is not held against the other orders that it paid', async () => {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    const lost = await flow.order(merchantId, '0.5')
    await (await machine()).settle()
    const [{ hash }] = (await database.db.query<{ hash: string }>(sql`
      select tx_hash as hash from payout_attempt join payout on payout.id = payout_id
      where position(${lost.id} in intent) > 0`)) as [{ hash: string }]
    await flow.mineAndFollow()
    await restore(kept)
    const restored = await machine()
    await restored.settle()
    await liftAll()
    await flow.mineAndFollow(2)
    await restored.settle()
    const [halt] = await readShownHalts(database.db)
    expect(halt).toMatchObject({ cause: 'log-unknown', detail: expect.stringContaining(hash) })
    expect(halt?.detail).toContain(`${net(ltc / 2n)} to ${lost.address}`)
    expect(halt?.detail).not.toContain(order.address)
    await liftAll()
    await playUntilPaid(restored, [order, await flow.order(merchantId, '0.25')])
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await readUnknownOutflows(database.db)).toMatchObject([
      { txHash: hash, detail: expect.stringContaining(lost.address) },
    ])
    await flow.endLeases()
    // The books hold what the lost order took: the coins of a node do not.
    expect((await flow.findBreaches()).join()).toContain('are listed as coins, the books say')
  })
})

describe.skipIf(!hasLitecoind)('where both went back and there are no witnesses, on litecoind', () => {
  const flow = useCoinFlow(20, { rows: [legacyLitecoin] })

  it('what was sent since the very first round is paid once, whether it is mined or lies in no pool', async () => {
    let { signer } = flow
    onTestFinished(() => signer.signer.close())
    const merchantId = await flow.openFunded(3n * ltc, 3n * ltc, 2n * ltc)
    for (const isMined of [true, false]) {
      const order = await flow.order(merchantId, '1')
      const rows = await snapshotDatabase(flow.database)
      const files = await snapshotSigner(signer)
      const away = async () => {
        throw new NodeError('the node is away')
      }
      const silent = await flow.machine({
        signer: signer.signer,
        sender: { ...flow.sender(), broadcast: away },
      })
      await silent.settle()
      const { raw } = await flow.shop.row<{ raw: string }>(sql`
        select raw from payout_attempt join payout on payout.id = payout_id where position(${order.id} in intent) > 0`)
      await flow.endLeases()
      if (isMined) await flow.node.mineOnly([raw])
      await restoreDatabase(flow.database, rows)
      signer = await restoreSigner(signer, files)
      await flow.follow()
      await inTransaction(flow.database.db, (tx) => askRecovery(tx, { reason: 'it was restored' }))
      const restored = await flow.machine({ signer: signer.signer })
      await flow.playOut(restored, 12)
      await flow.endLeases()
      expect(await flow.withdrawal(order.id)).toMatchObject({ state: 'completed' })
      await expect(flow.node.rpc('sendrawtransaction', raw, 0)).rejects.toThrow()
      expect(await flow.received(order.address)).toBe((ltc / 100n) * 99n)
      expect(await flow.findBreaches()).toEqual([])
    }
  })
})
