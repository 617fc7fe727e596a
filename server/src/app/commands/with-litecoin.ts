import type { Environment } from '../../core/settings.ts'
import { settings } from '../settings/config.ts'

/** The name of the option by which a command that starts a sandbox also starts a Litecoin chain. */
export const withLitecoin = 'with-litecoin'
export const litecoinOption = { [withLitecoin]: { type: 'boolean' } } as const

export const litecoinHelp = [
  '--with-litecoin  also starts a Litecoin chain, with the litecoind on the PATH (Debian: apt-get install litecoind); the',
  '                 same as SANDBOX_LITECOIN=true. If UTXO_RPC_LITECOIN is set, that node is used instead',
]

/** Returns the environment. If the option was given, the setting that starts a Litecoin chain is added. */
export function litecoinAsked(
  environment: Environment,
  values: { readonly [withLitecoin]?: boolean | undefined },
): Environment {
  return values[withLitecoin] === true
    ? { ...environment, [settings.sandboxLitecoin.name]: 'true' }
    : environment
}
