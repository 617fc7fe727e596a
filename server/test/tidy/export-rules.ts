/** Rules about what a file offers to others. */
import ts from 'typescript'
import { type Finding, findingAt, type Repository, type Rule, type Source } from './repository.ts'

export const exportRules: readonly Rule[] = [
  { title: 'what a file exports is used by another', find: findUnusedExports },
]

/** Not the SDK: its users are elsewhere. Types may be exported for who only passes them on. */
const roots = ['server/src/', 'server/test/', 'web/src/']

/** Goes by names alone, so that one which stands anywhere else counts as used: the rule never errs against a file. */
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

/** Names of the functions, classes and constants that are exported where they are declared. */
function exportsOf({ tree }: Source): readonly ts.Identifier[] {
  return tree.statements.filter(isExported).flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      return statement.name === undefined ? [] : [statement.name]
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name] : []))
  })
}

/** By name: a default export is taken under whatever name, or by a configuration. */
function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  const has = (wanted: ts.SyntaxKind) => modifiers?.some(({ kind }) => kind === wanted) === true
  return has(ts.SyntaxKind.ExportKeyword) && !has(ts.SyntaxKind.DefaultKeyword)
}
