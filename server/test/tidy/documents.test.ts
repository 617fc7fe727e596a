/** Checks that the files named in documents exist, and that indexes list all pages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { districts } from '../layers.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const isThere = (path: string) => existsSync(join(root, path))

const documents = ['', 'docs', 'docs/decisions', 'docs/flows', 'docs/recipes', 'sdk'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)

function readDocument(path: string): { path: string; text: string } {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

/** A path in a document may start at the root or at one of these folders. */
const folders = ['', 'server/', 'server/src/', 'docs/']
/** Folders that a running Coffer creates, and the two sides of a diff. */
const elsewhere = /^(data|DATA_DIR|a|b)\//

/** Returns the files that a document names, in its text or as the target of a link, and that do not exist. */
function missing(document: string, text: string, exists: (path: string) => boolean): readonly string[] {
  const named = [...text.matchAll(/(?<![\w/.*-])((?:[\w-]+\/)+[\w.-]+\.(?:ts|sql|md|json|js))\b/g)]
    .map(([, path = '']) => path)
    .filter((path) => !elsewhere.test(path))
  const beside = (path: string) => join(dirname(document), path)
  return [
    ...named.filter((path) => ![...folders.map((index) => index + path), beside(path)].some(exists)),
    ...goneLinks(document, text, exists),
  ]
}

function goneLinks(document: string, text: string, exists: (path: string) => boolean): readonly string[] {
  return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)]
    .map(([, path = '']) => path)
    .filter((path) => !exists(join(dirname(document), path)))
}

it.each(documents)('%s names and links only existing files', (document) => {
  expect(missing(document, readDocument(document).text, isThere)).toEqual([])
})

/**
 * Returns the files that a district's README names by the end of their path, and that are neither in the
 * district nor below one of the folders above.
 */
