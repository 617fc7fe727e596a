import type { NodeFindings } from '../../../chains/evm/probe/probe-network.ts'
import { parseDecimal } from '../../../core/money.ts'
import { canAllDelegate } from '../../own-rows/compare-findings.ts'
import { UsageError } from '../command.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

export const networkOptions = {
  rpc: string,
  title: string,
  'chain-id': string,
  coin: string,
  'coin-name': string,
  explorer: string,
  'explorer-name': string,
  'wallet-rpc': string,
  confirmations: string,
  minimum: string,
  'deposit-max': string,
  'max-fee': string,
  'min-tip': string,
  'max-tip': string,
  'fee-model': string,
  'cold-address': string,
  'gas-budget': string,
  'typical-fee': string,
  mirror: string,
  stable: boolean,
  creditable: boolean,
  yes: boolean,
} as const

export type NetworkValues = {
  readonly [Name in keyof typeof networkOptions]?: (typeof networkOptions)[Name] extends typeof boolean
    ? boolean | undefined
    : string | undefined
}

/** The least time of a block that a row may state. */
const blockTimeMsMin = 50
const assumedBlockTimeMs = 2_000

/** Returns the row from the options and from what the nodes agree on. Its fields are checked later. */
export function networkDraft(
  name: string,
  chainId: number,
  values: NetworkValues,
  found: readonly NodeFindings[],
): Readonly<Record<string, unknown>> {
  const symbol = values.coin ?? ''
  const [first] = found
  return {
    name,
    title: values.title ?? '',
    chainId,
    coin: {
      symbol,
      name: values['coin-name'] ?? symbol,
      decimals: 18,
      minimum: values.minimum ?? '0.0005',
      depositMax: values['deposit-max'] ?? '1000000',
      isStable: values.stable === true,
    },
    blockTimeMs: Math.max(blockTimeMsMin, first?.blockTimeMs ?? assumedBlockTimeMs),
    confirmations: (values.confirmations ?? '20,60,240').split(',').map(Number),
    feeModel: values['fee-model'] ?? first?.feeModel,
    canDelegate: canAllDelegate(found),
    priceBounds: {
      maxFeePerGasMax: wei('max-fee', values['max-fee'] ?? '500'),
      maxPriorityFeePerGasMin: wei('min-tip', values['min-tip'] ?? '0.001'),
      maxPriorityFeePerGasMax: wei('max-tip', values['max-tip'] ?? '20'),
    },
    coinMirrors: (values.mirror ?? '').split(',').filter((address) => address !== ''),
    explorer: explorerOf(values),
    walletRpcUrl: values['wallet-rpc'] ?? null,
    typicalFeeUsd: values['typical-fee'] ?? '0.01',
    isCreditable: values.creditable === true,
    coldAddress: values['cold-address'] ?? null,
    gasBudget: values['gas-budget'] ?? '0',
  }
}

/** Converts gwei to wei, the unit of the row. */
function wei(option: string, gwei: string): string {
  const value = parseDecimal(gwei, 9)
  if (value === undefined) throw new UsageError(`--${option} must be an amount in gwei such as 0.5`)
  return value.toString()
}

function explorerOf({ explorer = '', 'explorer-name': name }: NetworkValues) {
  const host = URL.canParse(explorer) ? new URL(explorer).hostname : ''
  return { name: name ?? host.replaceAll(/[^a-z0-9.]/g, ''), url: explorer }
}
