import { expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { invoiceCounts } from '../../src/payments/invoices/lists/count-store.ts'
import { aggregateOnce } from '../../src/platform/db/aggregate.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { makeOperator } from '../support/appoint.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { diceOf } from '../support/dice.ts'
import { anyWithdrawal } from '../support/outgoing/any-withdrawal.ts'
import { countDeadlocks } from '../support/records/whole-database.ts'
import { sendWithdrawals } from '../support/sent-withdrawals.ts'
import { settleWithdrawals } from '../support/settled-withdrawals.ts'
import { type Seller, useShopApi } from './shop-api.ts'

/**
 * The seed of the random choices. AT_ONCE_SEED repeats the choices of a run, but not the order in which its
 * requests overlap.
 */
const seed = Number(process.env['AT_ONCE_SEED'] ?? Date.now() % 2 ** 31)
const dice = diceOf(seed)
const outside = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const blocksMined = 120
const workerCount = 8

const database = useDatabase()
const api = useShopApi(database)

interface Shop extends Seller {
  readonly invoices: readonly { readonly id: string; readonly address: string }[]
  readonly claims: readonly { readonly id: string; readonly token: string }[]
}

it(`D02 D07 the books stay correct and no transactions deadlock when merchants, payees, operators and the chain act at once (AT_ONCE_SEED=${seed})`, async () => {
  const shops = [await openShop(), await openShop(), await openShop()]
  const operator = await api.register()
  await makeOperator(database.db, operator.email)
  const statuses = new Set<number>()
  const things = thingsToDo(shops, operator.token)
  let isOver = false
  const workers = Array.from({ length: workerCount }, async () => {
    while (!isOver) statuses.add(await pick(things)())
  })
  await mineAndUndo(shops).finally(() => {
    isOver = true
  })
  await Promise.all(workers)
  expect([...statuses].filter((status) => status >= 500)).toEqual([])
  await expectSoundBooks(api.shop)
  expect(await countDeadlocks(api.shop.db)).toBe(0)
}, 120_000)

function pick<T>(from: readonly T[]): T {
  return required(from[dice.between(0, from.length - 1)], 'one of some')
}

async function openShop(): Promise<Shop> {
  const seller = await api.openSeller()
  const invoices = []
  for (const type of ['onetime', 'reusable', 'collect']) {
    const id = await seller.createInvoice({ type, amount: '20' })
    invoices.push({ id, address: (await api.shop.addressFor(id)).address })
  }
  const claims = []
  for (let count = 0; count < 5; count++) {
    const json = { type: 'withdraw', amount: '3', paymentMethodID: 1 }
    const { body } = await seller.call('POST', '/invoices', { json })
    claims.push({ id: body.id, token: new URL(body.claimURL).hash.replace('#claim=', '') })
  }
  return { ...seller, invoices, claims }
}

/** Books payments of every size, and reorganisations deeper than the confirmations. */
async function mineAndUndo(shops: readonly Shop[]): Promise<void> {
  let depth = 0
  for (let step = 0; step < blocksMined; step++) {
    if (depth > 5 && dice.chance(0.1)) {
      await api.blocks.undo(4)
      depth -= 4
    }
    const payments = Array.from({ length: dice.between(0, 5) }, () =>
      api.blocks.pay(pick(pick(shops).invoices).address, BigInt(dice.between(1, 25_000_000))),
    )
    await api.blocks.mine(payments)
    depth += 1
  }
}

/**
 * Returns the possible actions. Each action changes one thing at random and returns the status of the answer.
 */
function thingsToDo(shops: readonly Shop[], operatorToken: string): readonly (() => Promise<number>)[] {
  // The owner's token is used because a merchant that was deleted and restored has lost its key.
  const call = async ({ merchantId, token }: Shop, method: string, path: string, json?: unknown) =>
    (await api.call(method, `/merchants/${merchantId}${path}`, { token, json })).status
  const withdraw = () => {
    const json = { address: outside, amount: String(dice.between(1, 20)), paymentMethodID: 1 }
    return call(pick(shops), 'POST', '/withdrawals', json)
  }
  const decide = (what: string) => () => {
    const shop = pick(shops)
    return call(shop, 'POST', `/invoices/${pick(shop.invoices).id}${what}`)
  }
  return [
    withdraw,
    withdraw,
    withdraw,
    settle,
    decide('/accept'),
    decide(''),
    () => call(pick(shops), dice.chance(0.2) ? 'DELETE' : 'GET', ''),
    async () => {
      const path = `/operator/merchants/${pick(shops).merchantId}/restore`
      return (await api.call('POST', path, { token: operatorToken })).status
    },
    async () => {
      const shop = pick(shops)
      const [found] = await pending(shop.merchantId)
      return found === undefined ? 200 : call(shop, 'DELETE', `/withdrawals/${found.id}`)
    },
    async () => {
      const { id, token } = pick(pick(shops).claims)
      const json = { token, address: outside }
      return (await api.call('POST', `/public/invoices/${id}/claim`, { json })).status
    },
    async () => {
      await inTransaction(database.db, (tx) => aggregateOnce(tx, invoiceCounts, 100))
      return 200
    },
  ]
}

const pending = (merchantId: string) => anyWithdrawal(database.db, { merchantId, state: 'pending' })

/** Marks a withdrawal as sent, and then as completed or failed, as its outgoing transaction would. */
async function settle(): Promise<number> {
  const queued = await anyWithdrawal(database.db, { stage: 'queued' })
  const sent = await sendWithdrawals(
    api.shop,
    queued.map(({ id }) => id),
  )
  const outcome = dice.chance(0.5) ? 'completed' : 'failed'
  for (const id of sent) {
    await inTransaction(database.db, (tx) => settleWithdrawals(api.shop.methods, tx, [id], outcome))
  }
  return 200
}
