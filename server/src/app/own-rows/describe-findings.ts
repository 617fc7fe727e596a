/** Describes what a chain answered, and which answers forbid to add the network or token. */
import type { NodeFindings } from '../../chains/evm/probe/probe-network.ts'
import type { TokenFindings, TransferFinding } from '../../chains/evm/probe/probe-token.ts'
import { formatDecimal } from '../../core/money.ts'

/** A fact that the chain stated, as text for an operator. */
export interface Finding {
  readonly name: string
  readonly text: string
  /** `stop`: it cannot be added. `warn`: the operator must know it. */
  readonly level: 'ok' | 'warn' | 'stop'
}

const finding = (name: string, text: string, level: Finding['level'] = 'ok'): Finding => ({
  name,
  text,
  level,
})

/** @param wanted the chain id that the operator entered; undefined if none was */
export function describeNode(found: NodeFindings, wanted: number | undefined): readonly Finding[] {
  const { chainId, headHeight, finalHeight, blockTimeMs, canDelegate, tracing } = found
  return [
    chainIdFinding(chainId, wanted),
    finding(
      'genesis',
      found.genesisHash ?? 'not shown by the node',
      found.genesisHash === undefined ? 'warn' : 'ok',
    ),
    headHeight === undefined
      ? finding('head', 'the node shows no block', 'stop')
      : finding('head', `block ${headHeight}`),
    finalHeight === undefined
      ? finding(
          'finalized',
          'the node reports no final block, and without it no large payment is credited',
          'stop',
        )
      : finding('finalized', `block ${finalHeight}`),
    finding(
      'block time',
      blockTimeMs === undefined ? 'not measured: too few blocks' : `${blockTimeMs} ms on average`,
    ),
    feeFinding(found),
    finding(
      'EIP-7702',
      canDelegate === undefined
        ? 'not tried: the node takes no state overrides'
        : canDelegate
          ? 'works'
          : 'does not work: deposits are swept one by one',
    ),
    tracing === 'none'
      ? finding('traces', 'none: coin that contracts send is found late, by comparing balances', 'warn')
      : finding('traces', tracing),
    finding('block receipts', found.hasBlockReceipts ? 'yes' : 'no'),
  ]
}

function chainIdFinding(chainId: number | undefined, wanted: number | undefined): Finding {
  if (chainId === undefined) return finding('chain id', 'the node does not answer eth_chainId', 'stop')
  return wanted === undefined || chainId === wanted
    ? finding('chain id', `${chainId}`)
    : finding('chain id', `the node is on chain ${chainId}, not ${wanted}`, 'stop')
}

function feeFinding({ feeModel, gasPriceMinor }: NodeFindings): Finding {
  if (feeModel === undefined)
    return finding(
      'fees',
      'not found: the node must answer eth_feeHistory, or eth_gasPrice without base fees',
      'stop',
    )
  if (feeModel !== 'legacy') return finding('fees', feeModel)
  const text = `legacy: no base fee, so the whole gas price is paid, up to --max-fee; now ${gweiOf(gasPriceMinor ?? 0n)} gwei`
  return finding('fees', text, 'warn')
}

function gweiOf(minor: bigint): string {
  return formatDecimal(minor, 9)
}

export function describeToken(found: TokenFindings): readonly Finding[] {
  const { hasCode, decimals, symbol, name, implementation, isPaused } = found
  if (!hasCode) return [finding('code', 'no contract has this address', 'stop')]
  return [
    finding('code', 'present'),
    decimals === undefined
      ? finding('decimals', 'the contract has no decimals()', 'stop')
      : finding('decimals', `${decimals}`),
    finding('symbol', symbol ?? 'none', symbol === undefined ? 'warn' : 'ok'),
    finding('name', name ?? 'none', name === undefined ? 'warn' : 'ok'),
    implementation === undefined
      ? finding('proxy', 'no proxy of EIP-1967')
      : finding('proxy', `its owner can replace the code, now ${implementation}`, 'warn'),
    isPaused === undefined
      ? finding('pause', 'no paused()')
      : isPaused
        ? finding('pause', 'it is paused now: nobody can pay with it', 'stop')
        : finding('pause', 'somebody can pause it', 'warn'),
    transferFinding(found.transfer),
  ]
}

function transferFinding(transfer: TransferFinding): Finding {
  switch (transfer.type) {
    case 'exact':
      return finding('transfer', 'delivers what it says')
    case 'refused':
      return finding('transfer', 'failed in the test', 'stop')
    case 'not-tried':
      return finding(
        'transfer',
        'not tried: no account could be given a balance. Make a small transfer yourself',
        'warn',
      )
    case 'other':
      return finding(
        'transfer',
        `of ${transfer.askedMinor} takes ${transfer.sentMinor} and delivers ${transfer.deliveredMinor}: the books would not agree`,
        'stop',
      )
  }
}
