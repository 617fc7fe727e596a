/**
 * Tests that money leaves once, whatever is killed. Withdrawals are ordered from two Coffers on one database,
 * and a seed kills one, both, their signer or their chain again and again. `npm run soak -- payouts --seed N
 * --minutes M` runs it for longer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { decimal, formatDecimal, sum } from '../../src/core/money.ts'
import { openWallet } from '../../src/demo/wallet.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import { call, type MerchantClient, merchantAt, openMerchant, payFrom } from '../support/coffer-client.ts'
import { useDataDirs } from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'
import { type Dice, diceOf } from '../support/dice.ts'
import { startTwoCoffers, type TwoCoffers, type Victim } from '../support/two-coffers.ts'

const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000)
const minutes = Number(process.env['SOAK_MINUTES'] ?? 0.3)
const ordersWanted = Number(process.env['SOAK_WITHDRAWALS'] ?? 40)
const merchantsWanted = 4
const ordererCount = 8

const database = useDatabase({ migrated: false })
const dataDirs = useDataDirs()
const login = { email: 'admin@coffer.test', password: 'correct horse battery staple' }

/** Ether, which the hot wallets hold, and a token that has to be swept from deposit addresses first. */
const ether = { paymentMethodID: 3, decimals: 18, leastMicros: 1_000, mostMicros: 90_000 } as const
const token = { paymentMethodID: 1, decimals: 6, leastMicros: 1_000_000, mostMicros: 4_000_000 } as const

/** A withdrawal that a merchant asks for. */
interface Order {
  readonly merchant: MerchantClient
  readonly asset: typeof ether | typeof token
  /** Idempotency key of the request, so that repeated requests make one order. */
  readonly key: string
  readonly address: string
  readonly amount: string
  /** Set once the order was acknowledged. */
  made: { readonly id: string; readonly net: string } | undefined
}

it(`pays ${ordersWanted} withdrawals once each through ${minutes} minutes of kills (seed ${seed}, SOAK_SEED=${seed} repeats it)`, {
  timeout: 300_000 + minutes * 120_000 + ordersWanted * 1_000,
}, async () => {
  const dice = diceOf(seed)
  const dirs = { first: await dataDirs.fresh(), second: await dataDirs.fresh() }
  const coffers = await startTwoCoffers(database.urls, dirs, login.password)
  const merchants = await openFunded(coffers)
  const orders = Array.from({ length: ordersWanted }, (_, index) => draw(dice, index, merchants))
  const struck = await Promise.all([orderAll(dice, coffers, orders), strikeAgain(dice, coffers)])
  await expectPaid(coffers, orders)
  await coffers.strike('both')
  await expectPaid(coffers, orders)
  await expectRightBooks(coffers)
  await coffers.stop()
  const paidOf = ({ paymentMethodID, decimals }: Order['asset']) => {
    const own = orders.filter(({ asset }) => asset.paymentMethodID === paymentMethodID)
    return formatDecimal(
      sum(own.map(({ made }) => decimal(required(made, 'an order').net, decimals))),
      decimals,
    )
  }
  const paid = `${paidOf(ether)} ETH and ${paidOf(token)} USDT`
  console.log(`seed ${seed}: ${orders.length} withdrawals of ${paid}, kills: ${struck[1]}`)
})

/** Opens merchants with 40 ETH and 2,000 USDT each, in blocks older than any that the chain may lose. */
async function openFunded(coffers: TwoCoffers): Promise<readonly MerchantClient[]> {
  const [url = ''] = coffers.urls()
  const merchants: MerchantClient[] = []
  const wallet = await openWallet(coffers.nodeUrl, new AbortController().signal)
  const contract = await contractOf(coffers)
  for (let count = 0; count < merchantsWanted; count += 1) {
    const merchant = await openMerchant(url, login)
    const invoiceId = await merchant.createInvoice({ amount: '100000' })
    await payFrom(coffers.nodeUrl, count + 2, await merchant.addressOf(invoiceId))
    const inToken = { amount: '2000', paymentMethodID: token.paymentMethodID }
    const { address } = await tokenAddressOf(url, await merchant.createInvoice(inToken))
    await wallet.sendToken({ contract, to: address, amountMinor: decimal('2000', token.decimals) })
    merchants.push(merchant)
  }
  await vi.waitFor(
    async () => {
      for (const { call: ask, merchantId } of merchants) {
        const { body } = await ask('GET', `/merchants/${merchantId}/funds`)
        for (const { paymentMethodID, balance } of body) {
          const isFunded = paymentMethodID === 2 || balance !== '0'
          if (!isFunded) throw new Error('a merchant has no money yet')
        }
      }
    },
    { timeout: 60_000, interval: 200 },
  )
  // The dev chain saves its state once a second.
  await sleep(3_000)
  return merchants
}

async function contractOf(coffers: TwoCoffers): Promise<string> {
  const { body } = await call(`${coffers.urls()[0]}/payment-methods`, 'GET', {})
  return body.find((method: typeof token) => method.paymentMethodID === token.paymentMethodID).contract
}

async function tokenAddressOf(url: string, invoiceId: string): Promise<{ readonly address: string }> {
  return (
    await call(`${url}/public/invoices/${invoiceId}/method/${token.paymentMethodID}/address`, 'GET', {})
  ).body
}

