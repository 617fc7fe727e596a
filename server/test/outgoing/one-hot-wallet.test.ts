/** Tests a network with a single hot wallet: no other wallet can continue while its nonces have a gap. */
import { expect, it } from 'vitest'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { transferRequestRecords } from '../support/outgoing/transfer-request-records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'

const flow = useOutgoingFlow({ hotWallets: 1 })

it('E17 transactions that were signed after a refused one are mined, although everything is halted', async () => {
  const engine = await flow.engine()
  const before = await flow.pay()
  const tampered = await flow.pay()
  const { intent } = await transferRequestRecords.one(flow.database.db, { id: tampered.id }, 'intent')
  const other = intent.replace(tampered.address, flow.anvil.accounts[5] ?? '')
  await transferRequestRecords.change(flow.database.owner, { id: tampered.id }, { intent: other })
  const behind = [await flow.pay(), await flow.pay()]
  await engine.settle()
  for (let block = 0; block < 5; block += 1) {
    await flow.mine()
    await engine.settle()
  }
  expect((await readOutgoingFigures(flow.database.db)).halts).toMatchObject([{ cause: 'tampering' }])
  for (const { id } of [before, ...behind]) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
  expect((await flow.transferRequest(tampered.id)).moves).toEqual(['planned'])
})
