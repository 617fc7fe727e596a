/**
 * Compares what several nodes answered. Facts that are signed once and never change must not come from one node,
 * which may be wrong or hostile.
 */
import type { NodeFindings } from '../../chains/evm/probe/probe-network.ts'
import type { TokenFindings } from '../../chains/evm/probe/probe-token.ts'
import type { Finding } from './describe-findings.ts'

/** Returns a finding for each fact on which nodes differ. */
export function compareNodes(found: readonly NodeFindings[]): readonly Finding[] {
  return [
    ...differences(found, {
      'chain id': ({ chainId }) => chainId,
      genesis: ({ genesisHash }) => genesisHash,
      fees: ({ feeModel }) => feeModel,
    }),
    // A node without state overrides could not try, which contradicts nobody.
    ...differences(
      found.filter(({ canDelegate }) => canDelegate !== undefined),
      { 'EIP-7702': ({ canDelegate }) => canDelegate },
    ),
  ]
}

/** Returns a finding for each fact on which nodes differ. */
export function compareTokens(found: readonly TokenFindings[]): readonly Finding[] {
  return differences(found, {
    code: ({ codeHash }) => codeHash,
    decimals: ({ decimals }) => decimals,
    symbol: ({ symbol }) => symbol,
    name: ({ name }) => name,
    proxy: ({ implementation }) => implementation,
  })
}

/** Whether every node has shown that addresses can be delegated. */
export function canAllDelegate(found: readonly NodeFindings[]): boolean {
  return found.length > 0 && found.every(({ canDelegate }) => canDelegate === true)
}

/**
 * Compares the fee model that the operator gave with those of the nodes. The nodes cannot tell every rollup from
 * Ethereum, but they show whether blocks have base fees. A network without them takes only transactions of type 0. A
 * node whose fee model was not found is refused elsewhere.
 * @param isKnown whether the network was added before. It may have got base fees since then, and still takes
 * transactions of type 0.
 */
export function compareFeeModel(
  wanted: string | undefined,
  found: readonly NodeFindings[],
  isKnown = false,
): readonly Finding[] {
  const models = found.flatMap(({ feeModel }) => feeModel ?? [])
  const differs = models.some((feeModel) => (feeModel === 'legacy') !== (wanted === 'legacy'))
  if (wanted === undefined || !differs) return []
  if (wanted === 'legacy' && isKnown) {
    const text = 'blocks have base fees now: transactions stay of type 0, and their whole price is paid'
    return [{ name: 'fees', text, level: 'warn' }]
  }
  const has = wanted === 'legacy' ? 'blocks have base fees' : 'blocks have no base fee'
  const said = isKnown ? `the network was added with ${wanted}` : `you entered ${wanted}`
  const remedy = isKnown ? 'use nodes of this network' : 'leave the fee model out'
  return [{ name: 'fees', text: `${said}, but ${has}: ${remedy}`, level: 'stop' }]
}

/** Compares what a signed row states about delegations with what the nodes have shown. */
export function compareDelegation(stated: boolean, found: readonly NodeFindings[]): readonly Finding[] {
  if (!stated || canAllDelegate(found)) return []
  const text = 'the row says that addresses can be delegated, and not every node has shown it'
  return [{ name: 'EIP-7702', text, level: 'stop' }]
}

/** Compares the decimals that the operator looked up with those of the contract. */
export function compareDecimals(wanted: number, found: number | undefined): readonly Finding[] {
  return wanted === found
    ? []
    : [
        {
          name: 'decimals',
          text: `the contract says ${found ?? 'nothing'}, and you entered ${wanted}: look at the issuer’s own page`,
          level: 'stop',
        },
      ]
}

/** @param facts the name of each fact, and how it is taken from what a node answered */
function differences<T>(
  found: readonly T[],
  facts: Readonly<Record<string, (one: T) => unknown>>,
): readonly Finding[] {
  return Object.entries(facts).flatMap(([name, factOf]): Finding[] => {
    const different = [...new Set(found.map(factOf))]
    if (different.length <= 1) return []
    const text = `the nodes differ: ${different.map((answer) => answer ?? 'nothing').join(', ')}`
    return [{ name, text, level: 'stop' }]
  })
}
