/** A4: of what the signer refused, nothing that cannot be planned holds up the retries of others. */
import sql from 'sql-template-tag'
import { afterEach, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { haltAsset, resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import type { PayoutPurpose, Proposal } from '../../src/outgoing/engine/purpose.ts'
import { readFreeRetries } from '../../src/outgoing/engine/retries/read-free-retries.ts'
import { insertRefusals } from '../../src/outgoing/engine/retries/refusal-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'
import { approvedPayment } from '../support/signer.ts'
import { wishes } from '../support/wishes.ts'

const flow = usePayoutFlow({ lanes: 1 })
const { database } = flow
const max = limits.payoutsPlannedAtOnce
const token = 'ethereum/USDT'

/** Payments that the signer refused and whose time has come, in the order in which they were refused. */
async function refused(
  count: number,
  { asset, merchantId, netMinor = 1n }: { asset: string; merchantId: string; netMinor?: bigint },
): Promise<readonly string[]> {
  const contract = asset === token ? flow.usdt : null
  const refusals = Array.from({ length: count }, () => {
    const id = newId()
    const address = `0x${'22'.repeat(20)}`
    const payment = { withdrawalId: id, merchantId, asset, contract, netMinor, address }
    const payments = [approvedPayment(flow.signer.intentKey, payment)]
    const spends = { asset, contract, amountMinor: netMinor }
    const proposal: Proposal = { id, network: 'ethereum', intent: { kind: 'withdrawal', payments }, spends }
    return { proposal, code: 'over-limit' as const, detail: 'a test', retryInS: 0 }
  })
  await inTransaction(database.db, (tx) => insertRefusals(tx, refusals))
  return refusals.map(({ proposal }) => proposal.id).toSorted()
}

async function readIds(purposes: readonly PayoutPurpose[], halted = new Set<string>()) {
  const scope = { network: 'ethereum', purposes, halted, max }
  return (await readFreeRetries(database.db, scope)).map(({ id }) => id)
}

afterEach(() => database.owner.query(sql`delete from payout_refusal`))

it('A4 refused payouts of a halted asset hold up no retry of another asset', async () => {
  const { db } = database
  await flow.setTokens(0n)
  const halted = await refused(max, { asset: token, merchantId: newId() })
  const payment = await flow.pay({ asset: 'ethereum/ETH', contract: null, netMinor: 7n })
  await inTransaction(db, (tx) =>
    haltAsset({ db: tx, log: flow.parts().log }, { asset: token, cause: 'insolvent', detail: 'a test' }),
  )
  const { id, withdrawalId, ...rest } = payment
  const payments = [{ ...rest, withdrawalId }]
  const spends = { asset: payment.asset, contract: null, amountMinor: 7n }
  const proposal: Proposal = { id, network: 'ethereum', intent: { kind: 'withdrawal', payments }, spends }
  await inTransaction(db, (tx) =>
    insertRefusals(tx, [{ proposal, code: 'over-limit', detail: 'a test', retryInS: 0 }]),
  )
  await database.owner.query(
    sql`update payout_refusal set refused_at = now() + interval '1 hour' where payout_id = ${id}`,
  )
  // Its order is no new one: it is planned as a retry alone.
  const machine = await flow.machine({ purposes: [{ ...wishes, propose: async () => [] }] })
  await machine.finish(3)
  expect(await flow.held(payment.address)).toBe(7n)
  const left = await db.query(sql`select from payout_refusal`)
  expect(left).toHaveLength(halted.length)
  await inTransaction(db, (tx) => resumeAsset(tx, token, { reason: 'a test' }))
})

it('A4 what a purpose keeps back takes no place among those that are tried again', async () => {
  const debtor = newId()
  await refused(2 * max, { asset: token, merchantId: debtor })
  const others = await refused(3, { asset: token, merchantId: newId() })
  const purpose: PayoutPurpose = {
    ...wishes,
    heldBack: async (_, proposals) =>
      new Set(
        proposals.flatMap(({ id, intent }) =>
          intent.kind === 'withdrawal' && intent.payments[0]?.merchantId === debtor ? [id] : [],
        ),
      ),
  }
  expect(await readIds([purpose])).toEqual(others)
})

it("A4 each merchant's first retry comes before anybody's second, and each asset has its turn", async () => {
  const many = await refused(2 * max, { asset: token, merchantId: newId() })
  const small = await refused(2, { asset: token, merchantId: newId() })
  const coin = await refused(2, { asset: 'ethereum/ETH', merchantId: newId() })
  const ids = await readIds([wishes])
  expect(ids).toHaveLength(max)
  expect(new Set(ids.slice(0, 6))).toEqual(new Set([...many.slice(0, 2), ...small, ...coin]))
  expect(await readIds([wishes], new Set([token]))).toEqual(coin)
})
