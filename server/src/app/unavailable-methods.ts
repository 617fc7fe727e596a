import { networkOf } from '../chains/networks.ts'
import type { PaymentMethod, PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { findProgram } from '../sandbox/find-program.ts'
import type { Config } from './settings/config.ts'

/** A payment method that cannot be used in this installation. */
export interface UnavailableMethod {
  readonly method: PaymentMethod
  /** What the operator must do to enable the method, such as "set ...". */
  readonly remedy: string
}

export function unavailableMethods(config: Config, methods: PaymentMethods): readonly UnavailableMethod[] {
  return methods.all
    .filter(({ id }) => methods.followedById(id) === undefined)
    .map((method) => ({ method, remedy: remedyOf(config, method) }))
}

function remedyOf({ mode, sandboxBase, sandboxLitecoin }: Config, { network }: PaymentMethod): string {
  const name = network.toUpperCase()
  if (networkOf(network)?.family === 'evm') {
    if (mode === 'production') return `set EVM_RPC_${name} to its nodes`
    const option = network === 'base' && !sandboxBase ? 'start with --with-base, or ' : ''
    return `${option}set EVM_RPC_${name} to a node of a dev chain`
  }
  if (mode === 'production') return `set UTXO_RPC_${name} to its nodes and XPUB_${name} to its account xpub`
  const ownNode = `set UTXO_RPC_${name} to a node of a regtest chain`
  if (network !== 'litecoin') return ownNode
  if (!sandboxLitecoin) return `start with --with-litecoin, or ${ownNode}`
  if (findProgram('litecoind') !== undefined) return ownNode
  return `install litecoind so that it is on the PATH (Debian: apt-get install litecoind), or ${ownNode}`
}
