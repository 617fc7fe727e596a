/**
 * A shop with some customers, and an operator with decisions to make. The pictures of the dashboard show
 * them.
 */
import { vi } from 'vitest'
import { call, type MerchantClient, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import type { RunningCoffer } from '../support/coffer-process.ts'

/** Development account 6, which is on the sanctions list of the pictures. */
export const listed = { account: 6, address: '0x976EA74026E726554dB657fA54763abd0C3a0aa9' }
/** The threshold in US dollars above which a withdrawal waits for an operator. */
export const approvalAboveUsd = '250'

const externalAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const secret = 'a secret of at least thirty-two characters'
const usdt = 1
const eth = 3

export interface Stage {
  readonly coffer: RunningCoffer
  readonly merchant: MerchantClient
  /** A merchant that is deleted while a customer pays it. */
  readonly closing: MerchantClient
  /** A merchant whose server does not answer webhooks. */
  readonly deaf: MerchantClient
  /** A merchant that withdraws a payment before a reorganisation reverses it. */
  readonly owing: MerchantClient
  /** Sends a request as the operator, who owns the merchants too. */
  ask(method: string, path: string, json?: unknown): Promise<Body>
}

type Body = Awaited<ReturnType<typeof call>>['body']

export async function openStage(coffer: RunningCoffer): Promise<Stage> {
  const open = (name: string) => openMerchant(coffer.url, printedLogin(coffer), name)
  const closing = await open('Closed kiosk')
  const deaf = await open('Harbour Bakery')
  const owing = await open('Bluebird Books')
  // A person who signs in sees the newest merchant first.
  const merchant = await open('Northwind Coffee')
  const bearer = { authorization: `Bearer ${merchant.token}` }
  const ask = async (method: string, path: string, json?: unknown) => {
    const { status, body } = await call(`${coffer.url}${path}`, method, bearer, json)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  return { coffer, merchant, closing, deaf, owing, ask }
}

/**
 * Creates invoices and a withdrawal that completes. One invoice is paid in USDT, and then three in ETH.
 * @returns the invoice that was paid last, and the transaction that paid it
 */
export async function sell(stage: Stage, webhook: string): Promise<{ invoiceId: string; txHash: string }> {
  const { coffer, merchant, ask } = stage
  await merchant.setWebhook(webhook, secret)
  const invoices: string[] = []
  const orders = ['Espresso beans, 1 kg', 'Gift card', 'Grinder', 'Subscription, June', 'Filter papers']
  for (const [index, description] of orders.entries())
    invoices.push(
      await merchant.createInvoice({
        amount: `${19 + index * 13}.50`,
        description,
        reference: `NW-${1041 + index}`,
      }),
    )
  const wholesale = {
    amount: '640',
    paymentMethodID: usdt,
    description: 'Wholesale, 40 kg',
    reference: 'NW-1040',
  }
  await payInSandbox(stage, await merchant.createInvoice(wholesale))
  let last = { invoiceId: '', txHash: '' }
  for (const [index, invoiceId] of invoices.slice(0, 3).entries()) {
    const txHash = await payFrom(coffer.nodeUrl, 3 + index, await merchant.addressOf(invoiceId))
    await merchant.becomes(invoiceId, 'paid')
    last = { invoiceId, txHash }
  }
  await withdraw(stage, eth, '0.01')
  await until(
    async () => (await merchant.transactions()).filter(({ state }) => state === 'confirmed').length >= 4,
  )
  await until(async () => {
    const { data } = await ask('GET', `/merchants/${merchant.merchantId}/withdrawals`)
    return data[0]?.state === 'completed'
  })
  return last
}

/** Makes the operator's earlier decisions, such as fees. */
export async function rule({ merchant: { merchantId }, ask }: Stage): Promise<void> {
  const own = { merchantID: merchantId }
  await ask('PUT', '/operator/fees', { type: 'onetime', percent: '1.2', flat: '0.20', currency: 'USD' })
  await ask('PUT', '/operator/fees', { ...own, type: 'onetime', percent: '0.8', paymentMethodID: usdt })
  await ask('PUT', '/operator/fees', {
    type: 'withdrawal',
    percent: '0',
    flat: '0.0005',
    paymentMethodID: eth,
  })
  await ask('PUT', '/operator/limits', { minCollect: '2', minWithdraw: '10' })
  await ask('PUT', '/operator/limits', { ...own, minWithdraw: '0.005', paymentMethodID: eth })
  for (const amount of ['0.75', '1.5'])
    await ask('POST', '/operator/treasury-withdrawals', { paymentMethodID: eth, source: 'capital', amount })
  await ask('POST', '/auth/tokens', { name: 'Bookkeeping', days: 30 })
}

/**
 * Reverses a payment that its merchant has already withdrawn, by rolling the chain back. The merchant then
 * owes the amount (a receivable). Call this function last.
 */
export async function takeBackSpent(stage: Stage): Promise<void> {
  const { owing, ask } = stage
  await payInSandbox(stage, await owing.createInvoice({ amount: '180', paymentMethodID: eth }))
  const paidAt = await headOf(stage)
  await until(async () => (await owing.transactions())[0]?.state === 'confirmed')
  const order = { address: externalAddress, amount: '0.04', paymentMethodID: eth }
  await owing.call('POST', `/merchants/${owing.merchantId}/withdrawals`, order)
  await until(async () => {
    const { data } = await ask('GET', `/merchants/${owing.merchantId}/withdrawals`)
    return data[0]?.state === 'completed'
  })
  await ask('POST', '/operator/sandbox/reorganisations', { depth: (await headOf(stage)) - paidAt + 2 })
  await until(async () => (await ask('GET', '/operator/debts')).total > 0)
}

async function headOf({ ask }: Stage): Promise<number> {
  const { nodes } = await ask('GET', '/operator/nodes')
  return nodes.find(({ network }: Body) => network === 'ethereum').headHeight
}

/**
 * Leaves decisions for an operator: withdrawals above the threshold, a payment of a listed sender, and
 * unattributed money.
 */
export async function leaveToDecide(stage: Stage, failingWebhook: string): Promise<void> {
  const { coffer, merchant, closing, deaf, ask } = stage
  for (const amount of ['260', '320']) await withdraw(stage, usdt, amount)
  const suspect = await merchant.createInvoice({
    amount: '84',
    description: 'Gift card',
    reference: 'NW-1046',
  })
  await payFrom(coffer.nodeUrl, listed.account, await merchant.addressOf(suspect))

  const { assets } = await ask('GET', '/operator/treasury')
  const [hotWallet] = assets.find(({ paymentMethodID }: Body) => paymentMethodID === eth).hotWallets
  await payFrom(coffer.nodeUrl, 4, { address: hotWallet.address, amount: '0.2' })
  const late = await closing.addressOf(await closing.createInvoice())
  await ask('DELETE', `/merchants/${closing.merchantId}`)
  await payFrom(coffer.nodeUrl, 5, late)

  await deaf.setWebhook(failingWebhook, secret)
  await payInSandbox(stage, await deaf.createInvoice())

  const isFull = async (path: string, count: number) => (await ask('GET', path)).data.length >= count
  await until(() => isFull('/operator/approvals', 2))
  await until(() => isFull('/operator/quarantine', 1))
  await until(async () => {
    const { data } = await ask('GET', '/operator/unattributed')
    return data.length >= 2 && data.every(({ state }: Body) => state === 'confirmed')
  })
  await until(async () => (await ask('GET', '/operator/webhooks')).merchants[0]?.failingSince !== null)
  await until(async () =>
    (await ask('GET', '/operator/treasury-withdrawals')).data.every(
      ({ state }: Body) => state === 'completed',
    ),
  )
}

async function payInSandbox({ ask }: Stage, invoiceID: string): Promise<void> {
  await ask('POST', '/operator/sandbox/payments', { invoiceID })
}

async function withdraw({ merchant }: Stage, paymentMethodID: number, amount: string): Promise<void> {
  const order = { address: externalAddress, amount, paymentMethodID }
  const { status, body } = await merchant.call('POST', `/merchants/${merchant.merchantId}/withdrawals`, order)
  if (status >= 300) throw new Error(`withdrawal: ${status} ${JSON.stringify(body)}`)
}

const until = (isSo: () => Promise<boolean>) => vi.waitUntil(isSo, { timeout: 60_000, interval: 200 })
