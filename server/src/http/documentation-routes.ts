/** The contract, as this server serves it. */
import { Type } from 'typebox'
import type { OpenApiDocument } from './openapi/openapi.ts'
import { type Route, route } from './route.ts'

/** @param describe makes the contract document; called when somebody first asks for it */
export function documentationRoutes(describe: () => OpenApiDocument): readonly Route[] {
  let bytes: Buffer | undefined
  const documentBytes = () => {
    bytes ??= Buffer.from(JSON.stringify(describe()))
    return bytes
  }
  return [
    route({
      method: 'GET',
      path: '/openapi.json',
      auth: 'open',
      operationId: 'getContract',
      summary: 'Read this API’s contract (OpenAPI 3.1)',
      replies: { 200: Type.Unsafe<Buffer>({ type: 'object', additionalProperties: true }) },
      example: { reply: { openapi: '3.1.0' } },
      handle: async () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: documentBytes(),
      }),
    }),
  ]
}
