/** Tests that the diffs of all recipes fit the sources. The nightly run also follows the recipes and tests the results. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../support/coffer-process.ts'
import { requireApplicable } from '../support/recipe.ts'

const names = readdirSync(path.join(repositoryRoot, 'docs/recipes')).map((page) => path.basename(page, '.md'))

it('the recipes can be applied one after the other', { timeout: 60_000 }, () => {
  expect(names.length).toBeGreaterThan(0)
  requireApplicable(names)
})
