/**
 * One life of a simulated process, from its start to its end. A killed process loses its memory, so the
 * process that replaces it is a new life.
 */
export class Life {
  readonly name: string
  /** Counts the lives of the process from 1. */
  readonly number: number
  isAlive = true
  /** Number of further moves during which the process stays paused. */
  pausedMoves = 0

  constructor(name: string, number: number) {
    this.name = name
    this.number = number
  }

  get isPaused(): boolean {
    return this.pausedMoves > 0
  }
}
