/** Rules about names and words. */
import ts from 'typescript'
import {
  type Finding,
  findingAt,
  type Repository,
  type Rule,
  type Source,
  type TextFile,
  testRoot,
  visitAll,
} from './repository.ts'

export const textRules: readonly Rule[] = [
  { title: 'files are named in kebab-case and say what they hold', find: findVagueFileNames },
  { title: 'exported types say what they are', find: findVagueTypeNames },
  { title: 'nothing is left for later', find: findMarkers },
  { title: 'no path of one machine is written down', find: findHostPaths },
  { title: 'no text cites a document that is not in the repository', find: findAbsentDocuments },
]

const vagueWords = new Set([
  'manager',
  'helper',
  'helpers',
  'util',
  'utils',
  'service',
  'impl',
  'base',
  'data',
  'info',
])

/** DATA_DIR is the name of a setting, and the only name here that may contain "data". */
const knownNames = /data-dir/g

function findVagueFileNames({ files }: Repository): Finding[] {
  return files
    .filter(({ path }) => /^(server|sdk|web)\/.*\.(tsx?|js|mjs)$/.test(path))
    .flatMap(({ path }) => {
      const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:(?:test|config)\.)?[a-z]+$/, '')
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
        return [
          { path, line: 1, what: `${name} is not kebab-case`, instead: 'Name it like create-invoice.ts' },
        ]
      return vagueWordsIn(name).map((word) => ({
        path,
        line: 1,
        what: `the file name says "${word}"`,
        instead: 'Name what it holds (a noun) or does (a verb and a noun)',
      }))
    })
}

function findVagueTypeNames({ sources }: Repository): Finding[] {
  return sources.flatMap((source) => {
    const found: Finding[] = []
    visitAll(source.tree, (node) => {
      if (!isExportedType(node) || node.name === undefined) return
      const kebab = node.name.text
        .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-')
        .toLowerCase()
      for (const word of vagueWordsIn(kebab))
        found.push(
          findingAt(
            source,
            node,
            `the type ${node.name.text} says "${word}"`,
            'Name what it is, with a word of the domain',
          ),
        )
    })
    return found
  })
}

function isExportedType(
  node: ts.Node,
): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration {
  const isType =
    ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)
  return isType && (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
}

function vagueWordsIn(kebab: string): string[] {
  return kebab
    .replace(knownNames, '')
    .split('-')
    .filter((word) => vagueWords.has(word))
}

// The words are split, so that this file follows its own rules.
const marker = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`)
const hostPath = new RegExp(`(?<![\\w.:$}*-])/(${['work', 'root', 'home', 'tmp', 'Users'].join('|')})/`)

function findMarkers({ files }: Repository): Finding[] {
  return eachLine(files, marker, (word) => ({
    what: `${word} is left`,
    instead: 'Do it now, or write it down where it will be found: an issue or a decision record',
  }))
}

function findHostPaths({ files }: Repository): Finding[] {
  return eachLine(files, hostPath, (path) => ({
    what: `${path} belongs to one machine`,
    instead: 'Resolve against import.meta.url or DATA_DIR, or use tmpdir() of node:os',
  }))
}

// Matches a number of a document that a reader cannot find. A decision's number is not matched, because it is
// a file of docs/decisions. Neither is the URL of an issue, because a reader can open it.
const numberedDocument = new RegExp(`\\b(?:${['de' + 'sign', 'iss' + 'ue'].join('|')}) #?\\d+\\b`, 'i')

/** The tests of the rules plant names of documents that do not exist. */
const plantedNames = `${testRoot}tidy/`

/**
 * Finds names of Markdown files that do not exist. Names are compared by their last part, because documents
 * and comments shorten paths.
 */
function findAbsentDocuments({ files }: Repository): Finding[] {
  const present = new Set(files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)))
  const instead = 'State the reason itself, or link the decision record that holds it'
  const named = files
    .filter(({ path }) => !path.startsWith(plantedNames))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((content, index) =>
        [...content.matchAll(/(?<![\w.:*-])([\w-]+\.md)\b/g)]
          .map(([, name = '']) => name)
          .filter((name) => !present.has(name))
          .map((name) => ({ path, line: index + 1, what: `${name} is not in the repository`, instead })),
      ),
    )
  const numbered = eachLine(files, numberedDocument, (name) => ({
    what: `"${name}" is not in the repository`,
    instead,
  }))
  return [...named, ...numbered]
}

function eachLine(
  files: readonly (TextFile | Source)[],
  pattern: RegExp,
  findingFor: (match: string) => Pick<Finding, 'what' | 'instead'>,
): Finding[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((content, index) => {
      const match = pattern.exec(content)
      return match === null ? [] : [{ path, line: index + 1, ...findingFor(match[0]) }]
    }),
  )
}
