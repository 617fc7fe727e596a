/** A hot wallet of one lane: nobody else can fill a gap in its order. */
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { readPayoutFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'

const flow = usePayoutFlow({ lanes: 1 })

it('E17 what was signed behind a refused payout is mined, though everything is halted', async () => {
  const machine = await flow.machine()
  const before = await flow.pay()
  const tampered = await flow.pay()
  const [row] = await flow.database.db.query<{ intent: string }>(
    sql`select intent from wish where id = ${tampered.id}`,
  )
  const other = row?.intent.replace(tampered.address, flow.anvil.accounts[5] ?? '')
  await flow.database.owner.query(sql`update wish set intent = ${other} where id = ${tampered.id}`)
  const behind = [await flow.pay(), await flow.pay()]
  await machine.settle()
  for (let block = 0; block < 5; block += 1) {
    await flow.mine()
    await machine.settle()
  }
  expect((await readPayoutFigures(flow.database.db)).halts).toMatchObject([{ cause: 'tampering' }])
  for (const { id } of [before, ...behind]) expect((await flow.wish(id)).isSuccess).toBe(true)
  expect((await flow.wish(tampered.id)).moves).toEqual(['planned'])
})
