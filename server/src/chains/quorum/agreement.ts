/**
 * Decides whether several nodes of one chain agree. All functions are pure: `reader.ts` and `sender.ts`
 * decide which nodes are asked, and how often.
 */
import { groupBy } from '../../core/group-by.ts'
import type { BlockFacts, BlockRef, SightedBlock, Transfer, UnspentOutput } from '../port.ts'

/** The answer of one node; `node` is its index in the list of nodes. */
export interface NodeReport<T> {
  readonly node: number
  readonly value: T
}

/** Number of nodes that must agree, if more than one node is configured. */
export const quorumSize = 2

/**
 * Returns the value that at least two nodes reported, and the nodes that reported another value. Undefined if
 * no two nodes agree.
 */
export function findAgreed<T>(
  reports: readonly NodeReport<T>[],
  keyOf: (value: T) => string,
): { readonly value: T; readonly others: readonly number[] } | undefined {
  for (const { value } of reports) {
    const key = keyOf(value)
    const others = reports.filter((one) => keyOf(one.value) !== key).map(({ node }) => node)
    if (reports.length - others.length >= quorumSize) return { value, others }
  }
  return undefined
}

/**
 * Returns the block on which at least two nodes agree, and the nodes that contradict it. The coin that contracts
 * sent is in the result only if two nodes with traces report it alike: a single node could invent or hide it.
 * Otherwise two nodes must agree on everything else, at least one of them without traces. The result then has
 * `tracedBy` none and no such transfers, and comparing balances finds them. Undefined if no two nodes agree.
 */
export function findAgreedFacts(
  reports: readonly NodeReport<BlockFacts | undefined>[],
): { readonly value: BlockFacts | undefined; readonly others: readonly number[] } | undefined {
  const plain = reports.map(({ node, value }) => ({ node, value: value && withoutInnerCalls(value) }))
  const traced = findAgreed(
    reports.filter(({ value }) => value?.tracedBy !== 'none'),
    factsKey,
  )
  if (traced !== undefined) {
    const key = factsKey(traced.value && withoutInnerCalls(traced.value))
    const others = plain.filter(({ value }) => factsKey(value) !== key).map(({ node }) => node)
    return { value: traced.value, others: [...new Set([...traced.others, ...others])] }
  }
  return reports.some(({ value }) => value?.tracedBy === 'none') ? findAgreed(plain, factsKey) : undefined
}

/** Returns a block as a node without traces reports it. */
function withoutInnerCalls(facts: BlockFacts): BlockFacts {
  if (facts.tracedBy === undefined || facts.tracedBy === 'none') return facts
  const transfers = facts.transfers.filter(({ key }) => (positionOf(key)?.length ?? 0) === 0)
  return { ...facts, transfers, tracedBy: 'none' }
}

/**
 * Returns a text by which the answers of two nodes are compared. It contains everything that is booked from a
 * block: hashes, transfers, spent outpoints and transactions, in their order. It does not contain how the node traced the
 * block. Coin transfers by EVM calls are compared in the order of their positions and not by the positions
 * themselves, because nodes number the calls of a few transactions differently (`evm/tracing/call-tracer.ts`). Anyone
 * can send such a transaction, and no two nodes would agree on its block.
 */
export function factsKey(facts: BlockFacts | undefined): string {
  if (facts === undefined) return 'no such block'
  const transfers = inPositionOrder(facts.transfers).map(
    ({ key, txHash, asset, sender, recipient, amountMinor, maturesAfter, origin }) =>
      [
        positionOf(key) === undefined ? key : 'call',
        txHash,
        asset.type === 'token' ? asset.contract : '',
        sender,
        recipient,
        amountMinor,
        maturesAfter,
        origin,
      ].join(),
  )
  const spent = (facts.spent ?? []).map(({ outpoint, txHash }) => `${outpoint}>${txHash}`)
  const order = facts.txHashes ?? []
  return `${headerKey(facts.block)} ${transfers.join(' ')} ${spent.join(' ')} ${order.join(' ')}`
}

/**
 * Sorts the coin transfers of each transaction by the positions of their calls, in the order in which the calls
 * began. Reth reports what a contract leaves when it destroys itself before the calls that it made. All other
 * transfers keep their places.
 */
function inPositionOrder(transfers: readonly Transfer[]): readonly Transfer[] {
  const byTx = groupBy(transfers, ({ txHash, key }) => `${txHash} ${positionOf(key) === undefined}`)
  const sorted = new Map(
    [...byTx].map(([tx, some]) => [
      tx,
      some.toSorted((a, b) => comparePositions(positionOf(a.key) ?? [], positionOf(b.key) ?? [])).values(),
    ]),
  )
  return transfers.map(
    (transfer) =>
      sorted.get(`${transfer.txHash} ${positionOf(transfer.key) === undefined}`)?.next().value ?? transfer,
  )
}

/** Returns the position in the key of a transfer by an EVM call; undefined for any other key. */
function positionOf(key: string): readonly number[] | undefined {
  const [, position] = /:call:([0-9.]*)$/.exec(key) ?? []
  if (position === undefined) return undefined
  return position === '' ? [] : position.split('.').map(Number)
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((step, index) => step !== b[index])
  if (differing === -1) return a.length - b.length
  return differing >= b.length ? 1 : (a[differing] ?? 0) - (b[differing] ?? 0)
}

/** Returns a key to compare lists of unspent outputs. Outputs are sorted, as nodes list them in any order. */
export function unspentKey(outputs: readonly UnspentOutput[]): string {
  const reports = outputs.map(({ outpoint, recipient, amountMinor, height }) =>
    [outpoint, recipient, amountMinor, height].join(),
  )
  return reports.sort().join(' ')
}

/** Returns a key to compare the blocks that nodes report with the transfers of some tokens. */
export function sightedKey(blocks: readonly SightedBlock[]): string {
  const reports = blocks.map(({ block, transfers }) => {
    const sighted = transfers.map(({ txHash, contract, recipient }) => [txHash, contract, recipient].join())
    return `${headerKey(block)} ${sighted.join(' ')}`
  })
  return reports.join('\n')
}

export function headerKey(block: BlockRef | undefined): string {
  return block === undefined ? 'no such block' : `${block.height} ${block.hash} ${block.parentHash}`
}

/**
 * Decides from a node's head whether the node has `block`. Undefined if the head is not enough to decide, so
 * that the node must be asked.
 */
export function holds(head: BlockRef, block: BlockRef): boolean | undefined {
  if (head.height < block.height) return false
  if (head.height === block.height) return head.hash === block.hash
  return head.height === block.height + 1 ? head.parentHash === block.hash : undefined
}

/**
 * Returns the chain's height as the nodes claim it. With three or more nodes, this is the highest height that
 * two nodes have reached, so that one node alone cannot raise it. With two nodes, this is the higher of both
 * heights, because either node may have stopped.
 */
export function claimedHeight(heads: readonly NodeReport<BlockRef>[], nodes: number): number {
  const heights = heads.map(({ value }) => value.height).sort((a, b) => b - a)
  return heights[nodes > quorumSize ? quorumSize - 1 : 0] ?? heights[0] ?? 0
}

/**
 * Returns the highest height that two nodes call final. Undefined if fewer than two nodes report a final
 * height, because one node alone must not finalize a block.
 */
export function agreedFinalHeight(reports: readonly NodeReport<number | undefined>[]): number | undefined {
  const heights = reports.flatMap(({ value }) => value ?? []).sort((a, b) => b - a)
  return heights[quorumSize - 1]
}
