/** Reads the titles of tests from the sources. */
import ts from 'typescript'
import { type Source, visitAll } from './repository.ts'

const frames = new Set(['it', 'describe', 'test'])

/**
 * Returns the title of each `it` and `describe` of a file, `.each` and `.skipIf` included. Expressions in
 * templates are left out.
 */
export function testTitles({ tree }: Source): readonly string[] {
  const titles: string[] = []
  visitAll(tree, (node) => {
    if (!ts.isCallExpression(node) || node.arguments.length < 2) return
    const [title] = node.arguments
    if (title !== undefined && frames.has(rootOf(node.expression, tree))) titles.push(textsIn(title).join(''))
  })
  return titles
}

/** Returns the first name of `it.each(...)`, `describe.skipIf(...)` and the like. */
function rootOf(node: ts.Node, tree: ts.SourceFile): string {
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return rootOf(node.expression, tree)
  return ts.isTaggedTemplateExpression(node) ? rootOf(node.tag, tree) : node.getText(tree)
}

function textsIn(title: ts.Node): readonly string[] {
  const texts: string[] = []
  visitAll(title, (node) => {
    const isPart = ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
    if (isPart || ts.isStringLiteralLike(node)) texts.push(node.text)
  })
  return texts
}
