/** The built pages of web/: an index that names its scripts, and those scripts under names that change with their content. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Where the build puts them; beside the server in a clone and in a production install alike. */
export const builtPages = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

/** What the build writes where a page's nonce belongs. */
const nonceMark = 'coffer-nonce'

/**
 * Serves the dashboard and what all pages load; call it before the server listens. Without a build there is nothing to
 * serve and those paths are 404.
 * @returns whether there is a build
 */
export async function addPages(app: FastifyInstance, folder: string = builtPages): Promise<boolean> {
  const index = join(folder, 'dashboard', 'index.html')
  if (!existsSync(index)) return false
  await app.register((assets) => addAssets(assets, join(folder, 'assets')))
  const html = readFileSync(index, 'utf8')
  // Every address below is a page of the one program, which reads the rest itself.
  for (const url of ['/dashboard', '/dashboard/*'])
    app.get(url, (_request, reply) => {
      const nonce = randomBytes(18).toString('base64')
      return reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', policyOf(nonce))
        .send(html.replaceAll(nonceMark, nonce))
    })
  return true
}

/** In a scope of its own: what is said here of files is said of no other answer. */
async function addAssets(scope: FastifyInstance, root: string): Promise<void> {
  scope.addHook('onSend', async (_request, reply) => {
    // In place of what the server says of every answer as it begins: `no-store`.
    if (reply.statusCode < 400)
      reply.headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
      })
  })
  await scope.register(fastifyStatic, {
    root,
    prefix: '/assets/',
    index: false,
    // The build lays a compressed copy beside each file.
    preCompressed: true,
    cacheControl: false,
    // Small files, taken whole: one that is asked for beyond its end is sent, not refused.
    acceptRanges: false,
  })
}

/**
 * Own scripts alone, none of them inline. The nonce is for the style element by which a dialog stops the page behind it
 * from scrolling (react-remove-scroll).
 */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
