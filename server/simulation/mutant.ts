/** The form of a mutant: a fault that is planted in the compiled sources, to see whether the simulation finds it. */

/** One replaced text. */
export interface Change {
  /** Path of the file below server/src. */
  readonly file: string
  /** The replaced text. It occurs exactly once in the file. */
  readonly from: string
  readonly to: string
}

interface Described {
  /** `<capability>/<what is wrong>`, unique among all mutants. */
  readonly name: string
  /** One sentence that says what goes wrong for whom, and under which circumstances. */
  readonly harm: string
}

/**
 * A fault in code that handles money, its state or its events. Where one check covers for another, a mutant
 * takes out both, because the service would otherwise behave as before. With any mutant, the service still
 * starts, books a plain payment and makes a plain withdrawal.
 */
export type Mutant = Described & (Change | { readonly changes: readonly Change[] })

/** Returns the changes of a mutant, in the order in which they are applied. */
export function changesOf(mutant: Mutant): readonly Change[] {
  return 'changes' in mutant ? mutant.changes : [mutant]
}

/**
 * Returns the text of a file after a change.
 * @throws RangeError unless the text to replace occurs exactly once
 */
export function changed(text: string, { file, from, to }: Change): string {
  const parts = text.split(from)
  const [before, after] = parts
  if (before === undefined || after === undefined || parts.length > 2)
    throw new RangeError(`the text to replace occurs ${parts.length - 1} times in ${file}: ${from}`)
  return before + to + after
}

/** Joins the lines of a text that spans several lines of a source file. */
export function lines(...all: readonly string[]): string {
  return all.join('\n')
}
