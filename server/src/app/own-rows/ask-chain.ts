/** Asks the nodes of a network about itself or about a token, for the commands and the operator's page. */
import { type NodeFindings, probeNode } from '../../chains/evm/probe/probe-network.ts'
import { probeToken, type TokenFindings } from '../../chains/evm/probe/probe-token.ts'
import { NodeError } from '../../chains/port.ts'
import { fail } from '../../core/errors.ts'
import { compareDecimals, compareFeeModel, compareNodes, compareTokens } from './compare-findings.ts'
import { describeNode, describeToken, type Finding } from './describe-findings.ts'

/** How long a check of all nodes may take. */
export const askingTimeoutMs = 60_000

/** What one node answered; `node` is its host. What several nodes answered together has no host. */
export interface Findings {
  readonly node: string | undefined
  readonly findings: readonly Finding[]
}

/** What the nodes answered, as data and as text for an operator. */
export interface Asked<T> {
  readonly found: readonly T[]
  readonly answers: readonly Findings[]
}

/** What the operator entered about a network. A value is undefined if it was not entered. */
export interface WantedNetwork {
  readonly chainId: number | undefined
  readonly feeModel?: string | undefined
  /** Whether the network was added before, and gets other nodes. */
  readonly isKnown?: boolean
}

/** Asks each node of a network what it is and can do, and compares the answers with what was entered. */
export function askNodes(
  urls: readonly string[],
  { chainId, feeModel, isKnown }: WantedNetwork,
  signal: AbortSignal,
): Promise<Asked<NodeFindings>> {
  const describe = (one: NodeFindings) => describeNode(one, chainId)
  const compare = (found: readonly NodeFindings[]) => [
    ...compareNodes(found),
    ...compareFeeModel(feeModel, found, isKnown),
  ]
  return askEach({ urls, signal, ask: (url) => probeNode(url, signal), describe, compare })
}

/**
 * Asks each node of a network what a token's contract is and does.
 * @param decimals the number that the operator looked up; undefined if none was
 */
export function askToken(
  urls: readonly string[],
  contract: string,
  decimals: number | undefined,
  signal: AbortSignal,
): Promise<Asked<TokenFindings>> {
  const compare = (found: readonly TokenFindings[]) => [
    ...compareTokens(found),
    ...(decimals === undefined ? [] : compareDecimals(decimals, found[0]?.decimals)),
  ]
  const ask = (url: string) => probeToken(url, contract, signal)
  return askEach({ urls, signal, ask, describe: describeToken, compare })
}

interface AskParts<T> {
  readonly urls: readonly string[]
  readonly signal: AbortSignal
  ask(url: string): Promise<T>
  describe(one: T): readonly Finding[]
  compare(found: readonly T[]): readonly Finding[]
}

/** A node that does not answer forbids the row, because nobody knows what it would say. */
async function askEach<T>({ urls, signal, ask, describe, compare }: AskParts<T>): Promise<Asked<T>> {
  const asked = await Promise.all(
    urls.map(async (url) => {
      const node = new URL(url).host
      try {
        const one = await ask(url)
        return { one: [one], answer: { node, findings: describe(one) } }
      } catch (error) {
        if (!(error instanceof NodeError) && !signal.aborted) throw error
        const text = signal.aborted
          ? 'was not asked in time: it answers slowly, so try again or use another node'
          : 'does not answer'
        return { one: [], answer: { node, findings: [{ name: 'node', text, level: 'stop' as const }] } }
      }
    }),
  )
  const found = asked.flatMap(({ one }) => one)
  const answers = asked.map(({ answer }) => answer)
  const together = compare(found)
  return {
    found,
    answers: together.length === 0 ? answers : [...answers, { node: undefined, findings: together }],
  }
}

/** Whether no answer forbids the row. */
export function areFit(answers: readonly Findings[]): boolean {
  return answers.every(({ findings }) => findings.every(({ level }) => level !== 'stop'))
}

/** @throws Problem with the answers that forbid the row */
export function requireFit(answers: readonly Findings[]): void {
  if (areFit(answers)) return
  const stops = answers.flatMap(({ findings }) => findings.filter(({ level }) => level === 'stop'))
  const reasons = stops.map(({ name, text }) => `${name}: ${text}`).join('; ')
  throw fail('invalid-request', `The chain's answers forbid it: ${reasons}.`)
}
