/**
 * Decides whether the database still has the history that a process saw. All functions of this file are pure.
 */

/** Identifies a server's write-ahead log and the timeline within it. */
export interface ServerHistory {
  /** Created by initdb. A copy of the server's files, such as a standby, has the same identifier. */
  readonly systemIdentifier: string
  /** Increases each time that a standby becomes the primary server. */
  readonly timeline: number
}

/**
 * Why an incarnation began.
 * - `first`: it is the first incarnation.
 * - `restore`: "coffer restore" was run.
 * - `planned`: another server took over while no process of Coffer ran, so nothing is missing.
 * - `promotion`: another server took over, and something may be missing.
 * - `loss`: something that was committed is gone.
 */
export type IncarnationCause = 'first' | 'restore' | 'planned' | 'promotion' | 'loss'

export interface Incarnation extends ServerHistory {
  readonly number: number
  readonly cause: IncarnationCause
  readonly beganAt: Date
  readonly lastSeenAt: Date | undefined
}

/** What a process remembers of its last committed heartbeat. */
export interface Remembered {
  readonly incarnation: number
  readonly beat: number
  /** The time of that heartbeat, by the database's clock. */
  readonly beatAt: Date
  /** Whether the process shut down cleanly, and wrote this heartbeat after all its other writes. */
  readonly hasEnded: boolean
}

/** The state of the database that a process compares with what it remembers. */
export interface SeenHistory {
  readonly now: Date
  readonly server: ServerHistory
  /** The newest recorded incarnation; undefined if none is recorded yet. */
  readonly current: Incarnation | undefined
  /** The number of this process's last heartbeat; undefined if the process has no row. */
  readonly ownBeat: number | undefined
  /** The time of the last heartbeat of any process. */
  readonly lastBeatAt: Date | undefined
  /** The number of other processes that were active at `lastBeatAt`, according to their rows. */
  readonly otherActiveProcesses: number
}

export type Comparison =
  | { readonly type: 'same' }
  /** Another process has recorded a new incarnation, which this process did not know yet. */
  | {
      readonly type: 'joined'
      readonly isBeatLost: boolean
      /**
       * The last time at which this process, or the process that recorded the incarnation, saw that nothing
       * was missing.
       */
      readonly lastSeenAt: Date | undefined
    }
  | {
      readonly type: 'began'
      readonly number: number
      readonly cause: Exclude<IncarnationCause, 'restore'>
      readonly isBeatLost: boolean
      readonly lastSeenAt: Date | undefined
    }

/**
 * How many days the row of a process is kept after its last heartbeat. A row that is missing after that time
 * is no sign of a loss.
 */
export const heartbeatKeptDays = 7

/**
 * Compares what a process remembers with what the database shows.
 * @param remembered undefined for a process that has had no heartbeat and has no memory file
 */
export function compareHistory(remembered: Remembered | undefined, seen: SeenHistory): Comparison {
  const { current } = seen
  const isBeatLost = remembered !== undefined && isLost(remembered, seen)
  if (current === undefined) {
    return remembered === undefined ? begin(remembered, seen, 'first', false) : lost(remembered, seen)
  }
  if (remembered !== undefined && current.number < remembered.incarnation) return lost(remembered, seen)
  const isNews = remembered !== undefined && current.number > remembered.incarnation
  const isRecorded = isNews && explainsLoss.includes(current.cause)
  if (isBeatLost && !isRecorded) return lost(remembered, seen)
  if (!isSameServer(current, seen.server)) {
    const cause = isComplete(remembered, seen) ? 'planned' : isBeatLost ? 'loss' : 'promotion'
    return begin(remembered, seen, cause, isBeatLost)
  }
  if (!isNews) return { type: 'same' }
  return { type: 'joined', isBeatLost, lastSeenAt: wholeUntil(remembered, isBeatLost, current.lastSeenAt) }
}

/** Returns true if an incarnation with this cause halts outgoing money until an operator lifts the halt. */
export function mustHalt(cause: IncarnationCause): boolean {
  return cause === 'promotion' || cause === 'loss'
}

export function isSameServer(one: ServerHistory, other: ServerHistory): boolean {
  return one.systemIdentifier === other.systemIdentifier && one.timeline === other.timeline
}

/** Causes of incarnations that explain missing heartbeats. */
const explainsLoss: readonly IncarnationCause[] = ['restore', 'promotion', 'loss']

function isLost({ beat, beatAt }: Remembered, { ownBeat, now }: SeenHistory): boolean {
  if (ownBeat === undefined) return now.getTime() - beatAt.getTime() < keptMs
  return ownBeat < beat
}

/**
 * For how many milliseconds a missing row is a sign of a loss: one day less than rows are kept, to be safe
 * from clock differences.
 */
const keptMs = (heartbeatKeptDays - 1) * 24 * 60 * 60 * 1000

/**
 * Returns true if it is certain that the database has lost nothing: this process shut down cleanly, its last
 * heartbeat is in the database, and no other process was running. Returns false for a process that remembers
 * nothing, because rows alone prove nothing. On a standby that was hours behind, all rows may show an earlier
 * clean shutdown.
 */
function isComplete(remembered: Remembered | undefined, seen: SeenHistory): boolean {
  if (remembered === undefined || !remembered.hasEnded || isLost(remembered, seen)) return false
  return seen.lastBeatAt !== undefined && seen.otherActiveProcesses === 0
}

function lost(remembered: Remembered | undefined, seen: SeenHistory): Comparison {
  return begin(remembered, seen, 'loss', true)
}

/**
 * Returns a comparison that begins an incarnation, with a number above all known numbers. The number that the
 * process remembers counts as known, because the row of an incarnation can be lost, too.
 */
function begin(
  remembered: Remembered | undefined,
  { current, lastBeatAt }: SeenHistory,
  cause: Exclude<IncarnationCause, 'restore'>,
  isBeatLost: boolean,
): Comparison {
  const number = Math.max(remembered?.incarnation ?? 0, current?.number ?? 0) + 1
  return {
    type: 'began',
    number,
    cause,
    isBeatLost,
    lastSeenAt: wholeUntil(remembered, isBeatLost, lastBeatAt),
  }
}

/**
 * Returns the last time at which a process saw that nothing was missing. This is the time of the remembered
 * heartbeat. If that heartbeat survived, a later `seenAt` counts instead, because a process that was off for
 * weeks remembers only an old heartbeat.
 * @param seenAt when another process last saw that nothing was missing
 */
function wholeUntil(
  remembered: Remembered | undefined,
  isBeatLost: boolean,
  seenAt: Date | undefined,
): Date | undefined {
  if (remembered === undefined) return seenAt
  return !isBeatLost && seenAt !== undefined && seenAt > remembered.beatAt ? seenAt : remembered.beatAt
}
