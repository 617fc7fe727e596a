/** What is true on the chains: each transfer in a block, and whether our keys made it. */
import type { FakeChain, FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import type { Model } from './model.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** A chain, as the model knows it. */
export interface CheckedChain {
  readonly network: string
  readonly chain: FakeChain
  /** The addresses of the hot wallets on this chain. */
  readonly hotWallets: readonly string[]
  /** Payments that were once in a block and will never be again. */
  readonly lost: readonly FakeTransaction[]
  /** What bounds the fees on a UTXO chain; undefined on other chains. */
  readonly feeTerms: FeeTerms | undefined
}

/** Rates are for 1,000 virtual bytes. */
export interface FeeTerms {
  /** The highest rate that the node ever named. */
  readonly highestRate: bigint
  readonly usualRate: bigint
  /** Nodes relay no smaller output. */
  readonly dustMinor: bigint
  /** Whether nodes replace a transaction by one with a higher fee. */
  readonly canReplace: boolean
  /** Returns the size of a transaction of ours. */
  vbytesOf(txHash: string): number
}

/** Returns all addresses whose keys the installation holds and that the model knows. */
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

/** Returns the transfers of payments that a reorganisation dropped for good. */
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
