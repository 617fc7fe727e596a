/** Collections beside a chain made by hand: what they propose is carried out, or not, as a test says. */
import sql from 'sql-template-tag'
import type { Transfer, TransferAsset } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import type { IntendedPayout, PayoutMove, Proposal } from '../../src/outgoing/engine/purpose.ts'
import { collectDeposits } from '../../src/outgoing/sweeps/collect-deposits.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import type { CollectedChain } from '../../src/outgoing/sweeps/preview-sweeps.ts'
import { type SweepPolicy, sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Blocks } from '../support/blocks.ts'
import type { Shop } from '../support/shop.ts'
import { collectionsOf, completedOf } from './sights.ts'

export const lanes = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`] as const
export const delegate = `0x${'de'.repeat(20)}`
const network = 'ethereum'

/** What the node says; change it at will. */
export interface NodeWords {
  canDelegate: boolean
  hasCode: boolean
  readonly delegated: Set<string>
  /** `<address>/<contract or nothing>` to what it holds there. */
  readonly balances: Map<string, bigint>
  /** What each transaction moved; while there is none the node has no block with sweeps. */
  readonly moved: Map<string, readonly Transfer[]>
}

export interface Sweeper {
  readonly node: NodeWords
  readonly chain: CollectedChain
  propose(): Promise<readonly Proposal[]>
  /** Tells collections what became of a proposal, as payouts do. */
  tell(
    proposal: Proposal,
    to: PayoutMove['to'],
    over?: { isSuccess?: boolean; txHash?: string },
  ): Promise<void>
  /** Everything from planned to final, with what the transaction takes from which address. */
  carryOut(
    proposal: Proposal,
    taken: readonly Pick<Transfer, 'sender' | 'asset' | 'amountMinor'>[],
  ): Promise<void>
  finish(): Promise<number>
  /** A payment that is confirmed: where it lies. */
  pay(
    merchantId: string,
    amountMinor: bigint,
    methodId?: number,
  ): Promise<{ address: string; invoiceId: string }>
  collections(merchantId: string): ReturnType<typeof collectionsOf>
  events(merchantId: string): ReturnType<typeof completedOf>
}

export async function openSweeper(
  shop: Shop,
  blocks: Blocks,
  policy: SweepPolicy = sweepPolicies.sandbox,
): Promise<Sweeper> {
  await shop.db.query(sql`
    insert into hot_wallet (network, lane, address)
    values (${network}, 0, ${lanes[0]}), (${network}, 1, ${lanes[1]}) on conflict do nothing`)
  const node: NodeWords = {
    canDelegate: true,
    hasCode: true,
    delegated: new Set(),
    balances: new Map(),
    moved: new Map(),
  }
  const chain = chainSaying(node)
  const purpose = collectDeposits({ methods: shop.methods, policy, chainOf: () => chain, log: silentLog })
  const worker = finishSweeps({ db: shop.db, methods: shop.methods, chains: [chain.reader], pollMs: 10 })
  const tell: Sweeper['tell'] = (proposal, to, over) =>
    inTransaction(shop.db, (tx) => purpose.moved(tx, [moveOf(proposal, to, over)]))
  return {
    node,
    chain,
    tell,
    propose: () => purpose.propose(shop.db, network, 100),
    finish: () => worker.takeAndDo(new AbortController().signal),
    carryOut: async (proposal, taken) => {
      const recipient = lanes[0]
      const txHash = hashOf(proposal)
      node.moved.set(
        txHash,
        taken.map((one, place) => ({ ...one, txHash, recipient, key: `${txHash}:log:${place}` })),
      )
      for (const to of ['planned', 'signed', 'broadcast', 'included', 'final'] as const) {
        await tell(proposal, to)
      }
    },
    pay: async (merchantId, amountMinor, methodId = 1) => {
      const invoiceId = await shop.openInvoice(merchantId, { methodId })
      const { address } = await shop.addressFor(invoiceId, methodId)
      await blocks.mine([blocks.pay(address, amountMinor, methodId)])
      await blocks.mine()
      return { address, invoiceId }
    },
    collections: (merchantId) => collectionsOf(shop.db, merchantId),
    events: (merchantId) => completedOf(shop.db, merchantId),
  }
}

export function hashOf({ id }: Proposal): string {
  return `0x${id.replaceAll('-', '').repeat(2)}`
}

function chainSaying(node: NodeWords): CollectedChain {
  const held = (address: string, asset: TransferAsset) =>
    node.balances.get(`${address}/${asset.type === 'token' ? asset.contract : ''}`) ?? 0n
  return {
    reader: {
      network,
      readBalances: async (asset, addresses) => addresses.map((address) => held(address, asset)),
      readBlock: async (height) => {
        if (height !== sweepHeight || node.moved.size === 0) return undefined
        const block = { height, hash: sweepBlock, parentHash: '', minedAt: new Date() }
        return { block, transfers: [...node.moved.values()].flat() }
      },
    },
    sender: {
      get canDelegate() {
        return node.canDelegate
      },
      readFees: async () => ({ baseFeeMinor: 10n ** 9n, tipMinor: 10n ** 9n }),
      readDelegates: async (addresses) =>
        addresses.map((address) => (node.delegated.has(address) ? delegate : undefined)),
      readNonces: async (addresses) => addresses.map(() => 0),
      hasCode: async () => node.hasCode,
    },
    codec: { family: 'evm', delegateOf: () => delegate },
  }
}

/** Above all blocks that tests mine. */
const sweepHeight = 100_000
const sweepBlock = '0xsweep'

function moveOf(
  proposal: Proposal,
  to: PayoutMove['to'],
  { isSuccess = true, txHash = hashOf(proposal) }: { isSuccess?: boolean; txHash?: string } = {},
): PayoutMove {
  if (to === 'refused') return { proposal, to, reason: 'it would fail' }
  const payout: IntendedPayout = {
    ...proposal,
    from: proposal.from ?? { type: 'lane', lane: 0 },
    wallet: lanes[0],
    nonce: 0,
    state: 'planned',
    maxCostMinor: 0n,
    inclusion: undefined,
    plannedAt: new Date(),
  }
  if (to === 'included' || to === 'final') {
    const block = { height: sweepHeight, blockHash: sweepBlock }
    return { payout, to, inclusion: { txHash, ...block, isSuccess, feeMinor: 1n } }
  }
  return to === 'broadcast' ? { payout, to, txHash } : { payout, to }
}

export function single(proposals: readonly Proposal[]): Proposal {
  return required(proposals.length === 1 ? proposals[0] : undefined, 'exactly one proposal')
}
