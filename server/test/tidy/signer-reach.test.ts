/**
 * Checks which code can run in the process that holds the keys. It follows every import from the entry,
 * packages included.
 */
import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const sources = join(root, 'server/src')

/**
 * The packages that may run in the signer. Adding a line is a decision, because the package's code runs
 * beside the seed.
 */
const allowedPackages = [
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  '@scure/bip32',
  '@scure/bip39',
  '@scure/btc-signer',
  'abitype',
  'micro-packed',
  'ox',
]

/** Our own folders that the signer may reach. Of the chains, only the pure part is allowed. */
const allowedFolders = ['bin', 'chains', 'core', 'signer', 'signing']

interface Reach {
  readonly packages: ReadonlySet<string>
  readonly builtins: ReadonlySet<string>
  /** Our own files, relative to server/src. */
  readonly files: ReadonlySet<string>
}

/**
 * Follows the imports from an entry and returns what they reach.
 * @param intoPackages whether to follow imports inside packages, too
 */
function reachOf(entry: string, intoPackages: boolean): Reach {
  const packages = new Set<string>()
  const builtins = new Set<string>()
  const files = new Set<string>()
  const seen = new Set<string>()
  const waiting = [entry]
  for (const path of waiting) {
    if (seen.has(path)) continue
    seen.add(path)
    const name = packageOf(path)
    if (name === undefined) files.add(relative(sources, path))
    else packages.add(name)
    for (const specifier of specifiersOf(path)) {
      if (isBuiltin(specifier)) builtins.add(specifier.replace(/^node:/, ''))
      else if (intoPackages || specifier.startsWith('.')) waiting.push(resolved(specifier, path))
      else packages.add(nameIn(specifier))
    }
  }
  return { packages, builtins, files }
}

/** Returns static and dynamic imports, re-exports and `require`, but no type-only imports. */
function specifiersOf(path: string): readonly string[] {
  if (path.endsWith('.json')) return []
  const text = readFileSync(path, 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const importsInside = /\b(?:import|require)\s*\(/.test(text)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    if (specifier !== undefined) {
      if (!ts.isStringLiteralLike(specifier)) throw new Error(`${path} imports a computed path`)
      found.push(specifier.text)
    }
    // Import declarations are top-level statements of a file. Inside a statement only calls of `import` and
    // `require` can import, so statements of a file without such calls are not searched.
    if (importsInside || node === tree) ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function specifierOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node)) return isOfTypes(node) ? undefined : node.moduleSpecifier
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier
  if (!ts.isCallExpression(node)) return undefined
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isImport || isRequire ? node.arguments[0] : undefined
}

/** Decides whether an import is type-only. With verbatimModuleSyntax only `import type` is removed. */
function isOfTypes({ importClause }: ts.ImportDeclaration): boolean {
  return importClause?.isTypeOnly === true
}

function resolved(specifier: string, from: string): string {
  if (specifier.startsWith('.')) {
    const path = join(dirname(from), specifier)
    return packageOf(from) === undefined ? path : createRequire(from).resolve(path)
  }
  const { resolvedModule } = ts.resolveModuleName(specifier, from, resolution, javaScriptHost)
  return resolvedModule?.resolvedFileName ?? createRequire(from).resolve(specifier)
}

/**
 * Resolves packages to the code that Node loads, and not to their types. `javaScriptHost` hides declaration
 * files from the compiler, so that it finds the code.
 */
const resolution: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowJs: true,
  maxNodeModuleJsDepth: 10,
}
const javaScriptHost: ts.ModuleResolutionHost = {
  ...ts.sys,
  fileExists: (path) => !path.endsWith('.d.ts') && !path.endsWith('.d.mts') && ts.sys.fileExists(path),
}

function nameIn(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
}

const signer = reachOf(join(sources, 'bin/signer.ts'), true)

it('the packages that the signer can reach are those of the list', () => {
  expect([...signer.packages].sort()).toEqual(allowedPackages)
})

it('the signer reaches no module that opens network connections', () => {
  const network = [
    'http',
    'https',
    'http2',
    'tls',
    'dgram',
    'dns',
    'dns/promises',
    'child_process',
    'cluster',
  ]
  expect([...signer.builtins].filter((name) => network.includes(name))).toEqual([])
  const netFiles = [...signer.files].filter((file) => specifiersOf(join(sources, file)).includes('node:net'))
  expect(netFiles.sort()).toEqual(['signer/command/log-lock.ts', 'signer/serve.ts'])
})

it('the signer reaches neither database nor service', () => {
  const folders = new Set([...signer.files].map((file) => file.split('/')[0]))
  expect([...folders].sort()).toEqual(allowedFolders)
  expect([...signer.files].filter((file) => /reader|sender|rpc|open-chain/.test(file))).toEqual([])
})

it('E18 the service reaches no code that could open a keystore', { timeout: 60_000 }, () => {
  const service = reachOf(join(sources, 'bin/coffer.ts'), false)
  expect([...service.files].filter((file) => file.startsWith('signer/')).sort()).toEqual([
    'signer/command/usage.ts',
    'signer/keys/order-keys.ts', // reads the key that signs orders, and those that check it
    'signer/keys/private-file.ts', // reads the key of approvals
    'signer/keys/signer-files.ts',
  ])
  expect([...service.packages]).not.toContain('@scure/bip39')
})
