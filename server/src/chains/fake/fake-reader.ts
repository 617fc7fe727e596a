import { sum } from '../../core/money.ts'
import type { NetworkName } from '../networks.ts'
import {
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  type MempoolReader,
  NodeError,
  type SanctionsReader,
  type SpentOutpoint,
  type TransactionLookup,
  type TransferAsset,
} from '../port.ts'
import { type FakeBlock, type FakeChain, isSameAsset, transfersIn, transfersOf } from './fake-chain.ts'

export interface FakeReaderSettings {
  readonly network?: NetworkName
  readonly seesInternalTransfers?: boolean
  readonly hasOutpoints?: boolean
  /** Number of blocks between the head and the highest block that the chain calls final. */
  readonly finalDepth?: number
}

/** Opens a reader of a fake chain. As with a real node, each call is asynchronous and may fail. */
export function openFakeReader(chain: FakeChain, settings: FakeReaderSettings = {}): ChainReader {
  const { network = 'ethereum', seesInternalTransfers = true, hasOutpoints = false } = settings
  // A chain with outpoints has no finality.
  const finalDepth = settings.finalDepth ?? (hasOutpoints ? undefined : 2)

  const answer = (signal: AbortSignal) => fakeAnswer(chain, signal)
  const headHeight = () => Math.max(0, chain.head.height - chain.faults.lagBlocks)
  const blockAt = (height: number) => (height <= headHeight() ? chain.blockAt(height) : undefined)
  const factsOf = factsReader(chain, seesInternalTransfers, hasOutpoints)

  return {
    network,
    traits: { family: 'evm', hasContracts: true, seesInternalTransfers, hasOutpoints },
    checkIdentity: answer,
    readHead: async (signal) => {
      await answer(signal)
      return existing(blockAt(headHeight())).ref
    },
    readFinalHeight: async (signal) => {
      await answer(signal)
      return finalDepth === undefined ? undefined : Math.max(0, headHeight() - finalDepth)
    },
    readBlock: async (height, signal) => {
      await answer(signal)
      const block = blockAt(height)
      return block === undefined ? undefined : factsOf(block)
    },
    readHeader: async (height, signal) => {
      await answer(signal)
      return blockAt(height)?.ref
    },
    requireSuccess: async (block, txHashes, signal) => {
      await answer(signal)
      requireReceipts(chain, block, txHashes)
    },
    ...(!hasOutpoints && {
      readSigners: async (txHashes, signal) => {
        await answer(signal)
        return txHashes.map((txHash) => signerOf(chain, txHash))
      },
    }),
    readTransaction: async (txHash, signal) => {
      await answer(signal)
      return lookupOf(chain, txHash, { headHeight: headHeight(), factsOf })
    },
    ...(hasOutpoints && { mempool: mempoolOf(chain) }),
    readBalances: async (asset, addresses, height, signal) => {
      await answer(signal)
      existing(blockAt(height))
      if (hasOutpoints) return unspentMinor(chain, { asset, addresses, height })
      return addresses.map((address) => chain.balanceOf(asset, address, height))
    },
    isContract: async (address, signal) => {
      await answer(signal)
      return chain.contracts.has(address) || chain.listings.has(address)
    },
    sanctions: sanctionsOf(chain),
    watchHeads: (onHead, signal) => chain.onHead(onHead, signal),
    close: async () => {},
  }
}

/** Returns the function that tells what a block contains. */
function factsReader(
  chain: FakeChain,
  seesInternalTransfers: boolean,
  hasOutpoints: boolean,
): (block: FakeBlock) => BlockFacts {
  return (block) => {
    const transfers = transfersOf(block)
    if (chain.faults.hidesTransfers && transfers.length > 0)
      throw new NodeError('the fake node leaves out transfers')
    return {
      block: block.ref,
      transfers: seesInternalTransfers ? transfers : withoutInternal(block),
      ...(!seesInternalTransfers && transfers.length > 0 && { tracedBy: 'none' }),
      ...(!hasOutpoints &&
        block.transactions.length > 0 && { txHashes: block.transactions.map(({ hash }) => hash) }),
      ...(hasOutpoints && { spent: spentIn(block) }),
    }
  }
}

function sanctionsOf(chain: FakeChain): SanctionsReader {
  const answer = (signal: AbortSignal) => fakeAnswer(chain, signal)
  return {
    isListed: async (oracle, addresses, signal) => {
      await answer(signal)
      const listed = chain.listings.get(oracle)
      if (listed === undefined) throw new NodeError(`there is no sanctions oracle at ${oracle}`)
      return addresses.map((address) => listed.has(address))
    },
  }
}

