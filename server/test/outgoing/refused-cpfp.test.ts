/**
 * Tests, on litecoind, CPFP transactions and other transfers to ourselves. If the signer refuses one, it is
 * made later, or not at all if it is no longer needed by then. A transfer whose outputs are already spent is
 * not made.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import {
  outgoingRecords,
  refusalRecords,
  utxoRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import { refusalsNow } from '../support/outgoing/refusals.ts'
import { now } from '../support/records/values.ts'
import { type UtxoEngine, useUtxoFlow } from '../support/utxo-flow.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('refused CPFP transactions, on litecoind', () => {
  const flow = useUtxoFlow(30)
  const { database } = flow

  afterEach(() => flow.endLeases())

  const tooMuch = { type: 'refused', code: 'over-limit', detail: 'a limit of the test' } as const
  const refusals = async () => (await refusalsNow(database.db)).map(({ kind, rests }) => ({ kind, rests }))
  const comeDue = () => refusalRecords.change(database.owner, {}, { retryAt: now })
  const last = async (count: number) => (await flow.outgoingTransactions()).slice(-count)

  async function passBlocks(engine: UtxoEngine, blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block += 1) {
      await flow.node.mineOnly([])
      await flow.follow()
      await engine.settle()
    }
  }

  /** Opens a withdrawal that is not mined and whose CPFP the signer refused. */
  async function openRefused(
    sender = flow.sender(),
  ): Promise<{ readonly engine: UtxoEngine; readonly id: string }> {
    await utxoRecords.remove(database.owner)
    const merchantId = await flow.openFunded(10n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const engine = await flow.engine({ sender })
    await engine.settle()
    await passBlocks(engine, 3)
    flow.refusals.push(tooMuch)
    await passBlocks(engine, 3)
    expect(flow.refusals).toEqual([])
    expect(await refusals()).toEqual([{ kind: 'cpfp', rests: true }])
    return { engine, id }
  }

  it('E10 a CPFP that the signer refused waits, and is made once its time has come', async () => {
    const { engine, id } = await openRefused()
    const before = (await flow.outgoingTransactions()).length
    await comeDue()
    await engine.settle()
    expect(await refusals()).toEqual([])
    const cpfps = (await flow.outgoingTransactions()).slice(before)
    expect(cpfps).toMatchObject([{ kind: 'cpfp', state: 'broadcast' }])
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })

  it('E10 a refused CPFP is not made if its parent is mined meanwhile, and other orders are paid', async () => {
    const { engine, id } = await openRefused()
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const { merchantId } = await withdrawalRecords.one(flow.shop.db, { id }, 'merchantId')
    const orders = [await flow.order(merchantId, '1')]
    await engine.settle()
    await comeDue()
    orders.push(await flow.order(merchantId, '1'))
    await flow.playOut(engine, 6)
    for (const order of orders) expect(await flow.withdrawal(order.id)).toMatchObject({ state: 'completed' })
    expect(await refusals()).toEqual([])
  })

  it('E10 no CPFP is made if its parent is mined while it is planned, and its change pays the next order', async () => {
    const sender = flow.sender()
    const { engine, id } = await openRefused(sender)
    const { merchantId } = await withdrawalRecords.one(flow.shop.db, { id }, 'merchantId')
    const next = await flow.order(merchantId, '1')
    await comeDue()
    const before = (await flow.outgoingTransactions()).length
    const readFeeRate = vi.spyOn(sender, 'readFeeRate')
    // The fee rate is read after the proposals, and before the UTXOs.
    readFeeRate.mockImplementationOnce(async (...words) => {
      await flow.mineAndFollow()
      return flow.sender().readFeeRate(...words)
    })
    await engine.round()
    expect(readFeeRate).toHaveBeenCalled()
    const added = (await flow.outgoingTransactions()).slice(before)
    expect(added.map(({ kind }) => kind)).toEqual(['withdrawal'])
    await flow.playOut(engine, 6)
    for (const order of [id, next.id])
      expect(await flow.withdrawal(order)).toMatchObject({ state: 'completed' })
    expect(await refusals()).toEqual([])
  })

  it('E10 no CPFP is stored if its parent is mined after the CPFP was planned', async () => {
    const { engine, id } = await openRefused()
    await comeDue()
    const before = (await flow.outgoingTransactions()).length
    const { strategy } = engine.parts
    const prepare = strategy.prepare.bind(strategy)
    const spy = vi.spyOn(strategy, 'prepare').mockImplementationOnce(async (...words) => {
      const outcome = await prepare(...words)
      expect(outcome.planned).toMatchObject([{ intent: { kind: 'cpfp' } }])
      await flow.mineAndFollow()
      return outcome
    })
    await engine.round()
    expect(spy).toHaveBeenCalledOnce()
    spy.mockRestore()
    expect((await flow.outgoingTransactions()).slice(before)).toEqual([])
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })

  it('E10 no CPFP spends change that another transaction has spent, even if a reorganisation drops both', async () => {
    await utxoRecords.remove(database.owner)
    const merchantId = await flow.openFunded(10n * ltc)
    const engine = await flow.engine()
    const orders = [await flow.order(merchantId, '2')]
    await engine.settle()
    await flow.mineAndFollow()
    await engine.settle()
    orders.push(await flow.order(merchantId, '1'))
    await engine.settle()
    expect(await last(2)).toMatchObject([{ state: 'included' }, { state: 'broadcast' }])
    await flow.node.rollBack(1)
    await flow.node.mineOnly([])
    await passBlocks(engine, 6)
    const [first, second, cpfp] = await last(3)
    expect([first, second].map((one) => one?.kind)).toEqual(['withdrawal', 'withdrawal'])
    expect(cpfp).toMatchObject({ kind: 'cpfp', state: 'broadcast' })
    const { intent } = await outgoingRecords.one(flow.shop.db, { id: required(cpfp, 'a lift').id }, 'intent')
    const { outgoingTransactionId: parent } = JSON.parse(intent)
    expect(parent).toBe(second?.id)
    await flow.playOut(engine)
    for (const order of orders) expect(await flow.withdrawal(order.id)).toMatchObject({ state: 'completed' })
  })
})
