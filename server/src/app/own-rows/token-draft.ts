import type { TokenFindings } from '../../chains/evm/probe/probe-token.ts'
import type { Draft } from '../../pricing/own-rows/make-change.ts'

/** A token as an operator enters it, in a command or on the page. */
export interface TokenInput {
  readonly network: string
  readonly contract: string
  readonly decimals: number
  /** Undefined for what the contract says, as the name. */
  readonly symbol?: string | undefined
  readonly name?: string | undefined
  readonly minimum?: string | undefined
  readonly depositMax?: string | undefined
  readonly isStable?: boolean | undefined
  readonly isCreditable?: boolean | undefined
}

/** Returns the row from what the operator entered and the nodes agree on. Its fields are checked later. */
export function tokenDraft(
  input: TokenInput,
  found: readonly TokenFindings[],
): Draft & Pick<TokenInput, 'network' | 'contract' | 'decimals'> & { readonly symbol: string } {
  const { network, contract, decimals } = input
  const [first] = found
  return {
    network,
    contract,
    decimals,
    symbol: input.symbol ?? first?.symbol ?? '',
    name: input.name ?? first?.name ?? '',
    minimum: input.minimum ?? '1',
    depositMax: input.depositMax ?? '1000000000',
    isStable: input.isStable === true,
    isCreditable: input.isCreditable === true,
  }
}
