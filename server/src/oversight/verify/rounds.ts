/**
 * Rounds through all of the books, a look at a time: what was proven before is looked at again. Where a round is, is kept in memory
 * alone, so that whoever writes the database cannot move it.
 */
import { randomBytes } from 'node:crypto'
import { findLastSeal } from '../../ledger/store.ts'
import type { LineSums } from './books/summed-lines.ts'
import type { Invariant, Looked, Outcome, Part } from './invariant.ts'
import { readDatabaseTime } from './proof-store.ts'
import { type LooksParts, looksOf, runInvariant, type SumsSoFar, sumAllLines } from './run-looks.ts'
import { readEnds } from './stretch.ts'

export interface LookedAgain {
  readonly found: readonly string[]
  /** When the last round began, if it has just ended without a finding; otherwise undefined. */
  readonly fullAt: Date | undefined
}

/** One thing to go through. After an error the same step is done again, so that no failure moves its place. */
interface Walk {
  step(): Promise<{ readonly found: readonly string[]; readonly isDone: boolean }>
}

/** Goes on for as long as it may, one look at least, and from there the next time; it rests where it came round. */
export function walkRounds(
  looks: LooksParts,
  checked: readonly Invariant[],
): (forMs: number) => Promise<LookedAgain> {
  let round: Round | undefined
  // Kept when a later look throws: the place of what was found is passed by then.
  let untold: string[] = []
  return async (forMs) => {
    const untilMs = performance.now() + forMs
    let fullAt: Date | undefined
    do {
      round ??= await beginRound(looks, checked)
      untold.push(...(await stepOf(round)))
      if (round.walks.length > 0) continue
      if (!round.hasFound) fullAt = round.beganAt
      round = undefined
      break
    } while (performance.now() < untilMs)
    const found = untold
    untold = []
    return { found, fullAt }
  }
}

interface Round {
  readonly beganAt: Date
  /** Those that are left. */
  walks: readonly Walk[]
  hasFound: boolean
}

/** It begins anywhere, so that a process that is often started anew looks at everything too. */
async function beginRound(looks: LooksParts, checked: readonly Invariant[]): Promise<Round> {
  const beganAt = await readDatabaseTime(looks.db)
  const cut = checked.filter(({ parts }) => parts.some(({ table }) => table !== undefined))
  const walks = [
    walkSums(looks, checked),
    ...cut.flatMap((invariant) => invariant.parts.map((part) => walkPart(invariant, part, looks))),
  ]
  const first = Math.floor(Math.random() * walks.length)
  return { beganAt, walks: [...walks.slice(first), ...walks.slice(0, first)], hasFound: false }
}

async function stepOf(round: Round): Promise<readonly string[]> {
  const step = await round.walks[0]?.step()
  if (step === undefined) return []
  if (step.isDone) round.walks = round.walks.slice(1)
  if (step.found.length > 0) round.hasFound = true
  return step.found
}

/** From some row of its table on to the last one, and then from the first one up to there. */
function walkPart(invariant: Invariant, part: Part, looks: LooksParts): Walk {
  let start: string | undefined
  let from: string | undefined
  let isBehindEnd = false
  let stretches: AsyncGenerator<Looked, void, void> | undefined
  return {
    step: async () => {
      if (start === undefined && part.table !== undefined) {
        start = await chooseId(looks, part.table)
        from = start
      }
      stretches ??= looksOf(part, looks, from)
      const looked = await stretches.next().catch((error: unknown) => {
        stretches = undefined
        throw error
      })
      if (looked.done === true) return { found: [], isDone: true }
      from = looked.value.next
      const found = toldOf(invariant, looked.value)
      if (start === undefined) return { found, isDone: from === undefined }
      if (isBehindEnd) return { found, isDone: from === undefined || from >= start }
      if (from === undefined) {
        isBehindEnd = true
        stretches = undefined
      }
      return { found, isDone: false }
    },
  }
}

/** An id between the first and the last one, which need not be that of a row; undefined where there is none. */
async function chooseId(looks: LooksParts, table: string): Promise<string | undefined> {
  const ends = await readEnds(looks.db, table)
  if (ends === undefined) return undefined
  const [first, last] = [ends.first, ends.last].map((id) => BigInt(`0x${id.replaceAll('-', '')}`))
  if (first === undefined || last === undefined) return undefined
  const chosen = first + (BigInt(`0x${randomBytes(24).toString('hex')}`) % (last - first + 1n))
  return chosen.toString(16).padStart(32, '0').replace(idGroups, '$1-$2-$3-$4-$5')
}

const idGroups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/** Adds up all lines up to the seal of now, and compares what needs their sums. */
function walkSums(looks: LooksParts, checked: readonly Invariant[]): Walk {
  const compared = checked.filter(({ parts }) => parts.some(({ needsSums }) => needsSums))
  const soFar: SumsSoFar = { accounts: new Map(), from: undefined }
  let sequence: number | undefined
  let stretches: AsyncGenerator<LineSums, void, void> | undefined
  let isSummed = false
  return {
    step: async () => {
      sequence ??= (await findLastSeal(looks.db))?.sequence ?? 0
      if (!isSummed) {
        stretches ??= sumAllLines(looks, sequence, soFar)
        const summed = await stretches.next().catch((error: unknown) => {
          stretches = undefined
          throw error
        })
        isSummed = summed.done === true
        return { found: [], isDone: false }
      }
      const sums = { sequence, accounts: soFar.accounts }
      const found: string[] = []
      for (const invariant of compared)
        found.push(...toldOf(invariant, await runInvariant(invariant, { ...looks, sums })))
      return { found, isDone: true }
    },
  }
}

export function toldOf({ id }: Invariant, { findings }: Pick<Outcome, 'findings'>): readonly string[] {
  return findings.map((finding) => `${id}: ${finding}`)
}
