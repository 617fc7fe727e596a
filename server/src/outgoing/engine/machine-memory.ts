import type { Cursor } from '../../chains/blocks/block.ts'
import type { Lease } from '../../platform/db/lease.ts'
import type { AttestedLimits } from '../../signing/signer-port.ts'
import { type Lines, noLines } from './controls/lines.ts'
import type { SolvencySight } from './controls/solvency-sight.ts'

/** A look for the transactions that made our coins, which may take several rounds. */
export interface MakersLook {
  /** The hash of our last block when it began. */
  readonly at: string
  /** Only blocks below are left to ask for. */
  readonly below: number
  /** How many blocks could not be read. */
  readonly missed: number
  /** Why the last of them could not. */
  readonly why: Error | undefined
  readonly isOver: boolean
}

export interface RefusedPrice {
  /** Per unit of gas. */
  readonly maxFeeMinor: bigint
  /** By the process's own clock. */
  readonly untilMs: number
  /** Whether a sweep was among what was refused. */
  readonly ofSweep: boolean
}

/** What the holder of the lease remembers; losing it costs a look, never money. */
export interface MachineMemory {
  readonly lease: Lease
  /** The lanes' addresses; empty until they were attested once. */
  lanes: readonly string[]
  /** The account key of the hot wallet where money lies in coins; undefined until it was attested once. */
  hotXpub: string | undefined
  /** Up to where it was looked that nobody else spent what is ours. */
  inspectedHeight: number
  /** How far the transactions that made our coins were last asked for. */
  makersLook: MakersLook | undefined
  /** Whether the signer that answers now has shown that its keys and its log are ours. */
  isAttested: boolean
  /** Whether the chain showed nothing beyond the books in this epoch of the lease, since the last halt. */
  isCompared: boolean
  /** Whether the signer's log was found to be another one than was followed. */
  isRewound: boolean
  /** When it did, by the process's own clock: its limits may have changed since. */
  attestedAtMs: number
  /** What its policy allows; undefined where it does not tell. */
  limits: AttestedLimits | undefined
  /** The price at which it last refused something that was not too dear by itself, and until when that rests. */
  refusedPrice: RefusedPrice | undefined
  /** What the standing comparison with the chain finds; undefined where there is none, as on networks of outputs. */
  solvency: SolvencySight | undefined
  /** The key of its statements, as it showed it; undefined until it was attested once. */
  statementKey: string | undefined
  /** Causes, by id, of the halts that stand at the signer. */
  readonly toldHalts: Map<string, string>
  /** Those of which a signed lift was seen and told to the signer. */
  readonly liftedHalts: Set<string>
  /** Where our blocks ended when receipts were last read, if nothing was sent since. */
  followed: Pick<Cursor, 'height' | 'hash' | 'finalHeight'> | undefined
  /** The hash of the block at which doubts were last looked into. */
  doubtedAt: string | undefined
  /** What was told last of what waits, so that it is written when it changes. */
  waits: string
  /** Who waits for what, and for how long already. Whoever takes the lease over begins anew, which costs some rounds. */
  lines: Lines
  /** Alerts that were raised lately, by their subject. */
  readonly alertedAtMs: Map<string, number>
}

export function newMemory(lease: Lease): MachineMemory {
  return {
    lease,
    lanes: [],
    hotXpub: undefined,
    inspectedHeight: 0,
    makersLook: undefined,
    isAttested: false,
    isCompared: false,
    isRewound: true,
    attestedAtMs: 0,
    limits: undefined,
    refusedPrice: undefined,
    solvency: undefined,
    statementKey: undefined,
    toldHalts: new Map(),
    liftedHalts: new Set(),
    followed: undefined,
    doubtedAt: undefined,
    waits: '',
    lines: noLines,
    alertedAtMs: new Map(),
  }
}
