/** What a failed transfer of a token is charged, and what counts for a merchant's budget. */
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import type { PayoutState } from '../../src/outgoing/engine/payout.ts'
import { inAsset } from '../../src/outgoing/withdrawals/network-costs/failure-cost.ts'
import { readNetworkCosts } from '../../src/outgoing/withdrawals/network-costs/store.ts'
import { withdrawalPurpose } from '../../src/outgoing/withdrawals/withdrawal-purpose.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { expectSoundBooks } from '../support/books.ts'
import { testOrderVerifier } from '../support/order-keys.ts'
import type { Machine } from '../support/payout-flow.ts'
import { insertPayout } from '../support/payouts.ts'
import { screeningOff } from '../support/screening.ts'
import { takePrices } from '../support/shop.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()

/** A machine to which no token is plain. */
function wary(): Promise<Machine> {
  const { shop, signer } = flow
  const all = shop.methods.all.map((method) => ({ ...method, isPlain: false }))
  const purpose = withdrawalPurpose({
    db: shop.db,
    methods: paymentMethods(all, new Set(['ethereum'])),
    log: silentLog,
    intentKey: signer.intentKey,
    orders: testOrderVerifier,
    screening: screeningOff,
    approvalAboveUsd: undefined,
  })
  return flow.machine({ purposes: [purpose] })
}

interface Charged {
  readonly state: string
  readonly network_cost_minor: string | null
  readonly failure_coin_price_usd: string | null
  readonly failure_asset_price_usd: string | null
}

function charged(id: string): Promise<Charged> {
  return flow.shop.row(sql`
    select state, network_cost_minor, failure_coin_price_usd, failure_asset_price_usd from withdrawal where id = ${id}`)
}

async function findingsOfM6(): Promise<readonly string[]> {
  const { entries } = await verify(flow.shop)
  return entries.filter(({ id }) => id === 'M6').flatMap(({ findings }) => findings)
}

it('A1 a token that is not plain is charged for a failure at the prices kept with the order', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const { id } = await flow.order(merchantId)
  const machine = await wary()
  await machine.settle()
  const code = await flow.anvil.rpc('eth_getCode', [flow.usdt, 'latest'])
  await flow.anvil.rpc('anvil_setCode', [flow.usdt, '0x60006000fd'])
  try {
    await flow.playOut(machine)
  } finally {
    await flow.anvil.rpc('anvil_setCode', [flow.usdt, code])
  }
  const [paid] = await flow.shop.db.query<{ fee_minor: string }>(
    sql`select fee_minor from payout where id = ${id} and not is_success`,
  )
  const row = await charged(id)
  const rate = {
    type: 'priced',
    coinPriceUsd: BigInt(row.failure_coin_price_usd ?? 0),
    coinDecimals: 18,
    assetPriceUsd: BigInt(row.failure_asset_price_usd ?? 0),
    assetDecimals: 6,
  } as const
  expect(row.state).toBe('failed')
  expect(BigInt(row.network_cost_minor ?? 0)).toBe(inAsset(BigInt(paid?.fee_minor ?? 0), rate, 6))
  expect(BigInt(row.network_cost_minor ?? 0)).toBeGreaterThan(0n)
  await expectSoundBooks(flow.shop)

  const raise = (by: number) =>
    flow.database.owner.query(
      sql`update withdrawal set network_cost_minor = network_cost_minor + ${by} where id = ${id}`,
    )
  await raise(1)
  expect(await findingsOfM6()).toEqual([expect.stringContaining(id)])
  await raise(-1)
  expect(await findingsOfM6()).toEqual([])
})

it('A1 a token that is not plain waits while nobody knows what its failure would cost', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  await flow.database.owner.query(sql`delete from rate`)
  const { id } = await flow.order(merchantId)
  const machine = await wary()
  await flow.playOut(machine)
  expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'approved' })
  expect(await flow.shop.db.query(sql`select cause from payout_wait`)).toEqual([{ cause: 'rate' }])
  await takePrices(flow.shop)
  await flow.playOut(machine)
  expect(await charged(id)).toMatchObject({ state: 'completed', network_cost_minor: null })
})

it('A1 a sweep costs each merchant its share by deposits, a failed one too, and what is older than a day nothing', async () => {
  const { db } = flow.shop
  const small = await flow.shop.openMerchant()
  const large = await flow.shop.openMerchant()
  let nonce = 0
  const sweep = async (state: PayoutState, isSuccess: boolean): Promise<string> => {
    const id = newId()
    nonce += 1
    await db.query(
      sql`insert into sweep (id, network, kind, assets) values (${id}, 'ethereum', 'sweep', '{ethereum/USDT}')`,
    )
    const txHash = `0x${newId().replaceAll('-', '')}`
    const inclusion = { height: 1, blockHash: '0x1', isSuccess, feeMinor: 900n }
    await insertPayout(db, {
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
      await db.query(sql`
        insert into collection (id, merchant_id, network, asset, payment_method_id, sweep_id, amount_minor, amount,
          transactions)
        values (${newId()}, ${merchantId}, 'ethereum', 'ethereum/USDT', 1, ${id}, 1, 1, ${transactions})`)
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
  // Open: 9 gas at a price of 1 at most.
  await sweep('planned', false)
  expect(await costs()).toEqual([603n, 1_206n])
  await flow.database.owner.query(
    sql`update payout set ended_at = now() - interval '25 hours' where id = ${failed}`,
  )
  expect(await costs()).toEqual([303n, 606n])
})
