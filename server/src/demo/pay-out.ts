/**
 * The merchant withdraws its money. Coffer sweeps the deposit, signs and sends the withdrawal, and waits
 * until the withdrawal is final.
 */
import { parseDecimal } from '../core/money.ts'
import { textOf } from './client.ts'
import {
  balanceOf,
  type DemoParts,
  expectField,
  expectSame,
  type Session,
  type Shop,
  seconds,
  usdtMethodId,
  verified,
} from './session.ts'

/**
 * The fee of the sandbox is 1 % of the amount plus 0.10 units of the stablecoin. `left` is the new balance.
 */
const ordered = { amount: '20', fee: '0.3', net: '19.7', left: '4.65' }
const usdtDecimals = 6

/**
 * Runs the steps of the withdrawal.
 * @param contract the address of the contract of the token that is withdrawn
 */
export async function payOut(
  parts: DemoParts,
  session: Session,
  shop: Shop,
  contract: string,
): Promise<void> {
  const { wallet } = session
  const recipient = wallet.recipient
  const before = await wallet.tokenBalance(contract, recipient)
  const order = await orderWithdrawal(parts, session, shop, recipient)
  await awaitSweptEvent(parts, session)
  await awaitSentEvent(parts, session, order)
  const txHash = await awaitCompletedEvent(parts, session, order)
  await seeItArrive(parts, session, { contract, recipient, before, txHash })
  await readWhatIsLeft(parts, session, shop)
}

interface Order {
  readonly id: string
  readonly orderedAt: number
}

function orderWithdrawal(
  { narrator }: DemoParts,
  { client }: Session,
  { key, merchantId }: Shop,
  recipient: string,
): Promise<Order> {
  return narrator.step('Withdraw', async () => {
    const body = { address: recipient, amount: ordered.amount, paymentMethodID: usdtMethodId }
    const orderedAt = performance.now()
    const answer = await client.call(201, 'POST', `/merchants/${merchantId}/withdrawals`, { key, body })
    const id = textOf(answer, 'id')
    const lines = [`${ordered.amount} USDT to ${recipient}, an address outside Coffer`, `withdrawal ${id}`]
    return { lines, value: { id, orderedAt } }
  })
}

/**
 * Waits for the sweep: one transaction moves the customer's money from the deposit address to a hot wallet.
 * The deposit address needs no gas for the sweep.
 */
function awaitSweptEvent({ narrator, patienceMs }: DemoParts, { receiver }: Session): Promise<void> {
  return narrator.step('Receive collection.completed', async () => {
    const event = await receiver.next('collection.completed', patienceMs)
    const lines = [`the deposit was swept to a hot wallet by transaction ${String(event.data['txHash'])}`]
    return { lines: [...lines, verified(event)], value: undefined }
  })
}

function awaitSentEvent(
  { narrator, patienceMs }: DemoParts,
  { receiver }: Session,
  { id, orderedAt }: Order,
): Promise<void> {
  return narrator.step('Receive withdrawal.broadcast', async () => {
    const event = await receiver.next('withdrawal.broadcast', patienceMs)
    expectField(event, 'withdrawalID', id)
    const after = `${seconds(event.receivedAt - orderedAt)} after the order; signed by a separate process`
    return { lines: [after, verified(event)], value: undefined }
  })
}

function awaitCompletedEvent(
  { narrator, patienceMs }: DemoParts,
  { receiver }: Session,
  { id, orderedAt }: Order,
): Promise<string> {
  return narrator.step('Receive withdrawal.completed', async () => {
    const event = await receiver.next('withdrawal.completed', patienceMs)
    expectField(event, 'withdrawalID', id)
    const txHash = String(event.data['txHash'])
    const after = `${seconds(event.receivedAt - orderedAt)} after the order, final on the chain`
    return { lines: [after, `transaction ${txHash}`, verified(event)], value: txHash }
  })
}

interface ExpectedTransfer {
  readonly contract: string
  readonly recipient: string
  /** The recipient's balance before the withdrawal, in the token's smallest unit. */
  readonly before: bigint
  readonly txHash: string
}

function seeItArrive(
  { narrator, patienceMs }: DemoParts,
  { wallet }: Session,
  { contract, recipient, before, txHash }: ExpectedTransfer,
): Promise<void> {
  return narrator.step('Check the recipient’s balance', async () => {
    const height = await wallet.blockOf(txHash, patienceMs)
    const gained = (await wallet.tokenBalance(contract, recipient)) - before
    expectSame('the amount received', String(gained), String(parseDecimal(ordered.net, usdtDecimals)))
    const line = `${ordered.net} USDT in block ${height}: ${ordered.amount} less the fee of ${ordered.fee}`
    return { lines: [line], value: undefined }
  })
}

function readWhatIsLeft({ narrator }: DemoParts, session: Session, shop: Shop): Promise<void> {
  return narrator.step('Read the balance again', async () => {
    const balance = await balanceOf(session, shop)
    expectSame('the balance', balance, ordered.left)
    return { lines: [`${balance} USDT`], value: undefined }
  })
}
