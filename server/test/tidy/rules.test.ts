import { describe, expect, it } from 'vitest'
import { type Finding, repositoryOf } from './repository.ts'
import { rules } from './rules.ts'
import { sqlTests } from './sql-tests.ts'

/** Runs the rule of that title over planted files, and returns `path:line what` for each fault. */
function faultsOf(title: string, planted: Readonly<Record<string, string>>): string[] {
  const rule = rules.find((one) => one.title === title)
  if (rule === undefined) throw new Error(`no rule is titled "${title}"`)
  const files = Object.entries(planted).map(([path, text]) => ({ path, text }))
  return rule.find(repositoryOf(files)).map(({ path, line, what }: Finding) => `${path}:${line} ${what}`)
}

const post = 'server/src/ledger/post.ts'

describe('a capability imports only what the table of layers allows it', () => {
  const title = 'a capability imports only what the table of layers allows it'
  const upward = `${post}:1 ledger/ may not import payments/invoices/`

  it.each([
    ['a static import', "import { x } from '../payments/invoices/invoice.ts'"],
    ['a side-effect import', "import '../payments/invoices/invoice.ts'"],
    ['a type import', "import type { X } from '../payments/invoices/invoice.ts'"],
    ['a type in place', "export type X = import('../payments/invoices/invoice.ts').X"],
    ['a re-export', "export { x } from '../payments/invoices/invoice.ts'"],
    ['a re-export of everything', "export * from '../payments/invoices/invoice.ts'"],
    ['a dynamic import', "export const x = () => import('../payments/invoices/invoice.ts')"],
    ['a dynamic import in a template', 'export const x = () => import(`../payments/invoices/invoice.ts`)'],
    ['require', "const x = require('../payments/invoices/invoice.ts')"],
    ['the URL of a module', "const x = new URL('../payments/invoices/invoice.ts', import.meta.url)"],
    ['a detour', "import { x } from '../../src/payments/invoices/invoice.ts'"],
  ])('finds %s', (_kind, text) => {
    expect(faultsOf(title, { [post]: text })).toEqual([upward])
  })

  it('reports the line, and applies the table to unit tests as well', () => {
    const text = "\n\nimport { x } from '../app/app.ts'"
    expect(faultsOf(title, { 'server/src/core/money.test.ts': text })).toEqual([
      'server/src/core/money.test.ts:3 core/ may not import app/',
    ])
  })

  it('finds an import of bin/', () => {
    expect(faultsOf(title, { 'server/src/app/app.ts': "import '../bin/coffer.ts'" })).toEqual([
      'server/src/app/app.ts:1 app/ may not import bin/',
    ])
  })

  it('finds an import between capabilities of one district', () => {
    const path = 'server/src/payments/invoices/invoice.ts'
    expect(faultsOf(title, { [path]: "import '../deposits/deposit.ts'" })).toEqual([
      `${path}:1 payments/invoices/ may not import payments/deposits/`,
    ])
  })

  it('accepts imports downwards, within the capability, and of packages', () => {
    const text =
      "import '../platform/db/pool.ts'\nimport './journal.ts'\nimport 'pg'\nnew URL('../platform/db/schema/ledger.sql', import.meta.url)"
    expect(faultsOf(title, { [post]: text })).toEqual([])
  })
})

describe('every file of src lies in a capability of the table of layers', () => {
  const title = 'every file of src lies in a capability of the table of layers'

  it('names a new folder, a file beside capabilities, and one at the root', () => {
    const stray = ['server/src/misc/a.ts', 'server/src/payments/a.ts', 'server/src/a.ts']
    const planted = Object.fromEntries([...stray, post].map((path) => [path, '']))
    const what = 'the file lies in no capability of the table of layers'
    expect(faultsOf(title, planted)).toEqual(stray.map((path) => `${path}:1 ${what}`))
  })
})

describe('no folder holds more than 25 files of shipped code', () => {
  const title = 'no folder holds more than 25 files of shipped code'
  const filled = (count: number, suffix: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`server/src/ledger/a${index}${suffix}`, '']),
    )

  it('names the folder with 26 files, and counts neither tests nor folders', () => {
    expect(faultsOf(title, filled(26, '.ts'))).toEqual(['server/src/ledger/:1 the folder holds 26 files'])
    const below = { ...filled(25, '.ts'), ...filled(9, '.test.ts'), 'server/src/ledger/more/a.ts': '' }
    expect(faultsOf(title, below)).toEqual([])
  })
})

