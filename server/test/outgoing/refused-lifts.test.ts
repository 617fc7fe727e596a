/** What is sent for coins' own sake and was refused, or came too late: it is found anew, or not at all. On litecoind. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { type CoinMachine, useCoinFlow } from '../support/coin-flow.ts'
import { hasLitecoind } from '../support/litecoind.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('lifts that were refused, on litecoind', () => {
  const flow = useCoinFlow(30)
  const { database } = flow

  afterEach(() => flow.endLeases())

  const tooMuch = { type: 'refused', code: 'over-limit', detail: 'a limit of the test' } as const
  const refusals = () =>
    database.db.query(
      sql`select kind, retry_at > now() + interval '9 minutes' as rests from payout_refusal order by kind`,
    )
  const comeDue = () => database.owner.query(sql`update payout_refusal set retry_at = now()`)
  const last = async (count: number) => (await flow.payouts()).slice(-count)

  async function passBlocks(machine: CoinMachine, blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block += 1) {
      await flow.node.mineOnly([])
      await flow.follow()
      await machine.settle()
    }
  }

  /** A withdrawal that is not mined, and whose lift the signer refused. */
  async function openRefused(): Promise<{ readonly machine: CoinMachine; readonly id: string }> {
    await database.owner.query(sql`delete from coin`)
    const merchantId = await flow.openFunded(10n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const machine = await flow.machine()
    await machine.settle()
    await passBlocks(machine, 3)
    flow.refusals.push(tooMuch)
    await passBlocks(machine, 3)
    expect(flow.refusals).toEqual([])
    expect(await refusals()).toEqual([{ kind: 'lift', rests: true }])
    return { machine, id }
  }

  it('E10 a lift that the signer refused rests, and is made once its time has come', async () => {
    const { machine, id } = await openRefused()
    const before = (await flow.payouts()).length
    await comeDue()
    await machine.settle()
    expect(await refusals()).toEqual([])
    const lifts = (await flow.payouts()).slice(before)
    expect(lifts).toMatchObject([{ kind: 'lift', state: 'broadcast' }])
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })

  it('E10 a lift that was refused is not made where what it lifts is mined meanwhile, and others are paid', async () => {
    const { machine, id } = await openRefused()
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const { merchantId } = await flow.shop.row<{ merchantId: string }>(
      sql`select merchant_id as "merchantId" from withdrawal where id = ${id}`,
    )
    const orders = [await flow.order(merchantId, '1')]
    await machine.settle()
    await comeDue()
    orders.push(await flow.order(merchantId, '1'))
    await flow.playOut(machine, 6)
    for (const order of orders) expect(await flow.withdrawal(order.id)).toMatchObject({ state: 'completed' })
    expect(await refusals()).toEqual([])
  })

  it('E10 a payout is lifted by no change that another has spent, where a reorganisation takes both out of their blocks', async () => {
    await database.owner.query(sql`delete from coin`)
    const merchantId = await flow.openFunded(10n * ltc)
    const machine = await flow.machine()
    const orders = [await flow.order(merchantId, '2')]
    await machine.settle()
    await flow.mineAndFollow()
    await machine.settle()
    orders.push(await flow.order(merchantId, '1'))
    await machine.settle()
    expect(await last(2)).toMatchObject([{ state: 'included' }, { state: 'broadcast' }])
    await flow.node.rollBack(1)
    await flow.node.mineOnly([])
    await passBlocks(machine, 6)
    const [first, second, lift] = await last(3)
    expect([first, second].map((one) => one?.kind)).toEqual(['withdrawal', 'withdrawal'])
    expect(lift).toMatchObject({ kind: 'lift', state: 'broadcast' })
    const { lifted } = await flow.shop.row<{ lifted: string }>(
      sql`select intent::jsonb ->> 'payoutId' as lifted from payout where id = ${required(lift, 'a lift').id}`,
    )
    expect(lifted).toBe(second?.id)
    await flow.playOut(machine)
    for (const order of orders) expect(await flow.withdrawal(order.id)).toMatchObject({ state: 'completed' })
  })
})
