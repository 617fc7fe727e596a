/** The recipe for an EVM network with a token, followed in a copy of the repository. */
import { expect, it } from 'vitest'
import { patienceMs, useRecipes } from '../support/recipe.ts'

const recipe = useRecipes('add-an-evm-network')

it(
  'invoices are paid in the coin and in the token of the network, and the methods meet the rules of the table',
  async () => {
    expect(recipe.addedTests).toEqual(['server/test/flows/sonic.test.ts'])
    const failures = await recipe.failuresIn([
      ...recipe.addedTests,
      'server/src/pricing/payment-methods/payment-method.test.ts',
      'server/src/app/settings/setting-rules.test.ts',
      'server/test/api/limits.test.ts',
      'server/test/api/payment-methods.test.ts',
      'server/test/signer/policy.test.ts',
    ])
    expect(failures).toEqual([])
  },
  patienceMs,
)