describe('time and chance come from core/clock.ts and core/chance.ts', () => {
  const title = 'time and chance come from core/clock.ts and core/chance.ts'

  it.each([
    ['performance.now', 'export const at = performance.now()'],
    ['Date.now', 'export const at = Date.now()'],
    ['new Date()', 'export const at = new Date()'],
    ['Math.random', 'export const parts = { random: Math.random }'],
    ['setTimeout', 'export const timer = setTimeout(() => {}, 5)'],
    ['AbortSignal.timeout', 'export const signal = AbortSignal.timeout(5)'],
    ['randomBytes', "import { createHash, randomBytes } from 'node:crypto'"],
    ['randomUUID', "import { randomUUID as newId } from 'crypto'"],
    ['node:crypto', "import crypto from 'node:crypto'"],
    ['setTimeout', "import { setTimeout as sleep } from 'node:timers/promises'"],
    ['setInterval', "import { setImmediate, setInterval } from 'timers/promises'"],
    ['setTimeout', "import { setTimeout } from 'node:timers'"],
    ['node:timers/promises', "import * as timers from 'node:timers/promises'"],
  ])('finds %s', (name, text) => {
    expect(faultsOf(title, { [post]: text })).toContain(`${post}:1 the bare source ${name}`)
  })

  it('accepts the two source files, dates of a given time, and code that starts processes or creates keys', () => {
    const text = "import { randomBytes } from 'node:crypto'\nexport const at = Date.now()"
    for (const file of ['core/clock.ts', 'sandbox/a.ts', 'signer/keys/a.ts'])
      expect(faultsOf(title, { [`server/src/${file}`]: text })).toEqual([])
    expect(faultsOf(title, { [post]: 'export const at = new Date(5)\nclock.now()' })).toEqual([])
  })

  it('accepts code that neither draws nor waits, and types', () => {
    const text =
      "import { createHash } from 'node:crypto'\nimport { setImmediate } from 'node:timers/promises'\nimport type crypto from 'node:crypto'"
    expect(faultsOf(title, { [post]: text })).toEqual([])
  })
})

