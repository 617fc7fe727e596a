/**
 * An invariant is looked at in parts, and a part in looks: each look is judged by what one snapshot shows, takes a moment, and says
 * where the next one begins. So no snapshot lives long, however large the books are.
 */
import { findingsMax, type Invariant, type Outcome, type Snapshot } from './invariant.ts'

/** What one look saw. */
export interface Looked {
  /** How many things were looked at. */
  readonly examined: number
  /** How far it came: rows of the table that the part goes through. */
  readonly rows: number
  readonly findings: readonly string[]
  readonly remarks?: readonly string[]
  readonly skipped?: string | undefined
  /** Where the next look begins; undefined where nothing is left. */
  readonly next: string | undefined
}

export interface LookAt {
  /** Where it begins; undefined for the first one. */
  readonly from: string | undefined
  /** So many rows are looked at. */
  readonly rows: number
}

export interface Part {
  /** The table that it goes through, whose size tells how long the part will take; undefined where one look is all. */
  readonly table?: string
  /** Whether it compares with sums of the ledger's lines, which are added up before. */
  readonly needsSums?: boolean
  /** What is enough to look at where all but what changed since was proven before. */
  readonly since?: Since
  look(snapshot: Snapshot, at: LookAt): Promise<Looked>
  /** The same for a list of ids alone, of those that `since` names. */
  lookAtIds?(snapshot: Snapshot, ids: readonly string[]): Promise<Looked>
}

/**
 * - `all`: it is looked at whole, which is cheap.
 * - `newer`: rows are never changed, so that those made since are enough; their ids begin with the time.
 * - `none`: rows proven before are not looked at again, and there is no list of those that changed.
 * - the others: rows that changed since, which the journals and events made since name.
 */
export type Since = 'all' | 'newer' | 'none' | 'transactions' | 'invoices' | 'withdrawals'

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
