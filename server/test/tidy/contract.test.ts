import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../src/platform/http/openapi/openapi.ts'
import { breakingChanges } from './contract-diff.ts'
import { findReleasedContract } from './released-contract.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const current: OpenApiDocument = JSON.parse(readFileSync(join(root, 'contract/openapi.json'), 'utf8'))

describe('the contract keeps what was released', () => {
  const released = findReleasedContract(root)
  if (released === undefined) it.skip('there is no release to compare with: git knows no tag v*', () => {})
  else
    it(`breaks no client of ${released.tag}; see docs/versioning.md`, () => {
      expect(breakingChanges(released.contract, current)).toEqual([])
    })
})

describe('the released contract', () => {
  /**
   * Runs `run` in a new repository with one commit for each tag, in that order, and a last commit without a
   * tag.
   */
  function repositoryWith(tags: readonly string[], run: (folder: string) => void): void {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-contract-'))
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example']
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...identity, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    try {
      git('init', '-q')
      for (const tag of [...tags, undefined]) {
        const contract = { openapi: '3.1.0', info: { title: 'Coffer', version: tag ?? 'next' } }
        mkdirSync(join(folder, 'contract'), { recursive: true })
        writeFileSync(join(folder, 'contract/openapi.json'), JSON.stringify(contract))
        git('add', '.')
        git('commit', '-q', '-m', tag ?? 'next')
        if (tag !== undefined) git('tag', tag)
      }
      run(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it('is that of the highest version among the tags, whatever their order and whatever other tags exist', () => {
    repositoryWith(['v0.9.0', 'v0.10.0', 'nightly', 'vendor'], (folder) => {
      const released = findReleasedContract(folder)
      expect([released?.tag, released?.contract.info.version]).toEqual(['v0.10.0', 'v0.10.0'])
    })
  })

  it('is undefined if nothing was released, or if git has no repository', () => {
    repositoryWith(['nightly'], (folder) => {
      expect(findReleasedContract(folder)).toBeUndefined()
      rmSync(join(folder, '.git'), { recursive: true })
      expect(findReleasedContract(folder)).toBeUndefined()
    })
  })
})

/** Returns a copy of the contract in which `change` altered one operation. */
function changed(path: string, method: string, change: (operation: Loose) => void): OpenApiDocument {
  const copy = structuredClone(current) as unknown as { paths: Record<string, Record<string, Loose>> }
  const operation = copy.paths[path]?.[method]
  if (operation === undefined) throw new Error(`there is no ${method} ${path}`)
  change(operation)
  return copy as unknown as OpenApiDocument
}

// biome-ignore lint/suspicious/noExplicitAny: planted faults are no contract
type Loose = any

const invoices = '/merchants/{merchantID}/invoices'
const body = (operation: Loose) => operation.requestBody.content['application/json'].schema
const answer = (operation: Loose, status: number) =>
  operation.responses[status].content['application/json'].schema

describe('a breaking change is found', () => {
  it.each<[string, string, string, (operation: Loose) => void, string]>([
    [
      'an operation of another name',
      invoices,
      'post',
      (o) => {
        o.operationId = 'makeInvoice'
      },
      'was called createInvoice',
    ],
    [
      'a credential taken no more',
      invoices,
      'post',
      (o) => {
        o.security = [{ bearerAuth: [] }]
      },
      'no longer takes apiKey',
    ],
    [
      'a credential where none was needed',
      '/payment-methods',
      'get',
      (o) => {
        o.security = [{ bearerAuth: [] }]
      },
      'now needs a credential',
    ],
    [
      'a parameter that went',
      invoices,
      'get',
      (o) => {
        o.parameters = o.parameters.filter(({ name }: Loose) => name !== 'search')
      },
      'search is gone',
    ],
    [
      'a parameter that is required',
      invoices,
      'get',
      (o) => {
        o.parameters.push({ name: 'shop', in: 'query', required: true, schema: {} })
      },
      'now requires shop',
    ],
    [
      'a field that is required',
      invoices,
      'post',
      (o) => {
        body(o).required.push('description')
      },
      '/description is now required',
    ],
    [
      'a field taken no more',
      invoices,
      'post',
      (o) => {
        delete body(o).properties.reference
      },
      '/reference is gone',
    ],
    [
      'a choice that went',
      invoices,
      'post',
      (o) => {
        body(o).properties.type = { type: 'string', enum: ['onetime'] }
      },
      'has no reusable',
    ],
    [
      'a narrower bound',
      invoices,
      'post',
      (o) => {
        body(o).properties.description.maxLength = 10
      },
      'narrower maxLength',
    ],
    [
      'an answered field that went',
      invoices,
      'post',
      (o) => {
        answer(o, 201).properties = {}
      },
      '201/id is gone',
    ],
    [
      'an answered field that may be absent',
      invoices,
      'post',
      (o) => {
        answer(o, 201).required = []
      },
      '201/id may be absent',
    ],
    [
      'an answered field of another type',
      invoices,
      'post',
      (o) => {
        answer(o, 201).properties.id.type = 'integer'
      },
      'was string and is now integer',
    ],
    [
      'an answered field that may be null',
      invoices,
      'post',
      (o) => {
        answer(o, 201).properties.id.type = ['string', 'null']
      },
      'was string and is now string or null',
    ],
    [
      'a success of another status',
      invoices,
      'post',
      (o) => {
        o.responses[200] = o.responses[201]
        delete o.responses[201]
      },
      '201 is answered no more',
    ],
  ])('%s', (_name, path, method, change, found) => {
    expect(breakingChanges(current, changed(path, method, change)).join('\n')).toContain(found)
  })

  it('a removed kind of event, and a removed field of one', () => {
    const { Event = {}, InvoicePaidEvent = {}, ...others } = current.components.schemas
    const withSchemas = (schemas: Loose): OpenApiDocument => ({
      ...current,
      components: { ...current.components, schemas },
    })
    const fewer = { ...Event, anyOf: Event.anyOf?.slice(1) }
    const gone = breakingChanges(current, withSchemas({ ...others, InvoicePaidEvent, Event: fewer }))
    expect(gone).toContain('POST event body has no InvoicePaidEvent any more')
    const { data: _, ...properties } = InvoicePaidEvent.properties ?? {}
    const bare = { ...InvoicePaidEvent, properties }
    const lost = breakingChanges(current, withSchemas({ ...others, InvoicePaidEvent: bare, Event }))
    expect(lost).toContain('POST event body InvoicePaidEvent/data is gone')
    const more = { ...Event, anyOf: [...(Event.anyOf ?? []), { $ref: '#/components/schemas/Delivery' }] }
    expect(breakingChanges(current, withSchemas({ ...others, InvoicePaidEvent, Event: more }))).toEqual([])
  })

  it('a removed path or method', () => {
    const { [invoices]: _, ...paths } = current.paths
    expect(breakingChanges(current, { ...current, paths })).toContain(`POST ${invoices} is gone`)
  })
})

describe('an addition passes', () => {
  it.each<[string, (operation: Loose) => void]>([
    [
      'an optional parameter',
      (o) => {
        o.parameters.push({ name: 'x', in: 'query', required: false, schema: {} })
      },
    ],
    [
      'an optional field',
      (o) => {
        body(o).properties.more = { type: 'string' }
      },
    ],
    [
      'a further choice',
      (o) => {
        const { enum: choices = [] } = current.components.schemas['InvoiceType'] ?? {}
        body(o).properties.type = { type: 'string', enum: [...choices, 'yearly'] }
      },
    ],
    [
      'the choices of an answer, which had none',
      (o) => {
        answer(o, 201).properties.id.enum = ['x']
      },
    ],
    [
      'an answered field',
      (o) => {
        answer(o, 201).properties.more = { type: 'string' }
      },
    ],
    [
      'a further refusal',
      (o) => {
        o.responses[418] = { description: 'x' }
      },
    ],
    [
      'a wider bound',
      (o) => {
        body(o).properties.description.maxLength = 10_000
      },
    ],
    [
      'a credential needed no more',
      (o) => {
        o.security = []
      },
    ],
  ])('%s', (_name, change) => {
    expect(breakingChanges(current, changed(invoices, 'post', change))).toEqual([])
  })
})
