/**
 * Generates invalid requests from the declarations of routes. They are close enough to valid ones to pass the
 * first check.
 */
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { closed, type JsonSchema } from '../../src/platform/http/json-schema.ts'
import type { Route } from '../../src/platform/http/route.ts'

export interface Nonsense {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** Existing ids, so that a request may pass the first checks. Each key is the name of a path parameter. */
export interface Known {
  readonly ids: Readonly<Record<string, readonly string[]>>
  readonly credentials: readonly Readonly<Record<string, string>>[]
}

/** A schema. The generators here read its `pattern`, so that most generated texts match it. */
type Schema = JsonSchema & { readonly pattern?: string }

export function nonsense(route: Route, known: Known): fc.Arbitrary<Nonsense> {
  return fc
    .record({
      method: mostly(
        fc.constant(route.method),
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'),
      ),
      path: fc
        .tuple(pathOf(route, known), queryOf(route.query))
        .map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
      headers: fc
        .tuple(mostly(fc.constantFrom(...known.credentials), strangeCredential), mediaType)
        .map(([credential, type]) => ({ ...credential, ...type })),
      body: route.body === undefined ? mostly(fc.constant(undefined), rawBody) : bodyOf(route.body),
    })
    .map((drawn) =>
      drawn.method === 'GET' || drawn.method === 'HEAD' ? { ...drawn, body: undefined } : drawn,
    )
}

/** Generates a value from `usual` nine times out of ten, and otherwise from `odd`. */
function mostly<A, B>(usual: fc.Arbitrary<A>, odd: fc.Arbitrary<B>): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

function often<A, B>(usual: fc.Arbitrary<A>, odd: fc.Arbitrary<B>): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: 2, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

/** Texts that JSON and URLs allow but PostgreSQL's text does not. */
const unstorableText = fc.constantFrom('\u0000', 'a\u0000b', '\ud800', 'a\udfffb')

const hardText = fc.oneof(
  unstorableText,
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\u202e',
    '\ufeff',
    '\uffff',
    '💥',
    'ﷺ',
    'ı',
    'ß',
    "' or 1=1--",
    '"; drop table invoice; --',
    '%',
    '_',
    '\\',
    '{{7*7}}',
    '<script>',
    '../../etc',
    'null',
    'undefined',
    'true',
    'NaN',
    '-0',
    '1e309',
    '9'.repeat(400),
    '0x1',
    '1e5',
    '٣',
    '1,0',
    '+1',
    '.5',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '2026-02-30',
    '0000-00-00',
    '2026-13-01T00:00Z',
    '0001-01-01',
    '9999-12-31',
    '+275760-09-13T00:00:00Z',
    '2026-01-01T00:00:00+23:59',
    'x'.repeat(5000),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)

const hardNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.5, 1e21, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 31), Number.MAX_VALUE, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

const anything: fc.Arbitrary<unknown> = fc.oneof(
  hardText,
  hardNumber,
  fc.boolean(),
  fc.constant(null),
  fc.array(hardText, { maxLength: 5 }),
  fc.dictionary(hardText, hardNumber, { maxKeys: 5 }),
  fc.integer({ min: 1, max: 3000 }).map(nested),
)

/** Returns arrays and objects nested in each other. */
function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

function pathOf({ path }: Route, { ids }: Known): fc.Arbitrary<string> {
  const steps = path.split('/').slice(1)
  return fc
    .tuple(
      ...steps.map((step) =>
        step.startsWith(':')
          ? segmentOf(ids[step.slice(1)] ?? [])
          : fc.oneof({ weight: 40, arbitrary: fc.constant(step) }, { weight: 1, arbitrary: oddSegment }),
      ),
      mostly(fc.constantFrom('', '', '/'), fc.constant('//')),
    )
    .map((parts) => `/${parts.slice(0, -1).join('/')}${parts.at(-1)}`)
}

function segmentOf(known: readonly string[]): fc.Arbitrary<string> {
  const odd = fc.oneof(oddSegment, fc.uuid(), hardText.map(percentEncoded))
  return known.length === 0 ? odd : mostly(fc.constantFrom(...known), odd)
}

const oddSegment = fc.constantFrom(
  '%00',
  '%',
  '%ff',
  '%2e%2e',
  '..',
  '.',
  '%2f',
  ';',
  '*',
  'null',
  '0',
  '-1',
  '1.0',
  '1e3',
  '2147483648',
  '00000000-0000-0000-0000-000000000000',
  '{',
  '%7b%7b',
  '%C0%AF',
  'x'.repeat(3000),
  '٣',
  '%F0%9F%92%A5',
)

