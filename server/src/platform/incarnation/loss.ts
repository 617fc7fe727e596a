/** A break in the database's history that this process detected, for the code that restores what was lost. */
export interface Loss {
  /** The incarnation that began with the break. */
  readonly incarnation: number
  readonly noticedAt: Date
  /**
   * The last time, by the database's clock, at which a process saw that nothing was missing. Some commits
   * before this time may be gone, too.
   */
  readonly lastSeenAt: Date
  /**
   * True if something committed is known to be gone. False if another server took over and something may be
   * gone.
   */
  readonly isProven: boolean
}
