/** The options of commands that start a sandbox: chains that it starts beside the one of Ethereum. */
import type { Environment } from '../../core/settings.ts'
import { settings } from '../settings/config.ts'

export const chainOptions = {
  'with-litecoin': { type: 'boolean' },
  'with-base': { type: 'boolean' },
} as const

export type ChainValues = { readonly [Option in keyof typeof chainOptions]?: boolean | undefined }

export const chainUsage = '[--with-litecoin] [--with-base]'

export const chainHelp = [
  '--with-litecoin  also starts a Litecoin chain, with the litecoind on the PATH (Debian: apt-get install litecoind); the',
  '                 same as SANDBOX_LITECOIN=true. If UTXO_RPC_LITECOIN is set, that node is used instead',
  '--with-base      also starts a development chain of Base, with the rules of the OP stack; the same as SANDBOX_BASE=true.',
  '                 If EVM_RPC_BASE is set, that node is used instead',
]

const settingOf = { 'with-litecoin': settings.sandboxLitecoin, 'with-base': settings.sandboxBase } as const

/** The setting by which several processes use one chain, by the option that starts the chain. */
const nodesOf = { 'with-litecoin': 'UTXO_RPC_LITECOIN', 'with-base': 'EVM_RPC_BASE' } as const

function isOption(name: string): name is keyof typeof chainOptions {
  return Object.hasOwn(chainOptions, name)
}

function askedIn(values: ChainValues) {
  return Object.entries(values).flatMap(([name, isAsked]) => (isAsked && isOption(name) ? [name] : []))
}

/** Returns the environment with the settings of the chains that the options ask for. */
export function withChains(environment: Environment, values: ChainValues): Environment {
  const asked = askedIn(values).map((name) => [settingOf[name].name, 'true'] as const)
  return { ...environment, ...Object.fromEntries(asked) }
}

/** Returns the settings that must name the nodes of these chains if several processes share them. */
export function nodeSettingsOf(values: ChainValues): readonly string[] {
  return askedIn(values).map((name) => nodesOf[name])
}