describe('only tests replace the sources of time and chance', () => {
  const title = 'only tests replace the sources of time and chance'

  it.each(['replaceTime', 'replaceChance'])('finds %s, under another name too', (name) => {
    const text = `import { ${name} as put } from '../core/a.ts'\nexport const all = core.${name}`
    expect(faultsOf(title, { [post]: text })).toEqual([
      `${post}:1 ${name} in shipped code`,
      `${post}:2 ${name} in shipped code`,
    ])
  })

  it('accepts the sources themselves, and tests', () => {
    const planted = {
      'server/src/core/clock.ts': 'export function replaceTime() {}',
      'server/src/core/chance.ts': 'export function replaceChance() {}',
      'server/src/ledger/post.test.ts': 'replaceTime(time)',
      'server/test/ledger/a.test.ts': 'replaceChance(chance)',
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('signals are joined by linkSignal', () => {
  it('finds a call of AbortSignal.any', () => {
    const text = 'export const both = (signal) => AbortSignal.any([signal, AbortSignal.timeout(5)])'
    expect(faultsOf('signals are joined by linkSignal', { [post]: text })).toEqual([
      `${post}:1 AbortSignal.any, which may lose a timeout in Node 20`,
    ])
  })
})

describe('a statement names tables of its own district or of one below it', () => {
  const title = 'a statement names tables of its own district or of one below it'
  const path = 'server/src/payments/invoices/store.ts'
  const query = (text: string) => `export const read = (on) => on.query(sql\`${text}\`)`

  it.each([
    ['read', 'select 1 from withdrawal where id = 1', 'withdrawal'],
    ['joined', 'select 1 from invoice left join sweep using (id)', 'sweep'],
    ['written', 'update withdrawal set state = 1', 'withdrawal'],
    ['in a part of a statement', 'exists (select from sweep)', 'sweep'],
  ])('finds a table of a district above that is %s', (_how, text, table) => {
    expect(faultsOf(title, { [path]: query(text) })).toMatchObject([
      expect.stringContaining(`payments/ names the table ${table}, which outgoing/`),
    ])
  })

  it('accepts tables of the district and below, comments, and statements of tests', () => {
    const text = 'select 1 from invoice join merchant using (id) -- not from withdrawal'
    expect(faultsOf(title, { [path]: query(text) })).toEqual([])
    const above = query('select 1 from withdrawal')
    expect(faultsOf(title, { 'server/src/payments/invoices/store.test.ts': above })).toEqual([])
    expect(faultsOf(title, { 'server/src/oversight/verify/books/a.ts': above })).toEqual([])
  })
})

describe('every table has one owner', () => {
  const title = 'every table has one owner'
  const folder = 'server/src/platform/db/schema/'
  const path = `${folder}ledger.sql`

  it('names a table without an owner, and one that no longer exists', () => {
    const faults = faultsOf(title, { [path]: 'create table stray (\n);\ncreate table invoice (\n);' })
    expect(faults).toContain(`${folder}:1 the table stray has no owner`)
    expect(faults).toContain(`${folder}:1 the table withdrawal is owned twice, or is not in the schema`)
    expect(faults).not.toContain(`${folder}:1 the table invoice has no owner`)
  })
})

describe('statements read the time from coffer_now and coffer_clock', () => {
  const title = 'statements read the time from coffer_now and coffer_clock'
  const path = 'server/src/payments/invoices/store.ts'
  const schema = 'server/src/platform/db/schema/payments.sql'
  const query = (text: string) => `export const read = (on) => on.query(sql\`${text}\`)`

  it.each([
    ['now()', 'select 1 from invoice where expires_at > now()'],
    ['clock_timestamp()', 'update invoice set closed_at = clock_timestamp()'],
    ['current_timestamp', 'update invoice set closed_at = current_timestamp'],
    ['pg_catalog.now()', 'select 1 from invoice where expires_at > pg_catalog.now()'],
    ['now ( )', 'select 1 from invoice where expires_at > now ( )'],
  ])('finds %s in a statement', (name, text) => {
    expect(faultsOf(title, { [path]: query(text) })).toMatchObject([
      expect.stringContaining(`${name} is read and not the time of Coffer`),
    ])
  })

  it('finds a default of the schema', () => {
    const text = 'create table invoice (\n  created_at timestamptz not null default now()\n);'
    expect(faultsOf(title, { [schema]: text })).toEqual([
      `${schema}:2 now() is read and not the time of Coffer`,
    ])
  })

  it('accepts the functions themselves, calls of a clock, and statements of tests', () => {
    const accepted = `${query('select coffer_now(), coffer_clock()')}\nexport const at = clock.now()`
    expect(faultsOf(title, { [path]: accepted })).toEqual([])
    expect(faultsOf(title, { 'server/src/a/store.test.ts': query('select now()') })).toEqual([])
    expect(faultsOf(title, { [schema]: ' RETURN now()' })).toEqual([])
  })
})

describe('statements draw no chance', () => {
  const title = 'statements draw no chance'
  const path = 'server/src/payments/invoices/store.ts'
  const schema = 'server/src/platform/db/schema/payments.sql'
  const query = (text: string) => `export const read = (on) => on.query(sql\`${text}\`)`

  it.each([
    ['random(', 'select 1 from invoice order by random() limit 5'],
    ['random(', 'order by random()'],
    ['pg_catalog.random(', 'select pg_catalog.random()'],
    ['gen_random_uuid(', 'insert into invoice (id) values (gen_random_uuid())'],
    ['uuidv7(', 'insert into invoice (id) values (uuidv7())'],
    ['tablesample', 'select 1 from invoice tablesample bernoulli (5)'],
  ])('finds %s in a statement', (name, text) => {
    expect(faultsOf(title, { [path]: query(text) })).toEqual([`${path}:1 ${name} draws in the database`])
  })

  it('finds a default of the schema', () => {
    const text = 'create table invoice (\n  id uuid not null default gen_random_uuid()\n);'
    expect(faultsOf(title, { [schema]: text })).toEqual([
      `${schema}:2 gen_random_uuid( draws in the database`,
    ])
  })

  it('accepts values that the process drew, the identity of a restored database, and statements of tests', () => {
    const drawn = query(`select \${random()} from invoice order by hashtextextended(id::text, \${seed})`)
    expect(faultsOf(title, { [path]: drawn })).toEqual([])
    const identity = query('update database_identity set id = gen_random_uuid()')
    expect(faultsOf(title, { 'server/src/platform/db/restore.ts': identity })).toEqual([])
    expect(faultsOf(title, { 'server/src/a/store.test.ts': query('select random()') })).toEqual([])
  })
})

describe('a statement that takes some of many rows has an order', () => {
  const title = 'a statement that takes some of many rows has an order'
  const path = 'server/src/payments/invoices/store.ts'
  const query = (text: string) => `export const read = (on) => on.query(sql\`${text}\`)`

  it.each([
    ['limit', `select id from invoice where state = 1 limit \${rows}`],
    ['limit', 'select id from invoice limit 100'],
    ['limit', 'select * from (select id from invoice order by id) some limit 5'],
    ['limit', 'select id, row_number() over (order by id) from invoice limit 5'],
    ['skip locked', 'delete from invoice where id in (select id from invoice for update skip locked)'],
    ['for update', `select id from invoice where id = any(\${ids}) for update`],
    ['for no key update', `select from invoice where id = any (\${ids}) for no key update`],
  ])('finds "%s" in %s', (taken, text) => {
    expect(faultsOf(title, { [path]: query(text) })).toEqual([
      expect.stringContaining(`${path}:1 "${taken}" without an order`),
    ])
  })

  it.each([
    `select id from invoice order by created_at, id limit \${rows} for update skip locked`,
    `select id from invoice where id = \${id} for update`,
    `select id from invoice where reference = \${reference} limit 1`,
    `select count(*) from (select from invoice where state = 1 limit \${max}) few`,
    `update invoice set code = 'over-limit' where id = \${id}`,
  ])('accepts %s', (text) => {
    expect(faultsOf(title, { [path]: query(text) })).toEqual([])
  })
})

describe('every district has a README of at most 25 lines', () => {
  const title = 'every district has a README of at most 25 lines'
  const readme = 'server/src/ledger/README.md'

  it('names a missing README and one that is too long', () => {
    expect(faultsOf(title, { [post]: '' })).toEqual([`${readme}:1 the district has no README`])
    expect(faultsOf(title, { [post]: '', [readme]: 'a line\n'.repeat(26) })).toEqual([
      `${readme}:26 the README has 26 lines`,
    ])
    expect(faultsOf(title, { [post]: '', [readme]: 'a line\n'.repeat(25) })).toEqual([])
  })
})

describe('a chain is seen through its port outside chains/, app/ and sandbox/', () => {
  const title = 'a chain is seen through its port outside chains/, app/ and sandbox/'
  const reader = "import '../chains/evm/reader.ts'"
  const conformance = "import '../chains/conformance/reader.ts'"

  it('refuses an adapter in a capability, and the conformance suite in shipped code', () => {
    const planted = { 'server/src/watcher/follow.ts': reader, 'server/src/app/open.ts': conformance }
    expect(faultsOf(title, planted)).toEqual([
      'server/src/watcher/follow.ts:1 watcher/ reaches into chains/evm/reader.ts',
      'server/src/app/open.ts:1 the conformance suite in shipped code',
    ])
  })

  it('accepts the port everywhere and adapters where chains are opened', () => {
    const port = "import '../chains/port.ts'\nimport '../chains/networks.ts'"
    const planted = { 'server/src/watcher/follow.ts': port, 'server/src/app/open.ts': reader }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('no literal is spread into a literal', () => {
  const title = 'no literal is spread into a literal'

  it('finds objects and arrays, and accepts the spread of a value', () => {
    const text =
      'const a = { ...{ b: 1, c: 2 } }\nconst d = [...[1, 2], 3]\nconst e = { ...a, ...(d ? { f: 1 } : {}) }'
    const what = 'a literal is spread into a literal'
    expect(faultsOf(title, { [post]: text })).toEqual([`${post}:1 ${what}`, `${post}:2 ${what}`])
  })
})

describe('no tuple of constants saves a line', () => {
  const title = 'no tuple of constants saves a line'

  it('finds a tuple of literals, and accepts a destructured result and a swap', () => {
    const text =
      'let [a, b] = [1, 2]\nconst [c, d] = read()\nconst [f] = [...c]\n;[a, b] = [b, a]\nconst { e } = { e: 1 }'
    expect(faultsOf(title, { [post]: text })).toEqual([`${post}:1 a tuple of constants`])
  })
})

describe('names take the words of the field', () => {
  const inCode = 'names in code take the words of the field'

  it('names the coined word and the right one, once for each name in a file', () => {
    const text = 'const laneCount = 1\nconst Lanes = laneCount\nconst planet = 1'
    expect(faultsOf(inCode, { [post]: text })).toEqual([
      `${post}:1 laneCount says "lane"`,
      `${post}:2 Lanes says "lane"`,
    ])
    const rule = rules.find(({ title }) => title === inCode)
    const [finding] = rule?.find(repositoryOf([{ path: post, text }])) ?? []
    expect(finding?.instead).toBe('Use the word of the field: hot wallet')
  })

  it('finds a coined term of two words, and accepts each word alone', () => {
    const text = 'const listTakeOuts = 1\nconst takeOver = 1\nconst outTake = 1'
    expect(faultsOf(inCode, { [post]: text })).toEqual([`${post}:1 listTakeOuts says "take out"`])
  })

  it('finds files and folders', () => {
    const path = 'server/src/ledger/suspense.ts'
    expect(faultsOf('names of files take the words of the field', { [path]: '', [post]: '' })).toEqual([
      `${path}:1 suspense says "suspense"`,
    ])
  })

  it.each([
    [
      'a table',
      'server/src/platform/db/schema/outgoing.sql',
      'create table take_out (',
      'take_out says "take out"',
    ],
    [
      'a column',
      'server/src/platform/db/schema/outgoing.sql',
      '  lane integer not null,',
      'lane says "lane"',
    ],
    [
      'a route',
      'contract/openapi.json',
      '    "/operator/take-outs": {',
      '/operator/take-outs says "take out"',
    ],
    ['a property', 'contract/openapi.json', '  "laneCount": {', 'laneCount says "lane"'],
    [
      'a setting',
      'server/src/app/settings/config.ts',
      "lanes: integer('PAYOUT_LANES', 3),",
      'PAYOUT_LANES says "lane"',
    ],
  ])('finds %s', (_what, path, text, what) => {
    const title = 'names of tables, columns, routes and settings take the words of the field'
    expect(faultsOf(title, { [path]: text })).toEqual([`${path}:1 ${what}`])
  })
})

describe('a noun file imports core alone', () => {
  const title = 'a noun file imports core alone'

  it.each([
    ['server/src/payments/invoices/invoice.ts', 'payments/invoices/invoice.ts'],
    ['server/src/pricing/payment-methods/payment-method.ts', 'pricing/payment-methods/payment-method.ts'],
    ['server/src/ledger/journal.ts', 'ledger/journal.ts'],
    ['server/src/platform/outbox/event.ts', 'platform/outbox/event.ts'],
  ])('finds an import of more than core in %s', (path, noun) => {
    const capability = noun.slice(0, noun.lastIndexOf('/'))
    const up = '../'.repeat(noun.split('/').length - 1)
    const text = `import '${up}core/money.ts'\nimport './store.ts'\nimport '${up}platform/db/pool.ts'`
    expect(faultsOf(title, { [path]: text })).toEqual([
      `${path}:2 the noun file ${noun} imports ${capability}/`,
      `${path}:3 the noun file ${noun} imports platform/db/`,
    ])
  })

  it('ignores a use-case that is named like its folder', () => {
    expect(
      faultsOf(title, { 'server/src/oversight/verify/verify.ts': "import '../../platform/db/pool.ts'" }),
    ).toEqual([])
  })
})

describe('shipped code imports no test code, and imports no computed path', () => {
  const title = 'shipped code imports no test code, and imports no computed path'

  it('names each import of code that is not shipped', () => {
    const text = [
      "import '../../test/support/database.ts'",
      "import './journal.test.ts'",
      "import 'vitest'",
      'export const load = (path: string) => import(path)',
    ].join('\n')
    expect(faultsOf(title, { [post]: text })).toEqual([
      `${post}:1 shipped code imports server/test/support/database.ts`,
      `${post}:2 shipped code imports server/src/ledger/journal.test.ts`,
      `${post}:3 shipped code imports Vitest`,
      `${post}:4 an import of a computed path`,
    ])
  })
})

describe('the SDK imports nothing but itself', () => {
  it('names a package, a part of Node and a part of the server', () => {
    const text =
      "import 'zod'\nimport 'node:fs'\nimport '../../server/src/core/money.ts'\nimport './calls.ts'"
    const planted = { 'sdk/src/client.ts': text, 'sdk/src/client.test.ts': "import 'vitest'" }
    expect(faultsOf('the SDK imports nothing but itself', planted)).toEqual([
      'sdk/src/client.ts:1 the SDK imports zod',
      'sdk/src/client.ts:2 the SDK imports node:fs',
      'sdk/src/client.ts:3 the SDK imports ../../server/src/core/money.ts',
    ])
  })

  it('lets only the command import Node, and lets no other file import the command', () => {
    const planted = {
      'sdk/src/dev/post.ts': "import 'node:http'\nimport 'undici'\nimport '../client.ts'",
      'sdk/src/client.ts': "import './dev/post.ts'",
    }
    expect(faultsOf('the SDK imports nothing but itself', planted)).toEqual([
      'sdk/src/dev/post.ts:2 the SDK imports undici',
      'sdk/src/client.ts:1 the SDK imports ./dev/post.ts',
    ])
  })
})

describe('every imported package is declared', () => {
  const title = 'every imported package is declared'
  const manifests = {
    'package.json': '{"devDependencies": {"vitest": "1"}}',
    'server/package.json':
      '{"dependencies": {"pg": "1", "@scure/bip32": "1"}, "devDependencies": {"solc": "1"}}',
  }

  it('refuses a package that is only installed because another one needs it', () => {
    const planted = {
      ...manifests,
      [post]: "import '@noble/hashes/sha2'",
      'server/test/a.test.ts': "import 'left-pad'",
    }
    expect(faultsOf(title, planted)).toEqual([
      `${post}:1 the package @noble/hashes is not declared`,
      'server/test/a.test.ts:1 the package left-pad is not declared',
    ])
  })

  it('refuses a development package in shipped code, and accepts it in a test', () => {
    const planted = {
      ...manifests,
      [post]: "import 'solc'",
      'server/test/a.test.ts': "import 'solc'\nimport 'vitest'",
    }
    expect(faultsOf(title, planted)).toEqual([`${post}:1 the package solc is not declared`])
  })

  it('accepts packages for pages and tests in a test of a page, and no test package in a page', () => {
    const planted = {
      ...manifests,
      'web/package.json': '{"dependencies": {"react": "1"}}',
      'web/src/a.test.ts': "import 'react'\nimport 'coffer-sdk'\nimport 'vitest'\nimport 'left-pad'",
      'web/src/a.ts': "import 'react'\nimport 'coffer-sdk'\nimport 'vitest'",
    }
    expect(faultsOf(title, planted)).toEqual([
      'web/src/a.test.ts:4 the package left-pad is not declared',
      'web/src/a.ts:3 the package vitest is not declared',
    ])
  })

  it('accepts declared packages, their subpaths and the modules of Node', () => {
    const text = "import 'pg/lib/x'\nimport '@scure/bip32'\nimport 'node:fs'\nimport 'fs'"
    expect(faultsOf(title, { ...manifests, [post]: text })).toEqual([])
  })
})

describe('files do not import each other in a circle', () => {
  const title = 'files do not import each other in a circle'

  it('reports one cycle once, with its path', () => {
    const planted = {
      'server/src/ledger/a.ts': "import './b.ts'",
      'server/src/ledger/b.ts': "import type { C } from './c.ts'",
      'server/src/ledger/c.ts': "import './a.ts'",
    }
    expect(faultsOf(title, planted)).toEqual([
      'server/src/ledger/a.ts:1 imports itself by way of server/src/ledger/b.ts -> server/src/ledger/c.ts',
    ])
  })

  it('accepts two paths to one file', () => {
    const planted = {
      'server/src/ledger/a.ts': "import './b.ts'\nimport './c.ts'",
      'server/src/ledger/b.ts': "import './c.ts'",
      'server/src/ledger/c.ts': '',
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('every file is imported by another', () => {
  const title = 'every file is imported by another'

  it('names a file that only its own test imports, and unused test support', () => {
    const planted = {
      [post]: '',
      'server/src/ledger/post.test.ts': "import './post.ts'",
      'server/test/support/database.ts': '',
    }
    expect(faultsOf(title, planted)).toEqual([
      `${post}:1 nobody imports this file`,
      'server/test/support/database.ts:1 nobody imports this file',
    ])
  })

  it('accepts processes, the conformance suite, and files that a configuration names', () => {
    const planted = {
      'server/src/bin/coffer.ts': "import '../app/app.ts'",
      'server/src/app/app.ts': '',
      'server/src/chains/conformance/reader.ts': '',
      'server/test/support/global-setup.ts': '',
      'vitest.config.ts': "export default { globalSetup: ['test/support/global-setup.ts'] }",
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('what a file exports is used by another', () => {
  const title = 'what a file exports is used by another'

  it.each([
    'export function balance() {}',
    'export const balance = 1',
    'export class balance {}',
    'export async function balance() {}\nbalance()',
  ])('names an export that no other file uses: %s', (text) => {
    const planted = { [post]: text, 'server/src/ledger/journal.ts': "import './post.ts'" }
    expect(faultsOf(title, planted)).toEqual([`${post}:1 nobody else uses balance`])
  })

  it('accepts an export that a test, a script or another file uses, types, and the published client', () => {
    const planted = {
      [post]: 'export const a = 1\nexport const b = 1\nexport interface Line {}\nexport default class C {}',
      'server/src/ledger/post.test.ts': "import { a } from './post.ts'",
      'server/bin/coffer.js': 'const { b } = await import("../dist/ledger/post.js")',
      'sdk/src/calls.ts': 'export const published = 1',
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('no function is longer than 70 lines', () => {
  const title = 'no function is longer than 70 lines'
  const lines = (count: number) => '  step()\n'.repeat(count)

  it.each([
    ['a declaration', `function long() {\n${lines(69)}}`, 'long'],
    ['an arrow', `const long = () => {\n${lines(69)}}`, 'long'],
    ['a method', `class A { long() {\n${lines(69)}} }`, 'long'],
    ['a constructor', `class A { constructor() {\n${lines(69)}} }`, 'the constructor'],
    ['an accessor', `class A { get long() {\n${lines(69)}} }`, 'long'],
    ['a callback', `each(() => {\n${lines(69)}})`, 'this function'],
  ])('counts %s', (_kind, text, name) => {
    expect(faultsOf(title, { [post]: text })).toEqual([`${post}:1 ${name} is 71 lines long, the limit is 70`])
    expect(faultsOf(title, { [post]: text.replace('  step()\n', '') })).toEqual([])
  })

  it('counts a nested function on its own and in the function around it', () => {
    const text = `function outer() {\nfunction inner() {\n${lines(69)}}\n}`
    expect(faultsOf(title, { [post]: text })).toEqual([
      `${post}:1 outer is 73 lines long, the limit is 70`,
      `${post}:2 inner is 71 lines long, the limit is 70`,
    ])
  })

  it('counts test support, and allows a long list of cases', () => {
    const suite = `describe.skipIf(no)('x', () => {\nit.each(cases)('y', () => {\n${lines(99)}})\n})`
    expect(faultsOf(title, { 'server/test/a.test.ts': suite })).toEqual([])
    expect(
      faultsOf(title, { 'server/src/chains/conformance/reader.ts': `function conformance() {\n${suite}\n}` }),
    ).toEqual([])
    const support = `export function start() {\n${lines(69)}}`
    expect(faultsOf(title, { 'server/test/support/a.ts': support })).toHaveLength(1)
    expect(
      faultsOf(title, { 'server/test/a.test.ts': `describe('x', () => {\n${support}\n})` }),
    ).toHaveLength(1)
  })
})

describe('shipped code has no `any`', () => {
  const title = 'shipped code has no `any`'

  it('finds it as a type, a cast and an argument, and ignores words and tests', () => {
    const text = "let a: any\nconst b = c as any\nconst d: Array<any> = []\n// any\nconst e = 'any'"
    expect(faultsOf(title, { [post]: text, 'server/test/a.test.ts': text })).toEqual([
      `${post}:1 the type any`,
      `${post}:2 the type any`,
      `${post}:3 the type any`,
    ])
  })
})

describe('money is never a floating point number', () => {
  const title = 'money is never a floating point number'

  it.each([
    ["parseFloat('1')", 'parseFloat'],
    ["Number.parseFloat('1')", 'parseFloat'],
    ['Number(amountMinor)', 'an amount becomes a number: Number(amountMinor)'],
    ['Number(journal.line.amountMinor)', 'an amount becomes a number: Number(journal.line.amountMinor)'],
    ['let feeMinor: number', 'an amount is declared a number: feeMinor: number'],
    ['interface A { readonly minor: number }', 'an amount is declared a number: readonly minor: number'],
    ['function f(minor: number) {}', 'an amount is declared a number: minor: number'],
  ])('refuses %s', (text, what) => {
    expect(faultsOf(title, { [post]: text })).toEqual([`${post}:1 ${what}`])
  })

  it('accepts counts of other things', () => {
    expect(faultsOf(title, { [post]: 'const rows: number = Number(text)\nlet feeMinor: bigint' })).toEqual([])
  })
})

describe('only app/ and bin/ read the environment', () => {
  const title = 'only app/ and bin/ read the environment'
  const text =
    "const a = process.env['PORT']\nimport { env } from 'node:process'\nspawn('x', { env: process.env })"

  it('refuses it below them, also by import and when passed on as a whole', () => {
    expect(faultsOf(title, { [post]: text })).toEqual([
      `${post}:1 process.env`,
      `${post}:2 env of node:process`,
      `${post}:3 process.env`,
    ])
  })

  it('accepts it in app/ and bin/, and the PATH of a child process', () => {
    const planted = {
      'server/src/app/settings.ts': text,
      [post]: "spawn('x', { env: { PATH: process.env['PATH'] } })",
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('only commands write to the console', () => {
  const title = 'only commands write to the console'

  it('refuses it in a capability and accepts it in a command', () => {
    const text = "console.log('x')"
    expect(faultsOf(title, { [post]: text, 'server/src/demo/tour.ts': text })).toEqual([
      `${post}:1 console.log`,
    ])
  })
})

describe('tests say what they want of the books, and support/ says it in SQL', () => {
  const title = 'tests say what they want of the books, and support/ says it in SQL'
  const tag = "import sql from 'sql-template-tag'"
  const path = 'server/test/api/invoices.test.ts'

  it('refuses the tag and the text of a statement in a test', () => {
    expect(faultsOf(title, { [path]: tag })).toEqual([`${path}:1 SQL in a test`])
    for (const text of [
      'select id from invoice',
      'insert into invoice (id) values (1)',
      'update invoice set amount = 1',
      'delete from invoice',
      'truncate invoice',
      'alter table invoice add column x int',
    ])
      expect(faultsOf(title, { [path]: `query('${text}')` }), text).toEqual([
        `${path}:1 a statement in a test`,
      ])
    expect(faultsOf(title, { [path]: `query(\`select id from \${table}\`)` })).toHaveLength(1)
  })

  it('accepts it in support, in tests about SQL, and in words that only resemble SQL', () => {
    const planted = {
      'server/test/support/payments/life.ts': tag,
      'server/test/db/migrate.test.ts': tag,
      [path]: "press('Create the invoice'); read('select from the list'); title('Update your password')",
    }
    expect(faultsOf(title, planted)).toEqual([])
  })

  it('refuses an exemption that is no longer needed', () => {
    const exempt = sqlTests.find((one) => one.path.endsWith('.ts'))?.path
    expect(faultsOf(title, { [`server/test/${exempt}`]: 'export {}' })).toEqual([
      `server/test/${exempt}:1 it may write SQL and writes none`,
    ])
  })
})

describe('SQL is written in stores', () => {
  const title = 'SQL is written in stores'
  const text = "import sql from 'sql-template-tag'"

  it('refuses the tag in a use-case', () => {
    const path = 'server/src/payments/invoices/create-invoice.ts'
    expect(faultsOf(title, { [path]: text })).toEqual([`${path}:1 SQL outside a store`])
    expect(faultsOf(title, { 'server/src/payments/invoices/restore.ts': text })).toHaveLength(1)
  })

  it('accepts it in stores and in the folders about SQL', () => {
    const planted = {
      'server/src/payments/invoices/store.ts': text,
      'server/src/payments/invoices/address-store.ts': text,
      'server/src/platform/db/lease.ts': text,
      'server/test/api/a.test.ts': text,
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('files are named in kebab-case and say what they hold', () => {
  const title = 'files are named in kebab-case and say what they hold'

  it.each([
    ['server/src/ledger/postJournals.ts', 'postJournals is not kebab-case'],
    ['server/src/ledger/journal-helper.ts', 'the file name says "helper"'],
    ['server/src/ledger/utils.test.ts', 'the file name says "utils"'],
    ['server/test/support/data.ts', 'the file name says "data"'],
  ])('refuses %s', (path, what) => {
    expect(faultsOf(title, { [path]: '' })).toEqual([`${path}:1 ${what}`])
  })

  it('accepts words that only contain a refused one, and the data folder', () => {
    const planted = {
      'server/src/platform/db/database.ts': '',
      'server/src/platform/db/data-dir-lock.test.ts': '',
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})

describe('exported types say what they are', () => {
  const title = 'exported types say what they are'

  it.each([
    ['export interface InvoiceManager {}', 'the type InvoiceManager says "manager"'],
    ['export type KeyInfo = string', 'the type KeyInfo says "info"'],
    ['export class RPCService {}', 'the type RPCService says "service"'],
    ['export abstract class BaseReader {}', 'the type BaseReader says "base"'],
  ])('refuses %s', (text, what) => {
    expect(faultsOf(title, { [post]: text })).toEqual([`${post}:1 ${what}`])
  })

  it('accepts words that only contain a refused one, the data folder, and types that are not exported', () => {
    const text = 'export interface DatabaseUrl {}\nexport type DataDirLock = string\ntype RowData = string'
    expect(faultsOf(title, { [post]: text })).toEqual([])
  })
})

describe('nothing is left for later', () => {
  const title = 'nothing is left for later'

  it.each(['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'])('finds %s in code, SQL and prose', (word) => {
    const planted = { [post]: `// ${word}: later`, 'a.sql': `\n-- ${word}`, 'docs/a.md': `${word}(me) write` }
    expect(faultsOf(title, planted)).toEqual([
      `${post}:1 ${word} is left`,
      `a.sql:2 ${word} is left`,
      `docs/a.md:1 ${word} is left`,
    ])
  })
})

describe('no path of one machine is written down', () => {
  const title = 'no path of one machine is written down'

  it.each(['work', 'root', 'home', 'tmp', 'Users'])('finds a path below /%s', (folder) => {
    expect(faultsOf(title, { [post]: `const a = '/${folder}/x'`, 'README.md': `cd /${folder}/x` })).toEqual([
      `${post}:1 /${folder}/ belongs to one machine`,
      `README.md:1 /${folder}/ belongs to one machine`,
    ])
  })

  it('accepts the same words inside a relative path, a URL and a pattern', () => {
    const folder = 'work'
    const text = `import './${folder}/x.ts'\nconst a = 'https://a.test/home/x'\nconst c = "src/tmp/x"`
    expect(faultsOf(title, { [post]: text })).toEqual([])
  })
})

describe('no text cites a document that is not in the repository', () => {
  const title = 'no text cites a document that is not in the repository'

  it.each(['de' + 'sign 6', 'De' + 'sign 12', 'iss' + 'ue 12', 'iss' + 'ue #7'])('finds "%s"', (cited) => {
    expect(faultsOf(title, { [post]: `/** As ${cited} has it. */`, 'docs/a.md': `\nSee ${cited}.` })).toEqual(
      [`${post}:1 "${cited}" is not in the repository`, `docs/a.md:2 "${cited}" is not in the repository`],
    )
  })

  it('finds a page that no longer exists, in a comment and in a document', () => {
    const planted = { [post]: '// see reliability.md', 'docs/a.md': '[b](b.md), `docs/audit.md`, a.md' }
    expect(faultsOf(title, { ...planted, 'docs/b.md': '' })).toEqual([
      `${post}:1 reliability.md is not in the repository`,
      'docs/a.md:1 audit.md is not in the repository',
    ])
  })

  it('accepts a decision, a section of a standard, and a design without a number', () => {
    const text = '// Decision 21; RFC 9110, section 11.6.1; by design; the issue of 2 July; *.md'
    expect(faultsOf(title, { [post]: text })).toEqual([])
  })
})

describe('migrations are numbered 0001, 0002, ... without a gap', () => {
  const title = 'migrations are numbered 0001, 0002, ... without a gap'
  const folder = 'server/src/platform/db/migrations'

  it.each([
    ['a gap', ['0001-a.sql', '0003-b.sql'], '0003-b.sql stands where 0002 belongs'],
    ['a number used twice', ['0001-a.sql', '0001-b.sql'], '0001-b.sql stands where 0002 belongs'],
    ['a number without its zeros', ['1-a.sql'], '1-a.sql stands where 0001 belongs'],
    ['a name without words', ['0001.sql'], '0001.sql stands where 0001 belongs'],
  ])('finds %s', (_kind, names, what) => {
    const planted = Object.fromEntries(names.map((name) => [`${folder}/${name}`, '']))
    expect(faultsOf(title, planted)).toEqual([`${folder}/${names.at(-1)}:1 migration ${what}`])
  })
})

describe('docs/dependencies.md has a line for each dependency and for nothing else', () => {
  const title = 'docs/dependencies.md has a line for each dependency and for nothing else'
  const manifests = {
    'package.json': '{"workspaces": ["server"], "devDependencies": {"vitest": "1"}}',
    'server/package.json':
      '{"dependencies": {"pg": "1"}, "optionalDependencies": {"@pg/linux": "1", "@pg/mac": "1"}}',
  }

  it('names missing and superfluous lines', () => {
    const planted = { ...manifests, 'docs/dependencies.md': '# x\n| `pg` | why |\n| `left-pad` | why |\n' }
    expect(faultsOf(title, planted)).toEqual([
      'package.json:1 vitest has no line in docs/dependencies.md',
      'server/package.json:1 @pg/linux has no line in docs/dependencies.md',
      'server/package.json:1 @pg/mac has no line in docs/dependencies.md',
      'docs/dependencies.md:3 left-pad is listed and no package.json declares it',
    ])
  })

  it('accepts one line for the platform packages of a scope', () => {
    const planted = {
      ...manifests,
      'docs/dependencies.md': '| `pg` | a |\n| `@pg/*` | a |\n| `vitest` | a |',
    }
    expect(faultsOf(title, planted)).toEqual([])
  })
})
