/**
 * The database, the signer's log, or both are restored from a snapshot after outputs of ours were spent on
 * litecoind. Nobody is paid twice.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import type { UtxoSender } from '../../src/chains/utxo/utxo-port.ts'
import { required } from '../../src/core/assert.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { askRecovery } from '../../src/outgoing/engine/recovery/ask-recovery.ts'
import { readUnknownOutflows } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { sumSetAside } from '../../src/outgoing/utxo/recovery/exposed-utxo-store.ts'
import type { UtxoParts } from '../../src/outgoing/utxo/utxo-parts.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { SignerAwayError } from '../../src/signing/signer-port.ts'
import { altered } from '../support/altered.ts'
import { dyingBefore } from '../support/dying.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { resumeHalts } from '../support/lifts.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { bookOutflows } from '../support/outflows.ts'
import { attemptsOf, signedFor } from '../support/outgoing/attempts.ts'
import {
  attemptRecords,
  outgoingInputRecords,
  outgoingRecords,
  outgoingRecoveryRecords,
  respendRecords,
  utxoRecords,
} from '../support/outgoing/records.ts'
import { depositRecords } from '../support/payments/records.ts'
import { containing } from '../support/records/values.ts'
import type { TestSigner } from '../support/signer.ts'
import {
  restoreDatabase,
  restoreLogAndAcceptLoss,
  restoreSigner,
  snapshotDatabase,
  snapshotSigner,
} from '../support/snapshot.ts'
import { type Ordered, type UtxoEngine, useUtxoFlow } from '../support/utxo-flow.ts'
import { newExternalAddress } from '../support/utxo-requests.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('after a restore of database or log, on litecoind', () => {
  const flow = useUtxoFlow(80)
  const { database } = flow
  let signer: TestSigner
  let merchantId = ''

  beforeAll(() => {
    signer = flow.signer
  })
  afterAll(() => signer.signer.close().catch(() => {}))

  /** A fixed fee rate, because the node's estimate depends on earlier payments. */
  const usualRate = 10_000n
  const senderAt = (rateMinor: bigint): UtxoSender => ({
    ...flow.sender(),
    readFeeRate: async () => ({ rateMinor, leastMinor: 1n, source: 'usual' }),
  })

  async function engine(over: Partial<UtxoParts> = {}): Promise<UtxoEngine> {
    await flow.endLeases()
    return flow.engine({ signer: signer.signer, sender: senderAt(usualRate), ...over })
  }

  const halts = async () => (await readShownHalts(database.db)).map(({ cause }) => cause)
  const liftAll = () => resumeHalts(database.db, signer.keys)
  const recover = () => inTransaction(database.db, (tx) => askRecovery(tx, { reason: 'it was restored' }))

  /**
   * Returns an engine's parts that sign and store but broadcast nothing, so that the bytes are in no mempool.
   */
  const silent = () => ({
    sender: {
      ...senderAt(usualRate),
      broadcast: async () => {
        throw new NodeError('the node is away')
      },
    },
  })

  /** Returns the bytes of the current transaction that pays an order. */
  async function bytesOf({ id }: Pick<Ordered, 'id'>): Promise<string> {
    const orders = await outgoingRecords.all(
      flow.shop.db,
      { kind: 'withdrawal', intent: containing(id) },
      'id',
    )
    const signed = await attemptRecords.all(flow.shop.db, {
      outgoingTransactionId: orders.map((order) => order.id),
    })
    const latest = signed.sort((one, other) => other.signedAt.getTime() - one.signedAt.getTime())[0]
    return required(latest, 'what was signed').raw
  }

  /**
   * Sends the signed transaction again, as anybody who has kept it can.
   * @returns whether a node accepted it
   */
  const sendForgotten = (raw: string): Promise<boolean> =>
    flow.node.rpc('sendrawtransaction', raw, 0).then(
      () => true,
      () => false,
    )

  /** Mines blocks and runs rounds until the orders are paid and no recovery is under way. */
  async function playUntilPaid(running: UtxoEngine, orders: readonly Ordered[]): Promise<void> {
    for (let blocks = 0; blocks < 30; blocks += 1) {
      await running.settle()
      await flow.mineAndFollow()
      const states = await Promise.all(orders.map(async ({ id }) => (await flow.withdrawal(id)).state))
      if (states.every((state) => state === 'completed')) return
    }
    const { waits, refused } = await readOutgoingFigures(database.db)
    throw new Error(`not paid: ${JSON.stringify([await readShownHalts(database.db), waits, refused])}`)
  }

  async function playUntilOver(running: UtxoEngine): Promise<void> {
    for (let blocks = 0; blocks < 30; blocks += 1) {
      await running.settle()
      if (!(await isRecovering())) return
      await flow.mineAndFollow()
    }
    throw new Error(`not over: ${JSON.stringify((await readOutgoingFigures(database.db)).waits)}`)
  }

  async function isRecovering(): Promise<boolean> {
    return (await outgoingRecoveryRecords.all(database.db, { network: 'litecoin' })).length > 0
  }

  async function expectSound(): Promise<void> {
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
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
    it.each(fates)('what was sent since the snapshot, %s, is paid once', async (fate) => {
      merchantId = await flow.openFunded(3n * ltc, 3n * ltc, 2n * ltc)
      const before = await flow.order(merchantId, '0.5')
      await playUntilPaid(await engine(), [before])
      const order = await flow.order(merchantId, '1')
      const kept = await snapshot()
      const first = await engine(fate === 'in no pool' ? silent() : {})
      await first.settle()
      const bytes = await bytesOf(order)
      if (fate === 'mined') await flow.mineAndFollow()
      await restore(kept, subset)
      // If both were restored and the signed transactions are in no mempool, Coffer cannot detect the loss.
      // The operator who restored them must request the recovery.
      if (subset.length === 2 && fate === 'in no pool') await recover()
      const restored = await engine()
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

  /** Returns one order whose signed payment is in no mempool, and a snapshot from before the payment. */
  async function forgotten(...more: readonly bigint[]) {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc, ...more)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    await (await engine(silent())).settle()
    return { order, kept, bytes: await bytesOf(order) }
  }

  const kindsOf = async (kind: string, state = 'final') =>
    (await flow.outgoingTransactions()).filter(
      (outgoingTransaction) => outgoingTransaction.kind === kind && outgoingTransaction.state === state,
    )

  it('bytes that are mined during the recovery pay their order, and the other outputs that they spend are respent', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    await recover()
    const restored = await engine(silent())
    await restored.settle()
    const [respend] = await kindsOf('consolidate', 'needs_recheck')
    expect(respend?.inputs).toBeGreaterThan(1)
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    await playUntilPaid(await engine(), [order])
    expect((await flow.withdrawal(order.id)).txHash).toBe(readRawTransaction(bytes).txid)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await playUntilOver(await engine())
    expect((await flow.outgoingTransactions()).find(({ id }) => id === respend?.id)).toMatchObject({
      state: 'conflicted',
    })
    expect((await kindsOf('reclaim')).length).toBeGreaterThan(0)
    expect(await halts()).toEqual([])
    const later = await flow.order(merchantId, '0.25')
    await playUntilPaid(await engine(), [later])
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(flow.alerts).not.toContain('signer-refused')
    await expectSound()
  })

  it('equal orders that one forgotten transaction paid are not paid again', async () => {
    const address = newExternalAddress(litecoinRegtest)
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const one = await flow.order(merchantId, '1', address)
    const other = await flow.order(merchantId, '1', address)
    const kept = await snapshot()
    await (await engine()).settle()
    expect((await kindsOf('withdrawal', 'broadcast')).length).toBe(1)
    await flow.mineAndFollow()
    await restore(kept)
    const restored = await engine()
    await restored.settle()
    await liftAll()
    await playUntilPaid(restored, [one, other])
    await flow.playOut(restored)
    expect(await flow.received(address)).toBe(2n * net(ltc))
    await expectSound()
  })

  it('of two equal orders of which one was paid, the other is paid once', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    const twin = await flow.order(merchantId, '1', order.address)
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    const restored = await engine()
    await restored.settle()
    expect(await halts()).toEqual(['log-unknown'])
    await liftAll()
    await playUntilPaid(restored, [order, twin])
    await flow.playOut(restored)
    expect(await flow.received(order.address)).toBe(2n * net(ltc))
    await expectSound()
  })

  it('of orders that were planned together and not signed, those that were paid before are not paid again', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    const beside = await flow.order(merchantId, '0.5')
    const away = altered(signer.signer, { sign: () => Promise.reject(new SignerAwayError('away')) })
    await (await engine({ signer: away })).settle()
    expect(await kindsOf('withdrawal', 'planned')).toHaveLength(1)
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    const restored = await engine()
    await restored.settle()
    expect(await halts()).toEqual(['log-unknown'])
    await liftAll()
    await playUntilPaid(restored, [order, beside])
    await flow.playOut(restored)
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await flow.received(beside.address)).toBe(net(ltc / 2n))
    await expectSound()
  })

  it('a restore during a recovery restarts the recovery, and forgotten payments are made once', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    await recover()
    const first = await engine()
    await first.settle()
    const middle = await snapshot()
    await playUntilOver(first)
    await (await engine(silent())).settle()
    const again = await bytesOf(order)
    expect(again).not.toBe(bytes)
    await restore(middle)
    await recover()
    const second = await engine()
    await playUntilOver(second)
    for (const raw of [bytes, again]) expect(await sendForgotten(raw)).toBe(false)
    await playUntilPaid(second, [order])
    for (const raw of [bytes, again]) expect(await sendForgotten(raw)).toBe(false)
    await flow.playOut(second)
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await halts()).toEqual([])
    await expectSound()
  })

  it.each([
    ['before the recovery of that loss', 'halted'],
    ['after the order was paid again', 'paid'],
  ] as const)(
    'a log from before an accepted loss halts payouts, and nothing is paid twice once an operator resumes them: %s',
    async (_, until) => {
      await (await engine()).settle()
      const { logGeneration = 1 } = await signer.signer.attest()
      const { order, kept, bytes } = await forgotten()
      await restore(kept, ['database'])
      await flow.endLeases()
      signer = await restoreLogAndAcceptLoss(signer, kept.files)
      const first = await engine()
      await first.settle()
      const recovery = await outgoingRecoveryRecords.one(database.db, { network: 'litecoin' }, 'reason')
      expect(recovery.reason).toContain(`generation ${logGeneration + 1} after ${logGeneration}`)
      if (until === 'paid') await playUntilPaid(first, [order])
      await restore(kept, ['log'])
      const restored = await engine()
      await restored.settle()
      await (await engine()).settle()
      expect(await readShownHalts(database.db)).toMatchObject([
        { cause: 'log-unknown', detail: expect.stringContaining(`has generation ${logGeneration}, but`) },
      ])
      await liftAll()
      const later = await flow.order(merchantId, '0.25')
      const resumed = await engine()
      await playUntilPaid(resumed, [order, later])
      expect(await sendForgotten(bytes)).toBe(false)
      await flow.playOut(resumed)
      expect(await flow.received(order.address)).toBe(net(ltc))
      expect(await flow.received(later.address)).toBe(net(ltc / 4n))
      expect(await readUnknownOutflows(database.db)).toEqual([])
      expect(await halts()).toEqual([])
      await expectSound()
    },
  )

  it('a respend that a reorganisation drops is mined again before anything else is sent', async () => {
    const { order, kept, bytes } = await forgotten()
    await restore(kept)
    await recover()
    const restored = await engine()
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

  it('coins that are worth less than their fee are set aside, pay for nothing, and are respent once they are worth more', async () => {
    const small = 100_000n
    const { order, kept, bytes } = await forgotten(small)
    const { outpoint } = await utxoRecords.one(
      flow.shop.db,
      { amountMinor: `${small}`, spentBy: null },
      'outpoint',
    )
    await restore(kept)
    await recover()
    const dear = { sender: senderAt(800_000n) }
    await playUntilOver(await engine(dear))
    expect(await sumSetAside(database.db)).toContainEqual({
      network: 'litecoin',
      reason: 'small',
      count: 1,
      minor: small,
    })
    expect(flow.alerts).toContain('utxos-set-aside')
    const inputs = async () => {
      const spending = await outgoingInputRecords.all(database.db, { outpoint }, 'outgoingTransactionId')
      return outgoingRecords.all(
        database.db,
        { id: spending.map(({ outgoingTransactionId }) => outgoingTransactionId) },
        'kind',
      )
    }
    const restored = await engine(dear)
    await playUntilPaid(restored, [order])
    expect(await inputs()).toEqual([])
    await playUntilPaid(await engine(), [await flow.order(merchantId, '0.25')])
    expect(await inputs()).toEqual([{ kind: 'consolidate' }])
    expect(await sumSetAside(database.db)).toEqual([])
    expect(await sendForgotten(bytes)).toBe(false)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })

  it('coins that the books lock are set aside, and are respent once they are released', async () => {
    const held = 40_000_000n
    const { order, kept, bytes } = await forgotten(held)
    const hold = (quarantine: string | null) =>
      depositRecords.change(
        database.owner,
        { network: 'litecoin', amountMinor: `${held}` },
        { quarantine, netMinor: null },
      )
    await restore(kept)
    const credited = await depositRecords.one(flow.shop.db, { amountMinor: `${held}` }, 'netMinor')
    await hold('held')
    await recover()
    await playUntilOver(await engine())
    const aside = { network: 'litecoin', reason: 'books', count: 1, minor: held }
    expect(await sumSetAside(database.db)).toContainEqual(aside)
    await hold(null)
    await depositRecords.change(database.owner, { amountMinor: `${held}` }, { netMinor: credited.netMinor })
    await playUntilPaid(await engine(), [order, await flow.order(merchantId, '0.25')])
    expect(await sumSetAside(database.db)).toEqual([])
    expect(await sendForgotten(bytes)).toBe(false)
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })

  /**
   * Runs processes that are killed before their first statement, their second and so on, until one finishes.
   * @returns how many were killed
   */
  async function dyingBeforeEach(): Promise<number> {
    for (let statement = 1; ; statement += 1) {
      const { db, hasDied } = dyingBefore(database.db, statement)
      await (await engine({ db })).settle().catch((error: unknown) => {
        if (!hasDied()) throw error
      })
      if (!hasDied()) return statement - 1
    }
  }

  it('a recovery ends only when all is final, although its process is killed before each of its statements in turn', async () => {
    const { order, kept, bytes } = await forgotten(2n * ltc)
    await restore(kept)
    const beside = await flow.order(merchantId, '0.5')
    expect(await sendForgotten(bytes)).toBe(true)
    await flow.mineAndFollow()
    const first = await engine()
    await first.settle()
    await liftAll()
    let deaths = 0
    for (let blocks = 0; await isRecovering(); blocks += 1) {
      if (blocks > 20) throw new Error('it does not come to its end')
      deaths += await dyingBeforeEach()
      await flow.mineAndFollow()
    }
    expect(deaths).toBeGreaterThan(50)
    await playUntilPaid(await engine(), [order, beside])
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await flow.received(beside.address)).toBe(net(ltc / 2n))
    await expectSound()
  })

  it('a forgotten transaction of many coins to few is adopted, and its outputs are respent', async () => {
    merchantId = await flow.openFunded(2n * ltc, 2n * ltc)
    const order = await flow.order(merchantId, '0.25')
    const kept = await snapshot()
    await recover()
    const first = await engine()
    await first.settle()
    const made = (await kindsOf('consolidate', 'broadcast')).map(({ id }) => id)
    expect(made.length).toBeGreaterThan(0)
    await flow.mineAndFollow()
    await restore(kept)
    const restored = await engine()
    await restored.settle()
    expect(await halts()).toEqual(['log-unknown'])
    await liftAll()
    await playUntilPaid(restored, [order])
    const respent = (await respendRecords.all(database.db)).map(
      ({ outgoingTransactionId }) => outgoingTransactionId,
    )
    const consolidated = await attemptsOf(database.db, { kind: 'consolidate' })
    const replaced = consolidated.filter(
      ({ outgoingTransactionId }) => !respent.includes(outgoingTransactionId),
    )
    const unspent = await utxoRecords.all(
      database.db,
      { txHash: replaced.map(({ hash }) => hash), spentBy: null },
      'outpoint',
    )
    expect(unspent).toEqual([])
    expect(await halts()).toEqual([])
    await expectSound()
  })

  it.each([
    ['is followed at once', 1, 'log-unknown'],
    ['was final before anybody looked', 4, 'chain-ahead'],
  ] as const)(
    'an order that was signed again is completed by forgotten bytes of the same coins, whose block %s',
    async (_, blocks, cause) => {
      const { order, kept, bytes } = await forgotten()
      await restore(kept)
      const away = silent().sender
      const again = { sender: { ...away, readFeeRate: senderAt(2n * usualRate).readFeeRate } }
      await (await engine(again)).settle()
      expect(await bytesOf(order)).not.toBe(bytes)
      expect(await sendForgotten(bytes)).toBe(true)
      await flow.mineAndFollow(blocks)
      const restored = await engine()
      await restored.settle()
      expect(await halts()).toEqual([cause])
      await liftAll()
      await playUntilPaid(restored, [order])
      expect((await flow.withdrawal(order.id)).txHash).toBe(readRawTransaction(bytes).txid)
      expect(await kindsOf('withdrawal', 'conflicted')).toEqual([])
      await flow.playOut(restored)
      expect(await flow.received(order.address)).toBe(net(ltc))
      expect(await halts()).toEqual([])
      await expectSound()
    },
  )

  it('a transaction that stays in the mempool for long is replaced by one of its coins to ourselves, if nodes allow it', async () => {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    await (await engine()).settle()
    const bytes = await bytesOf(order)
    await restore(kept)
    const network = { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, canReplace: true } }
    const restored = await engine({ network })
    await restored.settle()
    expect(await halts()).toEqual(['chain-ahead'])
    await liftAll()
    await restored.settle()
    const { waits } = await readOutgoingFigures(database.db)
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

  it('a payment in the mempool, or in a block that is not read yet, halts payouts before its order is paid again', async () => {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    const first = await engine()
    await first.settle()
    expect((await flow.withdrawal(order.id)).stage).toBe('broadcast')
    await restore(kept)
    const halted = async () => {
      await (await engine()).settle()
      const [halt] = await readShownHalts(database.db)
      expect(halt).toMatchObject({ cause: 'chain-ahead', detail: expect.stringContaining('spends the UTXO') })
      expect((await flow.withdrawal(order.id)).stage).toBe('queued')
    }
    await halted()
    await flow.endLeases()
    await restore(kept)
    // The transaction is in a block that Coffer has not read yet.
    await flow.node.mine()
    await halted()
    await liftAll()
    await flow.follow()
    await playUntilPaid(await engine(), [order])
    expect(await flow.received(order.address)).toBe(net(ltc))
    await expectSound()
  })

  it('a payment for a lost order halts and is reported, and does not count against the other orders of its transaction', async () => {
    merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const order = await flow.order(merchantId, '1')
    const kept = await snapshot()
    const lost = await flow.order(merchantId, '0.5')
    await (await engine()).settle()
    const { hash } = required((await signedFor(database.db, lost.id))[0], 'what was signed')
    await flow.mineAndFollow()
    await restore(kept)
    const restored = await engine()
    await restored.settle()
    await liftAll()
    await flow.mineAndFollow(2)
    await restored.settle()
    const [halt] = await readShownHalts(database.db)
    expect(halt).toMatchObject({ cause: 'log-unknown', detail: expect.stringContaining(hash) })
    expect(halt?.detail).toContain(`${net(ltc / 2n)} to ${lost.address}`)
    expect(halt?.detail).not.toContain(order.address)
    await liftAll()
    await flow.mineAndFollow(2)
    await restored.settle()
    expect(
      await bookOutflows(flow.shop, ({ recipient }) => (recipient === lost.address ? merchantId : undefined)),
    ).toBe(1)
    await playUntilPaid(restored, [order, await flow.order(merchantId, '0.25')])
    expect(await flow.received(order.address)).toBe(net(ltc))
    expect(await readUnknownOutflows(database.db)).toMatchObject([
      { txHash: hash, detail: expect.stringContaining(lost.address) },
    ])
    await expectSound()
  })
})

