import { expect, it, onTestFinished } from 'vitest'
import { type ChainReader, NodeError } from '../../src/chains/port.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, countDeposits, eventsOf, journalsOf, paidOnce } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

/**
 * Opens a node that alters one receipt once, as a backend on a sibling block or with a broken index would.
 */
async function onceSpoilingReceipt(
  spoil: (receipt: object) => object | null,
  ofTx?: string,
): Promise<ChainReader> {
  let spoiled = 0
  const node = await startAlteredNode(anvil.url, (call, answer) => {
    if (call.method !== 'eth_getTransactionReceipt' || spoiled > 0) return answer
    if (ofTx !== undefined && call.params[0] !== ofTx) return answer
    spoiled += 1
    return { ...answer, result: spoil(answer['result'] as object) }
  })
  const chain = openDevChain(node.url)
  onTestFinished(async () => {
    await chain.close()
    await node.close()
    expect(spoiled).toBe(1)
  })
  return chain
}

it.for<[string, (receipt: object) => object | null]>([
  ['of a sibling block', (receipt) => ({ ...receipt, blockHash: `0x${'5b'.repeat(32)}` })],
  ['that says failure', (receipt) => ({ ...receipt, status: '0x0' })],
  ['that says nothing of success', (receipt) => ({ ...receipt, status: undefined })],
  ['that is missing', () => null],
])(
  'with one receipt %s nothing is booked and nothing lost: the next poll credits the payment once',
  async ([, spoil]) => {
    const invoice = await flow.openInvoice()
    const before = await countDeposits(shop)
    await flow.pay(invoice)
    await anvil.mine(2)
    const chain = await onceSpoilingReceipt(spoil)
    await expect(flow.followToHead({ chain })).rejects.toThrow(NodeError)
    expect(await countDeposits(shop)).toBe(before)
    expect(await eventsOf(shop, invoice)).toEqual([])
    await flow.followToHead({ chain })
    expect(await balanceOf(shop, invoice)).toBe('9.8')
    expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited'])
    expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  },
)

it('of several missed blocks, those before the one with the altered receipt are booked at once', async () => {
  const first = await flow.openInvoice()
  const second = await flow.openInvoice()
  const third = await flow.openInvoice()
  await flow.pay(first)
  await anvil.mine()
  const spoiled = await flow.pay(second)
  await anvil.mine()
  await flow.pay(third)
  await anvil.mine(2)
  const chain = await onceSpoilingReceipt(() => null, spoiled)
  await expect(flow.followToHead({ chain })).rejects.toThrow(`no receipt of ${spoiled}`)
  expect(await eventsOf(shop, first)).toContain('invoice.paid')
  expect(await eventsOf(shop, second)).toEqual([])
  expect(await eventsOf(shop, third)).toEqual([])
  await flow.followToHead({ chain })
  for (const invoice of [first, second, third]) expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
})

it('of several missed blocks, all receipts come in one request', async () => {
  const invoices = [await flow.openInvoice(), await flow.openInvoice(), await flow.openInvoice()]
  for (const invoice of invoices) {
    await flow.pay(invoice)
    await anvil.mine()
  }
  const logIndexes: number[] = []
  const node = await startAlteredNode(anvil.url, (call, answer) => {
    if (call.method === 'eth_getTransactionReceipt') logIndexes.push(call.id)
    return answer
  })
  const chain = openDevChain(node.url)
  onTestFinished(async () => {
    await chain.close()
    await node.close()
  })
  await flow.followToHead({ chain })
  expect(logIndexes).toEqual([0, 1, 2])
})
