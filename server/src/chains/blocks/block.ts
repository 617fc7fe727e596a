import { assert } from '../../core/assert.ts'

/** A canonical block as the database stores it, with the same fields as `BlockRef` in the chain port. */
export interface Block {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  readonly minedAt: Date
}

/** A block that is being booked, with the method by which its calls were read (`BlockFacts.tracedBy`). */
export interface ReadBlock extends Block {
  readonly tracedBy?: string | undefined
}

/** The last booked block of a network, with its first and its final height. */
export interface Cursor {
  readonly network: string
  readonly height: number
  readonly hash: string
  /** The highest booked height that the chain called final. Only a rollback below it lowers this height. */
  readonly finalHeight: number
  readonly firstHeight: number
}

/**
 * Relation of a block to the tip, the last booked block. `extend`: the block follows the tip. `repeat`: the
 * block is the tip. `fork`: the block has another parent or hash, so the tip is no longer canonical.
 */
export type Link = 'extend' | 'repeat' | 'fork'

/** Returns how `block` relates to the tip. `block` must be at most one block above the tip. */
export function linkTo(tip: Pick<Cursor, 'height' | 'hash'>, block: Block): Link {
  assert(block.height <= tip.height + 1, `block ${block.height} leaves a gap above ${tip.height}`)
  if (block.height === tip.height + 1) return block.parentHash === tip.hash ? 'extend' : 'fork'
  return block.height === tip.height && block.hash === tip.hash ? 'repeat' : 'fork'
}
