/** Moves of our own that the signer refuses: they rest, and they never pile up. */
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import type { SignRequest } from '../../src/signing/signer-port.ts'
import { overLimit } from '../support/over-limit.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'

const flow = usePayoutFlow({ lanes: 2 })
const { database } = flow

const isMove = ({ intent }: SignRequest) => intent.kind === 'rebalance'
const refusals = () =>
  database.db.query(sql`
    select kind, retry_at > now() + interval '9 minutes' as rests from payout_refusal order by kind`)
const comeDue = () => database.owner.query(sql`update payout_refusal set retry_at = now()`)

it('a token that may not be moved between lanes is asked for once, and then found anew', async () => {
  await flow.setTokens(60n, 50n)
  let isOver = true
  const signer = overLimit(flow.signer.signer, (request) => isOver && isMove(request))
  const machine = await flow.machine({ signer })
  const payment = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 100n })
  for (let rounds = 0; rounds < 6; rounds += 1) await machine.round()
  expect(signer.asked.filter(isMove)).toHaveLength(1)
  expect(await refusals()).toEqual([{ kind: 'rebalance', rests: true }])
  await comeDue()
  for (let rounds = 0; rounds < 6; rounds += 1) await machine.round()
  expect(signer.asked.filter(isMove)).toHaveLength(2)
  expect(await refusals()).toEqual([{ kind: 'rebalance', rests: true }])
  isOver = false
  await flow.setTokens(70n, 50n)
  await comeDue()
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
  expect(await refusals()).toEqual([])
  const moved = sql`select spent_minor, state from payout where kind = 'rebalance'`
  expect(await database.db.query(moved)).toEqual([{ spent_minor: '30', state: 'final' }])
})

it('E17 what fills a gap keeps its place while it is refused, and is asked for once', async () => {
  const refused = new Set<string>()
  let isOver = true
  const isFiller = (request: SignRequest) => isMove(request)
  const signer = overLimit(
    flow.signer.signer,
    (request) => refused.has(request.payoutId) || (isOver && isFiller(request)),
  )
  const machine = await flow.machine({ signer })
  const payments = [await flow.pay(), await flow.pay(), await flow.pay(), await flow.pay()]
  refused.add(payments[0]?.id ?? '')
  for (let rounds = 0; rounds < 6; rounds += 1) await machine.round()
  expect(signer.asked.filter(isFiller)).toHaveLength(1)
  expect(await refusals()).toEqual([
    { kind: 'rebalance', rests: true },
    { kind: 'withdrawal', rests: true },
  ])
  const fillers = sql`select state from payout where kind = 'rebalance' and spent_asset = 'ethereum/ETH'`
  expect(await database.db.query(fillers)).toEqual([{ state: 'planned' }])
  isOver = false
  await comeDue()
  await machine.finish()
  expect(signer.asked.filter(isFiller)).toHaveLength(2)
  for (const { id } of payments.slice(1)) expect((await flow.wish(id)).isSuccess).toBe(true)
  expect(await refusals()).toEqual([{ kind: 'withdrawal', rests: true }])
  refused.clear()
  await comeDue()
  await machine.finish()
  expect((await flow.wish(payments[0]?.id ?? '')).isSuccess).toBe(true)
  expect(await database.db.query(fillers)).toEqual([{ state: 'final' }])
  expect(await refusals()).toEqual([])
})
