/** Whether the database still has the history that a process saw: the pure part. */

/** Which server's log this is, and which branch of it. */
export interface ServerHistory {
  /** Made by initdb; a copy of the server's files, such as a standby, has the same. */
  readonly systemIdentifier: string
  /** Rises with each promotion. */
  readonly timeline: number
}

/**
 * Why an incarnation began. `first`: it is the first one. `restore`: "coffer restore". `planned`: another server took over while
 * no process worked, so nothing is missing. `promotion`: another server took over, and something may be missing.
 * `loss`: something committed is gone.
 */
export type IncarnationCause = 'first' | 'restore' | 'planned' | 'promotion' | 'loss'

export interface Incarnation extends ServerHistory {
  readonly number: number
  readonly cause: IncarnationCause
  readonly beganAt: Date
  readonly lastSeenAt: Date | undefined
}

/** What a process remembers of its last beat that was committed. */
export interface Remembered {
  readonly incarnation: number
  readonly beat: number
  /** On the database's clock. */
  readonly beatAt: Date
  /** Whether that beat was the last one of a process that stopped in order, after all that it wrote. */
  readonly hasEnded: boolean
}

/** What the database shows at one moment. */
export interface SeenHistory {
  readonly now: Date
  readonly server: ServerHistory
  /** The newest one that was recorded; undefined before the first. */
  readonly current: Incarnation | undefined
  /** The number of this process's last beat; undefined where it has no row. */
  readonly ownBeat: number | undefined
  /** Of any process. */
  readonly lastBeatAt: Date | undefined
  /** How many other processes were working at the time of that beat, as far as their rows tell. */
  readonly othersWorking: number
}

export type Comparison =
  | { readonly type: 'same' }
  /** Another process recorded the incarnation that this one comes to know of. */
  | {
      readonly type: 'joined'
      readonly isBeatLost: boolean
      /** When this process, or the one that recorded the incarnation, last saw everything committed. */
      readonly lastSeenAt: Date | undefined
    }
  | {
      readonly type: 'began'
      readonly number: number
      readonly cause: Exclude<IncarnationCause, 'restore'>
      readonly isBeatLost: boolean
      readonly lastSeenAt: Date | undefined
    }

/** Rows of processes that beat no more are kept for so long; a row that is missing after that shows nothing. */
export const heartbeatKeptDays = 7

/**
 * Compares what a process remembers with what the database shows.
 * @param remembered undefined for a process that never beat and has no file of one that did
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

/** Whether money stays where it is until an operator has looked. */
export function mustHalt(cause: IncarnationCause): boolean {
  return cause === 'promotion' || cause === 'loss'
}

export function isSameServer(one: ServerHistory, other: ServerHistory): boolean {
  return one.systemIdentifier === other.systemIdentifier && one.timeline === other.timeline
}

/** Beats that are missing after one of these began are known to be missing. */
const explainsLoss: readonly IncarnationCause[] = ['restore', 'promotion', 'loss']

function isLost({ beat, beatAt }: Remembered, { ownBeat, now }: SeenHistory): boolean {
  if (ownBeat === undefined) return now.getTime() - beatAt.getTime() < keptMs
  return ownBeat < beat
}

/** One day less than rows are kept, so that neither a clock nor a late deletion decides. */
const keptMs = (heartbeatKeptDays - 1) * 24 * 60 * 60 * 1000

/**
 * Whether nobody wrote anything after the beats that are all still there. A process without a memory cannot know: the rows of a
 * server that lagged for hours may all have ended, too.
 */
function isComplete(remembered: Remembered | undefined, seen: SeenHistory): boolean {
  if (remembered === undefined || !remembered.hasEnded || isLost(remembered, seen)) return false
  return seen.lastBeatAt !== undefined && seen.othersWorking === 0
}

function lost(remembered: Remembered | undefined, seen: SeenHistory): Comparison {
  return begin(remembered, seen, 'loss', true)
}

/** The number is above all that anybody is known to have seen: the row of an incarnation can be lost, too. */
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
 * Until when everything committed is there. What was lost is the end of history, so whatever was committed before a beat that is
 * there is there, too: a process that was off for weeks remembers an old beat, and nothing of those weeks is missing.
 * @param seenAt when somebody else saw so
 */
function wholeUntil(
  remembered: Remembered | undefined,
  isBeatLost: boolean,
  seenAt: Date | undefined,
): Date | undefined {
  if (remembered === undefined) return seenAt
  return !isBeatLost && seenAt !== undefined && seenAt > remembered.beatAt ? seenAt : remembered.beatAt
}
