/**
 * Builds the OpenAPI document without a server. It uses the declared routes only, so it needs no database,
 * chain or keys.
 */
import { Secret } from '../../core/settings.ts'
import type { OpenApiDocument } from '../../platform/http/openapi/openapi.ts'
import type { Route } from '../../platform/http/route.ts'
import { type ApiParts, apiRoutes } from '../routes.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { contractOf } from './contract.ts'

/** Returns the document of a sandbox with default settings. The repository contains this document. */
export function sandboxContract(): OpenApiDocument {
  const config = readConfig({})
  const publicUrl = `http://${config.host}:${config.port}`
  return contractOf(declaredRoutes(publicUrl), { publicUrl, serviceName: config.serviceName })
}

/** Returns the declarations of all routes. The routes themselves cannot be called. */
export function declaredRoutes(publicUrl: string, mode: Config['mode'] = 'sandbox'): readonly Route[] {
  const known: Partial<ApiParts> = {
    config: { ...readConfig({}), mode },
    secrets: { encryptionKey: new Secret('00'.repeat(32)) },
    chains: [],
    publicUrl,
  }
  return apiRoutes(
    new Proxy(known as ApiParts, { get: (target, name) => Reflect.get(target, name) ?? absentPart }),
  )
}

/**
 * A placeholder for parts that only handlers use. Every property of it, and every call, returns the
 * placeholder again.
 */
const absentPart: unknown = new Proxy(() => {}, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 'absent' : absentPart),
  apply: () => absentPart,
})
