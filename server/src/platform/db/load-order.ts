import { BackupError } from './backup-format.ts'

export interface Reference {
  readonly from: string
  readonly to: string
}

/**
 * The tables in an order in which every row finds the rows it refers to. References of a table to itself do not
 * count: they are checked at the end of each COPY.
 * @throws BackupError if tables refer to each other in a circle.
 */
export function loadOrder(tables: readonly string[], references: readonly Reference[]): readonly string[] {
  const ordered: string[] = []
  let waiting = [...tables]
  while (waiting.length > 0) {
    const blocked = new Set(references.filter(({ to }) => waiting.includes(to)).map(({ from }) => from))
    const ready = waiting.filter((table) => !blocked.has(table))
    if (ready.length === 0)
      throw new BackupError(`These tables refer to each other in a circle: ${waiting.join(', ')}`)
    ordered.push(...ready)
    waiting = waiting.filter((table) => blocked.has(table))
  }
  return ordered
}
