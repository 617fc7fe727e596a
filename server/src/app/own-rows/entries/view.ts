/** What operators send to add, enable and disable their own networks and tokens, and what they read. */
import { Type } from 'typebox'
import { nullable, oneOf } from '../../../platform/http/wire.ts'
import type { Proposal } from '../../../pricing/own-rows/add-own-row.ts'
import type { Findings } from '../ask-chain.ts'

/** The text of an entry begins so. Its format is that of `pricing/own-rows/own-rows.ts`. */
const entryExample = '{"format":"coffer/own-row/1","serial":4,"previous":"5d41402abc4b2a76b9719d911017c592"}'
const nodesExample = 'AZ8kq0vV2JmXcQ'

const text = (description: string) => Type.String({ maxLength: 200, description })
const optional = (description: string) => Type.Optional(text(description))
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

export const NetworkBody = Type.Object({
  name: text('the name by which commands and settings know the network'),
  title: text('the name that payers see'),
  chainID: Type.Integer({ description: 'the EIP-155 chain id, which every node must report' }),
  nodeURLs: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
    minItems: 1,
    maxItems: 10,
    description: 'the URLs of the nodes; they are stored encrypted',
  }),
  coin: text('the symbol of the coin'),
  explorer: text('the URL of a block explorer'),
  coinName: optional('the name of the coin; default: its symbol'),
  explorerName: optional('the name of the explorer; default: its host'),
  walletRPC: optional('the URL of a node for the wallets of payers, who see it; default: none'),
  confirmations: Type.Optional(
    Type.Array(Type.Integer(), {
      maxItems: 3,
      description: 'three numbers of blocks: for deposits up to 100 USD, up to 10,000 USD, and above',
    }),
  ),
  minimum: optional('the smallest deposit, in the coin'),
  depositMax: optional('deposits above are quarantined, in the coin'),
  maxFee: optional('the highest fee for one unit of gas, in gwei'),
  minTip: optional('the lowest priority fee for one unit of gas, in gwei'),
  maxTip: optional('the highest priority fee for one unit of gas, in gwei'),
  feeModel: optional('default: as the nodes show'),
  coldAddress: optional('the destination of treasury withdrawals; default: none'),
  gasBudget: optional(
    'what the transactions of a merchant may cost in 24 h beyond the fees it pays, in the coin; default: 500 times the smallest deposit',
  ),
  typicalFee: optional('the usual fee of a payment in USD'),
  mirrors: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 10,
      description: 'contracts that present the coin as a token',
    }),
  ),
  isStable: flag('whether the price of the coin hardly moves'),
  isCreditable: flag('whether merchants may credit payments in the coin that an invoice does not offer'),
})

export const TokenBody = Type.Object({
  network: text('the name of an EVM network that this server follows'),
  contract: text('the address of the contract'),
  decimals: Type.Integer({
    description: 'the number of decimals as the issuer’s own page states it; the contract must say the same',
  }),
  symbol: optional('default: as the contract says'),
  name: optional('default: as the contract says'),
  minimum: optional('the smallest deposit, in the token'),
  depositMax: optional('deposits above are quarantined, in the token'),
  isStable: flag('whether the price of the token hardly moves'),
  isCreditable: flag('whether merchants may credit payments in the token that an invoice does not offer'),
})

export const StateBody = Type.Object({
  kind: oneOf(['network', 'token'], { title: 'OwnRowKind' }),
  name: text('the name of a network, or the network and the symbol of a token, such as base/PYUSD'),
  isEnabled: Type.Boolean(),
})

const proposedFields = {
  text: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: 'the text that was proposed, byte by byte',
    examples: [entryExample],
  }),
  nodes: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: 'the encrypted list of nodes that was proposed with a network',
      examples: [nodesExample],
    }),
  ),
}

export const UnsignedBody = Type.Object(proposedFields)

export const EntryBody = Type.Object({
  ...proposedFields,
  signature: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'the id of the key, a dot, and the Ed25519 signature of the text in base64url; only a sandbox signs by itself if it is absent',
    }),
  ),
})

const FindingView = Type.Object(
  {
    node: nullable(
      Type.String({
        description: 'the host of a node; null for what concerns all nodes',
        examples: ['node.example'],
      }),
    ),
    name: Type.String({ examples: ['decimals'] }),
    text: Type.String({ description: 'what was found, as text for people', examples: ['6'] }),
    level: oneOf(['ok', 'warn', 'stop'], {
      title: 'FindingLevel',
      description: 'stop: the row cannot be added; warn: the operator must judge it',
    }),
  },
  { title: 'ChainFinding' },
)

export const ProposalView = Type.Object(
  {
    findings: Type.Array(FindingView),
    entry: nullable(
      Type.Object({
        number: Type.Integer({ description: 'the number of the entry, which OPERATOR_ENTRY_MIN takes' }),
        text: Type.String({ description: 'the text to sign, byte by byte', examples: [entryExample] }),
        nodes: nullable(
          Type.String({
            description: 'the encrypted list of nodes, to be sent back',
            examples: [nodesExample],
          }),
        ),
      }),
      { description: 'null if what the chain says forbids the row' },
    ),
    canSignHere: Type.Boolean({ description: 'whether this server signs: only a sandbox has a key' }),
    policyLines: Type.Array(Type.String({ examples: ['"scroll": { "chainId": 534352 }'] }), {
      description: 'the lines that the policy of the signer needs, as text for people',
    }),
  },
  { title: 'EntryProposal' },
)

export interface Proposed {
  readonly answers: readonly Findings[]
  readonly proposal: Proposal | undefined
  readonly sealedNodes?: Buffer | undefined
  readonly policyLines: readonly string[]
}

export function proposalView(
  { answers, proposal, sealedNodes, policyLines }: Proposed,
  canSignHere: boolean,
) {
  return {
    findings: answers.flatMap(({ node = null, findings }) => findings.map((one) => ({ node, ...one }))),
    entry:
      proposal === undefined
        ? null
        : {
            number: proposal.serial,
            text: proposal.text,
            nodes: sealedNodes === undefined ? null : sealedNodes.toString('base64url'),
          },
    canSignHere,
    policyLines: [...policyLines],
  }
}
