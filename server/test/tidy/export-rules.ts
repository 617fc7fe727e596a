/** Rules about what a file exports. */
import ts from 'typescript'
import { type Finding, findingAt, type Repository, type Rule, type Source } from './repository.ts'

export const exportRules: readonly Rule[] = [
  { title: 'what a file exports is used by another', find: findUnusedExports },
]

/**
 * The SDK is left out, because its users are elsewhere. Types may be exported even if other files only pass
 * them on.
 */
const roots = ['server/src/', 'server/test/', 'web/src/']

/**
 * Compares only by name: an export counts as used if its name occurs in any other file. The rule may miss an
 * unused export, but never reports a used one.
 */
function findUnusedExports({ files, sources }: Repository): Finding[] {
  const pathsByWord = new Map<string, Set<string>>()
  for (const { path, text } of files.filter(({ path }) => /\.[cm]?[jt]sx?$/.test(path)))
    for (const [word] of text.matchAll(/\w+/g))
      pathsByWord.set(word, (pathsByWord.get(word) ?? new Set()).add(path))
  return sources
    .filter(({ path }) => roots.some((root) => path.startsWith(root)))
    .flatMap((source) =>
      exportsOf(source)
        .filter(({ text }) => pathsByWord.get(text)?.size === 1)
        .map((name) =>
          findingAt(source, name, `nobody else uses ${name.text}`, 'Delete it, or keep it to this file'),
        ),
    )
}

/** Returns the names of the functions, classes and constants that are exported where they are declared. */
function exportsOf({ tree }: Source): readonly ts.Identifier[] {
  return tree.statements.filter(isExported).flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      return statement.name === undefined ? [] : [statement.name]
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name] : []))
  })
}

/**
 * Decides whether a statement is a named export. A default export is imported under any name, or by a
 * configuration.
 */
function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  const has = (wanted: ts.SyntaxKind) => modifiers?.some(({ kind }) => kind === wanted) === true
  return has(ts.SyntaxKind.ExportKeyword) && !has(ts.SyntaxKind.DefaultKeyword)
}
