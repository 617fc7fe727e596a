/** How much may leave, and what may be paid for sending it: the operator's own words, in the signer's own file. */
import type { UtxoNetwork } from '../../chains/networks.ts'
import { groupBy } from '../../core/group-by.ts'
import { max, sum } from '../../core/money.ts'
import type { Payment } from '../../intents/intent.ts'
import type { SignRequest } from '../../intents/signer-port.ts'
import type { Fee } from './known-coins.ts'

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
  /** Where money lies in coins: what may be paid for 1,000 virtual bytes; the network's `feeRateMax` where absent. */
  readonly feeRateMinor?: bigint
  /** Where money lies in coins: how much of what a transaction spends may go to its fee, in percent; 50 where absent. */
  readonly feeSharePercent?: bigint
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
  /** The largest of the payments that it sums up: batching them changes no limit. */
  readonly largestMinor?: bigint
  readonly perTransactionMinor: bigint
  readonly per24HoursMinor: bigint
  readonly totalMinor: bigint
}

/** What a transaction may cost for being mined. */
export function feeCharge(
  policy: Policy,
  { network }: Pick<SignRequest, 'network'>,
  maxCostMinor: bigint,
): Charge {
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
export function outflowCharges(
  policy: Policy,
  { network, intent }: Pick<SignRequest, 'network' | 'intent'>,
): readonly Charge[] {
  switch (intent.kind) {
    case 'withdrawal':
      return paymentCharges(policy, intent.payments)
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
    case 'reclaim':
    case 'consolidate':
      return []
  }
}

/** One for each asset, so that what one transaction takes of it is counted once. */
function paymentCharges(policy: Policy, payments: readonly Payment[]): readonly Charge[] {
  const byAsset = groupBy(payments, ({ asset }) => asset)
  return [...byAsset].map(([asset, own]) => {
    const amounts = own.map(({ netMinor }) => netMinor)
    return { ...outflow(policy, asset, sum(amounts)), largestMinor: amounts.reduce(max) }
  })
}

const feeSharePercentMax = 50n
/** Whoever plans a transaction knows its size to within a few bytes. */
const roundingVbytes = 4n

/** Says why a transaction of coins must not pay so much; undefined where it may. The absolute limit is a charge. */
export function feeFault(
  policy: Policy,
  { name, chain }: UtxoNetwork,
  { feeMinor, vbytes, inputsMinor }: Fee,
): string | undefined {
  const limits = networkLimits(policy, name)
  const rateMax = limits.feeRateMinor ?? chain.feeRateMax
  if (feeMinor * 1_000n > rateMax * (BigInt(vbytes) + roundingVbytes))
    return `fees of ${name}: ${feeMinor} for ${vbytes} bytes, ${rateMax} are allowed for 1,000`
  const shareMax = limits.feeSharePercent ?? feeSharePercentMax
  if (feeMinor * 100n > shareMax * inputsMinor)
    return `fees of ${name}: ${feeMinor} of ${inputsMinor} that are spent, ${shareMax} percent are allowed`
  return undefined
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
  const assets = readEntries(file['assets'], 'assets', { needed: assetFields, optional: [] }, problems)
  const networks = readEntries(
    file['networks'],
    'networks',
    { needed: networkFields, optional: coinFields },
    problems,
  )
  if (problems.length > 0) {
    throw new PolicyError(`${path} does not work:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  return { assets, networks }
}

const assetFields = ['perTransactionMinor', 'per24HoursMinor', 'totalMinor'] as const
const networkFields = ['feePerTransactionMinor', 'feesPer24HoursMinor', 'topUpsPer24HoursMinor'] as const
/** Of networks whose money lies in coins; each may be left out. */
const coinFields = ['feeRateMinor', 'feeSharePercent'] as const

type Entry<Needed extends string, Optional extends string> = Readonly<Record<Needed, bigint>> &
  Readonly<Partial<Record<Optional, bigint>>>

interface EntryFields<Needed extends string, Optional extends string> {
  readonly needed: readonly Needed[]
  readonly optional: readonly Optional[]
}

function readEntries<Needed extends string, Optional extends string>(
  value: unknown,
  part: string,
  fields: EntryFields<Needed, Optional>,
  problems: string[],
): Readonly<Record<string, Entry<Needed, Optional>>> {
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

function readEntry<Needed extends string, Optional extends string>(
  entry: Readonly<Record<string, unknown>>,
  at: string,
  { needed, optional }: EntryFields<Needed, Optional>,
  problems: string[],
): Entry<Needed, Optional> {
  const known: readonly string[] = [...needed, ...optional]
  for (const name of Object.keys(entry)) {
    if (!known.includes(name)) problems.push(`${at}.${name} is not known`)
  }
  const given = [...needed, ...optional.filter((field) => entry[field] !== undefined)]
  const read = given.map((field) => {
    const value = entry[field]
    if (typeof value === 'string' && /^\d{1,77}$/.test(value)) return [field, BigInt(value)] as const
    problems.push(`${at}.${field} must be a whole number of the smallest unit in quotes, such as "1000000"`)
    return [field, 0n] as const
  })
  return Object.fromEntries(read) as Entry<Needed, Optional>
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
