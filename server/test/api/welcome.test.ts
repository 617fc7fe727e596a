/** Tests the answers at addresses that people and browsers try by themselves. */
import { describe, expect, it } from 'vitest'
import { languages } from '../../src/checkout/languages/language.ts'
import { builtIcon } from '../../src/platform/web/built-entry.ts'
import { useDatabase } from '../support/database.ts'
import { useShopApi } from './shop-api.ts'

const api = useShopApi(useDatabase())
const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

describe('the root', () => {
  it('shows a browser what runs here, with links to follow', async () => {
    const { status, headers, text } = await api.call('GET', '/', asBrowser)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect([...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      'dashboard',
      'docs',
      'openapi.json',
      'problems',
    ])
    expect(text).toContain('<strong>sandbox</strong>')
  })

  it.each(['/', '/pay', '/nothing-here'])('answers a program at %s with a problem document', async (path) => {
    for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }]) {
      const answer = await api.call('GET', path, { headers })
      expect(answer).toMatchObject({ status: 404, body: { code: 'not-found' } })
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    }
  })
})

describe('/pay without an invoice', () => {
  it('is a page in the payer’s language that explains what to do', async () => {
    for (const { code, texts } of languages) {
      const headers = { ...asBrowser.headers, 'accept-language': code }
      const { status, text } = await api.call('GET', '/pay', { headers })
      expect(status).toBe(404)
      expect(text).toContain(`lang="${code}"`)
      expect(text).toContain(texts.notFoundMore)
    }
  })
})

describe('/favicon.ico', () => {
  it('is the icon of the pages, or a problem document if the pages are not built', async () => {
    const { status, headers, text } = await api.call('GET', '/favicon.ico')
    const icon = builtIcon()
    if (icon === undefined) return expect(status).toBe(404)
    expect({ status, text }).toEqual({ status: 200, text: icon })
    expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    expect(headers.get('cache-control')).toBe('public, max-age=86400')
  })
})
