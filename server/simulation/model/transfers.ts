/** The transfers that the blocks of the chains contain, and whether they were sent with our keys. */
import type { FakeChain, FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import type { Model } from './model.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** A chain as the model sees it. */
export interface CheckedChain {
  readonly network: string
  readonly chain: FakeChain
  /** The addresses of the hot wallets on this chain. */
  readonly hotWallets: readonly string[]
  /** Payments that were in a block that was dropped, and that no later block can contain. */
  readonly lost: readonly FakeTransaction[]
  /** The values that limit fees on a UTXO chain; undefined on other chains. */
  readonly feeTerms: FeeTerms | undefined
  /** Returns when the first block with a transaction was mined, also if a reorganisation dropped that block. */
  firstMinedMs(txHash: string): number
}

/**
 * The values that limit the fees of our transactions. Rates are in the smallest unit for 1,000 virtual bytes.
 */
export interface FeeTerms {
  /** The highest fee rate that the node ever returned and that the service may pay. */
  readonly highestRate: bigint
  readonly usualRate: bigint
  /** The smallest output that nodes relay. */
  readonly dustMinor: bigint
  /** Whether nodes replace a transaction by a transaction with a higher fee. */
  readonly canReplace: boolean
  /** Returns the size of a transaction of ours in virtual bytes. */
  vbytesOf(txHash: string): number
}

/** Returns all addresses that the model knows and whose keys the installation holds. */
export function ownAddresses({
  model,
  chains,
}: {
  readonly model: Model
  readonly chains: readonly CheckedChain[]
}): ReadonlySet<string> {
  return new Set([
    ...chains.flatMap(({ hotWallets }) => hotWallets),
    ...model.shown.map(({ address }) => address),
  ])
}

/**
 * Returns the transfers that took effect, in the order of the chain.
 * @param ours all addresses whose keys the installation holds
 */
export function transfersOn({ network, chain }: CheckedChain, ours: ReadonlySet<string>): TrueTransfer[] {
  const transactions = chain.transactionsUpTo(chain.head.height)
  const ownOutpoints = ownOutpointsOf(transactions, ours)
  return transactions.flatMap((transaction) =>
    transfersIn(transaction, network, (sender) =>
      transaction.spends === undefined
        ? ours.has(sender)
        : transaction.spends.some((outpoint) => ownOutpoints.has(outpoint)),
    ),
  )
}

/** Returns the transfers of payments that a reorganisation has dropped permanently. */
export function lostTransfers({ network, lost }: CheckedChain): readonly TrueTransfer[] {
  return lost.flatMap((transaction) => transfersIn(transaction, network, () => false))
}

function transfersIn(
  { hash, failed, moves }: FakeTransaction,
  network: string,
  isFromUs: (sender: string) => boolean,
): readonly TrueTransfer[] {
  return moves
    .filter((move) => !failed && move.undone !== true && move.amountMinor > 0n)
    .map(({ asset, sender, recipient, amountMinor }) => ({
      network,
      txHash: hash,
      contract: asset.type === 'coin' ? null : asset.contract,
      sender,
      isFromUs: isFromUs(sender),
      recipient,
      amountMinor,
    }))
}

/** Returns the outpoints that pay our addresses. */
function ownOutpointsOf(
  transactions: readonly FakeTransaction[],
  ours: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    transactions.flatMap(({ hash, moves }) =>
      moves.flatMap(({ recipient }, index) => (ours.has(recipient) ? [`${hash}:${index}`] : [])),
    ),
  )
}
