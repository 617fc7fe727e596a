/**
 * Defines mutants. A mutant is a fault that is planted in the compiled sources to test whether the simulation
 * finds it.
 */

/** The replacement of one text in a file. */
export interface Change {
  /** Path of the file relative to server/src. */
  readonly file: string
  /** The text to replace. It must occur exactly once in the file. */
  readonly from: string
  readonly to: string
}

interface Described {
  /** `<capability>/<what is wrong>`, unique among all mutants. */
  readonly name: string
  /** One sentence that says who is harmed, how, and under which circumstances. */
  readonly harm: string
}

/**
 * A fault in code that handles money, its state or its events. If two checks prevent the same fault, the
 * mutant removes both, because the service would otherwise behave as before. With any mutant, the service
 * still starts, books an ordinary payment and makes an ordinary withdrawal.
 */
export type Mutant = Described & (Change | { readonly changes: readonly Change[] })

/** Returns the changes of a mutant, in the order in which they are applied. */
export function changesOf(mutant: Mutant): readonly Change[] {
  return 'changes' in mutant ? mutant.changes : [mutant]
}

/**
 * Returns the text of a file after the change.
 * @throws RangeError if the text to replace does not occur exactly once
 */
export function changed(text: string, { file, from, to }: Change): string {
  const parts = text.split(from)
  const [before, after] = parts
  if (before === undefined || after === undefined || parts.length > 2)
    throw new RangeError(`the text to replace occurs ${parts.length - 1} times in ${file}: ${from}`)
  return before + to + after
}

/** Joins the lines of a source text that has several lines. */
export function lines(...all: readonly string[]): string {
  return all.join('\n')
}