/** Percent-encodes a text. A lone surrogate cannot be encoded and is replaced. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}

function queryOf(schema: TSchema | undefined): fc.Arbitrary<string> {
  const properties = schema === undefined ? {} : (closed(schema).properties ?? {})
  const names = Object.keys(properties)
  const odd = fc.tuple(hardText.map(percentEncoded), hardText.map(percentEncoded))
  const pair =
    names.length === 0
      ? odd
      : mostly(
          fc.constantFrom(...names).chain((name) => {
            const suffix =
              properties[name]?.type === 'array'
                ? mostly(fc.constant('[]'), fc.constant(''))
                : fc.constantFrom('', '', '[]')
            return fc.tuple(
              suffix.map((end) => name + end),
              mostly(asAsked(properties[name] ?? {}).map(String), hardText).map(percentEncoded),
            )
          }),
          odd,
        )
  const whole = fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.map((one) => one.join('=')).join('&'))
  const usual = names.length === 0 ? often(fc.constant(''), whole) : whole
  return mostly(usual, fc.constantFrom('&&&', '=', '%', 'a=%ff', '?', '#', '[]=', `a=${'x'.repeat(9000)}`))
}

function bodyOf(schema: TSchema): fc.Arbitrary<Buffer | undefined> {
  return mostly(mutated(closed(schema)).map(toBytes), rawBody)
}

/** Generates mostly valid objects with a few invalid or additional fields. */
function mutated(schema: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]) =>
    fc.tuple(fc.constant(name), mostly(asAsked(part), anything)),
  )
  const extra = fc.tuple(hardText, anything)
  return fc
    .tuple(
      fc.tuple(...fields),
      mostly(fc.constant([]), fc.tuple(extra)),
      often(fc.constant<number[]>([]), fc.array(fc.nat(20), { maxLength: 9 })),
    )
    .map(([drawn, more, dropped]) =>
      Object.fromEntries([...drawn.filter((_, index) => !dropped.includes(index)), ...more]),
    )
}

/** Generates values that mostly meet a schema. */
function asAsked(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(asAsked))
  if (schema.pattern !== undefined) return mostly(fc.stringMatching(new RegExp(schema.pattern)), hardText)
  switch (schema.type) {
    case 'integer': {
      const { minimum = 0, maximum = 1000 } = schema
      return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }))
    }
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(asAsked(schema.items ?? {}), { maxLength: 4 })
    case 'object':
      return mutated(schema)
    case 'null':
      return fc.constant(null)
    default:
      return often(plausibleText, hardText)
  }
}

const plausibleText = fc.constantFrom(
  '1',
  '10.50',
  '0.00000001',
  '999999999999.99999999',
  'onetime',
  'USDT',
  '3',
  '2026-01-31',
  'A lamp',
  '2026-01-31T12:00:00Z',
  'a@example.com',
  'correct horse battery staple',
  'http://127.0.0.1:9/hook',
  'https://example.com/hook',
  's'.repeat(40),
)

function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

const rawBody = fc.oneof(
  anything.map(toBytes),
  fc
    .constantFrom(
      '{',
      '[',
      '"',
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1}}',
      '\ufeff{}',
      '{}{}',
      'a=1&b=2',
      '<xml/>',
      '{"amount":1e400}',
      '{"amount":"\\ud800"}',
      '[]',
      'null',
      ' ',
      '\u0000',
      '{"a":01}',
      '{"":1}',
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(Buffer.alloc(70_000, 0x20)),
  fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.constantFrom('', '{"name":', '{"amount":')).map(deepJson),
)

/**
 * Returns JSON arrays that are nested up to 30,000 deep, which may be more than a parser's stack allows.
 * `start` may open an object around the arrays. In some cases this object is not closed.
 */
function deepJson([depth, start]: readonly [number, string]): Buffer {
  return Buffer.from(
    `${start}${'['.repeat(depth)}${']'.repeat(depth)}${start === '' || depth % 9 === 0 ? '' : '}'}`,
  )
}

const mediaType = mostly(
  fc.constant({ 'content-type': 'application/json' }),
  fc.constantFrom(
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': ';;;' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    { 'content-type': 'application/vnd.api+json' },
    { 'content-type': 'application/json', accept: 'text/html' },
    { 'content-type': 'application/json', 'x-forwarded-for': '::1', forwarded: 'for=x' },
  ),
)

const strangeCredential = fc.constantFrom(
  {},
  { authorization: 'Bearer' },
  { authorization: 'Bearer a.b.c' },
  { authorization: `Bearer ${'x'.repeat(8000)}` },
  { authorization: 'Basic YTpi' },
  { authorization: 'bearer \u00e9' },
  { 'x-api-key': 'ck_' },
  { 'x-api-key': 'x'.repeat(8000) },
  { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.', 'x-api-key': 'ck_' },
)
