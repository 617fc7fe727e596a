/** Rules about the mutants of server/simulation: each still fits the sources in which it is planted. */
import ts from 'typescript'
import { changed, changesOf, type Mutant } from '../../simulation/mutant.ts'
import { mutants } from '../../simulation/mutants/mutants.ts'
import { type Finding, isTest, type Repository, type Rule, sourceRoot } from './repository.ts'

/** The minimum number of faults that the simulation must find, those of the audit included. */
const mutantsMin = 50

export const mutantRules: readonly Rule[] = [
  {
    title: 'every mutant of the simulation fits the sources',
    find: (repository) => findUnfitMutants(mutants, repository),
  },
  {
    title: `the simulation has at least ${mutantsMin} mutants, each with a name of its own`,
    find: () => [...findRepeatedNames(mutants), ...findShortage(mutants)],
  },
]

const table = 'server/simulation/mutants/mutants.ts'

/**
 * Finds mutants whose texts do not occur exactly once, mutants that change nothing, and mutants after which a
 * file cannot be parsed.
 */
export function findUnfitMutants(planted: readonly Mutant[], { files }: Repository): Finding[] {
  const sources = new Map(files.map(({ path, text }) => [path, text]))
  return planted.flatMap((mutant) => {
    const texts = new Map<string, string>()
    for (const change of changesOf(mutant)) {
      const path = sourceRoot + change.file
      const before = isTest(path) ? undefined : (texts.get(path) ?? sources.get(path))
      const finding = (what: string, instead: string) => [
        { path, line: 1, what: `the mutant ${mutant.name} ${what}`, instead },
      ]
      if (before === undefined)
        return finding('changes a file that is not there', 'Name the file that does it now')
      const count = before.split(change.from).length - 1
      if (count !== 1) return finding(`replaces a text that occurs ${count} times`, takeAnew)
      if (change.from === change.to) return finding('replaces a text by itself', 'Plant a fault')
      texts.set(path, changed(before, change))
    }
    return [...texts].flatMap(([path, text]) => findParseErrors(mutant, path, text))
  })
}

const takeAnew = 'Take the text anew from the file, so that it occurs once and the fault stays the same'

function findParseErrors({ name }: Mutant, path: string, text: string): Finding[] {
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  })
  return diagnostics.slice(0, 1).map(({ messageText, start = 0 }) => ({
    path,
    line: text.slice(0, start).split('\n').length,
    what: `the mutant ${name} cannot be parsed: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    instead: 'Plant a fault that compiles, because the compiler would find any other',
  }))
}

export function findRepeatedNames(planted: readonly Pick<Mutant, 'name'>[]): Finding[] {
  const names = planted.map(({ name }) => name)
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => ({
      path: table,
      line: 1,
      what: `two mutants are named ${name}`,
      instead: 'Say in the name what is wrong',
    }))
}

function findShortage(planted: readonly Mutant[]): Finding[] {
  if (planted.length >= mutantsMin) return []
  const what = `there are ${planted.length} mutants, and ${mutantsMin} are required`
  return [{ path: table, line: 1, what, instead: 'Plant faults of another kind' }]
}
