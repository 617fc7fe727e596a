import { assert } from '../../core/assert.ts'

/** A block as the list of canonical blocks keeps it. The same shape as the chain port's. */
export interface Block {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  readonly minedAt: Date
}

/** How far a network's blocks are booked. */
export interface Cursor {
  readonly network: string
  readonly height: number
  readonly hash: string
  /** The highest height the chain called final; it never falls. */
  readonly finalHeight: number
  readonly firstHeight: number
}

/** extend: the next block. repeat: one we hold. fork: it stands on another parent, so the tip is no longer canonical. */
export type Link = 'extend' | 'repeat' | 'fork'

/** How `block`, read at or just above the tip's height, relates to the tip. */
export function linkTo(tip: Pick<Cursor, 'height' | 'hash'>, block: Block): Link {
  assert(block.height <= tip.height + 1, `block ${block.height} leaves a gap above ${tip.height}`)
  if (block.height === tip.height + 1) return block.parentHash === tip.hash ? 'extend' : 'fork'
  return block.height === tip.height && block.hash === tip.hash ? 'repeat' : 'fork'
}
