/** Finds the compiled code that a mutant changes, and decides whether a run executed that code. */
import type { Profiler } from 'node:inspector'
import ts from 'typescript'
import { changed, changesOf, type Mutant } from './mutant.ts'
import { compile } from './plant.ts'

/** A piece of compiled code that a mutant changes. */
export interface Place {
  readonly mutant: string
  /** Path of the compiled file relative to the compiled server/src. */
  readonly file: string
  /** Offset of the first changed character. */
  readonly from: number
  /** Offset after the last changed character; at least `from`, because code can be inserted. */
  readonly to: number
  /** True if the code runs when its file is loaded. Every seed then runs it. */
  readonly isLoaded: boolean
}

/** Returns the places of a mutant, one for each of its changes. */
export function placesOf(mutant: Mutant, readSource: (file: string) => string): readonly Place[] {
  return changesOf(mutant).map((change) => {
    const source = readSource(change.file)
    const before = compile(change.file, source)
    const after = compile(change.file, changed(source, change))
    const { from, to } = changedRange(before, after)
    const file = change.file.replace(/\.ts$/, '.js')
    return { mutant: mutant.name, file, from, to, isLoaded: !isInFunction(before, from, to) }
  })
}

/** Returns the range of the first text that differs from the second. */
function changedRange(before: string, after: string) {
  let from = 0
  while (from < before.length && before[from] === after[from]) from += 1
  let to = before.length
  let end = after.length
  while (to > from && end > from && before[to - 1] === after[end - 1]) {
    to -= 1
    end -= 1
  }
  return { from, to }
}

function isInFunction(code: string, from: number, to: number): boolean {
  const isAround = (node: ts.Node): boolean =>
    node.pos < from &&
    node.end >= to &&
    (ts.isFunctionLike(node) || (ts.forEachChild(node, (child) => isAround(child) || undefined) ?? false))
  return isAround(ts.createSourceFile('code.js', code, ts.ScriptTarget.ES2023))
}

/**
 * Returns whether a run executed the code of a place. Code that runs when its file is loaded counts as executed.
 * @param functions coverage of the file of the place: its functions that ran, with counts of their blocks
 */
export function hasRun(place: Place, functions: readonly Profiler.FunctionCoverage[]): boolean {
  if (place.isLoaded) return true
  const first = Math.max(place.from - 1, 0)
  for (let offset = first; offset <= place.to; offset += 1) if (countAt(offset, functions) > 0) return true
  return false
}

/** Returns how often the smallest block around a character ran. */
function countAt(offset: number, functions: readonly Profiler.FunctionCoverage[]): number {
  let smallest: Profiler.CoverageRange | undefined
  for (const { ranges } of functions)
    for (const range of ranges) {
      if (offset < range.startOffset || offset >= range.endOffset) continue
      if (smallest === undefined || lengthOf(range) <= lengthOf(smallest)) smallest = range
    }
  return smallest?.count ?? 0
}

function lengthOf({ startOffset, endOffset }: Profiler.CoverageRange): number {
  return endOffset - startOffset
}
