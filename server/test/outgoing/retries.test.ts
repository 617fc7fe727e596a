/** Tests the fault case A4: a refused payment that cannot be planned does not delay the retries of others. */
import { afterEach, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { haltAsset, resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import type { OutgoingSource, Proposal } from '../../src/outgoing/engine/outgoing-source.ts'
import { readFreeRetries } from '../../src/outgoing/engine/retries/read-free-retries.ts'
import { insertRefusals } from '../../src/outgoing/engine/retries/refusal-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { refusalRecords } from '../support/outgoing/records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { fromNow } from '../support/records/values.ts'
import { approvedPayment } from '../support/signer.ts'
import { transferRequests } from '../support/transfer-requests.ts'

const flow = useOutgoingFlow({ hotWallets: 1 })
const { database } = flow
const max = limits.outgoingPlannedAtOnce
const token = 'ethereum/USDT'

/** Creates payments that the signer refused and that are due for a retry, in the order of their refusals. */
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

async function readIds(outgoingSources: readonly OutgoingSource[], halted = new Set<string>()) {
  const scope = { network: 'ethereum', outgoingSources, halted, max }
  return (await readFreeRetries(database.db, scope)).map(({ id }) => id)
}

afterEach(() => refusalRecords.remove(database.owner))

it('A4 refused payouts of a halted asset do not delay a retry of another asset', async () => {
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
  await refusalRecords.change(database.owner, { outgoingTransactionId: id }, { refusedAt: fromNow('1 hour') })
  // The source proposes nothing new, so this order can only be planned as a retry.
  const engine = await flow.engine({ outgoingSources: [{ ...transferRequests, propose: async () => [] }] })
  await engine.finish(3)
  expect(await flow.held(payment.address)).toBe(7n)
  const left = await refusalRecords.all(db)
  expect(left).toHaveLength(halted.length)
  await inTransaction(db, (tx) => resumeAsset(tx, token, { reason: 'a test' }))
})

it('A4 a payment that its source holds back uses no turn among the retries', async () => {
  const debtor = newId()
  await refused(2 * max, { asset: token, merchantId: debtor })
  const others = await refused(3, { asset: token, merchantId: newId() })
  const outgoingSource: OutgoingSource = {
    ...transferRequests,
    heldBack: async (_, proposals) =>
      new Set(
        proposals.flatMap(({ id, intent }) =>
          intent.kind === 'withdrawal' && intent.payments[0]?.merchantId === debtor ? [id] : [],
        ),
      ),
  }
  expect(await readIds([outgoingSource])).toEqual(others)
})

it("A4 each merchant's first retry comes before anybody's second, and each asset gets its turn", async () => {
  const many = await refused(2 * max, { asset: token, merchantId: newId() })
  const small = await refused(2, { asset: token, merchantId: newId() })
  const coin = await refused(2, { asset: 'ethereum/ETH', merchantId: newId() })
  const ids = await readIds([transferRequests])
  expect(ids).toHaveLength(max)
  expect(new Set(ids.slice(0, 6))).toEqual(new Set([...many.slice(0, 2), ...small, ...coin]))
  expect(await readIds([transferRequests], new Set([token]))).toEqual(coin)
})
