import { expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { altered } from '../support/altered.ts'
import { attemptRecords } from '../support/outgoing/records.ts'
import { type Engine, useOutgoingFlow } from '../support/outgoing-flow.ts'

const flow = useOutgoingFlow({ hotWallets: 1 })
const { database, anvil } = flow

const away = () => Promise.reject(new NodeError('away'))

async function finish(): Promise<void> {
  await flow.endLeases()
  const engine = await flow.engine()
  for (let block = 0; block < 5; block += 1) {
    await flow.mine()
    await engine.settle()
  }
}

/** Sends a payment that nodes accepted and forgot, so many blocks ago that they should know it. */
async function forgotten(engine: Engine) {
  const payment = await flow.pay()
  await engine.settle()
  const [attempt] = await attemptRecords.all(database.db, { outgoingTransactionId: payment.id }, 'txHash')
  await anvil.rpc('anvil_dropTransaction', [attempt?.txHash])
  await flow.mine(2)
  await flow.endLeases()
  return payment
}

/** Returns a payment that is signed and that no node accepted. */
async function signedOnly() {
  const cut = await flow.engine({ sender: altered(flow.sender, { broadcast: away }) })
  const payment = await flow.pay()
  await cut.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual(['planned', 'signed', 'needs_recheck'])
  await flow.endLeases()
  return payment
}

it('sends signed transactions again while nodes give no price for new ones', async () => {
  const first = await signedOnly()
  const second = await flow.pay()
  const engine = await flow.engine({ sender: altered(flow.sender, { readFees: away }) })
  await flow.mine()
  await expect(engine.round()).rejects.toThrow(NodeError)
  expect((await flow.transferRequest(first.id)).moves).toContain('broadcast')
  expect((await flow.transferRequest(second.id)).moves).toEqual([])
  await finish()
  for (const { id } of [first, second]) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
})

it('plans, signs and sends while nodes do not report the state of earlier transactions', async () => {
  const earlier = await forgotten(await flow.engine())
  const engine = await flow.engine({ chain: altered(flow.reader, { readTransaction: away }) })
  const later = await flow.pay()
  await expect(engine.round()).rejects.toThrow(NodeError)
  expect((await flow.transferRequest(later.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  expect((await flow.transferRequest(earlier.id)).moves).not.toContain('needs_recheck')
  await finish()
  for (const { id } of [earlier, later]) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
})

it('sends signed transactions, and plans nothing, while nodes do not report the blocks of the earlier ones', async () => {
  const first = await signedOnly()
  const second = await flow.pay()
  const engine = await flow.engine({ sender: altered(flow.sender, { readReceipts: away }) })
  await flow.mine()
  await expect(engine.round()).rejects.toThrow(NodeError)
  expect((await flow.transferRequest(first.id)).moves).toContain('broadcast')
  expect((await flow.transferRequest(second.id)).moves).toEqual([])
  await finish()
  for (const { id } of [first, second]) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
})

it('checks again in the same block if a node could not be asked', async () => {
  let isAway = true
  const readTransaction: typeof flow.reader.readTransaction = (txHash, signal) =>
    isAway ? away() : flow.reader.readTransaction(txHash, signal)
  const payment = await forgotten(await flow.engine())
  const engine = await flow.engine({ chain: altered(flow.reader, { readTransaction }) })
  await expect(engine.round()).rejects.toThrow(NodeError)
  isAway = false
  await engine.round()
  expect((await flow.transferRequest(payment.id)).moves).toContain('needs_recheck')
  await finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})
