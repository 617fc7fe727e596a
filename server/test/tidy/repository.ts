/** The input of the tidy rules: files by path and text, with the TypeScript ones parsed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

export interface TextFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Source extends TextFile {
  readonly tree: ts.SourceFile
}

export interface Repository {
  readonly files: readonly TextFile[]
  /** The TypeScript files among them. */
  readonly sources: readonly Source[]
}

/** A fault: its place, a description, and what to do instead. */
export interface Finding {
  readonly path: string
  readonly line: number
  readonly what: string
  readonly instead: string
}

export interface Rule {
  /** The guarantee, as the title of its test. */
  readonly title: string
  find(repository: Repository): readonly Finding[]
}

export function repositoryOf(files: readonly TextFile[]): Repository {
  return { files, sources: files.filter((file) => /\.tsx?$/.test(file.path)).map(parse) }
}

/** Reads every file that a person wrote below `root`. */
export function readRepository(root: string): Repository {
  return repositoryOf(
    pathsBelow(root, '').map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  )
}

/** Returns one line per finding, in the order of files. The text is empty if there is none. */
export function report(findings: readonly Finding[]): string {
  return [...findings]
    .sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
    .map(({ path, line, what, instead }) => `${path}:${line}  ${what}. ${instead}.`)
    .join('\n')
}

export function findingAt(source: Source, node: ts.Node, what: string, instead: string): Finding {
  return { path: source.path, line: lineOf(source, node.getStart(source.tree)), what, instead }
}

/** Returns the findings of a rule that looks at one node at a time, in the order of sources and nodes. */
export function eachNode(
  sources: readonly Source[],
  check: (node: ts.Node, source: Source) => Finding | undefined,
): Finding[] {
  return sources.flatMap((source) => {
    return nodesOf(source.tree).flatMap((node) => check(node, source) ?? [])
  })
}

export function lineOf(source: Source, position: number): number {
  return source.tree.getLineAndCharacterOfPosition(position).line + 1
}

/** Calls `visit` on every node of the file, parents first. */
export function visitAll(node: ts.Node, visit: (node: ts.Node) => void): void {
  for (const each of nodesOf(node)) visit(each)
}

const nodesByTree = new WeakMap<ts.Node, readonly ts.Node[]>()

/** Returns a node and all below it, parents first. They are kept, because every rule reads the same files. */
function nodesOf(tree: ts.Node): readonly ts.Node[] {
  const known = nodesByTree.get(tree)
  if (known !== undefined) return known
  const nodes: ts.Node[] = []
  const add = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, add)
  }
  add(tree)
  nodesByTree.set(tree, nodes)
  return nodes
}

export const sourceRoot = 'server/src/'
export const testRoot = 'server/test/'
export const sdkRoot = 'sdk/src/'
export const webRoot = 'web/src/'
/** The command `coffer-dev`, which programs do not import. */
export const sdkCommandRoot = 'sdk/src/dev/'

export function isTest(path: string): boolean {
  return path.startsWith(testRoot) || /\.test\.tsx?$/.test(path)
}

/** Decides whether code is shipped: it is in the src of a workspace, and is not a test. */
export function isShipped(path: string): boolean {
  return [sourceRoot, sdkRoot, webRoot].some((root) => path.startsWith(root)) && !isTest(path)
}

/** Returns the path below server/src of a file that is in a folder there. */
export function sourcePathOf(path: string): string | undefined {
  const sourcePath = path.startsWith(sourceRoot) ? path.slice(sourceRoot.length) : undefined
  return sourcePath?.includes('/') ? sourcePath : undefined
}

const readable = /\.(tsx?|mjs|js|css|html|json|sql|sol|md|sh)$|^\.ci\//
const ignoredFolders = /^(node_modules|dist|dist\..*|data|coverage|package-lock\.json|\.git)$/

function pathsBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !ignoredFolders.test(entry.name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) return pathsBelow(root, path)
      return entry.isFile() && readable.test(path) ? [path] : []
    })
}

/** Parses a file when its tree is first read, because some tests need the trees of a few files only. */
function parse(file: TextFile): Source {
  let tree: ts.SourceFile | undefined
  return {
    ...file,
    get tree() {
      tree ??= ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true)
      return tree
    },
  }
}
