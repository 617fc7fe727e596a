/**
 * Serves the built dashboard of web/, and the scripts and styles of all pages. The names of these files
 * change with their content.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** The output folder of the web build, at the same relative path in a clone and in a production install. */
export const builtPages = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

/** The text that the build writes where the server inserts the nonce of a page. */
const noncePlaceholder = 'coffer-nonce'

/**
 * Adds routes for the dashboard and the assets of all pages. Call it before the server listens. If the pages
 * are not built, it adds nothing, and the server answers their paths with 404.
 * @returns whether the pages are built
 */
export async function addPages(app: FastifyInstance, folder: string = builtPages): Promise<boolean> {
  const index = join(folder, 'dashboard', 'index.html')
  if (!existsSync(index)) return false
  await app.register((assets) => addAssets(assets, join(folder, 'assets')))
  const html = readFileSync(index, 'utf8')
  // Every path below /dashboard gets the same HTML. The script of the page reads the path and chooses what to
  // show.
  for (const url of ['/dashboard', '/dashboard/*'])
    app.get(url, (_request, reply) => {
      const nonce = randomBytes(18).toString('base64')
      return reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', policyOf(nonce))
        .send(html.replaceAll(noncePlaceholder, nonce))
    })
  return true
}

/** Serves assets in a Fastify scope of their own, so that these headers apply to assets only. */
async function addAssets(scope: FastifyInstance, root: string): Promise<void> {
  scope.addHook('onSend', async (_request, reply) => {
    // Replaces `no-store`, which the server sets on every answer before the handler runs.
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
    // The build writes a compressed copy beside each file.
    preCompressed: true,
    cacheControl: false,
    // A range request gets the whole file, because the files are small. A range beyond the end is therefore
    // no error.
    acceptRanges: false,
  })
}

/**
 * Returns the Content-Security-Policy of a page. It allows scripts of this server only, and no inline
 * scripts. The nonce allows one style element: with it, a dialog keeps the page behind it from scrolling
 * (react-remove-scroll).
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
