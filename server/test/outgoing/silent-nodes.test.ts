import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { altered } from '../support/altered.ts'
import { type Machine, usePayoutFlow } from '../support/payout-flow.ts'

const flow = usePayoutFlow({ lanes: 1 })
const { database, anvil } = flow

const away = () => Promise.reject(new NodeError('away'))

async function finish(): Promise<void> {
  await flow.endLeases()
  const machine = await flow.machine()
  for (let block = 0; block < 5; block += 1) {
    await flow.mine()
    await machine.settle()
  }
}

/** A payout that nodes took and forgot, so many blocks ago that they should know of it. */
async function forgotten(machine: Machine) {
  const payment = await flow.pay()
  await machine.settle()
  const [attempt] = await database.db.query<{ hash: string }>(
    sql`select tx_hash as hash from payout_attempt where payout_id = ${payment.id}`,
  )
  await anvil.rpc('anvil_dropTransaction', [attempt?.hash])
  await flow.mine(2)
  await flow.endLeases()
  return payment
}

/** A payment that is signed, and that no node took. */
async function signedOnly() {
  const cut = await flow.machine({ sender: altered(flow.sender, { broadcast: away }) })
  const payment = await flow.pay()
  await cut.settle()
  expect((await flow.wish(payment.id)).moves).toEqual(['planned', 'signed', 'in_doubt'])
  await flow.endLeases()
  return payment
}

it('sends what is signed again while nodes tell no price for what is to come', async () => {
  const first = await signedOnly()
  const second = await flow.pay()
  const machine = await flow.machine({ sender: altered(flow.sender, { readFees: away }) })
  await flow.mine()
  await expect(machine.round()).rejects.toThrow(NodeError)
  expect((await flow.wish(first.id)).moves).toContain('broadcast')
  expect((await flow.wish(second.id)).moves).toEqual([])
  await finish()
  for (const { id } of [first, second]) expect((await flow.wish(id)).isSuccess).toBe(true)
})

it('plans, signs and sends while nodes do not tell what became of earlier ones', async () => {
  const earlier = await forgotten(await flow.machine())
  const machine = await flow.machine({ chain: altered(flow.reader, { readTransaction: away }) })
  const later = await flow.pay()
  await expect(machine.round()).rejects.toThrow(NodeError)
  expect((await flow.wish(later.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  expect((await flow.wish(earlier.id)).moves).not.toContain('in_doubt')
  await finish()
  for (const { id } of [earlier, later]) expect((await flow.wish(id)).isSuccess).toBe(true)
})

it('sends what is signed, and plans nothing, while nodes do not tell which blocks have the earlier ones', async () => {
  const first = await signedOnly()
  const second = await flow.pay()
  const machine = await flow.machine({ sender: altered(flow.sender, { readReceipts: away }) })
  await flow.mine()
  await expect(machine.round()).rejects.toThrow(NodeError)
  expect((await flow.wish(first.id)).moves).toContain('broadcast')
  expect((await flow.wish(second.id)).moves).toEqual([])
  await finish()
  for (const { id } of [first, second]) expect((await flow.wish(id)).isSuccess).toBe(true)
})

it('doubts again in the same block where a node could not be asked', async () => {
  let isAway = true
  const readTransaction: typeof flow.reader.readTransaction = (txHash, signal) =>
    isAway ? away() : flow.reader.readTransaction(txHash, signal)
  const payment = await forgotten(await flow.machine())
  const machine = await flow.machine({ chain: altered(flow.reader, { readTransaction }) })
  await expect(machine.round()).rejects.toThrow(NodeError)
  isAway = false
  await machine.round()
  expect((await flow.wish(payment.id)).moves).toContain('in_doubt')
  await finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})
