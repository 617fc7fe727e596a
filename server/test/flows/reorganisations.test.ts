import { expect, it, onTestFinished } from 'vitest'
import type { ChainReader } from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { releaseLease } from '../../src/platform/db/lease.ts'
import { followChain } from '../../src/watcher/follow-chain.ts'
import { balancesIn } from '../support/books.ts'
import { type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { insertOutgoingTransaction, withdrawalIntent } from '../support/outgoing-transactions.ts'
import { sendWithdrawals } from '../support/sent-withdrawals.ts'
import {
  balanceOf,
  depositsOf,
  eventsOf,
  invoiceStatusOf,
  journalsOf,
  paidOnce,
} from '../support/shop-readers.ts'
import { signingWallet, signPayment } from '../support/sign-payment.ts'
import { withdrawalPartsOf } from '../support/withdrawal-parts.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

const paidAndTakenBack = ['transaction.detected', 'invoice.paid', 'transaction.reverted', 'invoice.reverted']

/** Replaces the last `depth` blocks by others, with another coin transfer in the first. */
async function replaceBlocks(depth: number): Promise<void> {
  await flow.rollBack(depth)
  await sendElsewhere()
  await anvil.mine(depth + 1)
}

/** Sends a transaction that is not ours and makes its block different from any other. */
async function sendElsewhere(): Promise<void> {
  elsewhereMinor += 1n
  const [, , , payer = '', payee = ''] = anvil.accounts
  await anvil.sendCoin({ from: payer, to: payee, amountMinor: elsewhereMinor })
}
let elsewhereMinor = 0n

/** Returns the raw transaction of the payment, so that it can be sent again. */
async function payAndMine(invoice: OpenInvoice): Promise<string> {
  const txHash = await flow.pay(invoice)
  await flow.mineAndFollow()
  return anvil.rpc('eth_getRawTransactionByHash', [txHash])
}

it('a payment that is dropped before its confirmation does not count, and was never credited', async () => {
  const invoice = await flow.openInvoice()
  await payAndMine(invoice)
  await replaceBlocks(1)
  await flow.followToHead()
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await eventsOf(shop, invoice)).toEqual(paidAndTakenBack)
  expect(await journalsOf(shop, invoice)).toEqual([])
  expect(await depositsOf(shop, invoice)).toMatchObject([{ state: 'pending', blockHeight: undefined }])
})

it('a payment that is dropped after its credit is reversed by a mirror journal, and both are reported', async () => {
  const invoice = await flow.openInvoice()
  await payAndMine(invoice)
  await flow.mineAndFollow()
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  await replaceBlocks(2)
  await flow.followToHead()
  expect(await balanceOf(shop, invoice)).toBe('0')
  expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited', 'deposit.credited.reversed'])
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await eventsOf(shop, invoice)).toEqual([...paidOnce, 'transaction.reverted', 'invoice.reverted'])
})

it('a payment that is mined again after other logs keeps its row and is credited once more', async () => {
  const invoice = await flow.openInvoice()
  const other = await flow.openInvoice()
  const raw = await payAndMine(invoice)
  await flow.mineAndFollow()
  const [before] = await depositsOf(shop, invoice)
  await flow.rollBack(2)
  const [, holder = ''] = anvil.accounts
  await anvil.sendToken({
    contract: flow.tokens.USDC,
    to: other.address,
    amountMinor: 1_000_000n,
    from: holder,
  })
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await anvil.mine()
  expect(await anvil.receiptOf(before?.txHash ?? '')).toMatchObject({ transactionIndex: '0x1' })
  await flow.mineAndFollow(2)
  const after = await depositsOf(shop, invoice)
  expect(after).toMatchObject([{ id: before?.id, state: 'confirmed', inclusion: 2 }])
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await journalsOf(shop, invoice)).toEqual([
    'deposit.credited',
    'deposit.credited.reversed',
    'deposit.credited',
  ])
  expect(await eventsOf(shop, invoice)).toEqual([
    ...paidOnce,
    'transaction.reverted',
    'invoice.reverted',
    ...paidOnce,
  ])
})

it('a node that is only behind reverses nothing', async () => {
  const invoice = await flow.openInvoice()
  const raw = await payAndMine(invoice)
  await flow.mineAndFollow()
  await flow.rollBack(2)
  await flow.followToHead()
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await sendElsewhere()
  await flow.mineAndFollow(2)
  expect(await balanceOf(shop, invoice)).toBe('9.8')
})

