/** A break in the database's history that this process noticed, for whoever puts back what was lost. */
export interface Loss {
  /** The incarnation that began with it. */
  readonly incarnation: number
  readonly noticedAt: Date
  /** Up to here everything was committed as this process saw it; what came later may be gone. On the database's clock. */
  readonly lastSeenAt: Date
  /** Whether something committed is known to be gone. Otherwise another server took over, and something may be gone. */
  readonly isProven: boolean
}