describe.skipIf(!hasLitecoind)('after a restore of both on a chain without witnesses, on litecoind', () => {
  const flow = useUtxoFlow(20, { rows: [legacyLitecoin] })

  it('everything that was sent since the first round is paid once, whether it is mined or in no mempool', async () => {
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
      const silent = await flow.engine({
        signer: signer.signer,
        sender: { ...flow.sender(), broadcast: away },
      })
      await silent.settle()
      const { raw } = required((await signedFor(flow.shop.db, order.id))[0], 'what was signed')
      await flow.endLeases()
      if (isMined) await flow.node.mineOnly([raw])
      await restoreDatabase(flow.database, rows)
      signer = await restoreSigner(signer, files)
      await flow.follow()
      await inTransaction(flow.database.db, (tx) => askRecovery(tx, { reason: 'it was restored' }))
      const restored = await flow.engine({ signer: signer.signer })
      await flow.playOut(restored, 12)
      await flow.endLeases()
      expect(await flow.withdrawal(order.id)).toMatchObject({ state: 'completed' })
      await expect(flow.node.rpc('sendrawtransaction', raw, 0)).rejects.toThrow()
      expect(await flow.received(order.address)).toBe((ltc / 100n) * 99n)
      expect(await flow.findViolations()).toEqual([])
    }
  })
})
