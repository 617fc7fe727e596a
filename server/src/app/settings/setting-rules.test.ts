import { expect, it } from 'vitest'
import { SettingsError } from '../../core/settings.ts'
import { networksOf, readConfig } from './config.ts'
import { originProblem } from './setting-rules.ts'

it.each([
  'https://pay.shop.example',
  'https://pay.shop.example/',
  'http://127.0.0.1:3000',
  'https://[2001:db8::1]:8443',
  undefined,
])('PUBLIC_URL may be %s', (value) => {
  expect(originProblem(value, 'PUBLIC_URL')).toBeUndefined()
})

it.each([
  'https://shop.example/coffer',
  'https://shop.example/coffer/',
  'https://shop.example//',
  'https://shop.example/?a=1',
  'https://shop.example?',
  'https://shop.example/#',
  'https://user:password@shop.example',
  'ftp://shop.example',
  'shop.example',
])('PUBLIC_URL is refused as %s, by its name and without being quoted', (value) => {
  const problem = originProblem(value, 'PUBLIC_URL') ?? ''
  expect(problem).toMatch(/^PUBLIC_URL must be (?:the root of a host|a URL starting with http)/)
  expect(problem).not.toContain('shop.example/')
  expect(problem).not.toContain('password')
  expect(() => readConfig({ PUBLIC_URL: value })).toThrow(problem)
})

it('PUBLIC_URL has no slash at its end, however it was written', () => {
  expect(readConfig({ PUBLIC_URL: 'https://pay.shop.example/' }).publicUrl).toBe('https://pay.shop.example')
})

it('WEBHOOK_PORTS are 443 and 8443 in production, and all but system ports in a sandbox, unless they are named', () => {
  const production = { COFFER_MODE: 'production', DATABASE_URL: 'postgres://coffer_app@127.0.0.1/coffer' }
  expect(readConfig(production).webhookPorts).toEqual([443, 8443])
  expect(readConfig({}).webhookPorts).toEqual([])
  const named = { WEBHOOK_PORTS: '443, 3000' }
  for (const environment of [production, {}])
    expect(readConfig({ ...environment, ...named }).webhookPorts).toEqual([443, 3000])
})

it('production needs nodes of one EVM network, whichever it is', () => {
  const production = { COFFER_MODE: 'production', DATABASE_URL: 'postgres://coffer_app@127.0.0.1/coffer' }
  const problemsOf = (environment: Record<string, string>) => {
    try {
      readConfig({ ...production, ...environment }, { roles: ['watcher'] })
    } catch (error) {
      if (error instanceof SettingsError) return error.problems.filter((one) => one.includes('EVM_RPC_'))
      throw error
    }
    return undefined
  }
  expect(problemsOf({})).toEqual([
    expect.stringMatching(/^EVM_RPC_ETHEREUM must be set in production, or EVM_RPC_/),
  ])
  expect(problemsOf({ EVM_RPC_BASE: 'https://node.example' })).toEqual([])
  expect(networksOf(readConfig({ ...production, EVM_RPC_BASE: 'https://node.example' }))).toEqual(['base'])
})
