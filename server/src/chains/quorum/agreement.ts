/** When several nodes of one chain tell the same. Pure: who is asked, and how often, is told in several-nodes.ts. */
import type { BlockFacts, BlockRef, ListedCoin } from '../port.ts'

/** What one node said; `node` is its place in the list of nodes. */
export interface Told<T> {
  readonly node: number
  readonly value: T
}

/** How many must tell the same, where more than one is asked. */
export const voicesMin = 2

/** What at least two nodes told alike, with those who told otherwise; undefined where no two did. */
export function findAgreed<T>(
  told: readonly Told<T>[],
  keyOf: (value: T) => string,
): { readonly value: T; readonly others: readonly number[] } | undefined {
  for (const { value } of told) {
    const key = keyOf(value)
    const others = told.filter((one) => keyOf(one.value) !== key).map(({ node }) => node)
    if (told.length - others.length >= voicesMin) return { value, others }
  }
  return undefined
}

/** All that a block is booked by: its hashes, every transfer and whatever is spent, in its order. */
export function factsKey(facts: BlockFacts | undefined): string {
  if (facts === undefined) return 'no such block'
  const transfers = facts.transfers.map(
    ({ key, txHash, asset, sender, recipient, amountMinor, maturesAfter, origin }) =>
      [
        key,
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
  return `${headerKey(facts.block)} ${transfers.join(' ')} ${spent.join(' ')}`
}

/** Nodes list outputs in no order. */
export function coinsKey(coins: readonly ListedCoin[]): string {
  const told = coins.map(({ outpoint, recipient, amountMinor, height }) =>
    [outpoint, recipient, amountMinor, height].join(),
  )
  return told.sort().join(' ')
}

export function headerKey(block: BlockRef | undefined): string {
  return block === undefined ? 'no such block' : `${block.height} ${block.hash} ${block.parentHash}`
}

/** Whether `head`, told by a node, says by itself that the node holds `block`; undefined where it must be asked. */
export function holds(head: BlockRef, block: BlockRef): boolean | undefined {
  if (head.height < block.height) return false
  if (head.height === block.height) return head.hash === block.hash
  return head.height === block.height + 1 ? head.parentHash === block.hash : undefined
}

/**
 * How high the chain is by the nodes' word: the height that two of them claim, so that one cannot raise it; of two nodes
 * the higher, since either may be the one that stands still.
 */
export function claimedHeight(heads: readonly Told<BlockRef>[], nodes: number): number {
  const heights = heads.map(({ value }) => value.height).sort((a, b) => b - a)
  return heights[nodes > voicesMin ? voicesMin - 1 : 0] ?? heights[0] ?? 0
}

/**
 * What is final by the word of two nodes; 0 where fewer than two know, as nothing may be final by the word of one;
 * undefined where the chain has no such notion.
 */
export function agreedFinalHeight(told: readonly Told<number | undefined>[]): number | undefined {
  if (told.every(({ value }) => value === undefined)) return undefined
  const heights = told.flatMap(({ value }) => value ?? []).sort((a, b) => b - a)
  return heights[voicesMin - 1] ?? 0
}
