/** The recipe for a language of the checkout, followed in a copy of the repository. */
import { expect, it } from 'vitest'
import { languages } from '../../src/checkout/languages/language.ts'
import { patienceMs, useRecipes } from '../support/recipe.ts'

const recipe = useRecipes('add-a-language')

it(
  'the language has every text, is chosen by Accept-Language, and shows address and amount like the others',
  async () => {
    expect(recipe.addedTests).toEqual(['server/test/api/checkout-italian.test.ts'])
    const failures = await recipe.failuresIn([
      ...recipe.addedTests,
      'server/src/checkout/languages/language.test.ts',
      'server/test/api/checkout.test.ts',
      'server/test/api/welcome.test.ts',
    ])
    expect(failures).toEqual([])
  },
  patienceMs,
)

it('the language is included wherever a text states the number of languages', () => {
  expect(languages).toHaveLength(10)
  for (const file of ['README.md', 'docs/tour.md']) {
    expect(recipe.read(file)).toContain('eleven languages')
    expect(recipe.read(file)).not.toContain('ten languages')
  }
})
