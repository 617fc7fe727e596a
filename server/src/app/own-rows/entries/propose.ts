/** Makes the entries that an operator signs on the page, after the chain was asked. Nothing is stored. */
import { evmAddresses } from '../../../chains/evm/address.ts'
import type { NodeFindings } from '../../../chains/evm/probe/probe-network.ts'
import { fail, failField, Problem } from '../../../core/errors.ts'
import type { Sealer } from '../../../core/seal.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { proposeEntry } from '../../../pricing/own-rows/add-own-row.ts'
import { networkChange, refused, stateChange, tokenChange } from '../../../pricing/own-rows/make-change.ts'
import { sealNodes } from '../../../pricing/own-rows/nodes.ts'
import type { OwnChange, OwnRows, RowState } from '../../../pricing/own-rows/signed-rows.ts'
import { type EntryParts, readChain } from '../../../pricing/own-rows/store-entry.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { urlProblem } from '../../settings/setting-rules.ts'
import { areFit, askNodes, askToken, type Findings } from '../ask-chain.ts'
import { compareDelegation } from '../compare-findings.ts'
import { gweiProblems, legacyProblems, type NetworkInput, networkDraft } from '../network-draft.ts'
import type { OperatorKeys } from '../open-entry-keys.ts'
import { networkPolicyLines, tokenPolicyLines } from '../policy-lines.ts'
import { type TokenInput, tokenDraft } from '../token-draft.ts'
import type { Proposed } from './view.ts'

export interface ProposeParts {
  readonly db: Db
  readonly sealer: Sealer
  readonly methods: Pick<PaymentMethods, 'all'>
  readonly operatorKeys: OperatorKeys
  /** The number of the last entry that the operator knows, by the settings. */
  readonly entryMin: number
  /** Returns the operator's rows that this process uses. */
  ownRows(): OwnRows
  /** Tells why a chain id cannot be used in this installation; undefined if it can. */
  chainIdProblem(chainId: number): string | undefined
  /** The nodes of the EVM networks that this process follows, by network. */
  readonly nodeUrls: ReadonlyMap<string, readonly string[]>
}

/**
 * Asks nodes for one request, and gives up after a while.
 * @throws Problem if the caller has asked too often
 */
