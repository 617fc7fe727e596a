/** Serves the API's description, as an OpenAPI document and as an HTML page. */
import { Type } from 'typebox'
import type { OpenApiDocument } from '../openapi/openapi.ts'
import { type Route, route } from '../route.ts'
import { documentationPage } from './documentation-page.ts'
import type { PageReply } from './page.ts'

/** @param describe builds the OpenAPI document; it is called on the first request */
export function documentationRoutes(describe: () => OpenApiDocument): readonly Route[] {
  let bytes: Buffer | undefined
  let page: PageReply | undefined
  return [
    route({
      method: 'GET',
      path: '/openapi.json',
      auth: 'open',
      operationId: 'getContract',
      summary: 'Get the contract of this API (OpenAPI 3.1)',
      replies: { 200: Type.Unsafe<Buffer>({ type: 'object', additionalProperties: true }) },
      example: { reply: { openapi: '3.1.0' } },
      handle: async () => {
        bytes ??= Buffer.from(JSON.stringify(describe()))
        return { status: 200, headers: { 'content-type': 'application/json' }, body: bytes }
      },
    }),
    route({
      method: 'GET',
      path: '/docs',
      auth: 'open',
      operationId: 'getDocs',
      summary: 'Show the API reference as a page, with examples to paste',
      replies: { 200: Type.String({ contentMediaType: 'text/html' }) },
      handle: async () => {
        page ??= documentationPage(describe())
        return page
      },
    }),
  ]
}
