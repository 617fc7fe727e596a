import { expect, it, onTestFinished } from 'vitest'
import { type ChainReader, NodeError } from '../../src/chains/port.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { openDevChain } from '../chains/evm-world.ts'
import { useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, countTransactions, eventsOf, journalsOf, paidOnce } from '../support/shop-sight.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

/** A node that gives one receipt, or none, as a backend on a sibling block or of a broken index would. */
async function onceSpoilingReceipt(spoil: (receipt: object) => object | null): Promise<ChainReader> {
  let spoiled = 0
  const node = await startAlteredNode(anvil.url, (call, answer) => {
    if (call.method !== 'eth_getTransactionReceipt' || spoiled > 0) return answer
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
  'one receipt %s books nothing and loses nothing: the payment is credited once by the next look',
  async ([, spoil]) => {
    const invoice = await flow.openInvoice()
    const before = await countTransactions(shop)
    await flow.pay(invoice)
    await anvil.mine(2)
    const chain = await onceSpoilingReceipt(spoil)
    await expect(flow.followToHead({ chain })).rejects.toThrow(NodeError)
    expect(await countTransactions(shop)).toBe(before)
    expect(await eventsOf(shop, invoice)).toEqual([])
    await flow.followToHead({ chain })
    expect(await balanceOf(shop, invoice)).toBe('9.8')
    expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited'])
    expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  },
)
