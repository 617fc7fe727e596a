/**
 * Who may keep money back from those behind it, and for how long: decided without a clock, a chain or a database.
 *
 * A payment that waits is passed by smaller ones. Once it has waited for `roundsMax` rounds it may reserve what comes in, for
 * as many rounds at most; then its asset yields to everybody for as many. A round counts once for each of our blocks, since
 * nothing comes in between two blocks.
 */

export type Turn =
  | { readonly type: 'open' }
  /** The payment that keeps money back, and for how many rounds it still may. */
  | { readonly type: 'reserved'; readonly id: string; readonly roundsLeft: number }
  | { readonly type: 'yielding'; readonly roundsLeft: number }

/** Those who wait for one asset. */
export interface Line {
  readonly turn: Turn
  /** For how many rounds each has waited without a break. */
  readonly waited: ReadonlyMap<string, number>
}

/** What one round found of an asset. */
export interface LineOutcome {
  /** Who waits for it, in their order. */
  readonly waiting: readonly string[]
  /** Who kept money back in this round. */
  readonly reserving: string | undefined
}

export const emptyLine: Line = { turn: { type: 'open' }, waited: new Map() }

/**
 * Whether a payment that waits keeps money back from those behind it.
 * @param isWithinReach whether the wallets together hold what it needs, so that moving it takes a moment
 */
function mayReserve({ turn, waited }: Line, id: string, isWithinReach: boolean, roundsMax: number): boolean {
  if (turn.type === 'yielding') return false
  if (turn.type === 'reserved') return turn.id === id
  return isWithinReach || (waited.get(id) ?? 0) >= roundsMax
}

export function nextLine(line: Line, { waiting, reserving }: LineOutcome, roundsMax: number): Line {
  const waited = new Map(waiting.map((id) => [id, (line.waited.get(id) ?? 0) + 1]))
  return { turn: nextTurn(line.turn, reserving, roundsMax), waited }
}

/** However a reservation ends, the asset yields: else one after the other could keep it reserved for good. */
function nextTurn(turn: Turn, reserving: string | undefined, roundsMax: number): Turn {
  if (turn.type === 'yielding')
    return turn.roundsLeft > 1 ? { type: 'yielding', roundsLeft: turn.roundsLeft - 1 } : { type: 'open' }
  if (turn.type === 'open' && reserving === undefined) return turn
  const roundsLeft = (turn.type === 'open' ? roundsMax : turn.roundsLeft) - 1
  const isOver = reserving === undefined || roundsLeft < 1
  return isOver
    ? { type: 'yielding', roundsLeft: roundsMax }
    : { type: 'reserved', id: reserving, roundsLeft }
}

/** The lines of all assets, as the holder of the lease remembers them. */
export interface Lines {
  /** The block of ours at which the last round was. */
  readonly at: string
  /** As that block found them. */
  readonly byAsset: ReadonlyMap<string, Line>
  /** What the last round at that block found. */
  readonly outcomes: ReadonlyMap<string, LineOutcome>
}

export const noLines: Lines = { at: '', byAsset: new Map(), outcomes: new Map() }

/** The lines by which a round at a block decides. */
export function linesAt(lines: Lines, at: string, roundsMax: number): Lines {
  if (lines.at === at) return lines
  const byAsset = new Map(
    [...lines.outcomes].map(([asset, outcome]) => [
      asset,
      nextLine(lines.byAsset.get(asset) ?? emptyLine, outcome, roundsMax),
    ]),
  )
  // What nobody waited for in the last round still yields until its time is over.
  for (const [asset, line] of lines.byAsset) {
    if (!byAsset.has(asset))
      byAsset.set(asset, nextLine(line, { waiting: [], reserving: undefined }, roundsMax))
  }
  return { at, byAsset, outcomes: new Map() }
}

/** Notes, as a round goes through its payments, who waits for what and whom that keeps back. */
export class LineBook {
  readonly #lines: Lines
  readonly #roundsMax: number
  readonly #waiting = new Map<string, string[]>()
  readonly #reserving = new Map<string, string>()

  constructor(lines: Lines, roundsMax: number) {
    this.#lines = lines
    this.#roundsMax = roundsMax
  }

  /** Notes that a payment cannot have its asset in this round. */
  wait(asset: string, id: string, isWithinReach: boolean): void {
    this.#waiting.set(asset, [...(this.#waiting.get(asset) ?? []), id])
    if (this.#reserving.has(asset)) return
    const line = this.#lines.byAsset.get(asset) ?? emptyLine
    if (mayReserve(line, id, isWithinReach, this.#roundsMax)) this.#reserving.set(asset, id)
  }

  /** Whether somebody keeps the asset back from all that come later in this round. */
  isReserved(asset: string): boolean {
    return this.#reserving.has(asset)
  }

  /** The lines with what this round found. */
  close(): Lines {
    const outcomes = [...this.#waiting].map(([asset, waiting]): [string, LineOutcome] => [
      asset,
      { waiting, reserving: this.#reserving.get(asset) },
    ])
    return { ...this.#lines, outcomes: new Map(outcomes) }
  }
}
