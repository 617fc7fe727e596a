import { describe, expect, it } from 'vitest'
import type { NodeFindings } from '../../chains/evm/probe/probe-network.ts'
import type { TokenFindings } from '../../chains/evm/probe/probe-token.ts'
import {
  canAllDelegate,
  compareDecimals,
  compareDelegation,
  compareFeeModel,
  compareNodes,
  compareTokens,
} from './compare-findings.ts'

const node: NodeFindings = {
  node: 'node.example',
  chainId: 534352,
  genesisHash: `0x${'01'.repeat(32)}`,
  headHeight: 100,
  finalHeight: 90,
  blockTimeMs: 3_000,
  feeModel: 'eip1559',
  gasPriceMinor: undefined,
  canDelegate: true,
  tracing: 'trace_block',
  hasBlockReceipts: true,
}

const token: TokenFindings = {
  hasCode: true,
  codeHash: 'c0de',
  decimals: 6,
  symbol: 'USDC',
  name: 'USD Coin',
  implementation: undefined,
  isPaused: false,
  transfer: { type: 'exact' },
}

describe('nodes of a new network', () => {
  it.each<[string, Partial<NodeFindings>, string]>([
    ['another chain id', { chainId: 1 }, 'the nodes differ: 534352, 1'],
    ['no chain id', { chainId: undefined }, 'the nodes differ: 534352, nothing'],
    ['another genesis block', { genesisHash: '0x02' }, `the nodes differ: ${node.genesisHash}, 0x02`],
    ['other fees', { feeModel: 'arbitrum' }, 'the nodes differ: eip1559, arbitrum'],
    ['another answer about EIP-7702', { canDelegate: false }, 'the nodes differ: true, false'],
  ])('are refused if one has %s', (_, other, text) => {
    expect(compareNodes([node, { ...node, ...other }])).toMatchObject([{ text, level: 'stop' }])
  })

  it('may be at different heights, differ in what they can do, and be unable to try EIP-7702', () => {
    const other = { ...node, headHeight: 99, tracing: 'none', canDelegate: undefined } as const
    expect(compareNodes([node, other])).toEqual([])
    expect(compareNodes([node])).toEqual([])
  })

  it('must have base fees exactly if the operator entered a fee model with them', () => {
    const legacy = { ...node, feeModel: 'legacy', gasPriceMinor: 10n ** 9n } as const
    expect(compareFeeModel('legacy', [node])).toMatchObject([{ name: 'fees', level: 'stop' }])
    expect(compareFeeModel('eip1559', [legacy])).toMatchObject([{ name: 'fees', level: 'stop' }])
    expect(compareFeeModel('arbitrum', [node])).toEqual([])
    expect(compareFeeModel('legacy', [legacy])).toEqual([])
    expect(compareFeeModel(undefined, [legacy])).toEqual([])
    const none = { ...node, feeModel: undefined }
    for (const model of ['legacy', 'eip1559']) expect(compareFeeModel(model, [none])).toEqual([])
  })

  it('may have base fees if they replace the nodes of a network that had none, and not the other way round', () => {
    const legacy = { ...node, feeModel: 'legacy', gasPriceMinor: 10n ** 9n } as const
    expect(compareFeeModel('legacy', [node], true)).toMatchObject([{ name: 'fees', level: 'warn' }])
    expect(compareFeeModel('eip1559', [legacy], true)).toMatchObject([{ name: 'fees', level: 'stop' }])
    expect(compareFeeModel('legacy', [legacy], true)).toEqual([])
  })

  it('must all have shown that addresses can be delegated', () => {
    expect(canAllDelegate([node, node])).toBe(true)
    expect(canAllDelegate([node, { ...node, canDelegate: undefined }])).toBe(false)
    expect(canAllDelegate([])).toBe(false)
    expect(compareDelegation(true, [node])).toEqual([])
    expect(compareDelegation(false, [{ ...node, canDelegate: false }])).toEqual([])
    for (const canDelegate of [false, undefined])
      expect(compareDelegation(true, [node, { ...node, canDelegate }])).toMatchObject([{ level: 'stop' }])
  })
})

describe('nodes that are asked about a token', () => {
  it.each<[string, Partial<TokenFindings>]>([
    ['code', { codeHash: 'bad' }],
    ['decimals', { decimals: 18 }],
    ['symbol', { symbol: 'USDT' }],
    ['name', { name: 'Tether' }],
    ['proxy', { implementation: `0x${'05'.repeat(20)}` }],
  ])('are refused if they differ in %s', (name, other) => {
    expect(compareTokens([token, { ...token, ...other }])).toMatchObject([{ name, level: 'stop' }])
    expect(compareTokens([token, token])).toEqual([])
  })

  it('must report the decimals that the operator looked up', () => {
    expect(compareDecimals(6, 6)).toEqual([])
    expect(compareDecimals(18, 6)).toMatchObject([{ name: 'decimals', level: 'stop' }])
    expect(compareDecimals(6, undefined)).toMatchObject([{ name: 'decimals', level: 'stop' }])
  })
})
