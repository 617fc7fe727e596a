import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tagOf } from '../../platform/http/openapi/tags.ts'
import { declaredRoutes, sandboxContract } from './sandbox-contract.ts'

const committed = readFileSync(new URL('../../../../contract/openapi.json', import.meta.url), 'utf8')

const described = () =>
  declaredRoutes('http://127.0.0.1:3000').filter(({ path, inContract }) => inContract || !isOfPages(path))
const bareAddresses = ['/', '/pay', '/favicon.ico', '/coffer.js']
/**
 * Returns true for a path that the document may leave out: either only Coffer's own pages call it, or it is
 * an address that people type.
 */
const isOfPages = (path: string) => bareAddresses.includes(path) || path.startsWith('/pay/')

describe('the contract document', () => {
  it('is committed as the routes make it; after a change: npm run contract', () => {
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(sandboxContract())))
  })

  it('has an operation for every route, under its method and path', () => {
    const { paths } = sandboxContract()
    for (const { method, path } of described()) {
      const item: object = paths[path.replaceAll(/:(\w+)/g, '{$1}')] ?? {}
      expect(Object.keys(item), `${method} ${path}`).toContain(method.toLowerCase())
    }
  })

  it('shows no example that says nothing', () => {
    const text = JSON.stringify(sandboxContract())
    // A list of required fields is no example, even if it begins with a field of that name.
    const shown = [...text.matchAll(/"(\w+)":\[?"text"/g)].map(([, name]) => name)
    expect(shown.filter((name) => name !== 'required')).toEqual([])
  })

  it('names the type of every state and the like, with its choices, for clients to have types', () => {
    const { schemas } = sandboxContract().components
    const enums = ['type', 'state', 'stage', 'role', 'collectState', 'paidWhen', 'exceptions']
    const bare = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([field]) => name !== 'Problem' && enums.includes(field))
        // A single fixed word, such as the type of an event, needs no named schema.
        .filter(([, part]) => part.const === undefined && !JSON.stringify(part).includes('$ref'))
        .map(([field]) => `${name}.${field}`),
    )
    expect(bare).toEqual([])
    expect(schemas['InvoiceState']).toEqual({ type: 'string', enum: ['pending', 'paid', 'expired'] })
  })

  it('puts every capability into a chapter of its own', () => {
    const own = ['/healthz', '/readyz', '/problems', '/openapi.json', '/docs', '/metrics']
    const untagged = described()
      .filter(({ path, tag }) => (tag ?? tagOf(path)) === 'Server')
      .filter(({ path }) => !own.some((prefix) => path.startsWith(prefix)))
    expect(untagged.map(({ path }) => path)).toEqual([])
  })
})
