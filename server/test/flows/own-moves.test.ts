import sql from 'sql-template-tag'
import { beforeAll, expect, it } from 'vitest'
import { fundLanesWorker } from '../../src/app/sandbox/fund-lanes.ts'
import { silentLog } from '../../src/core/log.ts'
import { platformBalances } from '../../src/ledger/balance.ts'
import { saveCapitalSource } from '../../src/payments/deposits/unattributed/attribution-store.ts'
import { useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, eventsOf, transactionsOf } from '../support/shop-sight.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

const asset = 'ethereum/ETH'
const laneNumber = 7
const funderNumber = 8
const accountOf = (number: number) => anvil.accounts[number] ?? ''
const lane = () => accountOf(laneNumber)

beforeAll(() => addLane(0, lane()))

async function addLane(number: number, address: string): Promise<void> {
  await flow.database.owner.query(
    sql`insert into hot_wallet (network, lane, address) values ('ethereum', ${number}, ${address})`,
  )
}

async function platformIn(name: string): Promise<bigint> {
  const balances = await platformBalances(shop.db)
  return balances.find((one) => one.name === name && one.asset === asset)?.balanceMinor ?? 0n
}

function rowsTo(recipient: string) {
  return shop.db.query<{ state: string; inclusion: number; address_id: number | null }>(
    sql`select state, inclusion, address_id from transaction where recipient = ${recipient}`,
  )
}

/** Puts other blocks in place of the last `depth`, with these transactions in the first. */
async function replaceBlocks(depth: number, raws: readonly string[]): Promise<void> {
  await flow.rollBack(depth)
  await anvil.sendCoin({ from: accountOf(3), to: accountOf(4), amountMinor: BigInt(depth) })
  for (const raw of raws) await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(depth + 1)
}

it('a hot wallet that tops a deposit address up pays no invoice, before and after a reorganisation', async () => {
  const invoice = await flow.openInvoice({ methodId: 3 })
  const txHash = await anvil.sendCoin({ from: lane(), to: invoice.address, amountMinor: invoice.amountMinor })
  await flow.mineAndFollow(3)
  const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
  expect(await transactionsOf(shop, invoice)).toEqual([])
  await replaceBlocks(3, [raw])
  expect(await transactionsOf(shop, invoice)).toEqual([])
  expect(await eventsOf(shop, invoice)).toEqual([])
  expect(await balanceOf(shop, invoice, 3)).toBe('0')
})

it('a token that a hot wallet sends to a deposit address pays no invoice', async () => {
  const invoice = await flow.openInvoice()
  await anvil.sendToken({ contract: flow.tokens.USDT, to: lane(), amountMinor: 10_000_000n })
  await anvil.mine()
  await anvil.sendToken({
    contract: flow.tokens.USDT,
    to: invoice.address,
    amountMinor: 10_000_000n,
    from: lane(),
  })
  await flow.mineAndFollow(3)
  expect(await transactionsOf(shop, invoice)).toEqual([])
})

it('what an outsider sends to a hot wallet is nobody’s, and is taken back with its block', async () => {
  const before = await platformIn('unattributed')
  const txHash = await anvil.sendCoin({ to: lane(), amountMinor: 7n })
  await flow.mineAndFollow()
  expect(await platformIn('unattributed')).toBe(before)
  await flow.mineAndFollow()
  expect(await platformIn('unattributed')).toBe(before + 7n)
  expect(await rowsTo(lane())).toContainEqual({ state: 'confirmed', inclusion: 1, address_id: null })
  const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
  await replaceBlocks(2, [])
  expect(await platformIn('unattributed')).toBe(before)
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(2)
  expect(await platformIn('unattributed')).toBe(before + 7n)
})

it('what a source of capital sends to a hot wallet is capital once it is confirmed, however often it is', async () => {
  await saveCapitalSource(shop.db, 'ethereum', accountOf(funderNumber))
  const before = { capital: await platformIn('capital'), unattributed: await platformIn('unattributed') }
  const txHash = await anvil.sendCoin({ from: accountOf(funderNumber), to: lane(), amountMinor: 11n })
  await flow.mineAndFollow(2)
  expect(await platformIn('capital')).toBe(before.capital + 11n)
  expect(await platformIn('unattributed')).toBe(before.unattributed)
  const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
  await replaceBlocks(2, [])
  expect(await platformIn('capital')).toBe(before.capital)
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(2)
  expect(await platformIn('capital')).toBe(before.capital + 11n)
})

it('what a source of capital pays to a deposit address is a payment like any other', async () => {
  const invoice = await flow.openInvoice({ methodId: 3 })
  await saveCapitalSource(shop.db, 'ethereum', accountOf(funderNumber))
  const { address, amountMinor } = invoice
  await anvil.sendCoin({ from: accountOf(funderNumber), to: address, amountMinor })
  await flow.mineAndFollow(2)
  expect(await balanceOf(shop, invoice, 3)).toBe('0.00396')
})

it('each new lane of the sandbox gets 100 ETH once, whoever is cut off in between, and they are capital', async () => {
  const fresh = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`] as const
  await addLane(1, fresh[0])
  await addLane(2, fresh[1])
  const before = await platformIn('capital')
  const bite = () => {
    const parts = { db: shop.db, network: 'ethereum', nodeUrl: anvil.url, log: silentLog } as const
    return fundLanesWorker(parts).takeAndDo(AbortSignal.timeout(20_000))
  }
  // Another began and was killed when its first transaction was sent and not mined yet.
  const eachMinor = 10n ** 20n
  await anvil.sendCoin({ from: accountOf(9), to: fresh[0], amountMinor: eachMinor })
  const first = bite()
  await expect.poll(async () => (await anvil.rpc('txpool_status')).pending, { timeout: 10_000 }).toBe('0x2')
  await flow.mineAndFollow(2)
  await first
  await bite()
  await flow.mineAndFollow(2)
  for (const address of fresh) {
    expect(BigInt(await anvil.rpc('eth_getBalance', [address, 'latest']))).toBe(eachMinor)
  }
  expect(await platformIn('capital')).toBe(before + 2n * eachMinor)
})