function draw(dice: Dice, index: number, merchants: readonly MerchantClient[]): Order {
  const digits = () => dice.between(0, 0xffff_ffff).toString(16).padStart(8, '0')
  const asset = dice.chance(0.5) ? ether : token
  return {
    asset,
    merchant: required(merchants[index % merchants.length], 'a merchant'),
    key: `order-${seed}-${index}`,
    address: `0x${Array.from({ length: 5 }, digits).join('')}`,
    amount: formatDecimal(BigInt(dice.between(asset.leastMicros, asset.mostMicros)), 6),
    made: undefined,
  }
}

/**
 * Orders the withdrawals, spread over the time of the kills. Each is requested until a process acknowledges
 * it.
 */
async function orderAll(dice: Dice, coffers: TwoCoffers, orders: readonly Order[]): Promise<void> {
  const queue = [...orders]
  const restMs = (minutes * 60_000 * ordererCount) / orders.length
  const orderer = async () => {
    for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
      const startedAt = performance.now()
      while (order.made === undefined) await ask(coffers, order, dice.between(0, 1))
      await sleep(Math.max(0, restMs - (performance.now() - startedAt)))
    }
  }
  await Promise.all(Array.from({ length: ordererCount }, orderer))
}

async function ask(coffers: TwoCoffers, order: Order, index: number): Promise<void> {
  const { merchant, key, address, amount, asset } = order
  const { paymentMethodID } = asset
  const url = required(coffers.urls()[index], 'a place to ask')
  const headers = { 'x-api-key': merchant.key, 'idempotency-key': key }
  const json = { address, amount, paymentMethodID }
  try {
    const { status, body } = await call(
      `${url}/merchants/${merchant.merchantId}/withdrawals`,
      'POST',
      headers,
      json,
    )
    if (status === 201) order.made = { id: body.id, net: body.net }
    else if (status < 500 && status !== 409) throw new RangeError(`${status} ${JSON.stringify(body)}`)
  } catch (error) {
    if (error instanceof RangeError) throw error
    // The process that was asked is dead, or its answer was lost.
  }
  if (order.made === undefined) await sleep(100)
}

/**
 * The processes from which the next victim is chosen at random. A name that is listed several times is chosen
 * more often. A killed chain loses the blocks of up to its last second.
 */
const hat: readonly Victim[] = [
  ...(['first', 'first', 'first', 'second', 'second', 'second', 'signer', 'signer', 'signer'] as const),
  ...(['both', 'chain'] as const),
]

/**
 * Kills victims at random moments.
 * @returns a text with how often each was killed
 */
async function strikeAgain(dice: Dice, coffers: TwoCoffers): Promise<string> {
  const counts = new Map<Victim, number>()
  const endAt = performance.now() + minutes * 60_000
  while (performance.now() < endAt) {
    await sleep(dice.between(200, 3_000))
    const victim = required(hat[dice.between(0, hat.length - 1)], 'a victim')
    await coffers.strike(victim)
    counts.set(victim, (counts.get(victim) ?? 0) + 1)
  }
  return [...counts].map(([victim, count]) => `${victim} ${count}`).join(', ')
}

/**
 * Checks that all withdrawals are completed, and that each recipient holds exactly the amount less the fee.
 */
async function expectPaid(coffers: TwoCoffers, orders: readonly Order[]): Promise<void> {
  const patience = { timeout: 120_000 + orders.length * 500, interval: 500 }
  const contract = await contractOf(coffers)
  const outcome = async () => {
    const states = await statesOf(coffers, orders)
    const paid = await Promise.all(
      orders.map(({ address, asset }) => heldBy(coffers, address, asset === token ? contract : undefined)),
    )
    return orders.flatMap(({ made, address, asset }, index) => {
      const { id, net } = required(made, 'an acknowledged order')
      const reported = `${states.get(id)} ${formatDecimal(paid[index] ?? 0n, asset.decimals)}`
      return reported === `completed ${net}` ? [] : [`${id} to ${address}: ${reported}, not completed ${net}`]
    })
  }
  try {
    await expect.poll(outcome, patience).toEqual([])
  } catch (error) {
    console.error(coffers.log().slice(-20_000))
    throw error
  }
}

/** Returns the balance of an address on chain, in ether or in a token. */
async function heldBy(
  { nodeUrl }: TwoCoffers,
  address: string,
  contract: string | undefined,
): Promise<bigint> {
  if (contract === undefined) {
    return BigInt(String(await callNode(nodeUrl, 'eth_getBalance', [address, 'latest'])))
  }
  // balanceOf(address)
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
  return BigInt(String(await callNode(nodeUrl, 'eth_call', [{ to: contract, data }, 'latest'])))
}

async function statesOf(coffers: TwoCoffers, orders: readonly Order[]): Promise<ReadonlyMap<string, string>> {
  const [url = ''] = coffers.urls()
  const states = new Map<string, string>()
  for (const merchant of new Set(orders.map((order) => order.merchant))) {
    const { call: ask, merchantId } = merchantAt(url, merchant)
    const { body } = await ask('GET', `/merchants/${merchantId}/withdrawals?limit=1000`)
    for (const { id, state } of body.data) states.set(id, state)
  }
  return states
}

async function expectRightBooks(coffers: TwoCoffers): Promise<void> {
  const { code, stdout, stderr } = await coffers.run(['verify'])
  expect(code, stdout + stderr).toBe(0)
}
