/** Builds the OpenAPI document for a set of routes. */
import { readFileSync } from 'node:fs'
import { openApiDocument } from '../../platform/http/openapi/document.ts'
import type { OpenApiDocument } from '../../platform/http/openapi/openapi.ts'
import type { Route } from '../../platform/http/route.ts'
import { webhookContract } from './webhook-contract.ts'

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)

export interface ContractParts {
  /** The URL by which clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  readonly serviceName: string
}

export function contractOf(
  routes: readonly Route[],
  { publicUrl, serviceName }: ContractParts,
): OpenApiDocument {
  return openApiDocument({
    routes: routes.filter(({ inContract }) => inContract),
    version: manifest.version,
    publicUrl,
    webhooks: { event: webhookContract(serviceName) },
  })
}
