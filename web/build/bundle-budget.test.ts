import { randomBytes } from 'node:crypto'
import type { Rolldown } from 'vite'
import { expect, it } from 'vitest'
import { bundleBudget, sizeOf } from './bundle-budget.ts'

const code = (bytes: number) => randomBytes(bytes).toString('latin1')

function chunk(fileName: string, over: object = {}): Rolldown.OutputChunk {
  const made = { type: 'chunk', fileName, name: fileName, code: '', isEntry: false, imports: [], ...over }
  return made as unknown as Rolldown.OutputChunk
}

it('counts an entry, all its static imports at any depth and their styles, but nothing that is loaded later', () => {
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

it('reports an entry that does not exist', () => {
  expect(() => sizeOf('checkout', {})).toThrow('There is no entry "checkout".')
})

/** Runs the plugin on a bundle, as the bundler does, and returns its errors. */
function evaluate(budgetKb: number, bundle: object): readonly string[] {
  const { generateBundle } = bundleBudget({ checkout: budgetKb })
  const errors: string[] = []
  if (typeof generateBundle !== 'object') throw new Error('the budget looks at nothing')
  const handler = generateBundle.handler as unknown as (this: object, options: object, bundle: object) => void
  handler.call({ error: (text: string) => errors.push(text), info: () => {} }, {}, bundle)
  return errors
}

it('fails the build of a page above its budget, with both figures, and accepts one below it', () => {
  const bundle = {
    'checkout.js': chunk('checkout.js', { name: 'checkout', isEntry: true, code: code(60_000) }),
  }
  const sizeKb = sizeOf('checkout', bundle as unknown as Rolldown.OutputBundle) / 1_000
  expect(evaluate(Math.ceil(sizeKb), bundle)).toEqual([])
  const allowedKb = Math.floor(sizeKb)
  expect(evaluate(allowedKb, bundle)).toEqual([
    `The page "checkout" loads ${sizeKb.toFixed(1)} kB (gzip); its budget is ${allowedKb} kB.`,
  ])
})

it('fails the build of a page without a budget', () => {
  const bundle = {
    'checkout.js': chunk('checkout.js', { name: 'checkout', isEntry: true }),
    'new.js': chunk('new.js', { name: 'new', isEntry: true }),
  }
  expect(evaluate(1, bundle)).toEqual(['The page "new" has no budget.'])
})
