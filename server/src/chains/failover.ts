/** Several nodes of one chain as one reader: the first that answers is kept until it fails. */
import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { type ChainReader, NodeError, type TransactionSight, WrongChainError } from './port.ts'

/** `readers` are of one network, best first, and are closed with the result. */
export function overSeveral(readers: readonly ChainReader[], log: Log): ChainReader {
  const first = required(readers[0], 'the first node')
  if (readers.length === 1) return first
  const ask = firstAnswer(readers, log)

  return {
    network: first.network,
    /** What the weakest can do: which node will answer the next question is not known. */
    get traits() {
      return {
        family: first.traits.family,
        seesInternalTransfers: readers.every((reader) => reader.traits.seesInternalTransfers),
      }
    },
    checkIdentity: (signal) => checkAll(readers, signal),
    readHead: (signal) => ask((reader) => reader.readHead(signal), signal),
    readFinalHeight: (signal) => ask((reader) => reader.readFinalHeight(signal), signal),
    readBlock: (height, signal) => ask((reader) => reader.readBlock(height, signal), signal),
    readHeader: (height, signal) => ask((reader) => reader.readHeader(height, signal), signal),
    requireSuccess: (block, txHashes, signal) =>
      ask((reader) => reader.requireSuccess(block, txHashes, signal), signal),
    readTransaction: (txHash, signal) => searchAll(readers, txHash, signal),
    readBalances: (asset, addresses, height, signal) =>
      ask((reader) => reader.readBalances(asset, addresses, height, signal), signal),
    isListed: (oracle, addresses, signal) =>
      ask((reader) => reader.isListed(oracle, addresses, signal), signal),
    watchHeads: (onHead, signal) => {
      for (const reader of readers) reader.watchHeads(onHead, signal)
    },
    close: async () => {
      await Promise.all(readers.map((reader) => reader.close()))
    },
  }
}

/** Asks each of `nodes` once, from the one on that answered last, until one answers. */
export function firstAnswer<Node extends { readonly network: string }>(nodes: readonly Node[], log: Log) {
  let current = 0
  return async <T>(question: (node: Node) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const start = current
    for (let step = 0; ; step += 1) {
      const index = (start + step) % nodes.length
      const node = required(nodes[index], 'node')
      try {
        const answer = await question(node)
        current = index
        return answer
      } catch (error) {
        if (!(error instanceof NodeError) || signal.aborted || step === nodes.length - 1) throw error
        log.warn({ network: node.network, node: index, err: error }, 'node failed, asking the next one')
      }
    }
  }
}

/** The first word of a node that knows the transaction: mempools differ, so that one does not know it says little. */
async function searchAll(
  readers: readonly ChainReader[],
  txHash: string,
  signal: AbortSignal,
): Promise<TransactionSight> {
  const asked = await Promise.allSettled(readers.map((reader) => reader.readTransaction(txHash, signal)))
  const sights = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const known = sights.find(({ type }) => type !== 'unknown' && type !== 'pending')
  const best = known ?? sights.find(({ type }) => type === 'pending') ?? sights[0]
  if (best !== undefined) return best
  throw asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))[0]
}

/** One node of another chain is refused outright; of the rest at least one must answer. */
async function checkAll(readers: readonly ChainReader[], signal: AbortSignal): Promise<void> {
  const checks = await Promise.allSettled(readers.map((reader) => reader.checkIdentity(signal)))
  const failures = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []))
  const wrong = failures.find((failure) => failure instanceof WrongChainError)
  if (wrong !== undefined) throw wrong
  if (failures.length === readers.length) throw failures[0]
}
