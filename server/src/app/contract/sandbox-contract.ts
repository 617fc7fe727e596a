/** The contract document without a server: made from the routes alone, it needs no database, no chain and no keys. */
import { Secret } from '../../core/settings.ts'
import type { OpenApiDocument } from '../../platform/http/openapi/openapi.ts'
import type { Route } from '../../platform/http/route.ts'
import { type ApiParts, apiRoutes } from '../routes.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { contractOf } from './contract.ts'

/** The document of a sandbox with its default settings, which is the one that is committed. */
export function sandboxContract(): OpenApiDocument {
  const config = readConfig({})
  const publicUrl = `http://${config.host}:${config.port}`
  return contractOf(declaredRoutes(publicUrl), { publicUrl, serviceName: config.serviceName })
}

/** Every route as it is declared; none can be called. */
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

/** Stands for a part that only a handler would use: whatever is read of it or called on it is absent likewise. */
const absentPart: unknown = new Proxy(() => {}, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 'absent' : absentPart),
  apply: () => absentPart,
})
