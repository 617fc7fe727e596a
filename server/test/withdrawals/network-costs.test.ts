/** Tests what a failed transfer of a token is charged, and what counts for a merchant's gas budget. */
import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import type { OutgoingTransactionState } from '../../src/outgoing/engine/outgoing-transaction.ts'
import { inAsset } from '../../src/outgoing/withdrawals/network-costs/failure-cost.ts'
import { readNetworkCosts } from '../../src/outgoing/withdrawals/network-costs/store.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { expectSoundBooks } from '../support/books.ts'
import { testOrderVerifier } from '../support/order-keys.ts'
import {
  collectionRecords,
  outgoingRecords,
  sweepRecords,
  waitRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import type { Engine } from '../support/outgoing-flow.ts'
import { insertOutgoingTransaction } from '../support/outgoing-transactions.ts'
import { rateRecords } from '../support/payments/records.ts'
import { fromNow, plus } from '../support/records/values.ts'
import { screeningOff } from '../support/screening.ts'
import { takePrices } from '../support/shop.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()

/**
 * Returns an engine for which no token is plain (`isPlain`), so that it expects that transfers of tokens can
 * fail.
 */
function wary(): Promise<Engine> {
  const { shop, signer } = flow
  const all = shop.methods.all.map((method) => ({ ...method, isPlain: false }))
  const outgoingSource = withdrawalOutgoingSource({
    db: shop.db,
    methods: paymentMethods(all, new Set(['ethereum'])),
    log: silentLog,
    intentKey: signer.intentKey,
    orders: testOrderVerifier,
    screening: screeningOff,
    approvalAboveUsd: undefined,
  })
  return flow.engine({ outgoingSources: [outgoingSource] })
}

interface Charged {
  readonly state: string
  readonly networkCostMinor: string | null
  readonly failureCoinPriceUsd: string | null
  readonly failureAssetPriceUsd: string | null
}

function charged(id: string): Promise<Charged> {
  return withdrawalRecords.one(
    flow.shop.db,
    { id },
    'state',
    'networkCostMinor',
    'failureCoinPriceUsd',
    'failureAssetPriceUsd',
  )
}

async function findingsOfM6(): Promise<readonly string[]> {
  const { entries } = await verify(flow.shop)
  return entries.filter(({ id }) => id === 'M6').flatMap(({ findings }) => findings)
}

it('A1 a failure of a token that is not plain is charged at the prices stored with the order', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const { id } = await flow.order(merchantId)
  const engine = await wary()
  await engine.settle()
  const code = await flow.anvil.rpc('eth_getCode', [flow.usdt, 'latest'])
  await flow.anvil.rpc('anvil_setCode', [flow.usdt, '0x60006000fd'])
  try {
    await flow.playOut(engine)
  } finally {
    await flow.anvil.rpc('anvil_setCode', [flow.usdt, code])
  }
  const [paid] = await outgoingRecords.all(flow.shop.db, { id, isSuccess: false }, 'feeMinor')
  const row = await charged(id)
  const rate = {
    type: 'priced',
    coinPriceUsd: BigInt(row.failureCoinPriceUsd ?? 0),
    coinDecimals: 18,
    assetPriceUsd: BigInt(row.failureAssetPriceUsd ?? 0),
    assetDecimals: 6,
  } as const
  expect(row.state).toBe('failed')
  expect(BigInt(row.networkCostMinor ?? 0)).toBe(inAsset(BigInt(paid?.feeMinor ?? 0), rate, 6))
  expect(BigInt(row.networkCostMinor ?? 0)).toBeGreaterThan(0n)
  await expectSoundBooks(flow.shop)

  const raise = (by: number) =>
    withdrawalRecords.change(flow.database.owner, { id }, { networkCostMinor: plus(by) })
  await raise(1)
  expect(await findingsOfM6()).toEqual([expect.stringContaining(id)])
  await raise(-1)
  expect(await findingsOfM6()).toEqual([])
})

it('A1 a token that is not plain waits while the cost of its failure is unknown', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  await rateRecords.remove(flow.database.owner)
  const { id } = await flow.order(merchantId)
  const engine = await wary()
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'approved' })
  expect(await waitRecords.all(flow.shop.db, {}, 'cause')).toEqual([{ cause: 'rate' }])
  await takePrices(flow.shop)
  await flow.playOut(engine)
  expect(await charged(id)).toMatchObject({ state: 'completed', networkCostMinor: null })
})

it('A1 a sweep costs each merchant its share by deposits, also if it fails, for a day', async () => {
  const { db } = flow.shop
  const small = await flow.shop.openMerchant()
  const large = await flow.shop.openMerchant()
  let nonce = 0
  const sweep = async (state: OutgoingTransactionState, isSuccess: boolean): Promise<string> => {
    const id = newId()
    nonce += 1
    await sweepRecords.add(db, { id, network: 'ethereum', kind: 'sweep', assets: ['ethereum/USDT'] })
    const txHash = `0x${newId().replaceAll('-', '')}`
    const inclusion = { height: 1, blockHash: '0x1', isSuccess, feeMinor: 900n }
    await insertOutgoingTransaction(db, {
      id,
      intent: { kind: 'sweep', deposits: [], assets: [] },
      wallet: '0xsweeper',
      nonce,
      state,
      txHash,
      ...(state === 'final' && { inclusion }),
    })
    for (const [merchantId, transactions] of [
      [small, 1],
      [large, 2],
    ] as const) {
      await collectionRecords.add(db, {
        id: newId(),
        merchantId,
        network: 'ethereum',
        asset: 'ethereum/USDT',
        paymentMethodId: 1,
        sweepId: id,
        amountMinor: 1n,
        amount: 1n,
        transactions,
      })
    }
    return id
  }
  const costs = async () => {
    const read = await readNetworkCosts(db, 'ethereum', [small, large])
    return [read.get(small) ?? 0n, read.get(large) ?? 0n]
  }
  await sweep('final', true)
  expect(await costs()).toEqual([300n, 600n])
  const failed = await sweep('final', false)
  expect(await costs()).toEqual([600n, 1_200n])
  // The sweep is still open. It counts 9 gas at a price of at most 1.
  await sweep('planned', false)
  expect(await costs()).toEqual([603n, 1_206n])
  await outgoingRecords.change(flow.database.owner, { id: failed }, { endedAt: fromNow('-25 hours') })
  expect(await costs()).toEqual([303n, 606n])
})
