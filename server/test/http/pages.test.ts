import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { buildServer } from '../../src/platform/http/server.ts'
import { addPages } from '../../src/platform/web/add-pages.ts'

const serverParts = {
  routes: [],
  log: silentLog,
  publicUrl: 'https://pay.example',
  authenticator: { authenticate: async () => undefined },
}

let folder: string
let app: FastifyInstance

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-pages-'))
  mkdirSync(join(folder, 'assets'))
  mkdirSync(join(folder, 'dashboard'))
  writeFileSync(
    join(folder, 'dashboard/index.html'),
    '<script nonce="coffer-nonce" src="/assets/a-1.js"></script>',
  )
  writeFileSync(join(folder, 'assets/a-1.js'), 'run()')
  writeFileSync(join(folder, 'assets/a-1.js.gz'), gzipSync('run()'))
  writeFileSync(join(folder, 'built-from.txt'), 'secret')
  app = buildServer(serverParts)
  expect(await addPages(app, folder)).toBe(true)
})

afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

it.each(['/dashboard', '/dashboard/', '/dashboard/merchants/m/invoices', '/dashboard/assets'])(
  'answers %s with the page, under a policy that allows only own scripts and has a new nonce each time',
  async (url) => {
    const [first, second] = await Promise.all([app.inject(url), app.inject(url)])
    const policy = String(first.headers['content-security-policy'])
    const nonce = /'nonce-([\w+/]{24})'/.exec(policy)?.[1]
    expect(first.body).toBe(`<script nonce="${nonce}" src="/assets/a-1.js"></script>`)
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[^']+'; /)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(second.headers['content-security-policy']).not.toBe(policy)
  },
)

it('lets browsers cache files with a content hash in their name for ever, and compresses them', async () => {
  const { headers, rawPayload } = await app.inject({
    url: '/assets/a-1.js',
    headers: { 'accept-encoding': 'gzip' },
  })
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    'content-type': 'application/javascript; charset=utf-8',
  })
  expect(rawPayload).toEqual(gzipSync('run()'))
})

it('sends whole files for range requests, and forbids caching of the page and of refusals', async () => {
  for (const range of ['bytes=0-1', 'bytes=900-']) {
    const { statusCode, body } = await app.inject({ url: '/assets/a-1.js', headers: { range } })
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: 'run()' })
  }
  for (const url of ['/dashboard', '/assets/gone.js'])
    expect((await app.inject(url)).headers['cache-control']).toBe('no-store')
})

it.each(['/assets/', '/assets/../built-from.txt', '/assets/%2e%2e%2fbuilt-from.txt', '/assets/gone.js'])(
  'serves nothing at %s',
  async (url) => {
    const { statusCode, body } = await app.inject(url)
    expect(statusCode).toBeGreaterThanOrEqual(400)
    expect(body).not.toContain('secret')
  },
)

it('serves nothing if the pages are not built', async () => {
  const bare = buildServer(serverParts)
  expect(await addPages(bare, join(folder, 'none'))).toBe(false)
  expect((await bare.inject('/dashboard')).statusCode).toBe(404)
})
