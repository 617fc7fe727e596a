/** The merchants of a soak test, and the random withdrawals that they order. */
import sql from 'sql-template-tag'
import { required } from '../../../src/core/assert.ts'
import { Problem } from '../../../src/core/errors.ts'
import { newId } from '../../../src/core/ids.ts'
import { decimal, formatDecimal } from '../../../src/core/money.ts'
import { createWithdrawal } from '../../../src/outgoing/withdrawals/create-withdrawal.ts'
import { quantity } from '../../support/anvil.ts'
import { makeShop, takePrices } from '../../support/shop.ts'
import { makeHostile } from './hostile-contracts.ts'
import { freshAddress, gwei, type MerchantKind, openOrders, type Soak, type SoakMerchant } from './soak.ts'

/** Opens a merchant with a final deposit. Its shop is opened again, as an API process is after a restore. */
export async function openSoakMerchant(
  { flow, merchants }: Soak,
  kind: MerchantKind,
  amount: string,
): Promise<SoakMerchant> {
  const shop = makeShop(flow.database, { usdt: flow.usdt })
  await takePrices(shop)
  const methodId = kind === 'hostile' ? 3 : 1
  // Fixes the base fee, so that the deposit's sender offers enough for the next block.
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n * gwei)])
  const id = await shop.openMerchant()
  const { address } = await shop.addressFor(await shop.openInvoice(id, { amount: '10', methodId }), methodId)
  if (kind === 'hostile') await flow.anvil.sendCoin({ to: address, amountMinor: decimal(amount, 18) })
  else {
    const amountMinor = decimal(amount, 6)
    await flow.anvil.rpc('anvil_dealERC20', [flow.anvil.accounts[0], flow.usdt, quantity(amountMinor)])
    await flow.anvil.sendToken({ contract: flow.usdt, to: address, amountMinor })
  }
  await flow.mine(5)
  const merchant = { id, kind }
  merchants.push(merchant)
  return merchant
}

/**
 * Pays a small amount from a listed sender to the address that holds a merchant's money. The money can then
 * not be swept, and covers no order.
 */
export async function soil({ flow }: Soak, merchant: SoakMerchant): Promise<void> {
  const { anvil, usdt, shop } = flow
  const { address } = await shop.row<{ address: string }>(
    sql`select recipient as address from deposit where merchant_id = ${merchant.id}`,
  )
  const listed = required(anvil.accounts[3], 'an account').toLowerCase()
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n * gwei)])
  await anvil.rpc('anvil_dealERC20', [listed, usdt, quantity(600_000n)])
  await anvil.sendToken({ contract: usdt, from: listed, to: address, amountMinor: 600_000n })
  await anvil.mine(5)
  await flow.follow({
    screening: {
      screenAll: async (_network, _when, addresses) =>
        new Map(addresses.map((one) => [one, one === listed ? ('listed' as const) : ('passed' as const)])),
    },
  })
}

export interface OrderParams {
  readonly isCoin: boolean
  readonly amount: string
  readonly address?: string
}

/** Orders a withdrawal, unless the merchant no longer has the amount. */
export async function order(
  soak: Soak,
  merchant: SoakMerchant,
  { isCoin, amount, address }: OrderParams,
): Promise<void> {
  const { flow, dice, orders } = soak
  const id = newId()
  const to = address ?? freshAddress(dice)
  const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
  const input = { id, merchantId: merchant.id, address: to, amount, paymentMethodId: isCoin ? 3 : 1 }
  try {
    const { amountMinor, feeMinor } = await createWithdrawal(flow.orders, caller, input)
    orders.push({ id, merchant, isCoin, address: to, netMinor: amountMinor - feeMinor, waitedRounds: 0 })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'insufficient-balance') throw error
  }
}

/** Lets a random choice of merchants order. */
export async function orderSome(soak: Soak): Promise<void> {
  const { dice, merchants, flow } = soak
  const open = await openOrders(soak)
  const openOf = (merchant: SoakMerchant) => open.filter((one) => one.merchant === merchant).length
  const dollars = (least: number, most: number) => ({ isCoin: false, amount: `${dice.between(least, most)}` })
  for (const merchant of merchants) {
    const count = openOf(merchant)
    if (merchant.kind === 'small' && count === 0) {
      const former = soak.orders.findLast((one) => one.merchant === merchant)
      const isAgain = former !== undefined && dice.chance(0.1)
      await order(soak, merchant, { ...dollars(5, 50), ...(isAgain && { address: former.address }) })
    }
    if (merchant.kind === 'flood' && count < 12 && dice.chance(0.5))
      for (let more = 0; more < 12; more += 1) await order(soak, merchant, dollars(5, 50))
    if (merchant.kind === 'greedy' && count < 2 && dice.chance(0.3))
      await order(soak, merchant, dollars(30_000, 40_000))
  }
  for (const merchant of merchants.filter(({ kind }) => kind === 'hostile').slice(-hostileAtOnce))
    if (openOf(merchant) < 4 && dice.chance(0.7)) await orderToContract(soak, merchant)
  await flow.follow()
}

/** Only the latest hostile merchants make orders, because earlier ones have used up their gas budgets. */
const hostileAtOnce = 2

/** Orders 0.002 to 0.006 ETH: less than a failure may cost, or a little more. */
async function orderToContract(soak: Soak, merchant: SoakMerchant): Promise<void> {
  const amount = formatDecimal(BigInt(soak.dice.between(20, 60)) * 10n ** 14n, 18)
  await order(soak, merchant, { isCoin: true, amount, address: await makeHostile(soak) })
}
