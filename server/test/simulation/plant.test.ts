/** Tests that a fault is planted by its name in compiled code. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { plantByName } from '../../simulation/plant.ts'

const sources = fileURLToPath(new URL('../../src', import.meta.url))

let compiled: string
let store: string

/** The compiled code has one file, which is the one that the fault of these tests changes. */
beforeEach(() => {
  compiled = mkdtempSync(join(tmpdir(), 'coffer-plant-'))
  store = join(compiled, 'ledger/store.js')
  mkdirSync(dirname(store))
  writeFileSync(store, 'export {}')
})

afterEach(() => rmSync(compiled, { recursive: true }))

it('plants the fault with a name', () => {
  plantByName({ sources, compiled }, 'ledger/spent-gas-still-free')
  const code = readFileSync(store, 'utf8')
  expect(code).toContain("name in ('capital', 'fees')")
  expect(code).not.toContain('network_fees')
})

it.each([
  ['a name of no fault', 'ledger/spent-gas'],
  ['no name', undefined],
])('rejects %s, and plants nothing', (_case, name) => {
  const message = `--plant ${name}: server/simulation/mutants has no such mutant`
  expect(() => plantByName({ sources, compiled }, name)).toThrow(new RangeError(message))
  expect(readFileSync(store, 'utf8')).toBe('export {}')
})
