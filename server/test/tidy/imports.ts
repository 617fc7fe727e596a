/**
 * Finds every reference from one file to another: static, type and dynamic imports, re-exports, `require` and
 * `new URL`.
 */
import { posix } from 'node:path'
import ts from 'typescript'
import { lineOf, type Repository, type Source, visitAll } from './repository.ts'

export interface Import {
  readonly line: number
  /** The specifier as written; undefined when it is computed at run time. */
  readonly specifier: string | undefined
  /** The repository path of a relative import. */
  readonly target: string | undefined
}

const importsBySource = new WeakMap<Source, readonly Import[]>()

export function importsOf(source: Source): readonly Import[] {
  const known = importsBySource.get(source) ?? readImports(source)
  importsBySource.set(source, known)
  return known
}

function readImports(source: Source): readonly Import[] {
  const found: Import[] = []
  visitAll(source.tree, (node) => {
    const specifier = specifierOf(node)
    if (specifier === undefined) return
    const text = ts.isStringLiteralLike(specifier) ? specifier.text : undefined
    const target = text?.startsWith('.') ? posix.join(posix.dirname(source.path), text) : undefined
    found.push({ line: lineOf(source, specifier.getStart(source.tree)), specifier: text, target })
  })
  return found
}

/** Returns for each file of the repository the files that it reaches directly. */
export function importGraph(repository: Repository): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    repository.sources.map((source) => [
      source.path,
      new Set(importsOf(source).flatMap(({ target }) => (target === undefined ? [] : [target]))),
    ]),
  )
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument
  if (ts.isCallExpression(node) && loadsModule(node.expression)) return node.arguments[0]
  if (ts.isNewExpression(node)) return moduleUrl(node)
  return undefined
}

function loadsModule(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')
}

/**
 * Returns the path in `new URL('./child.ts', import.meta.url)`, which names a module that another process or
 * thread runs.
 */
function moduleUrl(node: ts.NewExpression): ts.Node | undefined {
  const [path] = node.arguments ?? []
  const isModule =
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'URL' &&
    path !== undefined &&
    ts.isStringLiteralLike(path) &&
    /^\..*\.[cm]?[jt]s$/.test(path.text)
  return isModule ? path : undefined
}
