/** Rules about types, money, the environment, output and SQL in shipped code. */
import ts from 'typescript'
import { importsOf } from './imports.ts'
import {
  eachNode,
  type Finding,
  findingAt,
  isShipped,
  type Repository,
  type Rule,
  type Source,
  sourceRoot,
  testRoot,
  visitAll,
} from './repository.ts'
import { sqlTests } from './sql-tests.ts'

export const codeRules: readonly Rule[] = [
  { title: 'shipped code has no `any`', find: everyNode(findAny) },
  { title: 'money is never a floating point number', find: everyNode(findFloatMoney) },
  { title: 'only app/ and bin/ read the environment', find: everyNode(findEnvironment) },
  { title: 'only commands write to the console', find: everyNode(findConsole) },
  { title: 'signals are joined by linkSignal', find: everyNode(findJoinedSignals) },
  { title: 'time and chance come from core/clock.ts and core/chance.ts', find: everyNode(findBareSource) },
  { title: 'only tests replace the sources of time and chance', find: everyNode(findReplacedSource) },
  { title: 'SQL is written in stores', find: findMisplacedSql },
  { title: 'tests say what they want of the books, and support/ says it in SQL', find: findSqlInTests },
]

/**
 * The variables that a child process needs from its parent's environment. They are not settings, so any code
 * that starts a process may read them.
 */
const inherited = new Set(["process.env['PATH']", "process.env['HOME']"])

const commandFolders = ['app', 'bin', 'sandbox', 'demo']
const sqlFolders = ['platform/db', 'ledger', 'oversight/verify']

type NodeRule = (node: ts.Node, source: Source) => Finding | undefined

function everyNode(rule: NodeRule): Rule['find'] {
  return ({ sources }) =>
    eachNode(
      sources.filter(({ path }) => isShipped(path)),
      rule,
    )
}

function findAny(node: ts.Node, source: Source): Finding | undefined {
  if (node.kind !== ts.SyntaxKind.AnyKeyword) return undefined
  return findingAt(source, node, 'the type any', 'Write the type, or unknown and narrow it')
}

function findJoinedSignals(node: ts.Node, source: Source): Finding | undefined {
  if (!ts.isPropertyAccessExpression(node) || node.getText(source.tree) !== 'AbortSignal.any')
    return undefined
  return findingAt(
    source,
    node,
    'AbortSignal.any, which may lose a timeout in Node 20',
    'Call withinTime or linkSignal of core/concurrency/linked-signal.ts',
  )
}

const bareTimes = new Set([
  'performance.now',
  'Date.now',
  'AbortSignal.timeout',
  'Math.random',
  'setTimeout',
  'setInterval',
])

/**
 * The names that must not be imported from a module, under any alias. `setImmediate` measures no time: it
 * only lets other work run first.
 */
const bareImports: readonly { readonly from: RegExp; readonly names: readonly string[] }[] = [
  { from: /^(?:node:)?crypto$/, names: ['randomBytes', 'randomInt', 'randomUUID', 'randomFillSync'] },
  { from: /^(?:node:)?timers(?:\/promises)?$/, names: ['setTimeout', 'setInterval', 'scheduler'] },
]

/**
 * Code that no simulation runs. It starts processes and commands, or creates wallet keys, whose randomness
 * nothing may replace.
 */
const realSources =
  /^server\/src\/(?:app\/(?:commands|keys)\/|app\/find-running\.ts|sandbox\/|demo\/|bin\/|platform\/web\/|signer\/(?:command|keys)\/|platform\/db\/(?:embedded\/|migrate\.ts)|core\/(?:clock|chance|free-port)\.ts)/

function findBareSource(node: ts.Node, source: Source): Finding | undefined {
  if (!source.path.startsWith(sourceRoot) || realSources.test(source.path)) return undefined
  const name = bareSourceOf(node, source)
  if (name === undefined) return undefined
  const instead = 'Call core/clock.ts or core/chance.ts, which a simulation replaces'
  return findingAt(source, node, `the bare source ${name}`, instead)
}

function bareSourceOf(node: ts.Node, { tree }: Source): string | undefined {
  if (ts.isNewExpression(node) && node.getText(tree) === 'new Date()') return 'new Date()'
  if (ts.isImportDeclaration(node)) return bareImportOf(node)
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return bareTimeOf(node.expression.text)
  return ts.isPropertyAccessExpression(node) ? bareTimeOf(node.getText(tree)) : undefined
}

function bareTimeOf(name: string): string | undefined {
  return bareTimes.has(name) ? name : undefined
}

/**
 * Returns the first bare source that an import names: a function of the real clock or of real randomness. If
 * the import is of the whole module, returns the name of the module.
 */
function bareImportOf({ moduleSpecifier, importClause }: ts.ImportDeclaration): string | undefined {
  const { text } = moduleSpecifier as ts.StringLiteral
  const names = bareImports.find(({ from }) => from.test(text))?.names
  if (names === undefined || importClause === undefined || importClause.isTypeOnly) return undefined
  const { name, namedBindings } = importClause
  if (name !== undefined || namedBindings === undefined || ts.isNamespaceImport(namedBindings)) return text
  return namedBindings.elements
    .map((element) => (element.propertyName ?? element.name).text)
    .find((imported) => names.includes(imported))
}

const replacements = ['replaceTime', 'replaceChance']
const replacedSources = /^server\/src\/core\/(?:clock|chance)\.ts$/

