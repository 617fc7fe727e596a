import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { sandboxContract } from './sandbox-contract.ts'

/** Rules of Redocly's recommended set that are turned off, each with the reason. */
const rules = {
  // The specification uses fixed words and ids at the same position: /withdrawals/pending and
  // /withdrawals/{withdrawalID}.
  'no-ambiguous-paths': 'off',
  // Components that all answers share are described once, whether or not a present route uses them.
  'no-unused-components': 'off',
} as const

const findings = async (document: unknown) => {
  const config = await createConfig({ extends: ['recommended'], rules })
  const found = await lintFromString({
    source: JSON.stringify(document),
    config,
    absoluteRef: 'openapi.json',
  })
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)
}

describe('Redocly’s recommended rules', { timeout: 30_000 }, () => {
  it('find neither error nor warning in the contract', async () => {
    expect(await findings(sandboxContract())).toEqual([])
  })

  it('find a planted fault', async () => {
    const { tags: _, ...untagged } = sandboxContract()
    const faulty = { ...untagged, info: { ...untagged.info, license: undefined } }
    expect((await findings(faulty)).join()).toContain('info-license')
  })
})
