/** What the documents name is there. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Files that a text names which are in none of the places a reader would look. */
function missing(text: string, isThere: (path: string) => boolean): readonly string[] {
  const named = [...text.matchAll(/(?<![\w/.*-])((?:[\w-]+\/)+[\w.-]+\.(?:ts|sql|md|json|js))\b/g)].map(
    ([, path = '']) => path,
  )
  const places = ['', 'server/', 'server/src/', 'docs/']
  // data/ is what a running Coffer makes.
  return named.filter((path) => !path.startsWith('data/') && !places.some((place) => isThere(place + path)))
}

it.each(['ARCHITECTURE.md', 'HACKING.md', 'README.md', 'docs/roles.md', 'docs/versioning.md'])(
  '%s names no file that is gone',
  (document) => {
    const text = readFileSync(root + document, 'utf8')
    expect(missing(text, (path) => existsSync(root + path))).toEqual([])
  },
)

it('finds a file that is gone', () => {
  const there = new Set(['server/src/ledger/post.ts'])
  expect(missing('See `ledger/post.ts` and ledger/gone.ts.', (path) => there.has(path))).toEqual([
    'ledger/gone.ts',
  ])
})
