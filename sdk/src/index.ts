// biome-ignore-all lint/performance/noBarrelFile: the package's one door
export type { CallOptions, InputOf, OperationId, PagedOperationId, RecordOf, ReplyOf } from './calls.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { CofferError, type FieldError, type ProblemCode, type Refusal } from './coffer-error.ts'
export type { components, paths, webhooks } from './generated.ts'
export type { RetryRules } from './retries.ts'
export { isGenuine } from './signature.ts'
