import { Type } from 'typebox'
import { withinTime } from '../../../core/concurrency/linked-signal.ts'
import { failField } from '../../../core/errors.ts'
import { type AccountCaller, permitOperator } from '../../../platform/http/auth.ts'
import { type RateLimiter, takeOrRefuse } from '../../../platform/http/limits/rate-limiter.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { type AcceptRules, acceptEntry, checkEntry } from '../../../pricing/own-rows/accept-entry.ts'
import { requireFit } from '../ask-chain.ts'
import type { NetworkInput } from '../network-draft.ts'
import {
  type Asking,
  askAbout,
  entryParts,
  type ProposeParts,
  proposeNetwork,
  proposeState,
  proposeToken,
} from './propose.ts'
import {
  EntryBody,
  NetworkBody,
  ProposalView,
  proposalView,
  StateBody,
  TokenBody,
  UnsignedBody,
} from './view.ts'

export interface EntryRouteParts extends ProposeParts {
  /** Limits the questions to nodes. */
  readonly checkLimiter: RateLimiter
}

/** Routes for operators: add, enable and disable their own networks and tokens by signed entries. */
export function entryRoutes(parts: EntryRouteParts): readonly Route[] {
  return [networkRoute(parts), tokenRoute(parts), stateRoute(parts), checkRoute(parts), addRoute(parts)]
}

/** Clients of the API give up after 30 s. */
const pageTimeoutMs = 25_000

/** Nodes may be slow and cost money, and a page that was closed waits for nothing. */
function asking(
  { checkLimiter }: EntryRouteParts,
  { caller, signal }: { readonly caller: AccountCaller; readonly signal: AbortSignal },
): Asking {
  return async (ask) => {
    await takeOrRefuse(checkLimiter, caller.accountId, 'checks of one operator')
    return withinTime([signal], pageTimeoutMs, ask)
  }
}

const proposing = { auth: 'bearer', permit: permitOperator, readOnly: true } as const

function networkRoute(parts: EntryRouteParts): Route {
  return route({
    ...proposing,
    method: 'POST',
    path: '/operator/own-entries/network',
    // The request makes this server connect to any address that the caller names.
    needsProof: true,
    operationId: 'proposeNetwork',
    summary: 'Ask the nodes of a new EVM network, and get the entry that adds the network for signing',
    description: 'Nothing is stored. Every node is asked, and a difference between them forbids the network.',
    body: NetworkBody,
    example: {
      body: {
        name: 'scroll',
        title: 'Scroll',
        chainID: 534352,
        nodeURLs: ['https://node.example/key'],
        coin: 'ETH',
        explorer: 'https://scrollscan.com',
      },
    },
    replies: { 200: ProposalView },
    errors: ['too-many-requests'],
    handle: async ({ body, ...request }) => {
      const { chainID: chainId, walletRPC: walletRpc, nodeURLs, ...rest } = body
      const input: NetworkInput = { ...rest, chainId, walletRpc }
      const proposed = await proposeNetwork(parts, input, nodeURLs, asking(parts, request))
      return { status: 200, body: viewOf(parts, proposed) }
    },
  })
}

function tokenRoute(parts: EntryRouteParts): Route {
  return route({
    ...proposing,
    method: 'POST',
    path: '/operator/own-entries/token',
    operationId: 'proposeToken',
    summary: 'Ask the nodes of a network about a token, and get the entry that adds the token for signing',
    description: 'Nothing is stored. A transfer is tried in `eth_call`, without sending a transaction.',
    body: TokenBody,
    example: {
      body: { network: 'base', contract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', decimals: 6 },
    },
    replies: { 200: ProposalView },
    errors: ['too-many-requests'],
    handle: async ({ body, ...request }) => {
      return { status: 200, body: viewOf(parts, await proposeToken(parts, body, asking(parts, request))) }
    },
  })
}

function stateRoute(parts: EntryRouteParts): Route {
  return route({
    ...proposing,
    method: 'POST',
    path: '/operator/own-entries/state',
    operationId: 'proposeRowState',
    summary: 'Get the entry that enables or disables one of your networks or tokens, for signing',
    body: StateBody,
    example: { body: { kind: 'token', name: 'base/PYUSD', isEnabled: false } },
    replies: { 200: ProposalView },
    handle: async ({ body: { kind, name, isEnabled } }) => {
      return { status: 200, body: viewOf(parts, await proposeState(parts, { kind, name, isEnabled })) }
    },
  })
}

function checkRoute(parts: EntryRouteParts): Route {
  return route({
    ...proposing,
    method: 'POST',
    path: '/operator/own-entries/check',
    // Whoever signs next needs a proof for the signed entry, and must not sign before having one.
    needsProof: true,
    operationId: 'checkOwnEntry',
    summary: 'Check an entry before you sign it',
    description:
      'Nothing is stored. The answer is an error if the signed entry would be refused now. Sign only after this check: whoever has a signature that was not stored may add it later.',
    body: UnsignedBody,
    replies: { 204: null },
    errors: ['too-many-requests'],
    handle: async ({ body, ...request }) => {
      await checkEntry(entryParts(parts), rulesOf(parts, request), unsignedOf(body))
      return { status: 204 }
    },
  })
}

function addRoute(parts: EntryRouteParts): Route {
  return route({
    method: 'POST',
    path: '/operator/own-entries',
    auth: 'bearer',
    permit: permitOperator,
    needsProof: true,
    operationId: 'addOwnEntry',
    summary: 'Add a signed entry that adds, enables or disables a network or a token',
    description:
      'The entry is checked as the commands check it, and the nodes are asked again. Running processes take it within seconds.',
    body: EntryBody,
    replies: { 201: Type.Object({ lastEntry: Type.Integer({ description: 'the number of the entry' }) }) },
    errors: ['too-many-requests'],
    handle: async ({ body, ...request }) => {
      const signature = body.signature ?? signHere(parts, body.text)
      const entry = { ...unsignedOf(body), signature }
      const by = entryParts(parts, request.caller.accountId)
      const { hashes } = await acceptEntry(by, rulesOf(parts, request), entry)
      return { status: 201, body: { lastEntry: hashes.length } }
    },
  })
}

function rulesOf(parts: EntryRouteParts, request: Parameters<typeof asking>[1]): AcceptRules {
  const { methods, sealer, chainIdProblem } = parts
  return {
    sealer,
    chainIdProblem,
    others: () => methods.all,
    askAgain: async (change, nodeUrls) =>
      requireFit(await askAbout(parts, change, nodeUrls, asking(parts, request))),
  }
}

function unsignedOf({ text, nodes }: { readonly text: string; readonly nodes?: string | undefined }) {
  return { text, sealedNodes: nodes === undefined ? undefined : Buffer.from(nodes, 'base64url') }
}

/** @throws Problem in production, where the server has no private key of the operator */
function signHere({ operatorKeys: { sign } }: EntryRouteParts, text: string): string {
  if (sign === undefined)
    throw failField(
      '/signature',
      'is required: sign the text with the operator’s key, which this server does not have',
    )
  return sign(text)
}

function viewOf({ operatorKeys }: EntryRouteParts, proposed: Parameters<typeof proposalView>[0]) {
  return proposalView(proposed, operatorKeys.sign !== undefined)
}
