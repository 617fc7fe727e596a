import { expect, it, onTestFinished } from 'vitest'
import { transferTopic } from '../../src/chains/evm/transfers.ts'
import { NodeError } from '../../src/chains/port.ts'
import type { Log } from '../../src/core/log.ts'
import { emptyAnswers, startAlteredNode } from '../chains/altered-node.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { readTestContract } from '../support/anvil.ts'
import { type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, countDeposits, eventsOf, invoiceStatusOf, paidOnce } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop, anvil } = flow
const enoughMinor = 10_000_000n

/** Mines the sent transactions with enough blocks to credit them, and expects that none of them counts. */
async function expectNothing(invoice: OpenInvoice, over = {}): Promise<void> {
  const before = await countDeposits(shop)
  await anvil.mine(3)
  await flow.followToHead(over)
  expect(await countDeposits(shop)).toBe(before)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await eventsOf(shop, invoice)).toEqual([])
}

it('ignores a token transfer that was reverted', async () => {
  const invoice = await flow.openInvoice()
  const [, , , , , pauper = ''] = anvil.accounts
  const payment = { contract: flow.tokens.USDT, to: invoice.address, amountMinor: enoughMinor, from: pauper }
  const txHash = await anvil.sendToken(payment)
  await anvil.mine()
  expect(await anvil.receiptOf(txHash)).toMatchObject({ status: '0x0' })
  await expectNothing(invoice)
})

it('ignores an inner transfer that was reverted, although its transaction succeeded', async () => {
  const invoice = await flow.openInvoice({ methodId: 3 })
  const artifact = await readTestContract('Forwarder')
  const contract = await anvil.deploy(artifact)
  const args = [invoice.address, invoice.amountMinor]
  const valueMinor = invoice.amountMinor
  const txHash = await anvil.sendCall({ contract, artifact, name: 'payAndUndo', args, valueMinor })
  await anvil.mine()
  expect(await anvil.receiptOf(txHash)).toMatchObject({ status: '0x1' })
  await expectNothing(invoice)
})

it('ignores a token that only resembles a listed one, and the log names it', async () => {
  const invoice = await flow.openInvoice()
  const contract = await anvil.deploy(await readTestContract('LookAlike'))
  const txHash = await anvil.sendToken({ contract, to: invoice.address, amountMinor: enoughMinor })
  const warnings: Record<string, unknown>[] = []
  const log: Log = { info: () => {}, error: () => {}, warn: (fields) => warnings.push(fields) }
  await expectNothing(invoice, { log })
  expect(warnings).toMatchObject([{ txHash, recipient: invoice.address, asset: { contract } }])
})

it('ignores a Transfer event that another contract invents, with a real holder as its sender', async () => {
  const invoice = await flow.openInvoice()
  const [holder = ''] = anvil.accounts
  const forger = `0x${'f0'.repeat(20)}`
  await anvil.rpc('anvil_setCode', [forger, forgerCode(holder)])
  const data = `0x${invoice.address.slice(2).padStart(64, '0')}${enoughMinor.toString(16).padStart(64, '0')}`
  const txHash = await anvil.rpc('eth_sendTransaction', [{ from: holder, to: forger, data, gas: '0x30000' }])
  await anvil.mine()
  const { logs } = await anvil.receiptOf(txHash)
  expect(logs).toMatchObject([{ address: forger, topics: [transferTopic, {}, {}] }])
  await expectNothing(invoice)
})

it('ignores transfers of a zero amount', async () => {
  const invoice = await flow.openInvoice({ moreMethodIds: [3] })
  await flow.pay(invoice, 0n)
  await anvil.sendCoin({ to: invoice.address, amountMinor: 0n })
  await expectNothing(invoice)
})

it('refuses a node that leaves the logs out, and credits the payment once its answers are complete', async () => {
  const invoice = await flow.openInvoice()
  let isHiding = true
  const hide = emptyAnswers('eth_getBlockReceipts')
  const node = await startAlteredNode(anvil.url, (call, answer) => (isHiding ? hide(call, answer) : answer))
  const chain = openDevChain(node.url)
  onTestFinished(async () => {
    await chain.close()
    await node.close()
  })
  await flow.pay(invoice)
  await anvil.mine(3)
  await expect(flow.followToHead({ chain })).rejects.toThrow(NodeError)
  expect(await eventsOf(shop, invoice)).toEqual([])
  isHiding = false
  await flow.followToHead({ chain })
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
})

/**
 * Returns the code of a contract that only emits Transfer(holder, first word of the call data, second word).
 */
function forgerCode(holder: string): string {
  const amountToMemory = '602035600052'
  const topics = `60003573${holder.slice(2)}7f${transferTopic.slice(2)}`
  const emit = '60206000a300'
  return `0x${amountToMemory}${topics}${emit}`
}
