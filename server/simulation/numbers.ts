/** Numbers on the command line. */

/** @throws Error unless the text is a whole number of at least 1 */
export function numberOf(name: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new Error(`${name} must be a whole number of at least 1, not "${text}"`)
  return Number(text)
}

/** @throws Error if there are more workers than one PostgreSQL server has connections for */
export function workersOf(text: string, workersMax: number): number {
  const workers = numberOf('--workers', text)
  if (workers > workersMax)
    throw new Error(`--workers must be at most ${workersMax}, because all share one PostgreSQL server`)
  return workers
}
