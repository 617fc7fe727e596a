import { beforeAll, expect, it } from 'vitest'
import { fundHotWalletsWorker } from '../../src/app/sandbox/fund-hot-wallets.ts'
import { silentLog } from '../../src/core/log.ts'
import { platformBalances } from '../../src/ledger/balance.ts'
import { saveCapitalSource } from '../../src/payments/deposits/unattributed/attribution-store.ts'
import { useChainFlow } from '../support/chain-flow.ts'
import { hotWalletRecords } from '../support/outgoing/records.ts'
import { depositRecords } from '../support/payments/records.ts'
import { balanceOf, depositsOf, eventsOf } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

const asset = 'ethereum/ETH'
const hotWalletNumber = 7
const funderNumber = 8
const accountOf = (number: number) => anvil.accounts[number] ?? ''
const hotWallet = () => accountOf(hotWalletNumber)

beforeAll(() => addHotWallet(0, hotWallet()))

async function addHotWallet(number: number, address: string): Promise<void> {
  await hotWalletRecords.add(flow.database.owner, { network: 'ethereum', index: number, address })
}

async function platformIn(name: string): Promise<bigint> {
  const balances = await platformBalances(shop.db)
  return balances.find((one) => one.name === name && one.asset === asset)?.balanceMinor ?? 0n
}

function rowsTo(recipient: string) {
  return depositRecords.all(shop.db, { recipient }, 'state', 'inclusion', 'addressId')
}

/** Replaces the last `depth` blocks by others, with these transactions in the first. */
async function replaceBlocks(depth: number, raws: readonly string[]): Promise<void> {
  await flow.rollBack(depth)
  await anvil.sendCoin({ from: accountOf(3), to: accountOf(4), amountMinor: BigInt(depth) })
  for (const raw of raws) await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(depth + 1)
}

it('a top-up of a deposit address by a hot wallet pays no invoice, before and after a reorganisation', async () => {
  const invoice = await flow.openInvoice({ methodId: 3 })
  const txHash = await anvil.sendCoin({
    from: hotWallet(),
    to: invoice.address,
    amountMinor: invoice.amountMinor,
  })
  await flow.mineAndFollow(3)
  const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
  expect(await depositsOf(shop, invoice)).toEqual([])
  await replaceBlocks(3, [raw])
  expect(await depositsOf(shop, invoice)).toEqual([])
  expect(await eventsOf(shop, invoice)).toEqual([])
  expect(await balanceOf(shop, invoice, 3)).toBe('0')
})

it('a token that a hot wallet sends to a deposit address pays no invoice', async () => {
  const invoice = await flow.openInvoice()
  await anvil.sendToken({ contract: flow.tokens.USDT, to: hotWallet(), amountMinor: 10_000_000n })
  await anvil.mine()
  await anvil.sendToken({
    contract: flow.tokens.USDT,
    to: invoice.address,
    amountMinor: 10_000_000n,
    from: hotWallet(),
  })
  await flow.mineAndFollow(3)
  expect(await depositsOf(shop, invoice)).toEqual([])
})

it('a transfer from an external account to a hot wallet is unattributed, and is reversed with its block', async () => {
  const before = await platformIn('unattributed')
  const txHash = await anvil.sendCoin({ to: hotWallet(), amountMinor: 7n })
  await flow.mineAndFollow()
  expect(await platformIn('unattributed')).toBe(before)
  await flow.mineAndFollow()
  expect(await platformIn('unattributed')).toBe(before + 7n)
  expect(await rowsTo(hotWallet())).toContainEqual({ state: 'confirmed', inclusion: 1, addressId: null })
  const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
  await replaceBlocks(2, [])
  expect(await platformIn('unattributed')).toBe(before)
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(2)
  expect(await platformIn('unattributed')).toBe(before + 7n)
})

it('a transfer from a source of capital to a hot wallet is capital once it is confirmed, each time', async () => {
  await saveCapitalSource(shop.db, 'ethereum', accountOf(funderNumber))
  const before = { capital: await platformIn('capital'), unattributed: await platformIn('unattributed') }
  const txHash = await anvil.sendCoin({ from: accountOf(funderNumber), to: hotWallet(), amountMinor: 11n })
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

it('a transfer from a source of capital to a deposit address is a payment like any other', async () => {
  const invoice = await flow.openInvoice({ methodId: 3 })
  await saveCapitalSource(shop.db, 'ethereum', accountOf(funderNumber))
  const { address, amountMinor } = invoice
  await anvil.sendCoin({ from: accountOf(funderNumber), to: address, amountMinor })
  await flow.mineAndFollow(2)
  expect(await balanceOf(shop, invoice, 3)).toBe('0.00396')
})

it('each new hot wallet of the sandbox gets 100 ETH of capital once, even if a process is killed meanwhile', async () => {
  const fresh = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`] as const
  await addHotWallet(1, fresh[0])
  await addHotWallet(2, fresh[1])
  const before = await platformIn('capital')
  const batch = () => {
    const parts = { db: shop.db, network: 'ethereum', nodeUrl: anvil.url, log: silentLog } as const
    return fundHotWalletsWorker(parts).runBatch(AbortSignal.timeout(20_000))
  }
  // Another process has begun the transfers. It was killed after it had sent its first transaction, and
  // before that transaction was mined.
  const eachMinor = 10n ** 20n
  await anvil.sendCoin({ from: accountOf(9), to: fresh[0], amountMinor: eachMinor })
  const first = batch()
  await expect.poll(async () => (await anvil.rpc('txpool_status')).pending, { timeout: 10_000 }).toBe('0x2')
  await flow.mineAndFollow(2)
  await first
  await batch()
  await flow.mineAndFollow(2)
  for (const address of fresh) {
    expect(BigInt(await anvil.rpc('eth_getBalance', [address, 'latest']))).toBe(eachMinor)
  }
  expect(await platformIn('capital')).toBe(before + 2n * eachMinor)
})
