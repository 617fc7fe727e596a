import { BackupError } from './backup-format.ts'

export interface Reference {
  readonly from: string
  readonly to: string
}

/**
 * Sorts tables so that every row is loaded after the rows that it refers to. `references` contains no
 * reference of a table to itself, because PostgreSQL checks such references at the end of each COPY.
 * @throws BackupError if tables refer to each other in a circle
 */
export function loadOrder(tables: readonly string[], references: readonly Reference[]): readonly string[] {
  const ordered: string[] = []
  let waiting = [...tables]
  while (waiting.length > 0) {
    const blocked = new Set(references.filter(({ to }) => waiting.includes(to)).map(({ from }) => from))
    const ready = waiting.filter((table) => !blocked.has(table))
    if (ready.length === 0)
      throw new BackupError(`These tables reference each other in a cycle: ${waiting.join(', ')}`)
    ordered.push(...ready)
    waiting = waiting.filter((table) => blocked.has(table))
  }
  return ordered
}