function mempoolOf(chain: FakeChain): MempoolReader {
  const answer = (signal: AbortSignal) => fakeAnswer(chain, signal)
  return {
    listMempool: async (signal) => {
      await answer(signal)
      return chain.waiting.hashes
    },
    readWaiting: async (txHashes, signal) => {
      await answer(signal)
      return txHashes.flatMap((txHash) => {
        const transaction = chain.waiting.find(txHash)
        if (transaction === undefined) return []
        return [{ txHash, transfers: transfersIn(transaction), spends: transaction.spends ?? [] }]
      })
    },
    readAncestors: async (txHash, signal) => {
      await answer(signal)
      return chain.waiting.ancestorsOf(txHash)
    },
  }
}

/**
 * Runs before each answer of a fake node. Rejects with the signal's reason if `signal` is aborted, or with
 * NodeError if a fault is set.
 */
export async function fakeAnswer(chain: FakeChain, signal: AbortSignal): Promise<void> {
  await Promise.resolve()
  signal.throwIfAborted()
  if (chain.faults.failuresLeft > 0) chain.faults.failuresLeft -= 1
  else if (!chain.faults.away) return
  throw new NodeError('the fake node is away')
}

/**
 * Returns the signer of a transaction. The first known value is used: the signer in `signed`, the
 * transaction's origin, or the sender of its first move.
 * @throws NodeError if the chain has no such transaction
 */
function signerOf(chain: FakeChain, txHash: string): string | undefined {
  for (let height = chain.head.height; height >= 0; height -= 1) {
    const { transactions } = existing(chain.blockAt(height))
    const transaction = transactions.find(({ hash }) => hash === txHash)
    if (transaction === undefined) continue
    return transaction.signed?.sender ?? transaction.origin ?? transaction.moves[0]?.sender
  }
  throw new NodeError(`the fake node does not tell of transaction ${txHash}`)
}

function lookupOf(
  chain: FakeChain,
  txHash: string,
  { headHeight, factsOf }: { headHeight: number; factsOf(block: FakeBlock): BlockFacts },
): TransactionLookup {
  for (let height = headHeight; height >= 0; height -= 1) {
    const block = existing(chain.blockAt(height))
    const transaction = block.transactions.find(({ hash }) => hash === txHash)
    if (transaction === undefined) continue
    if (transaction.failed) return { type: 'failed', height }
    const transfers = factsOf(block).transfers.filter((transfer) => transfer.txHash === txHash)
    return { type: 'mined', block: block.ref, transfers }
  }
  const waits = chain.mempool.has(txHash) || chain.waiting.find(txHash) !== undefined
  return { type: waits ? 'pending' : 'unknown' }
}

/** Returns the amount of an asset in the unspent outputs of each address after the block at `height`. */
function unspentMinor(
  chain: FakeChain,
  { asset, addresses, height }: { asset: TransferAsset; addresses: readonly string[]; height: number },
): readonly bigint[] {
  const transactions = chain.transactionsUpTo(height)
  const spent = new Set(transactions.flatMap(({ spends = [] }) => spends))
  const unspent = transactions
    .flatMap(transfersIn)
    .filter((output) => !spent.has(output.key) && isSameAsset(output.asset, asset))
  return addresses.map((address) =>
    sum(unspent.filter(({ recipient }) => recipient === address).map(({ amountMinor }) => amountMinor)),
  )
}

function spentIn({ transactions }: FakeBlock): readonly SpentOutpoint[] {
  return transactions.flatMap(({ hash, spends = [] }) =>
    spends.map((outpoint) => ({ outpoint, txHash: hash })),
  )
}

function withoutInternal(block: FakeBlock) {
  const transactions = block.transactions.map((transaction) => ({
    ...transaction,
    moves: transaction.moves.map((move) => ({
      ...move,
      undone: move.undone === true || move.internal === true,
    })),
  }))
  return transfersOf({ ...block, transactions })
}

function requireReceipts(chain: FakeChain, block: BlockRef, txHashes: readonly string[]): void {
  const mined = existing(chain.blockAt(block.height))
  const receipts = new Map(mined.transactions.map((transaction) => [transaction.hash, transaction]))
  for (const txHash of txHashes) {
    const receipt = receipts.get(txHash)
    if (mined.ref.hash !== block.hash || receipt === undefined)
      throw new NodeError(`the fake node has no receipt of ${txHash} in block ${block.hash}`)
    if (receipt.failed || chain.faults.failedReceipts.has(txHash))
      throw new NodeError(`the receipt of ${txHash} does not say success`)
  }
}

function existing(block: FakeBlock | undefined): FakeBlock {
  if (block !== undefined) return block
  throw new NodeError('the fake node has no such block')
}
