/**
 * Tests transfers between our own wallets that the signer refuses: they wait before a retry, and never
 * accumulate.
 */
import { expect, it } from 'vitest'
import type { SignRequest } from '../../src/signing/signer-port.ts'
import { outgoingRecords, refusalRecords } from '../support/outgoing/records.ts'
import { refusalsNow } from '../support/outgoing/refusals.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { overLimit } from '../support/over-limit.ts'
import { now } from '../support/records/values.ts'

const flow = useOutgoingFlow({ hotWallets: 2 })
const { database } = flow

const isMove = ({ intent }: SignRequest) => intent.kind === 'rebalance'
const refusals = async () => (await refusalsNow(database.db)).map(({ kind, rests }) => ({ kind, rests }))
const comeDue = () => refusalRecords.change(database.owner, {}, { retryAt: now })

it('a token that may not be moved between hot wallets is requested once, and then proposed again', async () => {
  await flow.setTokens(60n, 50n)
  let isOver = true
  const signer = overLimit(flow.signer.signer, (request) => isOver && isMove(request))
  const engine = await flow.engine({ signer })
  const payment = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 100n })
  for (let rounds = 0; rounds < 6; rounds += 1) await engine.round()
  expect(signer.asked.filter(isMove)).toHaveLength(1)
  expect(await refusals()).toEqual([{ kind: 'rebalance', rests: true }])
  await comeDue()
  for (let rounds = 0; rounds < 6; rounds += 1) await engine.round()
  expect(signer.asked.filter(isMove)).toHaveLength(2)
  expect(await refusals()).toEqual([{ kind: 'rebalance', rests: true }])
  isOver = false
  await flow.setTokens(70n, 50n)
  await comeDue()
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
  expect(await refusals()).toEqual([])
  expect(await outgoingRecords.all(database.db, { kind: 'rebalance' }, 'spentMinor', 'state')).toEqual([
    { spentMinor: '30', state: 'final' },
  ])
})

it('E17 a transaction that fills a gap keeps its nonce while it is refused, and is requested once', async () => {
  const refused = new Set<string>()
  let isOver = true
  const isNonceGapTransaction = (request: SignRequest) => isMove(request)
  const signer = overLimit(
    flow.signer.signer,
    (request) => refused.has(request.outgoingTransactionId) || (isOver && isNonceGapTransaction(request)),
  )
  const engine = await flow.engine({ signer })
  const payments = [await flow.pay(), await flow.pay(), await flow.pay(), await flow.pay()]
  refused.add(payments[0]?.id ?? '')
  for (let rounds = 0; rounds < 6; rounds += 1) await engine.round()
  expect(signer.asked.filter(isNonceGapTransaction)).toHaveLength(1)
  expect(await refusals()).toEqual([
    { kind: 'rebalance', rests: true },
    { kind: 'withdrawal', rests: true },
  ])
  const nonceGapTransactions = { kind: 'rebalance', spentAsset: 'ethereum/ETH' }
  expect(await outgoingRecords.all(database.db, nonceGapTransactions, 'state')).toEqual([
    { state: 'planned' },
  ])
  isOver = false
  await comeDue()
  await engine.finish()
  expect(signer.asked.filter(isNonceGapTransaction)).toHaveLength(2)
  for (const { id } of payments.slice(1)) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
  expect(await refusals()).toEqual([{ kind: 'withdrawal', rests: true }])
  refused.clear()
  await comeDue()
  await engine.finish()
  expect((await flow.transferRequest(payments[0]?.id ?? '')).isSuccess).toBe(true)
  expect(await outgoingRecords.all(database.db, nonceGapTransactions, 'state')).toEqual([{ state: 'final' }])
  expect(await refusals()).toEqual([])
})
