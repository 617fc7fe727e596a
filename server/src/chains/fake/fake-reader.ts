import type { NetworkName } from '../networks.ts'
import {
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  type MempoolReader,
  NodeError,
  type SanctionsReader,
  type SpentOutpoint,
  type TransactionSight,
} from '../port.ts'
import { type FakeBlock, type FakeChain, transfersIn, transfersOf } from './fake-chain.ts'

export interface FakeReaderSettings {
  readonly network?: NetworkName
  readonly seesInternalTransfers?: boolean
  readonly hasOutpoints?: boolean
  /** How far behind the head the chain calls a block final. */
  readonly finalDepth?: number
}

/** Reads a fake chain with the manners of a real node: each call waits a turn and may fail. */
export function openFakeReader(chain: FakeChain, settings: FakeReaderSettings = {}): ChainReader {
  const { network = 'ethereum', seesInternalTransfers = true, hasOutpoints = false } = settings
  // Chains with outpoints know no finality.
  const finalDepth = settings.finalDepth ?? (hasOutpoints ? undefined : 2)

  const turn = (signal: AbortSignal) => fakeTurn(chain, signal)
  const headHeight = () => Math.max(0, chain.head.height - chain.faults.lagBlocks)
  const blockAt = (height: number) => (height <= headHeight() ? chain.blockAt(height) : undefined)
  const factsOf = (block: FakeBlock): BlockFacts => {
    const transfers = transfersOf(block)
    if (chain.faults.hidesTransfers && transfers.length > 0)
      throw new NodeError('the fake node leaves out transfers')
    return {
      block: block.ref,
      transfers: seesInternalTransfers ? transfers : withoutInternal(block),
      ...(hasOutpoints && { spent: spentIn(block) }),
    }
  }

  return {
    network,
    traits: { family: 'evm', hasContracts: true, seesInternalTransfers, hasOutpoints },
    checkIdentity: turn,
    readHead: async (signal) => {
      await turn(signal)
      return existing(blockAt(headHeight())).ref
    },
    readFinalHeight: async (signal) => {
      await turn(signal)
      return finalDepth === undefined ? undefined : Math.max(0, headHeight() - finalDepth)
    },
    readBlock: async (height, signal) => {
      await turn(signal)
      const block = blockAt(height)
      return block === undefined ? undefined : factsOf(block)
    },
    readHeader: async (height, signal) => {
      await turn(signal)
      return blockAt(height)?.ref
    },
    requireSuccess: async (block, txHashes, signal) => {
      await turn(signal)
      requireReceipts(chain, block, txHashes)
    },
    ...(!hasOutpoints && {
      readSigners: async (txHashes, signal) => {
        await turn(signal)
        return txHashes.map((txHash) => signerOf(chain, txHash))
      },
    }),
    readTransaction: async (txHash, signal) => {
      await turn(signal)
      return sightOf(chain, txHash, { headHeight: headHeight(), factsOf })
    },
    ...(hasOutpoints && { mempool: mempoolOf(chain) }),
    readBalances: async (asset, addresses, height, signal) => {
      await turn(signal)
      existing(blockAt(height))
      return addresses.map((address) => chain.balanceOf(asset, address, height))
    },
    sanctions: sanctionsOf(chain),
    watchHeads: (onHead, signal) => chain.onHead(onHead, signal),
    close: async () => {},
  }
}

function sanctionsOf(chain: FakeChain): SanctionsReader {
  const turn = (signal: AbortSignal) => fakeTurn(chain, signal)
  return {
    isListed: async (oracle, addresses, signal) => {
      await turn(signal)
      const listed = chain.listings.get(oracle)
      if (listed === undefined) throw new NodeError(`there is no sanctions oracle at ${oracle}`)
      return addresses.map((address) => listed.has(address))
    },
  }
}

function mempoolOf(chain: FakeChain): MempoolReader {
  const turn = (signal: AbortSignal) => fakeTurn(chain, signal)
  return {
    listMempool: async (signal) => {
      await turn(signal)
      return chain.waiting.hashes
    },
    readWaiting: async (txHashes, signal) => {
      await turn(signal)
      return txHashes.flatMap((txHash) => {
        const transaction = chain.waiting.find(txHash)
        if (transaction === undefined) return []
        return [{ txHash, transfers: transfersIn(transaction), spends: transaction.spends ?? [] }]
      })
    },
    readLineage: async (txHash, signal) => {
      await turn(signal)
      return chain.waiting.lineageOf(txHash)
    },
  }
}

/** What every call to a fake node comes through. */
export async function fakeTurn(chain: FakeChain, signal: AbortSignal): Promise<void> {
  await Promise.resolve()
  signal.throwIfAborted()
  if (chain.faults.failuresLeft > 0) chain.faults.failuresLeft -= 1
  else if (!chain.faults.away) return
  throw new NodeError('the fake node is away')
}

/** Whoever the fake chain has as the origin of a transaction, or as the sender of what it moves. */
function signerOf(chain: FakeChain, txHash: string): string | undefined {
  for (let height = chain.head.height; height >= 0; height -= 1) {
    const { transactions } = existing(chain.blockAt(height))
    const transaction = transactions.find(({ hash }) => hash === txHash)
    if (transaction === undefined) continue
    return transaction.signed?.sender ?? transaction.origin ?? transaction.moves[0]?.sender
  }
  throw new NodeError(`the fake node does not tell of transaction ${txHash}`)
}

function sightOf(
  chain: FakeChain,
  txHash: string,
  { headHeight, factsOf }: { headHeight: number; factsOf(block: FakeBlock): BlockFacts },
): TransactionSight {
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
