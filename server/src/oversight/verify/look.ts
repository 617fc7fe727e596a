/**
 * An invariant is looked at in parts, and a part in looks: each look is judged by what one snapshot shows, takes a moment, and says
 * where the next one begins. So no snapshot lives long, however large the books are.
 */
import { findingsMax, type Invariant, type Looked, type Outcome, type Part } from './invariant.ts'

/** More than any table has. */
const allRows = Number.MAX_SAFE_INTEGER

interface InParts extends Pick<Invariant, 'id' | 'title' | 'unit'> {
  readonly parts: readonly Part[]
}

/** An invariant whose `check` goes through all its parts within one snapshot. */
export function inParts(invariant: InParts): Invariant {
  const check: Invariant['check'] = async (snapshot) => {
    const all: Looked[] = []
    for (const part of invariant.parts) {
      let from: string | undefined
      do {
        const looked: Looked = await part.look(snapshot, {
          from,
          rows: part.table === undefined ? allRows : 50_000,
        })
        all.push(looked)
        from = looked.next
      } while (from !== undefined)
    }
    return outcomeOf(all)
  }
  return { ...invariant, check }
}

/** What several looks saw, as one. */
export function outcomeOf(looks: readonly Looked[]): Outcome {
  const skipped = looks.find((look) => look.skipped !== undefined)?.skipped
  const remarks = looks.flatMap((look) => look.remarks ?? []).slice(0, findingsMax)
  return {
    examined: looks.reduce((sum, { examined }) => sum + examined, 0),
    findings: looks.flatMap(({ findings }) => findings).slice(0, findingsMax),
    ...(remarks.length > 0 && { remarks }),
    ...(skipped !== undefined && { skipped }),
  }
}

/** An invariant that one look decides. */
export function inOneLook(invariant: Omit<Invariant, 'parts'>, needsSums = false): Invariant {
  const look: Part['look'] = async (snapshot) => ({
    ...(await invariant.check(snapshot)),
    rows: 0,
    next: undefined,
  })
  return { ...invariant, parts: [{ since: 'all', needsSums, look }] }
}
