/** Checks that docs/fault-cases.md explains every code in the titles of tests. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isTest, readRepository, repositoryOf } from './repository.ts'
import { testTitles } from './test-titles.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Tidy tests are left out, because their titles contain planted faults. */
const titles = readRepository(root)
  .sources.filter(({ path }) => isTest(path) && !path.startsWith('server/test/tidy/'))
  .flatMap(testTitles)

/** Returns the codes of one title: the letter of a group and one or two digits, such as E22. */
function codesIn(title: string): readonly string[] {
  return title.match(/\b[A-Z]\d{1,2}\b/g) ?? []
}

/** Returns the first cells of the page's rows, in its order. */
function rowsOf(page: string): readonly string[] {
  return [...page.matchAll(/^\| ([A-Z]\d{1,2}) \| .+ \|$/gm)].map(([, code = '']) => code)
}

/** Returns the codes that only the page or only the test titles have, and codes with two rows on the page. */
function differences(page: string, used: readonly string[]) {
  const rows = rowsOf(page)
  const codes = new Set(used.flatMap(codesIn))
  return {
    missing: [...codes].filter((code) => !rows.includes(code)).sort(),
    unused: rows.filter((code) => !codes.has(code)),
    twice: rows.filter((code, index) => rows.indexOf(code) !== index),
  }
}

it('each code in a title has its row in docs/fault-cases.md, and each row is used', () => {
  expect(new Set(titles.flatMap(codesIn)).size).toBeGreaterThan(100)
  const page = readFileSync(`${root}/docs/fault-cases.md`, 'utf8')
  expect(differences(page, titles)).toEqual({ missing: [], unused: [], twice: [] })
})

describe('the check of the page', () => {
  it('finds a code that is missing, one that no title has, and one with two rows', () => {
    const page = '| code | case |\n| --- | --- |\n| E01 | a |\n| E02 | b |\n| E01 | c |\n'
    expect(differences(page, ['E01 x', 'E22 A4 y'])).toEqual({
      missing: ['A4', 'E22'],
      unused: ['E02'],
      twice: ['E01'],
    })
  })

  it('reads titles as they are written, whatever is between the call and its title', () => {
    const text = [
      "it('E01 a', () => {})",
      'describe.skipIf(x)(`E02 b $' + '{c} E03`, () => {})',
      "it.each(['E98'])('E04 %s', () => {})",
      "const other = call('E99', () => {})",
    ].join('\n')
    const { sources } = repositoryOf([{ path: 'a.test.ts', text }])
    expect(sources.flatMap(testTitles).flatMap(codesIn)).toEqual(['E01', 'E02', 'E03', 'E04'])
  })

  it('ignores text that only resembles a code', () => {
    expect(codesIn('P2PKH, SHA256, 0xE1, base58 and M5000')).toEqual([])
  })
})
