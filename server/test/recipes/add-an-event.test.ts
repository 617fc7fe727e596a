/** The recipe for an event, followed in a copy of the repository. */
import { expect, it } from 'vitest'
import { patienceMs, useRecipes } from '../support/recipe.ts'

const recipe = useRecipes('add-an-event')

it(
  'the event is emitted, signed and delivered, and declared like every other event',
  async () => {
    expect(recipe.addedTests).toEqual(['server/test/webhooks/limit-changed.test.ts'])
    const failures = await recipe.failuresIn([
      ...recipe.addedTests,
      'server/src/app/contract/event-kinds.test.ts',
      'server/src/app/contract/events-page.test.ts',
      'server/src/app/contract/sandbox-contract.test.ts',
      'server/test/api/operator-figures.test.ts',
      'sdk/src/generated.test.ts',
    ])
    expect(failures).toEqual([])
  },
  patienceMs,
)

it('the event is documented with its fields, and the SDK has its type and a sample', () => {
  const [, section = ''] = recipe.read('docs/events.md').split('\n## limit.changed\n')
  for (const field of ['limit', 'paymentMethodID', 'minimum', 'currency'])
    expect(section).toContain(`\n| \`${field}\` |`)
  expect(recipe.read('sdk/src/generated.ts')).toContain('LimitChangedEvent: {')
  expect(recipe.read('sdk/src/sample-events.ts')).toContain('"limit.changed": {"limit"')
})