export type Asking = <T>(ask: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** What this process has used must be in the database, too. */
export function entryParts(parts: ProposeParts, accountId?: string): EntryParts {
  const { db, operatorKeys, entryMin, ownRows } = parts
  return {
    db,
    keys: operatorKeys.reading,
    entryMin: Math.max(entryMin, ownRows().hashes.length),
    accountId,
  }
}

/** What a node would say of a network that fits, to check the fields before any node is asked. */
const fitting: NodeFindings = {
  node: '',
  chainId: undefined,
  genesisHash: undefined,
  headHeight: undefined,
  finalHeight: undefined,
  blockTimeMs: undefined,
  feeModel: 'eip1559',
  gasPriceMinor: undefined,
  canDelegate: false,
  tracing: 'none',
  hasBlockReceipts: false,
}
const anyHash = '0'.repeat(64)

/** Without a fee model, only the nodes tell whether the default tip is used. It must not stand in the way before. */
function beforeAsking(input: NetworkInput): NetworkInput {
  return input.feeModel === undefined ? { ...input, maxTip: input.maxTip ?? input.maxFee } : input
}

/** @throws Problem with every field that is wrong */
export async function proposeNetwork(
  parts: ProposeParts,
  input: NetworkInput,
  nodeUrls: readonly string[],
  asking: Asking,
): Promise<Proposed> {
  const badUrls = nodeUrls.flatMap((url, index) => {
    const problem = urlProblem(url, 'it')
    return problem === undefined ? [] : [{ field: `nodeURLs.${index}`, detail: problem.replace('it ', '') }]
  })
  const problems = [...badUrls, ...gweiProblems(input), ...legacyProblems(input, [])]
  if (problems.length > 0) throw refused(problems)
  const { known } = await readChain(parts.db, entryParts(parts))
  const changeOf = (now: OwnRows, found: readonly NodeFindings[], nodesHash: string) =>
    inBody(networkFields, () => networkChange(now, { ...networkDraft(input, found), nodesHash }, parts))
  inBody(networkFields, () => {
    const first = { ...networkDraft(beforeAsking(input), [fitting]), nodesHash: anyHash }
    return networkChange(known, first, parts)
  })
  const { found, answers } = await asking((signal) => askNodes(nodeUrls, input, signal))
  if (!areFit(answers)) return { answers, proposal: undefined, policyLines: [] }
  const unfit = legacyProblems(input, found)
  if (unfit.length > 0) throw refused(unfit)
  const { sealed, nodesHash } = sealNodes(parts.sealer, input.name, nodeUrls)
  const proposal = await proposeEntry(entryParts(parts), (now) => changeOf(now, found, nodesHash))
  const policyLines = networkPolicyLines(networkDraft(input, found))
  return { answers, proposal, sealedNodes: sealed, policyLines }
}

/** @throws Problem with every field that is wrong */
export async function proposeToken(
  parts: ProposeParts,
  given: TokenInput,
  asking: Asking,
): Promise<Proposed> {
  const read = evmAddresses.readDestination(given.contract)
  if ('error' in read) throw failField('/contract', `is not the address of a contract: it ${read.error}`)
  const input = { ...given, contract: read.address }
  const urls = parts.nodeUrls.get(input.network)
  if (urls === undefined)
    throw failField(
      '/network',
      `has no nodes here. Networks with nodes: ${[...parts.nodeUrls.keys()].join(', ')}`,
    )
  const others = parts.methods.all
  // What the contract says is not known yet.
  const first = tokenDraft(
    { ...input, symbol: input.symbol ?? 'Unknown0', name: input.name ?? 'Unknown' },
    [],
  )
  tokenChange((await readChain(parts.db, entryParts(parts))).known, first, others)
  const { contract, decimals } = input
  const { found, answers } = await asking((signal) => askToken(urls, contract, decimals, signal))
  if (!areFit(answers)) return { answers, proposal: undefined, policyLines: [] }
  const draft = tokenDraft(input, found)
  const proposal = await proposeEntry(entryParts(parts), (known) => tokenChange(known, draft, others))
  return { answers, proposal, policyLines: tokenPolicyLines(draft) }
}

/** @throws Problem if there is no such row, or if it already is so */
export async function proposeState(parts: ProposeParts, state: RowState): Promise<Proposed> {
  const proposal = await proposeEntry(entryParts(parts), (known) => {
    const change = stateChange(known, state)
    if (change === undefined)
      throw fail('invalid-request', `${state.name} already is ${state.isEnabled ? 'enabled' : 'disabled'}.`)
    return change
  })
  return { answers: [], proposal, policyLines: [] }
}

/**
 * Asks the chain again about a row that was signed.
 * @param nodeUrls the nodes of a new network
 */
export async function askAbout(
  { nodeUrls: known }: Pick<ProposeParts, 'nodeUrls'>,
  change: OwnChange,
  nodeUrls: readonly string[],
  asking: Asking,
): Promise<readonly Findings[]> {
  switch (change.type) {
    case 'network': {
      const { found, answers } = await asking((signal) => askNodes(nodeUrls, change.row, signal))
      const unshown = compareDelegation(change.row.canDelegate, found)
      return unshown.length === 0 ? answers : [...answers, { node: undefined, findings: unshown }]
    }
    case 'token': {
      const urls = known.get(change.row.network)
      if (urls === undefined)
        throw fail(
          'invalid-request',
          `This server has no nodes of ${change.row.network}, so they cannot be asked.`,
        )
      const { contract, decimals } = change.row
      return (await asking((signal) => askToken(urls, contract, decimals, signal))).answers
    }
    case 'state':
    case 'nodes':
      return []
  }
}

/** The fields of a row that have another name in the body of a request. */
const networkFields: Readonly<Record<string, string>> = {
  '/chainId': '/chainID',
  '/coin/symbol': '/coin',
  '/coin/name': '/coinName',
  '/coin/minimum': '/minimum',
  '/coin/depositMax': '/depositMax',
  '/priceBounds/maxFeePerGasMax': '/maxFee',
  '/priceBounds/maxPriorityFeePerGasMin': '/minTip',
  '/priceBounds/maxPriorityFeePerGasMax': '/maxTip',
  '/explorer/url': '/explorer',
  '/explorer/name': '/explorerName',
  '/walletRpcUrl': '/walletRPC',
  '/coinMirrors': '/mirrors',
  '/typicalFeeUsd': '/typicalFee',
}

/** Names the fields of a problem as the body of a request does. */
function inBody<T>(names: Readonly<Record<string, string>>, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof Problem) || error.extras.errors === undefined) throw error
    const errors = error.extras.errors.map(({ pointer, detail }) => ({
      pointer: names[pointer.replace(/\[\d+\]$/, '')] ?? pointer,
      detail,
    }))
    const detail = errors.map((one) => `${one.pointer}: ${one.detail}`).join('; ')
    throw fail(error.code, detail, { errors })
  }
}
