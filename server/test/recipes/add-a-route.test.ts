/** The recipe for a route, followed in a copy of the repository. */
import { expect, it } from 'vitest'
import type { OpenApiDocument } from '../../src/platform/http/openapi/openapi.ts'
import { patienceMs, useRecipes } from '../support/recipe.ts'

const recipe = useRecipes('add-a-route')

it(
  'the route answers the allowed callers, and the contract matches the routes',
  async () => {
    expect(recipe.addedTests).toEqual(['server/test/api/backlog.test.ts'])
    const failures = await recipe.failuresIn([
      ...recipe.addedTests,
      'server/src/app/contract/contract-lint.test.ts',
      'server/src/app/contract/sandbox-contract.test.ts',
      'sdk/src/generated.test.ts',
    ])
    expect(failures).toEqual([])
  },
  patienceMs,
)

it('the route is in the contract document, with an example, and in the SDK', () => {
  const { paths, components }: OpenApiDocument = JSON.parse(recipe.read('contract/openapi.json'))
  expect(paths['/merchants/{merchantID}/backlog']?.get).toMatchObject({
    operationId: 'getBacklog',
    tags: ['Merchants'],
  })
  expect(components.schemas['Backlog']?.required).toEqual(['withdrawals', 'oldestAt'])
  expect(recipe.read('sdk/src/operations.ts')).toContain('getBacklog: {"method":"GET"')
})

it('the capability and the route are listed in the indexes of the documentation', () => {
  expect(recipe.read('server/src/oversight/README.md')).toContain('`backlogs/`')
  expect(recipe.read('docs/integrating.md')).toContain('`GET /merchants/{id}/backlog`')
})
