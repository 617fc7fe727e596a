/** The recipe for a setting, followed in a copy of the repository. */
import { expect, it } from 'vitest'
import { patienceMs, useRecipes } from '../support/recipe.ts'

const recipe = useRecipes('add-a-setting')

it(
  'the setting is read, refused by name, listed, and has an effect',
  async () => {
    expect(recipe.addedTests).toEqual([
      'server/src/app/settings/exports-per-minute.test.ts',
      'server/test/api/exports-limit.test.ts',
    ])
    expect(await recipe.failuresIn(recipe.addedTests)).toEqual([])
  },
  patienceMs,
)

it('the setting is described for operators', () => {
  expect(recipe.read('docs/production.md')).toMatch(/^- `EXPORTS_PER_MINUTE` \(10\)/m)
})
