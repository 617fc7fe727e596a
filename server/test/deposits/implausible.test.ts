/** A token may tell of any transfer: what nobody can have moved is kept apart, and stops nobody. */
import sql from 'sql-template-tag'
import { beforeAll, expect, it } from 'vitest'
import { verify } from '../../src/oversight/verify/verify.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { type HostileToken, makeHostile } from '../outgoing/hostile-token.ts'
import { standingIn } from '../support/books.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()
const most = 2n ** 256n - 1n
let token: HostileToken

beforeAll(async () => {
  token = await makeHostile(flow)
  // The lanes' addresses are ours as soon as they are attested.
  await (await flow.payer()).settle()
})

async function openPretended(...amountsMinor: readonly bigint[]): Promise<string> {
  const merchantId = await flow.shop.openMerchant()
  const { address } = await flow.shop.addressFor(await flow.shop.openInvoice(merchantId, { amount: '10' }))
  for (const amountMinor of amountsMinor) await token.pretend(address, amountMinor)
  await flow.mine(5)
  return merchantId
}

function depositsOf(merchantId: string) {
  return flow.shop.db.query<{ amount: string; verdict: string | null; quarantine: string | null }>(sql`
    select amount_minor as amount, aml_verdict as verdict, quarantine from transaction
    where merchant_id = ${merchantId} order by amount_minor desc`)
}

it('more than there is of a token is put into quarantine, and pays nothing', async () => {
  const supply = BigInt(await flow.anvil.rpc('eth_call', [{ to: flow.usdt, data: '0x18160ddd' }, 'latest']))
  const merchantId = await openPretended(most, supply + 1n)
  expect(await depositsOf(merchantId)).toEqual([
    { amount: `${most}`, verdict: 'implausible', quarantine: 'held' },
    { amount: `${supply + 1n}`, verdict: 'implausible', quarantine: 'held' },
  ])
  expect(await standingIn(flow.shop, merchantId)).toMatchObject({ available: 0n, held: 0n })
  const { state } = await flow.shop.row<{ state: string }>(
    sql`select state from invoice where merchant_id = ${merchantId}`,
  )
  expect(state).toBe('pending')
})

it('as much as there can be is credited', async () => {
  const merchantId = await flow.openFunded(200_000_000_000n)
  expect(await depositsOf(merchantId)).toEqual([{ amount: '200000000000', verdict: null, quarantine: null }])
})

it('any number of the largest transfers there can be stop neither the watcher nor the books', async () => {
  const attacker = await openPretended(...Array.from({ length: 12 }, () => most))
  expect(await depositsOf(attacker)).toHaveLength(12)
  const honest = await flow.openFunded(100_000_000n)
  expect(await standingIn(flow.shop, honest)).toMatchObject({ available: 98_900_000n })
  const [held] = await flow.shop.db.query<{ id: string }>(
    sql`select id from transaction where merchant_id = ${attacker} limit 1`,
  )
  const { db, methods } = flow.shop
  await endQuarantine({ db, methods }, { transactionId: held?.id ?? '', outcome: 'seized', reason: 'a test' })
  const chains = [{ reader: flow.reader, sender: flow.sender }]
  const report = await verify({ db, methods, chains })
  expect(report.entries.flatMap(({ id, findings }) => findings.map((finding) => `${id} ${finding}`))).toEqual(
    [],
  )
})
