import { networkOf } from '../chains/networks.ts'
import type { PaymentMethod, PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { findProgram } from '../sandbox/find-program.ts'
import type { Config } from './settings/config.ts'

/** A payment method in which no invoice can be paid in this installation. */
export interface UnavailableMethod {
  readonly method: PaymentMethod
  /** A sentence for merchants. */
  readonly reason: string
  /** What the operator must do to enable the method, such as "set ...". */
  readonly remedy: string
}

export function unavailableMethods(config: Config, methods: PaymentMethods): readonly UnavailableMethod[] {
  return methods.all
    .filter(({ id }) => methods.enabledById(id) === undefined)
    .flatMap((method) => reasonOf(config, methods, method) ?? [])
}

/** Returns nothing for a method that the operator disabled, which is as if it did not exist. */
function reasonOf(
  config: Config,
  methods: PaymentMethods,
  method: PaymentMethod,
): UnavailableMethod | undefined {
  const { network, contract } = method
  if (methods.followedById(method.id) === undefined)
    return {
      method,
      reason: `This server does not follow the ${network} chain.`,
      remedy: remedyOf(config, method),
    }
  if (contract !== undefined || !config.tokensOnlyNetworks.includes(network)) return undefined
  return {
    method,
    reason: `This server accepts tokens alone on ${network}.`,
    remedy: `remove ${network} from TOKENS_ONLY_NETWORKS`,
  }
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
