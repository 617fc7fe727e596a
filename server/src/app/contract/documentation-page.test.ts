import { describe, expect, it } from 'vitest'
import { documentationPage } from '../../platform/http/pages/documentation-page.ts'
import { sandboxContract } from './sandbox-contract.ts'

const contract = sandboxContract()
const { body, headers } = documentationPage(contract)

describe('the page of the contract', () => {
  it('has a section with a call of curl for every operation, and a way there', () => {
    for (const item of Object.values(contract.paths))
      for (const { operationId } of Object.values(item)) {
        expect(body).toContain(`<section id="${operationId}">`)
        expect(body).toContain(`href="#${operationId}"`)
      }
    expect(body.match(/curl -sS[^<]*\$COFFER\//g)?.length).toBeGreaterThan(Object.keys(contract.paths).length)
  })

  it('loads nothing and runs nothing', () => {
    expect(headers['content-security-policy']).toContain("default-src 'none'; style-src 'sha256-")
    expect(body).not.toMatch(/<script|<link|<img|style="|src=/)
  })

  it('links only to what is on it or on this server', () => {
    const targets = [...body.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target)
    const inside = targets.filter((target) => target.startsWith('#'))
    expect(inside.length).toBeGreaterThan(Object.keys(contract.paths).length)
    for (const target of inside) expect(body).toContain(`id="${target.slice(1)}"`)
    const outside = targets.filter((target) => !target.startsWith('#'))
    expect(outside.filter((target) => !/^(problems(\/[a-z-]+)?|openapi\.json)$/.test(target))).toEqual([])
  })
})
