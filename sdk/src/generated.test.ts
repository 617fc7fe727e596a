import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
// @ts-expect-error: a plain script, which has no types
import { generatedFiles } from '../bin/generate.js'

it('is generated from the contract as it stands; after a change: npm run contract', async () => {
  const files: { path: string; text: string }[] = await generatedFiles()
  expect(files.length).toBe(3)
  for (const { path, text } of files) {
    const committed = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    // Compared without printing the difference, because the files are long.
    expect(committed === text, `${path} is current`).toBe(true)
  }
}, 30_000)
