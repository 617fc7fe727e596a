import { randomBytes } from 'node:crypto'
import type { Rolldown } from 'vite'
import { expect, it } from 'vitest'
import { sizeOf } from './bundle-budget.ts'

const code = (bytes: number) => randomBytes(bytes).toString('latin1')

function chunk(fileName: string, over: object = {}): Rolldown.OutputChunk {
  const made = { type: 'chunk', fileName, name: fileName, code: '', isEntry: false, imports: [], ...over }
  return made as unknown as Rolldown.OutputChunk
}

it('counts an entry, all it imports at once however deep, and their styles, but nothing that is loaded later', () => {
  const bundle = {
    'a.js': chunk('a.js', {
      name: 'dashboard',
      isEntry: true,
      imports: ['b.js'],
      dynamicImports: ['later.js'],
    }),
    'b.js': chunk('b.js', { imports: ['c.js'], code: code(1_000) }),
    'c.js': chunk('c.js', { code: code(2_000), viteMetadata: { importedCss: new Set(['c.css']) } }),
    'c.css': { type: 'asset', fileName: 'c.css', source: code(4_000) },
    'later.js': chunk('later.js', { code: code(90_000) }),
  } as unknown as Rolldown.OutputBundle
  const bytes = sizeOf('dashboard', bundle)
  expect(bytes).toBeGreaterThan(7_000)
  expect(bytes).toBeLessThan(15_000)
})

it('knows no entry by another name', () => {
  expect(() => sizeOf('checkout', {})).toThrow('There is no entry "checkout".')
})
