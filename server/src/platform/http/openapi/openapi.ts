/** The parts of an OpenAPI 3.1 document that Coffer writes and reads. */
import type { JsonSchema } from '../json-schema.ts'

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, PathItem>>
  readonly components: Components
}

export interface Tag {
  readonly name: string
  readonly description: string
}

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type PathItem = { readonly [M in HttpMethod]?: Operation }

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  /**
   * The security schemes that the operation accepts; one of them suffices. Empty if no credential is needed.
   */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Parameter | Ref)[]
  readonly requestBody?: Body & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Response | Ref>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly style?: 'form'
  readonly explode?: boolean
  readonly schema: JsonSchema | Ref
  readonly example?: unknown
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Ref>>
  readonly content?: Body['content']
}

export interface Body {
  readonly content: Readonly<Record<string, MediaType>>
}

export interface MediaType {
  readonly schema: JsonSchema | Ref
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface Ref {
  readonly $ref: string
}

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, Response>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly headers: Readonly<Record<string, Header>>
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export function isRef(part: object): part is Ref {
  return '$ref' in part
}
