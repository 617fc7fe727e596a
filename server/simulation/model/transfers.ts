/** The transfers that the blocks of the chains contain, and whether they were sent with our keys. */
import type { FakeChain, FakeMove, FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import type { Model } from './model.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** A chain as the model sees it. */
export interface CheckedChain {
  readonly network: string
  readonly chain: FakeChain
  /** The addresses of the hot wallets on this chain. */
  readonly hotWallets: readonly string[]
  /** The transactions that a reorganisation dropped, and that no block contains now. */
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
  /** Returns the size of a transaction of ours in bytes, without witnesses. */
  bareBytesOf(txHash: string): number
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
  return transactions.flatMap((transaction) => transfersIn(transaction, { network, ours, ownOutpoints }))
}

/** Returns the transfers that took effect until a reorganisation dropped them, and that no block contains now. */
export function lostTransfers(
  { network, chain, lost }: CheckedChain,
  ours: ReadonlySet<string>,
): readonly TrueTransfer[] {
  const ownOutpoints = ownOutpointsOf([...chain.transactionsUpTo(chain.head.height), ...lost], ours)
  return lost.flatMap((transaction) => transfersIn(transaction, { network, ours, ownOutpoints }))
}

interface Owned {
  readonly network: string
  readonly ours: ReadonlySet<string>
  readonly ownOutpoints: ReadonlySet<string>
}

function transfersIn(
  { hash, failed, moves, spends }: FakeTransaction,
  { network, ours, ownOutpoints }: Owned,
): readonly TrueTransfer[] {
  const isFromUs = (sender: string) =>
    spends === undefined ? ours.has(sender) : spends.some((outpoint) => ownOutpoints.has(outpoint))
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

/** Returns the outputs on a UTXO chain that no transaction spends. */
export function unspentOutputs(transactions: readonly FakeTransaction[]): readonly FakeMove[] {
  const spent = new Set(transactions.flatMap(({ spends = [] }) => spends))
  return transactions.flatMap(({ hash, moves }) => moves.filter((_, index) => !spent.has(`${hash}:${index}`)))
}
