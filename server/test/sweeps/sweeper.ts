/** Sweeps beside a chain made by hand. The test decides whether a proposal is carried out. */
import type { Transfer, TransferAsset } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import type {
  IntendedOutgoingTransaction,
  OutgoingMove,
  Proposal,
} from '../../src/outgoing/engine/outgoing-source.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import type { SweptChain } from '../../src/outgoing/sweeps/preview-sweeps.ts'
import { type SweepPolicy, sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { sweepDeposits } from '../../src/outgoing/sweeps/sweep-deposits.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Blocks } from '../support/blocks.ts'
import { hotWalletRecords } from '../support/outgoing/records.ts'
import type { Shop } from '../support/shop.ts'
import { completedOf, merchantSweepsOf } from './collection-readers.ts'

export const hotWallets = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`] as const
export const delegate = `0x${'de'.repeat(20)}`
const network = 'ethereum'

/** The answers of the node, which tests may change. */
export interface NodeWords {
  canDelegate: boolean
  hasCode: boolean
  readonly delegated: Set<string>
  /** The balance by `<address>/<contract>`; the contract is empty for the coin. */
  readonly balances: Map<string, bigint>
  /** The transfers of each transaction. While the map is empty, the node has no block with sweeps. */
  readonly moved: Map<string, readonly Transfer[]>
}

export interface Sweeper {
  readonly node: NodeWords
  readonly chain: SweptChain
  propose(): Promise<readonly Proposal[]>
  /** Notifies sweeps of a move of a proposal, as payouts do. */
  notify(
    proposal: Proposal,
    to: OutgoingMove['to'],
    over?: { isSuccess?: boolean; txHash?: string },
  ): Promise<void>
  /** Moves a proposal from planned to final, with what the transaction takes from each address. */
  carryOut(
    proposal: Proposal,
    taken: readonly Pick<Transfer, 'sender' | 'asset' | 'amountMinor'>[],
  ): Promise<void>
  finish(): Promise<number>
  /** Makes a confirmed payment, and returns its address and invoice. */
  pay(
    merchantId: string,
    amountMinor: bigint,
    methodId?: number,
  ): Promise<{ address: string; invoiceId: string }>
  merchantSweeps(merchantId: string): ReturnType<typeof merchantSweepsOf>
  events(merchantId: string): ReturnType<typeof completedOf>
}

export async function openSweeper(
  shop: Shop,
  blocks: Blocks,
  policy: SweepPolicy = sweepPolicies.sandbox,
): Promise<Sweeper> {
  for (const [hotWallet, address] of hotWallets.entries())
    if ((await hotWalletRecords.count(shop.db, { network, index: hotWallet })) === 0)
      await hotWalletRecords.add(shop.db, { network, index: hotWallet, address })
  const node: NodeWords = {
    canDelegate: true,
    hasCode: true,
    delegated: new Set(),
    balances: new Map(),
    moved: new Map(),
  }
  const chain = chainSaying(node)
  const outgoingSource = sweepDeposits({
    methods: shop.methods,
    policy,
    chainOf: () => chain,
    log: silentLog,
  })
  const worker = finishSweeps({
    db: shop.db,
    methods: shop.methods,
    chains: [chain.reader],
    log: silentLog,
    pollMs: 10,
  })
  const notify: Sweeper['notify'] = (proposal, to, over) =>
    inTransaction(shop.db, (tx) => outgoingSource.moved(tx, [moveOf(proposal, to, over)]))
  return {
    node,
    chain,
    notify,
    propose: () => outgoingSource.propose(shop.db, network, 100),
    finish: () => worker.runBatch(new AbortController().signal),
    carryOut: async (proposal, taken) => {
      const recipient = hotWallets[0]
      const txHash = hashOf(proposal)
      node.moved.set(
        txHash,
        taken.map((one, index) => ({ ...one, txHash, recipient, key: `${txHash}:log:${index}` })),
      )
      for (const to of ['planned', 'signed', 'broadcast', 'included', 'final'] as const) {
        await notify(proposal, to)
      }
    },
    pay: async (merchantId, amountMinor, methodId = 1) => {
      const invoiceId = await shop.openInvoice(merchantId, { methodId })
      const { address } = await shop.addressFor(invoiceId, methodId)
      await blocks.mine([blocks.pay(address, amountMinor, methodId)])
      await blocks.mine()
      return { address, invoiceId }
    },
    merchantSweeps: (merchantId) => merchantSweepsOf(shop.db, merchantId),
    events: (merchantId) => completedOf(shop.db, merchantId),
  }
}

export function hashOf({ id }: Proposal): string {
  return `0x${id.replaceAll('-', '').repeat(2)}`
}

function chainSaying(node: NodeWords): SweptChain {
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
      readFees: async () => ({ baseFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }),
      readDataFees: async (transactions) => transactions.map(() => 0n),
      readDelegates: async (addresses) =>
        addresses.map((address) => (node.delegated.has(address) ? delegate : undefined)),
      readNonces: async (addresses) => addresses.map(() => 0),
      hasCode: async () => node.hasCode,
    },
    codec: { family: 'evm', delegateOf: () => delegate },
  }
}

/** A height above all blocks that tests mine. */
const sweepHeight = 100_000
const sweepBlock = '0xsweep'

function moveOf(
  proposal: Proposal,
  to: OutgoingMove['to'],
  { isSuccess = true, txHash = hashOf(proposal) }: { isSuccess?: boolean; txHash?: string } = {},
): OutgoingMove {
  if (to === 'refused') return { proposal, to, reason: 'it would fail' }
  const outgoingTransaction: IntendedOutgoingTransaction = {
    ...proposal,
    family: 'evm',
    slot: { sender: proposal.from ?? { type: 'hotWallet', hotWallet: 0 }, wallet: hotWallets[0], nonce: 0 },
    fees: { gasLimit: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
    maxFeePerGasLimit: undefined,
    state: 'planned',
    maxCostMinor: 0n,
    inclusion: undefined,
    plannedAt: new Date(),
  }
  if (to === 'included' || to === 'final') {
    const block = { height: sweepHeight, blockHash: sweepBlock }
    return { outgoingTransaction, to, inclusion: { txHash, ...block, isSuccess, feeMinor: 1n } }
  }
  return to === 'broadcast' ? { outgoingTransaction, to, txHash } : { outgoingTransaction, to }
}

export function single(proposals: readonly Proposal[]): Proposal {
  return required(proposals.length === 1 ? proposals[0] : undefined, 'exactly one proposal')
}