function findReplacedSource(node: ts.Node, source: Source): Finding | undefined {
  if (!ts.isIdentifier(node) || !replacements.includes(node.text)) return undefined
  if (replacedSources.test(source.path)) return undefined
  const instead =
    'Take a Clock, or a function that draws, as a part; only a test or a simulation replaces a source'
  return findingAt(source, node, `${node.text} in shipped code`, instead)
}

/**
 * Finds amounts as JS numbers. A number is a double, so an amount above 2^53 or with a fraction would change
 * silently.
 */
function findFloatMoney(node: ts.Node, source: Source): Finding | undefined {
  const instead = 'Keep amounts as bigint of the smallest unit and read text with core/money.ts'
  if (
    ts.isCallExpression(node) &&
    /^(Number\.|globalThis\.)?parseFloat$/.test(node.expression.getText(source.tree))
  )
    return findingAt(source, node, 'parseFloat', instead)
  if (
    ts.isCallExpression(node) &&
    node.expression.getText(source.tree) === 'Number' &&
    isMinor(node.arguments[0])
  )
    return findingAt(source, node, `an amount becomes a number: ${node.getText(source.tree)}`, instead)
  if (declaresMinorNumber(node))
    return findingAt(source, node, `an amount is declared a number: ${node.getText(source.tree)}`, instead)
  return undefined
}

function isMinor(argument: ts.Expression | undefined): boolean {
  if (argument === undefined) return false
  if (ts.isPropertyAccessExpression(argument)) return /minor$/i.test(argument.name.text)
  return ts.isIdentifier(argument) && /minor$/i.test(argument.text)
}

function declaresMinorNumber(node: ts.Node): boolean {
  const isDeclaration = ts.isPropertySignature(node) || ts.isParameter(node) || ts.isVariableDeclaration(node)
  if (!(isDeclaration || ts.isPropertyDeclaration(node)) || !ts.isIdentifier(node.name)) return false
  return /minor$/i.test(node.name.text) && node.type?.kind === ts.SyntaxKind.NumberKeyword
}

function findEnvironment(node: ts.Node, source: Source): Finding | undefined {
  if (isIn(source, ['app', 'bin'])) return undefined
  const instead = 'Declare a setting in app/ and take its value as a part'
  const isRead = ts.isPropertyAccessExpression(node) && node.getText(source.tree) === 'process.env'
  if (isRead && !inherited.has(node.parent.getText(source.tree)))
    return findingAt(source, node, 'process.env', instead)
  const isEnvironment = ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'env'
  if (isEnvironment && /process'$/.test(node.parent.parent.parent.moduleSpecifier.getText(source.tree)))
    return findingAt(source, node, 'env of node:process', instead)
  return undefined
}

function findConsole(node: ts.Node, source: Source): Finding | undefined {
  const isConsole =
    ts.isPropertyAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'console'
  if (!isConsole || isIn(source, commandFolders)) return undefined
  return findingAt(
    source,
    node,
    node.getText(source.tree),
    'Take a Log (core/log.ts) as a part and write to it',
  )
}

function findMisplacedSql({ sources }: Repository): Finding[] {
  return sources
    .filter(
      (source) =>
        isShipped(source.path) && !/(^|[/-])store\.ts$/.test(source.path) && !isIn(source, sqlFolders),
    )
    .flatMap((source) =>
      importsOf(source)
        .filter(({ specifier }) => specifier === 'sql-template-tag')
        .map(({ line }) => ({
          path: source.path,
          line,
          what: 'SQL outside a store',
          instead: 'Move the statement to store.ts of this folder and call it by what it means',
        })),
    )
}

/** Matches a text that is an SQL statement. */
const statement =
  /^\s*(select\s[\s\S]*\sfrom\s|insert\s+into\s+\w+\s*\(|update\s+\w+\s+set\s|delete\s+from\s+\w|truncate\s+\w|(create|alter|drop)\s+table\s)/i

function findSqlInTests({ sources }: Repository): Finding[] {
  const tests = sources.filter(
    ({ path }) => path.startsWith(testRoot) && !path.startsWith(`${testRoot}support/`),
  )
  const written = new Map(tests.map((source) => [source.path, sqlIn(source)]))
  const found = [...written].flatMap(([path, findings]) => (isSqlTest(path) ? [] : findings))
  const stale = sqlTests
    .filter(({ path }) => tests.some((test) => test.path === `${testRoot}${path}`))
    .filter(({ path }) => written.get(`${testRoot}${path}`)?.length === 0)
    .map(({ path }) => ({
      path: `${testRoot}${path}`,
      line: 1,
      what: 'it may write SQL and writes none',
      instead: 'Take it out of test/tidy/sql-tests.ts',
    }))
  return [...found, ...stale]
}

function isSqlTest(path: string): boolean {
  return sqlTests.some((exempt) => {
    const full = `${testRoot}${exempt.path}`
    return full.endsWith('/') ? path.startsWith(full) : path === full
  })
}

function sqlIn(source: Source): Finding[] {
  const instead = 'Use the records and facts of test/support, or add one there'
  const found: Finding[] = importsOf(source)
    .filter(({ specifier }) => specifier === 'sql-template-tag')
    .map(({ line }) => ({ path: source.path, line, what: 'SQL in a test', instead }))
  visitAll(source.tree, (node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node)
    if (isText && statement.test(node.text))
      found.push(findingAt(source, node, 'a statement in a test', instead))
  })
  return found
}

function isIn(source: Source, folders: readonly string[]): boolean {
  return folders.some((folder) => source.path.startsWith(`${sourceRoot}${folder}/`))
}
