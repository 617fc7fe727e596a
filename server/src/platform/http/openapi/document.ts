/** Builds the OpenAPI 3.1 document of the API: all declared routes, and the parts that they share. */
import type { Route } from '../route.ts'
import { introduction } from './introduction.ts'
import type { OpenApiDocument, Operation, Parameter, PathItem } from './openapi.ts'
import { describeOperation, methodOf, sharedReplies, templateOf } from './operation.ts'
import { headers, problemSchemas } from './problem-replies.ts'
import { SchemaCollector } from './schemas.ts'
import { tagOf, tagsOf } from './tags.ts'

export interface DocumentParts {
  readonly routes: readonly Route[]
  readonly version: string
  /** The URL at which clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  readonly webhooks: Readonly<Record<string, PathItem>>
}

/** @throws Error if two routes have the same operationId, or if two different schemas have the same title */
export function openApiDocument({ routes, version, publicUrl, webhooks }: DocumentParts): OpenApiDocument {
  const schemas = new SchemaCollector()
  const paths = describePaths(routes, schemas)
  const used = new Set(routes.map((route) => route.tag ?? tagOf(route.path)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Coffer API',
      version,
      summary: 'Accept and pay out cryptocurrency on your own server.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl, description: 'This server' }],
    tags: tagsOf(used),
    paths,
    webhooks,
    components: {
      schemas: { ...schemas.named, ...problemSchemas },
      responses: sharedReplies,
      parameters: { IdempotencyKey: idempotencyKey },
      headers,
      securitySchemes,
    },
  }
}

function describePaths(routes: readonly Route[], schemas: SchemaCollector): Record<string, PathItem> {
  const paths: Record<string, Record<string, Operation>> = {}
  const pathOfId = new Map<string, string>()
  for (const route of routes) {
    const template = templateOf(route.path)
    const operation = describeOperation(route, schemas)
    const { operationId } = operation
    const taken = pathOfId.get(operationId)
    if (taken !== undefined)
      throw new Error(
        `${taken} and ${route.method} ${template} are both ${operationId}: declare an operationId`,
      )
    pathOfId.set(operationId, `${route.method} ${template}`)
    paths[template] = { ...paths[template], [methodOf(route)]: operation }
  }
  return paths
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7E]{1,255}$' },
  example: 'order-1042-first-try',
}

const securitySchemes = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A session token from POST /auth/login, or an access token from POST /auth/tokens.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'The API key of one merchant, from POST /key/generate/{merchantID}.',
  },
} as const