function unknownFiles(text: string, inDistrict: readonly string[]): readonly string[] {
  return [...text.matchAll(/`([\w./-]+\.(?:tsx?|js|md|sql))`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !inDistrict.some((path) => `/${path}`.endsWith(`/${name}`)))
    .filter((name) => !folders.some((index) => isThere(index + name)))
}

describe('the README of a district', () => {
  it.each(districts)('of %s names existing files', (district) => {
    const folder = join(root, 'server/src', district)
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const { path, text } = readDocument(join('server/src', district, 'README.md'))
    expect(unknownFiles(text, paths)).toEqual([])
    expect(goneLinks(path, text, isThere)).toEqual([])
  })

  it('is reported if it names a missing file', () => {
    const text = '1. `post.ts`, `books/gone.ts`, `lease.ts` and `server/test/layers.ts`'
    expect(unknownFiles(text, ['post.ts', 'old/release.ts'])).toEqual(['books/gone.ts', 'lease.ts'])
  })
})

/**
 * Returns the pictures that no document shows. Such a picture would only add a megabyte of history every few
 * releases.
 */
function unshown(pictures: readonly string[], pages: readonly { path: string; text: string }[]) {
  const shown = new Set(
    pages.flatMap(({ path, text }) =>
      [...text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => join(dirname(path), target)),
    ),
  )
  return pictures.filter((picture) => !shown.has(picture))
}

describe('pictures', () => {
  it('are each shown by a document', () => {
    const pictures = readdirSync(join(root, 'docs/screenshots'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.png'))
      .map((name) => join('docs/screenshots', name))
    expect(pictures.length).toBeGreaterThan(5)
    expect(unshown(pictures, documents.map(readDocument))).toEqual([])
  })

  it('that are only named, or linked and not shown, are reported', () => {
    const pages = [
      { path: 'README.md', text: '![a](docs/screenshots/a.png) docs/screenshots/b.png' },
      { path: 'docs/tour.md', text: '[c](screenshots/c.png) ![d](screenshots/d.png)' },
    ]
    const pictures = ['a', 'b', 'c', 'd'].map((name) => `docs/screenshots/${name}.png`)
    expect(unshown(pictures, pages)).toEqual(['docs/screenshots/b.png', 'docs/screenshots/c.png'])
  })
})

/**
 * Returns the pages that their index does not list.
 * @param index a README.md, which lists the pages beside and below it
 */
function unlisted(index: { path: string; text: string }, pages: readonly string[]): readonly string[] {
  const targets = [...index.text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) => target)
  const listed = new Set(targets.map((target) => join(dirname(index.path), target)))
  return pages.filter((page) => page !== index.path && !listed.has(page))
}

describe('each page is in the index', () => {
  it.each([
    ['docs/README.md', /^docs\/(?:[^/]+|recipes\/[^/]+|(?:decisions|flows)\/README)\.md$/],
    ['docs/flows/README.md', /^docs\/flows\//],
  ])('%s', (index, pattern) => {
    const pages = documents.filter((path) => pattern.test(path))
    expect(pages.length).toBeGreaterThan(5)
    expect(unlisted(readDocument(index), pages)).toEqual([])
  })

  it('a page that is only named in its index is reported', () => {
    const index = { path: 'docs/README.md', text: '[a](a.md) b.md [c](recipes/c.md#one)' }
    const pages = ['docs/README.md', 'docs/a.md', 'docs/b.md', 'docs/recipes/c.md']
    expect(unlisted(index, pages)).toEqual(['docs/b.md'])
  })
})

it.each([
  ['README.md', 150],
  ['ARCHITECTURE.md', 110],
])('%s has at most %i lines', (path, linesMax) => {
  expect(readDocument(path).text.trimEnd().split('\n').length).toBeLessThanOrEqual(linesMax)
})

/** Returns the file names of the decisions, ordered by number. */
function decisionNames(): readonly string[] {
  return readdirSync(join(root, 'docs/decisions'))
    .filter((name) => name !== 'README.md')
    .sort()
}

it('each decision is in the index of decisions, in order and with its title', () => {
  const expected = decisionNames().map((name) => {
    const title = /^# (\d+)\. (.+)$/m.exec(readDocument(join('docs/decisions', name)).text)
    return `| ${title?.[1]} | [${title?.[2]}](${name}) |`
  })
  const index = readDocument('docs/decisions/README.md').text
  const rows = [...index.matchAll(/^(\| \d+ \| \[[^\]]+\]\([\w.-]+\) \|)/gm)].map(([, row]) => row)
  // A wrong number, order or title shows in the difference.
  expect(rows).toEqual(expected)
})

it('each decision has its own number, and states it first', () => {
  const decisions = decisionNames()
  const stated = decisions.map(
    (name) => /^# (\d+)\. /.exec(readDocument(join('docs/decisions', name)).text)?.[1],
  )
  expect(stated.map((number) => number?.padStart(4, '0'))).toEqual(decisions.map((name) => name.slice(0, 4)))
  expect(new Set(stated).size).toBe(decisions.length)
})

describe('a file that a document names', () => {
  const exists = (path: string) => ['server/src/ledger/post.ts', 'docs/signer.md'].includes(path)

  it('is reported if it is missing', () => {
    const text =
      'See `ledger/post.ts`, ledger/gone.ts, [this](signer.md#copies), [that](gone.md), [web](https://a.example/b).'
    expect(missing('docs/production.md', text, exists)).toEqual(['ledger/gone.ts', 'gone.md'])
  })

  it('may be one that a running Coffer creates, or one side of a diff', () => {
    expect(missing('docs/a.md', 'DATA_DIR/secrets.json, a/server/src/new.ts', exists)).toEqual([])
  })
})

it('the glossary has at most 60 words, and each of them once', () => {
  const glossary = readDocument('GLOSSARY.md').text
  const rows = [...glossary.matchAll(/^\| (?!word \||---)([^|]+) \|/gm)].map(([, word = '']) => word.trim())
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.length).toBeLessThanOrEqual(60)
  const words = rows.flatMap((row) => row.split(', '))
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([])
})
