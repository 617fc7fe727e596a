/** Tests how the nodes of a network are asked about a token: real nodes that are slow, or limit their calls. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Asked, askToken } from '../../src/app/own-rows/ask-chain.ts'
import type { TokenFindings } from '../../src/chains/evm/probe/probe-token.ts'
import { withinTime } from '../../src/core/concurrency/linked-signal.ts'
import { readTestContract, useAnvil } from '../support/anvil.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { type NodeLimits, startLimitedNode } from '../support/limited-node.ts'

const anvil = useAnvil()
let token: string
/** A contract that keeps no balances, so that all places are tried in vain. */
let other: string
beforeAll(async () => {
  token = (await anvil.deployTokens()).USDC
  other = await anvil.deploy(await readTestContract('Forwarder'))
})

async function limited(limits: Partial<NodeLimits> = {}) {
  const node = await startLimitedNode(anvil.url, limits)
  onTestFinished(() => node.close())
  return node
}

async function proxied(): Promise<FaultProxy> {
  const proxy = await startFaultProxy(anvil.url)
  onTestFinished(() => proxy.close())
  return proxy
}

const ask = (urls: readonly string[], contract: string, timeoutMs = 30_000): Promise<Asked<TokenFindings>> =>
  withinTime([], timeoutMs, (signal) => askToken(urls, contract, undefined, signal))
const transfersOf = ({ found }: Asked<TokenFindings>) => found.map(({ transfer }) => transfer.type)
const nodeTexts = ({ answers }: Asked<TokenFindings>) =>
  answers.map(({ findings }) => findings.find(({ name }) => name === 'node')?.text)

describe('a node that is asked about a token', () => {
  it('gets a few requests, whether the balance of the token is found or not', async () => {
    const node = await limited()
    expect(transfersOf(await ask([node.url], token))).toEqual(['exact'])
    expect(node.requests.length).toBeLessThanOrEqual(4)
    const before = node.requests.length
    expect(transfersOf(await ask([node.url], other))).toEqual(['not-tried'])
    expect(node.requests.length - before).toBeLessThanOrEqual(6)
  })

  it.each<[string, Partial<NodeLimits>]>([
    ['takes no batches', { batchMax: 0 }],
    ['takes batches of ten', { batchMax: 10 }],
  ])('may be one that %s', async (_, limits) => {
    const node = await limited(limits)
    const asked = await ask([node.url], token)
    expect(transfersOf(asked)).toEqual(['exact'])
    expect(asked.found[0]).toMatchObject({ decimals: 6, symbol: 'USDC', implementation: undefined })
  })
})

describe('several nodes', () => {
  it('are asked at the same time', async () => {
    const nodes = await Promise.all([proxied(), proxied(), proxied(), proxied()])
    for (const node of nodes) node.set({ type: 'delayed', ms: 400 })
    // One after the other they need more than 4.8 s, with three requests each.
    expect(
      transfersOf(
        await ask(
          nodes.map(({ url }) => url),
          token,
          4_000,
        ),
      ),
    ).toEqual(['exact', 'exact', 'exact', 'exact'])
  })

  it('forbid the row if one is too slow, or does not answer, and the text says which', async () => {
    const slow = await proxied()
    slow.set({ type: 'half-open' })
    const gone = await proxied()
    gone.set({ type: 'cut' })
    const asked = await ask([gone.url, slow.url, anvil.url], token, 1_500)
    expect(nodeTexts(asked)).toEqual([
      'does not answer',
      expect.stringContaining('was not asked in time'),
      undefined,
    ])
    expect(transfersOf(asked)).toEqual(['exact'])
  })
})
