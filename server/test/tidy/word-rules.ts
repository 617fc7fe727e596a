/** Rules about names: they use the field's words, by the list in words.ts. */
import ts from 'typescript'
import { type Finding, lineOf, type Repository, type Rule, sourceRoot, visitAll } from './repository.ts'
import { coinedWords } from './words.ts'

export const wordRules: readonly Rule[] = [
  { title: 'names in code take the words of the field', find: findCoinedIdentifiers },
  { title: 'names of files take the words of the field', find: findCoinedFiles },
  {
    title: 'names of tables, columns, routes and settings take the words of the field',
    find: findCoinedOuterNames,
  },
]

/** All code of the product. The list itself and the rules about words are left out. */
const roots = /^(server\/(src|test|bench|soak|simulation)|web\/(src|build)|sdk\/src)\//
const notNames = /^(server\/test\/tidy\/|sdk\/src\/(generated|operations)\.ts$)/

function findCoinedIdentifiers({ sources }: Repository): Finding[] {
  return sources
    .filter(({ path }) => roots.test(path) && !notNames.test(path))
    .flatMap((source) => {
      const lines = new Map<string, number>()
      visitAll(source.tree, (node) => {
        if (ts.isIdentifier(node) && !lines.has(node.text))
          lines.set(node.text, lineOf(source, node.getStart(source.tree)))
      })
      return [...lines].flatMap(([name, line]) => findCoined(name, { path: source.path, line }))
    })
}

function findCoinedFiles({ files }: Repository): Finding[] {
  return files
    .filter(({ path }) => roots.test(path) && !notNames.test(path) && !path.includes('/migrations/'))
    .flatMap(({ path }) => {
      const folders = path.split('/').map((part) => part.replace(/\..*$/, ''))
      return folders.flatMap((part) => findCoined(part, { path, line: 1 }))
    })
}

/** Finds coined names in the schema, in the contract, and in settings that are read from the environment. */
function findCoinedOuterNames({ files }: Repository): Finding[] {
  const places: readonly [RegExp, RegExp][] = [
    // Comments and the texts of `comment on` are prose.
    [new RegExp(`^${sourceRoot}platform/db/schema/`), /^--.*|'[^']*'|\b([a-z]+(?:_[a-z0-9]+)*)\b/g],
    [/^contract\/openapi\.json$/, /"([A-Za-z/{}_-]+)":/g],
    [new RegExp(`^${sourceRoot}app/settings/`), /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g],
  ]
  return files.flatMap(({ path, text }) =>
    places
      .filter(([file]) => file.test(path))
      .flatMap(([, pattern]) =>
        text
          .split('\n')
          .flatMap((content, index) =>
            [...content.matchAll(pattern)].flatMap(([, name = '']) =>
              findCoined(name, { path, line: index + 1 }),
            ),
          ),
      ),
  )
}

const patterns = coinedWords.map((coined) => ({ ...coined, pattern: new RegExp(` ${coined.word}s? `) }))

function findCoined(name: string, at: Pick<Finding, 'path' | 'line'>): Finding[] {
  const words = ` ${wordsOf(name).join(' ')} `
  return patterns
    .filter(({ pattern, keeps }) => pattern.test(words) && !keeps?.includes(name))
    .map(({ word, use }) => ({
      ...at,
      what: `${name} says "${word}"`,
      instead: `Use the word of the field: ${use}`,
    }))
}

/** Splits a name in camelCase, snake_case, kebab-case or capitals into words in lower case. */
function wordsOf(name: string): readonly string[] {
  const parts = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []
  return parts.map((part) => part.toLowerCase())
}
