/**
 * Checks proven rows again, in endless rounds through all books, one short scan after another. The position
 * in a round is kept only in memory, so nobody can change it by writing to the database.
 */

import { randomBytes, randomFraction } from '../../core/chance.ts'
import { monotonicMs } from '../../core/clock.ts'
import { findLastSeal } from '../../ledger/store.ts'
import type { LineSums } from './books/summed-lines.ts'
import type { Invariant, Outcome, Part, ScanResult } from './invariant.ts'
import { readDatabaseTime } from './proof-store.ts'
import { runInvariant, type ScanParts, type SumsSoFar, scansOf, sumAllLines } from './run-scans.ts'
import { readEnds } from './stretch.ts'

export interface RescanResult {
  readonly found: readonly string[]
  /** The time when the round began, if the round has just ended without a finding; otherwise undefined. */
  readonly fullAt: Date | undefined
}

/**
 * A pass is one section of a round, for example one part of an invariant. If `step` throws, the next call
 * repeats that step, so an error never skips rows.
 */
interface Pass {
  step(): Promise<{ readonly found: readonly string[]; readonly isDone: boolean }>
}

/**
 * Returns a function that continues the current round for the given time, but for at least one step. If the
 * round ends, the call returns early, and the next call begins a new round.
 */
export function runRounds(
  scanParts: ScanParts,
  checked: readonly Invariant[],
): (forMs: number) => Promise<RescanResult> {
  let round: Round | undefined
  // The findings that were not returned yet. They are kept if a later step throws, because the round does not
  // read the same rows again.
  let unreported: string[] = []
  return async (forMs) => {
    const untilMs = monotonicMs() + forMs
    let fullAt: Date | undefined
    do {
      round ??= await beginRound(scanParts, checked)
      unreported.push(...(await stepOf(round)))
      if (round.passes.length > 0) continue
      if (!round.hasFound) fullAt = round.beganAt
      round = undefined
      break
    } while (monotonicMs() < untilMs)
    const found = unreported
    unreported = []
    return { found, fullAt }
  }
}

interface Round {
  readonly beganAt: Date
  /** The passes (sections of the round) that are not finished yet. */
  passes: readonly Pass[]
  hasFound: boolean
}

/** Begins a round at a random pass, so that a process that restarts often still checks everything. */
async function beginRound(scanParts: ScanParts, checked: readonly Invariant[]): Promise<Round> {
  const beganAt = await readDatabaseTime(scanParts.db)
  const cut = checked.filter(({ parts }) => parts.some(({ table }) => table !== undefined))
  const passes = [
    sumsPass(scanParts, checked),
    ...cut.flatMap((invariant) => invariant.parts.map((part) => partPass(invariant, part, scanParts))),
  ]
  const first = Math.floor(randomFraction() * passes.length)
  return { beganAt, passes: [...passes.slice(first), ...passes.slice(0, first)], hasFound: false }
}

async function stepOf(round: Round): Promise<readonly string[]> {
  const step = await round.passes[0]?.step()
  if (step === undefined) return []
  if (step.isDone) round.passes = round.passes.slice(1)
  if (step.found.length > 0) round.hasFound = true
  return step.found
}

/**
 * Returns the pass (section of a round) that scans a table from a random id to the end, and then from the
 * beginning to that id.
 */
function partPass(invariant: Invariant, part: Part, scanParts: ScanParts): Pass {
  let start: string | undefined
  let from: string | undefined
  let isBehindEnd = false
  let stretches: AsyncGenerator<ScanResult, void, void> | undefined
  return {
    step: async () => {
      if (start === undefined && part.table !== undefined) {
        start = await chooseId(scanParts, part.table)
        from = start
      }
      stretches ??= scansOf(part, scanParts, from)
      const result = await stretches.next().catch((error: unknown) => {
        stretches = undefined
        throw error
      })
      if (result.done === true) return { found: [], isDone: true }
      from = result.value.next
      const found = findingsOf(invariant, result.value)
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

/**
 * Returns a random id between the first and the last id of a table. The table need not contain that id.
 * Returns undefined for an empty table.
 */
async function chooseId(scanParts: ScanParts, table: string): Promise<string | undefined> {
  const ends = await readEnds(scanParts.db, table)
  if (ends === undefined) return undefined
  const [first, last] = [ends.first, ends.last].map((id) => BigInt(`0x${id.replaceAll('-', '')}`))
  if (first === undefined || last === undefined) return undefined
  const chosen = first + (BigInt(`0x${randomBytes(24).toString('hex')}`) % (last - first + 1n))
  return chosen.toString(16).padStart(32, '0').replace(idGroups, '$1-$2-$3-$4-$5')
}

const idGroups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/**
 * Returns the pass (section of a round) that adds up all lines up to the last seal and then checks the
 * invariants that need the sums.
 */
function sumsPass(scanParts: ScanParts, checked: readonly Invariant[]): Pass {
  const compared = checked.filter(({ parts }) => parts.some(({ needsSums }) => needsSums))
  const soFar: SumsSoFar = { accounts: new Map(), from: undefined }
  let sequence: number | undefined
  let stretches: AsyncGenerator<LineSums, void, void> | undefined
  let isSummed = false
  return {
    step: async () => {
      sequence ??= (await findLastSeal(scanParts.db))?.sequence ?? 0
      if (!isSummed) {
        stretches ??= sumAllLines(scanParts, sequence, soFar)
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
        found.push(...findingsOf(invariant, await runInvariant(invariant, { ...scanParts, sums })))
      return { found, isDone: true }
    },
  }
}

export function findingsOf({ id }: Invariant, { findings }: Pick<Outcome, 'findings'>): readonly string[] {
  return findings.map((finding) => `${id}: ${finding}`)
}