it('a chain that reverses a final block is refused if it carries real money', async () => {
  const invoice = await flow.openInvoice()
  await payAndMine(invoice)
  await flow.mineAndFollow(6)
  await replaceBlocks(7)
  await expect(flow.followToHead({ mayUndoFinal: false })).rejects.toThrow(/was final. Nothing is reverted/)
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  await flow.followToHead()
  expect(await balanceOf(shop, invoice)).toBe('0')
})

it('a block that was read on a tip that left the chain meanwhile is not booked', async () => {
  const invoice = await flow.openInvoice()
  await sendElsewhere()
  await flow.mineAndFollow()
  const lease = await flow.takeLease()
  onTestFinished(() => releaseLease(shop.db, lease))
  await flow.pay(invoice)
  await anvil.mine()
  const late = holdingBack()
  const step = followChain(flow.partsUnder(lease, { chain: late.chain }), late.signal)
  await late.hasRead
  await flow.rollBack(2)
  await sendElsewhere()
  await anvil.mine()
  while ((await followChain(flow.partsUnder(lease), late.signal)) > 0);
  late.release()
  await expect(step).rejects.toThrow(/the cursor of ethereum moved/)
  expect(await eventsOf(shop, invoice)).toEqual([])
})

/** Wraps the flow's reader. Its last check before a block is booked does not return until it is released. */
function holdingBack() {
  let release = () => {}
  let resume = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hasRead = new Promise<void>((resolve) => {
    resume = resolve
  })
  const { reader } = flow
  const requireSuccess: ChainReader['requireSuccess'] = async (...asked) => {
    await reader.requireSuccess(...asked)
    resume()
    await released
  }
  const chain: ChainReader = new Proxy(reader, {
    get: (_, name) => {
      const member = name === 'requireSuccess' ? requireSuccess : Reflect.get(reader, name, reader)
      return typeof member === 'function' ? member.bind(reader) : member
    },
  })
  return { chain, hasRead, release, signal: new AbortController().signal }
}

it('A15 cancels a queued withdrawal to reverse a deposit, and records a receivable for money that has left', async () => {
  const invoice = await flow.openInvoice()
  const { merchantId } = invoice
  const raw = await payAndMine(invoice)
  await flow.mineAndFollow()
  const sent = await withdraw(merchantId, '4')
  const queued = await withdraw(merchantId, '5')
  await sendUnseen(merchantId, sent, 4_000_000n)
  await replaceBlocks(2)
  await flow.followToHead()
  expect(await balancesIn(shop, merchantId)).toEqual({
    available: 0n,
    held: 4_000_000n,
    receivable: 4_000_000n,
  })
  const { state } = await withdrawalRecords.one(shop.db, { id: queued }, 'state')
  expect(state).toBe('cancelled')
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(2)
  expect(await balancesIn(shop, merchantId)).toEqual({
    available: 5_800_000n,
    held: 4_000_000n,
    receivable: 0n,
  })
})

/** Records an outgoing transaction whose signed bytes reached no node. */
async function sendUnseen(merchantId: string, id: string, amountMinor: bigint): Promise<void> {
  const { feeMinor: fee } = await withdrawalRecords.one(shop.db, { id }, 'feeMinor')
  const amounts = { netMinor: amountMinor - BigInt(fee), feeMinor: BigInt(fee) }
  const { txHash, raw } = await signPayment(0, payee, amounts.netMinor)
  await sendWithdrawals(shop, [id], () => txHash)
  const intent = withdrawalIntent({ id, merchantId, asset: 'ethereum/USDT', address: payee, ...amounts })
  const made = { id, intent, wallet: signingWallet, nonce: 0, state: 'broadcast', txHash, raw } as const
  await insertOutgoingTransaction(flow.database.owner, made)
}

const payee = `0x${'5a'.repeat(20)}`

async function withdraw(merchantId: string, amount: string): Promise<string> {
  const caller = { type: 'key', merchantId } as const
  const wanted = { id: newId(), merchantId, address: payee, amount, paymentMethodId: 1 }
  return (await createWithdrawal(withdrawalPartsOf(shop), caller, wanted)).id
}
