/** Rules about what shipped code may say: types, money, the environment, output and SQL. */
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
} from './repository.ts'

export const codeRules: readonly Rule[] = [
  { title: 'shipped code has no `any`', find: everyNode(findAny) },
  { title: 'money is never a floating point number', find: everyNode(findFloatMoney) },
  { title: 'only app/ and bin/ read the environment', find: everyNode(findEnvironment) },
  { title: 'only commands write to the console', find: everyNode(findConsole) },
  { title: 'SQL is written in stores', find: findStraySql },
]

/** What a child process needs of its parent's environment; no setting, so anyone who starts one may read it. */
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

/** Every JS number is a double, so an amount above 2^53 or with a fraction would change in it silently. */
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

function findStraySql({ sources }: Repository): Finding[] {
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

function isIn(source: Source, folders: readonly string[]): boolean {
  return folders.some((folder) => source.path.startsWith(`${sourceRoot}${folder}/`))
}
