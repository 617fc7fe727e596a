/** How much may leave, and what may be paid for sending it: the operator's own words, in the signer's own file. */
import type { SignRequest } from '../intents/signer-port.ts'

export interface Policy {
  /** By asset; `*` stands for those not named. What has no entry does not leave. In the asset's smallest unit. */
  readonly assets: Readonly<Record<string, AssetLimits>>
  /** By network; `*` stands for those not named. In the coin's smallest unit. */
  readonly networks: Readonly<Record<string, NetworkLimits>>
}

export interface AssetLimits {
  readonly perTransactionMinor: bigint
  readonly per24HoursMinor: bigint
  /** Of all that ever left, by the signer's log. */
  readonly totalMinor: bigint
}

export interface NetworkLimits {
  /** What one transaction may cost at most: its gas at its highest price. */
  readonly feePerTransactionMinor: bigint
  readonly feesPer24HoursMinor: bigint
  /** What one deposit address may be given for its own gas. */
  readonly topUpsPer24HoursMinor: bigint
}

const unlimited = 2n ** 256n

/** For play money; a fee above one coin is a mistake there too. */
export const sandboxPolicy: Policy = {
  assets: { '*': { perTransactionMinor: unlimited, per24HoursMinor: unlimited, totalMinor: unlimited } },
  networks: {
    '*': {
      feePerTransactionMinor: 10n ** 18n,
      feesPer24HoursMinor: unlimited,
      topUpsPer24HoursMinor: unlimited,
    },
  },
}

/** Something that is counted against limits, each of which may be absent. */
export interface Charge {
  readonly account: string
  readonly amountMinor: bigint
  readonly perTransactionMinor: bigint
  readonly per24HoursMinor: bigint
  readonly totalMinor: bigint
}

/** What a transaction may cost for being mined. */
export function feeCharge(policy: Policy, { network }: SignRequest, maxCostMinor: bigint): Charge {
  const limits = networkLimits(policy, network)
  return {
    account: `fees of ${network}`,
    amountMinor: maxCostMinor,
    perTransactionMinor: limits.feePerTransactionMinor,
    per24HoursMinor: limits.feesPer24HoursMinor,
    totalMinor: unlimited,
  }
}

/** What a request takes of the limits beside its fee; nothing where all stays within our own wallets. */
export function outflowCharges(policy: Policy, { network, intent }: SignRequest): readonly Charge[] {
  switch (intent.kind) {
    case 'withdrawal':
      return intent.payments.map(({ asset, netMinor }) => outflow(policy, asset, netMinor))
    case 'take_out':
      return [outflow(policy, intent.asset, intent.amountMinor)]
    case 'top_up': {
      const { branch, index } = intent.deposit
      const account = `gas for deposit address ${branch}/${index} of ${network}`
      const dayMinor = networkLimits(policy, network).topUpsPer24HoursMinor
      const { amountMinor } = intent
      return [
        {
          account,
          amountMinor,
          perTransactionMinor: dayMinor,
          per24HoursMinor: dayMinor,
          totalMinor: unlimited,
        },
      ]
    }
    case 'sweep':
    case 'forward':
    case 'rebalance':
    case 'deploy':
    case 'lift':
    case 'consolidate':
      return []
  }
}

function networkLimits(policy: Policy, network: string): NetworkLimits {
  return policy.networks[network] ?? policy.networks['*'] ?? noNetworkLimits
}

function outflow(policy: Policy, asset: string, amountMinor: bigint): Charge {
  return { account: asset, amountMinor, ...(policy.assets[asset] ?? policy.assets['*'] ?? noAssetLimits) }
}

const noAssetLimits: AssetLimits = { perTransactionMinor: 0n, per24HoursMinor: 0n, totalMinor: 0n }
const noNetworkLimits: NetworkLimits = {
  feePerTransactionMinor: 0n,
  feesPer24HoursMinor: 0n,
  topUpsPer24HoursMinor: 0n,
}

export class PolicyError extends Error {
  override readonly name = 'PolicyError'
}

/** Reads a policy file, all problems at once. @throws PolicyError */
export function readPolicy(text: string, path: string): Policy {
  const problems: string[] = []
  const file = objectOf(jsonOf(text))
  if (file === undefined) throw new PolicyError(`${path} is no JSON object`)
  for (const name of Object.keys(file)) {
    if (!['assets', 'networks'].includes(name))
      problems.push(`"${name}" is not known: write "assets" and "networks"`)
  }
  const assets = readEntries(file['assets'], 'assets', assetFields, problems)
  const networks = readEntries(file['networks'], 'networks', networkFields, problems)
  if (problems.length > 0) {
    throw new PolicyError(`${path} does not work:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  return { assets, networks }
}

const assetFields = ['perTransactionMinor', 'per24HoursMinor', 'totalMinor'] as const
const networkFields = ['feePerTransactionMinor', 'feesPer24HoursMinor', 'topUpsPer24HoursMinor'] as const

type Entry<Field extends string> = Readonly<Record<Field, bigint>>

function readEntries<Field extends string>(
  value: unknown,
  part: string,
  fields: readonly Field[],
  problems: string[],
): Readonly<Record<string, Entry<Field>>> {
  const entries = objectOf(value)
  if (entries === undefined) {
    problems.push(`"${part}" must be an object of limits by name`)
    return {}
  }
  const read = Object.entries(entries).map(([name, entry]) => {
    const at = `${part}."${name}"`
    return [name, readEntry(objectOf(entry) ?? {}, at, fields, problems)] as const
  })
  return Object.fromEntries(read)
}

function readEntry<Field extends string>(
  entry: Readonly<Record<string, unknown>>,
  at: string,
  fields: readonly Field[],
  problems: string[],
): Entry<Field> {
  for (const name of Object.keys(entry)) {
    if (!fields.some((field) => field === name)) problems.push(`${at}.${name} is not known`)
  }
  const read = fields.map((field) => {
    const value = entry[field]
    if (typeof value === 'string' && /^\d{1,77}$/.test(value)) return [field, BigInt(value)] as const
    problems.push(`${at}.${field} must be a whole number of the smallest unit in quotes, such as "1000000"`)
    return [field, 0n] as const
  })
  return Object.fromEntries(read) as Record<Field, bigint>
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
