/**
 * One life of a simulated process, from its start to its death. A killed process loses its memory, so what
 * starts in its place is another life.
 */
export class Life {
  readonly name: string
  /** Counts the lives of the process from 1. */
  readonly number: number
  isAlive = true
  /** Number of moves for which nothing of the process runs. */
  pausedMoves = 0

  constructor(name: string, number: number) {
    this.name = name
    this.number = number
  }

  get isPaused(): boolean {
    return this.pausedMoves > 0
  }
}
