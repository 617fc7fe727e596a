/** Reads the outcome of a soak from the database, the chain's balances and the chain's receipts. */
import sql from 'sql-template-tag'
import { required } from '../../../src/core/assert.ts'
import { fixedReadings } from '../../../src/pricing/rates/fixed-prices.ts'
import { type OrderFact, type OutflowFact, recipientKeyOf, type SoakFacts } from './checks.ts'
import type { Soak } from './soak.ts'

export async function readFacts(soak: Soak): Promise<SoakFacts> {
  const { orders, counts } = soak
  const rows = await readRows(soak)
  const networkMinor = await readNetworkFees(soak)
  const facts = orders.map(({ id, merchant, isCoin, address, netMinor }): OrderFact => {
    const row = rows.get(id)
    return {
      id,
      merchantId: merchant.id,
      kind: merchant.kind,
      isCoin,
      address,
      netMinor,
      state: row?.state ?? 'lost',
      waitsFor: row?.waits_for ?? null,
      amountMinor: BigInt(row?.amount_minor ?? 0),
      chargedMinor: BigInt(row?.network_cost_minor ?? 0),
      networkMinor: networkMinor.get(id) ?? 0n,
    }
  })
  const received = await readReceived(soak)
  const feesMinor = await readFees(soak)
  return {
    orders: facts,
    received,
    outflows: await readOutflows(soak),
    feesMinor,
    worstRounds: counts.worstRounds,
  }
}

/**
 * Returns the balance of each order's address, by recipient key. Each address is new, and nothing leaves it.
 */
async function readReceived({ flow, orders }: Soak): Promise<ReadonlyMap<string, bigint>> {
  const height = Number(await flow.anvil.rpc('eth_blockNumber'))
  const received = new Map<string, bigint>()
  for (const isCoin of [true, false]) {
    const asset = isCoin ? ({ type: 'coin' } as const) : ({ type: 'token', contract: flow.usdt } as const)
    const addresses = [
      ...new Set(orders.filter((one) => one.isCoin === isCoin).map(({ address }) => address)),
    ]
    const held = await flow.reader.readBalances(asset, addresses, height, new AbortController().signal)
    for (const [index, address] of addresses.entries())
      received.set(recipientKeyOf({ isCoin, address }), held[index] ?? 0n)
  }
  return received
}

interface Row {
  readonly id: string
  readonly state: Exclude<OrderFact['state'], 'lost'>
  readonly waits_for: string | null
  readonly amount_minor: string
  readonly network_cost_minor: string | null
}

async function readRows({ flow }: Soak): Promise<ReadonlyMap<string, Row>> {
  const rows = await flow.shop.db.query<Row>(
    sql`select id, state, waits_for, amount_minor, network_cost_minor from withdrawal`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns by order the network fees of its transactions that are in a block. */
async function readNetworkFees({ flow }: Soak): Promise<ReadonlyMap<string, bigint>> {
  const attempts = await flow.shop.db.query<{ id: string; hash: string }>(
    sql`select outgoing_transaction_id as id, outgoing_transaction_attempt.tx_hash as hash from outgoing_transaction_attempt join withdrawal on withdrawal.id = outgoing_transaction_id`,
  )
  const fees = new Map<string, bigint>()
  for (const { id, hash } of attempts) {
    const receipt = await flow.anvil.rpc('eth_getTransactionReceipt', [hash])
    if (receipt === null) continue
    const feeMinor = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    fees.set(id, (fees.get(id) ?? 0n) + feeMinor)
  }
  return fees
}

/** Returns by merchant all fees that the books charged it. Tokens count at the fixed prices. */
async function readFees({ flow }: Soak): Promise<ReadonlyMap<string, bigint>> {
  const rows = await flow.shop.db.query<{ id: string; asset: string; minor: string }>(sql`
    select owner_id as id, asset, credits - debits as minor from ledger_account
    where name = 'fees' and owner_id is not null`)
  const price = (symbol: string) => required(fixedReadings([symbol]).get(symbol)?.[0], 'a price').priceUsd
  const fees = new Map<string, bigint>()
  for (const { id, asset, minor } of rows) {
    const inCoin =
      asset === 'ethereum/ETH' ? BigInt(minor) : (BigInt(minor) * 10n ** 12n * price('USDT')) / price('ETH')
    fees.set(id, (fees.get(id) ?? 0n) + inCoin)
  }
  return fees
}

async function readOutflows({ flow }: Soak): Promise<readonly OutflowFact[]> {
  const rows = await flow.shop.db.query<{ detail: string }>(
    sql`select detail from wallet_outflow where kind = 'unknown'`,
  )
  return rows.map(({ detail }) => {
    const [, amount = '', asset = '', address = ''] =
      /^(\d+) of (coin|token) .*?(?:to )(0x[0-9a-f]{40})$/.exec(detail) ?? []
    return { isCoin: asset === 'coin', address, amountMinor: BigInt(amount) }
  })
}
