/** Plants mutants in compiled code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { changed, changesOf, type Mutant } from './mutant.ts'
import { mutants } from './mutants/mutants.ts'

export interface PlantParts {
  /** The folder with server/src. */
  readonly sources: string
  /** The folder with the compiled copy of server/src. */
  readonly compiled: string
}

/** Plants a mutant. Returns a function that removes it. */
export function plant({ sources, compiled }: PlantParts, mutant: Mutant): () => void {
  const texts = new Map<string, string>()
  for (const change of changesOf(mutant)) {
    const text = texts.get(change.file) ?? readFileSync(join(sources, change.file), 'utf8')
    texts.set(change.file, changed(text, change))
  }
  const originals = new Map<string, Buffer>()
  for (const [file, text] of texts) {
    const path = join(compiled, file.replace(/\.ts$/, '.js'))
    originals.set(path, readFileSync(path))
    writeFileSync(path, compile(file, text))
  }
  return () => {
    for (const [path, code] of originals) writeFileSync(path, code)
  }
}

/**
 * Plants the mutant with this name.
 * @throws RangeError if there is none
 */
export function plantByName(parts: PlantParts, name: string | undefined): void {
  const mutant = mutants.find((one) => one.name === name)
  if (mutant === undefined)
    throw new RangeError(`--plant ${name}: server/simulation/mutants has no such mutant`)
  plant(parts, mutant)
}

/** Returns the compiled text of a source file. */
export function compile(file: string, text: string): string {
  return ts.transpileModule(text, { compilerOptions, fileName: file }).outputText
}

/** The options choose ES modules, because the compiler does not see the package of a single file. */
const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
}
