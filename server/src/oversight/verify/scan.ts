/**
 * Builds invariants that are checked part by part, and each part scan by scan. A scan is short, reads one
 * snapshot, and returns the id at which the next scan begins. No snapshot is therefore open for long, for
 * books of any size.
 */
import { findingsMax, type Invariant, type Outcome, type Part, type ScanResult } from './invariant.ts'

/** A number of rows that no table reaches. */
const allRows = Number.MAX_SAFE_INTEGER

interface InParts extends Pick<Invariant, 'id' | 'title' | 'unit'> {
  readonly parts: readonly Part[]
}

/** Returns an invariant whose `check` runs all its parts in one snapshot. */
export function inParts(invariant: InParts): Invariant {
  const check: Invariant['check'] = async (snapshot) => {
    const all: ScanResult[] = []
    for (const part of invariant.parts) {
      let from: string | undefined
      do {
        const result: ScanResult = await part.scan(snapshot, {
          from,
          rows: part.table === undefined ? allRows : 50_000,
        })
        all.push(result)
        from = result.next
      } while (from !== undefined)
    }
    return outcomeOf(all)
  }
  return { ...invariant, check }
}

/** Merges the results of several scans into one outcome. */
export function outcomeOf(results: readonly ScanResult[]): Outcome {
  const skipped = results.find((scan) => scan.skipped !== undefined)?.skipped
  const remarks = results.flatMap((scan) => scan.remarks ?? []).slice(0, findingsMax)
  return {
    examined: results.reduce((sum, { examined }) => sum + examined, 0),
    findings: results.flatMap(({ findings }) => findings).slice(0, findingsMax),
    ...(remarks.length > 0 && { remarks }),
    ...(skipped !== undefined && { skipped }),
  }
}

/** Returns an invariant that consists of a single scan. */
export function inOneScan(invariant: Omit<Invariant, 'parts'>, needsSums = false): Invariant {
  const scan: Part['scan'] = async (snapshot) => ({
    ...(await invariant.check(snapshot)),
    rows: 0,
    next: undefined,
  })
  return { ...invariant, parts: [{ since: 'all', needsSums, scan }] }
}
