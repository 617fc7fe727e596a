import type { Environment } from '../../core/settings.ts'
import { settings } from '../settings/config.ts'

/** A word that commands with a sandbox of their own know. */
export const withLitecoin = 'with-litecoin'
export const litecoinOption = { [withLitecoin]: { type: 'boolean' } } as const

export const litecoinHelp = [
  '--with-litecoin  a sandbox with a Litecoin chain beside the other one, by the litecoind on the PATH (Debian: apt-get',
  '                 install litecoind); as SANDBOX_LITECOIN=true. UTXO_RPC_LITECOIN, where set, names the node instead',
]

/** The environment, in which the word says what its setting would. */
export function litecoinAsked(
  environment: Environment,
  values: { readonly [withLitecoin]?: boolean | undefined },
): Environment {
  return values[withLitecoin] === true
    ? { ...environment, [settings.sandboxLitecoin.name]: 'true' }
    : environment
}
