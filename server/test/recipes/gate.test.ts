/**
 * All recipes, followed one after the other in one copy of the repository, which is then checked by the gate.
 */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../support/coffer-process.ts'
import { patienceMs, useRecipes } from '../support/recipe.ts'

const names = readdirSync(path.join(repositoryRoot, 'docs/recipes')).map((page) => path.basename(page, '.md'))
const recipes = useRecipes(...names)

it(
  'Biome, the compiler and the tidy tests accept the result of the recipes',
  async () => expect(await recipes.gateFindings()).toEqual([]),
  patienceMs,
)

it.each(names)('the recipe %s has a test of its own', (name) => {
  expect(existsSync(path.join(repositoryRoot, 'server/test/recipes', `${name}.test.ts`))).toBe(true)
})
