/**
 * Rules about the shape of functions and literals: no function is too long, and none is kept short by a
 * trick.
 */
import ts from 'typescript'
import {
  eachNode,
  type Finding,
  findingAt,
  lineOf,
  type Repository,
  type Rule,
  type Source,
} from './repository.ts'

const functionLinesMax = 70
/**
 * The maximum for a function that only wires parts together. Such a function is easiest to read in one piece.
 */
const wiringLinesMax = 100
const wiringFiles: readonly string[] = ['server/src/app/app.ts', 'server/test/api/shop-api.ts']

export const functionRules: readonly Rule[] = [
  { title: `no function is longer than ${functionLinesMax} lines`, find: findLongFunctions },
  { title: 'no literal is spread into a literal', find: findSpreadLiterals },
  { title: 'no tuple of constants saves a line', find: findConstantTuples },
]

function findLongFunctions({ sources }: Repository): Finding[] {
  return eachNode(sources, (node, source) => {
    if (!hasBody(node) || isSuiteCallback(node)) return undefined
    const linesMax = wiringFiles.includes(source.path) ? wiringLinesMax : functionLinesMax
    const lines = linesOf(source, node) - suiteLinesIn(source, node)
    if (lines <= linesMax) return undefined
    const what = `${nameOf(node)} is ${lines} lines long, the limit is ${linesMax}`
    return findingAt(source, node, what, 'Move each step into a function of its own, below this one')
  })
}

function findSpreadLiterals({ sources }: Repository): Finding[] {
  return eachNode(sources, (node, source) => {
    const isSpread =
      (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) ||
      (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.expression))
    if (!isSpread) return undefined
    return findingAt(source, node, 'a literal is spread into a literal', 'Write its parts where they belong')
  })
}

/** Finds `const [a, b] = [x, y]`. A swap of values, `;[a, b] = [b, a]`, declares nothing. */
function findConstantTuples({ sources }: Repository): Finding[] {
  return eachNode(sources, (node, source) => {
    const isTuple =
      ts.isVariableDeclaration(node) &&
      ts.isArrayBindingPattern(node.name) &&
      node.initializer !== undefined &&
      ts.isArrayLiteralExpression(node.initializer) &&
      !node.initializer.elements.some(ts.isSpreadElement)
    if (!isTuple) return undefined
    return findingAt(source, node, 'a tuple of constants', 'Declare each in a statement of its own')
  })
}

function hasBody(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined
}

function linesOf(source: Source, node: ts.Node): number {
  return lineOf(source, node.getEnd()) - lineOf(source, node.getStart(source.tree)) + 1
}

const suiteWords = new Set(['describe', 'it', 'test', 'suite'])

/**
 * Decides whether a function is a callback of `describe`, `it` and the like. A list of cases may be long, a
 * single step may not.
 */
function isSuiteCallback(node: ts.Node): boolean {
  return (
    ts.isCallExpression(node.parent) && node.parent.expression !== node && isSuiteCall(node.parent.expression)
  )
}

/**
 * Decides whether a call is one of `it`, `it.skipIf(condition)`, `describe.each(cases)` and the like. The
 * leftmost word decides.
 */
function isSuiteCall(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return suiteWords.has(callee.text)
  const isChain =
    ts.isPropertyAccessExpression(callee) ||
    ts.isCallExpression(callee) ||
    ts.isTaggedTemplateExpression(callee)
  if (!isChain) return false
  return isSuiteCall(ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression)
}

/**
 * Returns the number of lines of test cases inside a function that only groups them. They do not count as its
 * own lines.
 */
function suiteLinesIn(source: Source, outer: ts.Node): number {
  let lines = 0
  const visit = (node: ts.Node): void => {
    if (hasBody(node) && isSuiteCallback(node)) lines += linesOf(source, node)
    else ts.forEachChild(node, visit)
  }
  ts.forEachChild(outer, visit)
  return lines
}

function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return 'the constructor'
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined)
  return named === undefined ? 'this function' : named.getText()
}
