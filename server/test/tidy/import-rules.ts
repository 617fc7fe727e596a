/** Rules about which file may import which; the table is test/layers.ts. */
import { builtinModules } from 'node:module'
import {
  capabilityAt,
  chainPort,
  conformanceSuite,
  districts,
  filesPerFolderMax,
  mayImport,
  mayImportAdapters,
  nounFileOf,
  readmeLinesMax,
  webMayImport,
} from '../layers.ts'
import { importGraph, importsOf } from './imports.ts'
import {
  type Finding,
  isShipped,
  isTest,
  type Repository,
  type Rule,
  type Source,
  sdkCommandRoot,
  sdkRoot,
  sourcePathOf,
  sourceRoot,
  type TextFile,
  testRoot,
  webRoot,
} from './repository.ts'

export const importRules: readonly Rule[] = [
  { title: 'a capability imports only what the table of layers allows it', find: findUpwardImports },
  { title: 'every file of src lies in a capability of the table of layers', find: findMisplacedFiles },
  { title: `no folder holds more than ${filesPerFolderMax} files of shipped code`, find: findCrowdedFolders },
  { title: `every district has a README of at most ${readmeLinesMax} lines`, find: findMissingReadmes },
  { title: 'a chain is seen through its port outside chains/, app/ and sandbox/', find: findAdapterImports },
  { title: 'a noun file imports core alone', find: findBusyNouns },
  { title: 'shipped code imports no test code, and imports no computed path', find: findTestImports },
  { title: 'the SDK imports nothing but itself', find: findSdkImports },
  { title: 'a part of the pages imports only what its table allows', find: findWebImports },
  { title: 'every imported package is declared', find: findUndeclaredPackages },
  { title: 'files do not import each other in a circle', find: findCycles },
  { title: 'every file is imported by another', find: findOrphans },
]

function findUpwardImports({ sources }: Repository): Finding[] {
  return eachImport(sources, ({ from, to }) =>
    from === to || (mayImport[from] ?? []).includes(to)
      ? undefined
      : {
          what: `${from}/ may not import ${to}/`,
          instead:
            'Declare the small interface you need and let app/ supply it, or move the code down; moving an edge of server/test/layers.ts is a change of the architecture',
        },
  )
}

function findMisplacedFiles({ sources }: Repository): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith(sourceRoot) && capabilityOf(path) === undefined)
    .map(({ path }) => ({
      path,
      line: 1,
      what: 'the file lies in no capability of the table of layers',
      instead:
        'Move it into its capability, or add the capability and what it may import to server/test/layers.ts',
    }))
}

function findCrowdedFolders({ sources }: Repository): Finding[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    if (!path.startsWith(sourceRoot) || isTest(path)) continue
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > filesPerFolderMax)
    .map(([path, count]) => ({
      path,
      line: 1,
      what: `the folder holds ${count} files`,
      instead: 'Give the files of one concern a folder of their own',
    }))
}

function findMissingReadmes({ files }: Repository): Finding[] {
  const present = districts.filter((district) =>
    files.some(({ path }) => path.startsWith(`${sourceRoot}${district}/`)),
  )
  return present.flatMap((district) => {
    const path = `${sourceRoot}${district}/README.md`
    const readme = files.find((file) => file.path === path)
    if (readme === undefined)
      return [{ path, line: 1, what: 'the district has no README', instead: readmeRemedy }]
    const lines = readme.text.trimEnd().split('\n').length
    if (lines <= readmeLinesMax) return []
    return [{ path, line: readmeLinesMax + 1, what: `the README has ${lines} lines`, instead: readmeRemedy }]
  })
}

const readmeRemedy = 'Say what the district is for, its files in reading order, and what it never does'

function findAdapterImports({ sources }: Repository): Finding[] {
  return eachImport(sources, ({ path, from, to, target }) => {
    if (to !== 'chains') return undefined
    const file = target.slice(sourceRoot.length)
    if (isConformance(target) && !isTest(path) && !isConformance(path))
      return { what: 'the conformance suite in shipped code', instead: 'Import it from a test' }
    if (mayImportAdapters.includes(from) || chainPort.includes(file)) return undefined
    return {
      what: `${from}/ reaches into ${file}`,
      instead: `Use ${chainPort.join(' or ')} and let app/ open the chain`,
    }
  })
}

function findBusyNouns({ sources }: Repository): Finding[] {
  return eachImport(sources, ({ path, from, to }) => {
    const noun = nounFileOf(from)
    if (noun === undefined || path !== sourceRoot + noun || to === 'core') return undefined
    return {
      what: `the noun file ${noun} imports ${to}/`,
      instead: 'Keep types and pure rules on core alone; translate in store.ts, view.ts or the use-case',
    }
  })
}

function isConformance(path: string): boolean {
  return path.startsWith(sourceRoot + conformanceSuite)
}

function findTestImports({ sources }: Repository): Finding[] {
  return sources
    .filter(({ path }) => isShipped(path))
    .flatMap((source) =>
      importsOf(source).flatMap(({ line, specifier, target }) => {
        const at = { path: source.path, line }
        if (specifier === undefined)
          return [{ ...at, what: 'an import of a computed path', instead: 'Name the module in the import' }]
        if (specifier === 'vitest' && !isConformance(source.path))
          return [{ ...at, what: 'shipped code imports Vitest', instead: `Move it below ${testRoot}` }]
        if (target === undefined || isShipped(target)) return []
        return [{ ...at, what: `shipped code imports ${target}`, instead: 'Keep what ships inside its src' }]
      }),
    )
}

/**
 * Finds imports of other packages in the SDK. The SDK runs in browsers and on other people's servers, so only
 * its command may import Node.
 */
function findSdkImports({ sources }: Repository): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith(sdkRoot) && isShipped(path))
    .flatMap((source) => {
      const isCommand = source.path.startsWith(sdkCommandRoot)
      return importsOf(source)
        .filter(({ specifier, target }) => {
          if (isCommand && specifier?.startsWith('node:')) return false
          return !target?.startsWith(sdkRoot) || (!isCommand && target.startsWith(sdkCommandRoot))
        })
        .map(({ line, specifier }) => ({
          path: source.path,
          line,
          what: `the SDK imports ${specifier ?? 'a computed path'}`,
          instead: `Use what every platform has, such as fetch and WebCrypto, or write it in sdk/src; only ${sdkCommandRoot} may ask for Node`,
        }))
    })
}

/**
 * Finds imports between parts of the web pages that the table does not allow. A page loads everything that
 * its part imports, so the table also keeps the payer's page small.
 */
function findWebImports({ sources }: Repository): Finding[] {
  const partOf = (path: string) => path.slice(webRoot.length).split('/', 1)[0] ?? ''
  return sources
    .filter(({ path }) => path.startsWith(webRoot) && isShipped(path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ target }) => {
          if (target === undefined) return false
          const from = partOf(source.path)
          const to = partOf(target)
          return !target.startsWith(webRoot) || (from !== to && !(webMayImport[from] ?? []).includes(to))
        })
        .map(({ line, specifier }) => ({
          path: source.path,
          line,
          what: `this part of the pages may not import ${specifier}`,
          instead: 'Move what both need into web/src/design, or move the edge in server/test/layers.ts',
        })),
    )
}

/**
 * Finds packages that are not declared. Shipped code may use server's `dependencies`; tests may also use what
 * the two package.json declare for development.
 */
function findUndeclaredPackages({ files, sources }: Repository): Finding[] {
  const declared = packagesIn(files, 'server/package.json', ['dependencies', 'optionalDependencies'])
  const forTests = new Set([
    ...declared,
    ...packagesIn(files, 'server/package.json', ['devDependencies']),
    ...packagesIn(files, 'package.json', ['dependencies', 'devDependencies']),
  ])
  const forPages = new Set([...packagesIn(files, 'web/package.json', ['dependencies']), 'coffer-sdk'])
  const forPageTests = new Set([...forTests, ...forPages])
  return sources
    .filter(({ path }) => /^(server|web)\//.test(path))
    .flatMap((source) => {
      const isShippedHere = isShipped(source.path) && !isConformance(source.path)
      const allowed = source.path.startsWith('web/')
        ? isTest(source.path)
          ? forPageTests
          : forPages
        : isShippedHere
          ? declared
          : forTests
      return importsOf(source).flatMap(({ line, specifier }) => {
        const name = packageOf(specifier)
        if (name === undefined || allowed.has(name)) return []
        const instead = 'Use a declared one, or declare it in server/package.json and docs/dependencies.md'
        return [{ path: source.path, line, what: `the package ${name} is not declared`, instead }]
      })
    })
}

function findCycles(repository: Repository): Finding[] {
  const graph = importGraph(repository)
  const seen = new Set<string>()
  return [...graph.keys()].sort().flatMap((start) => {
    const circle = seen.has(start) ? undefined : circleThrough(graph, start)
    if (circle === undefined) return []
    for (const path of circle) seen.add(path)
    const instead = 'Move what both need into a third file below them'
    return [
      {
        path: start,
        line: 1,
        what: `imports itself by way of ${circle.slice(1).join(' -> ') || 'itself'}`,
        instead,
      },
    ]
  })
}

/** Matches the files that an index.html or the build's configuration names. */
const webEntry = new RegExp(`^${webRoot}[a-z]+/main\\.tsx?$`)

/**
 * Finds files that no other file imports. Tests, processes and files named by a configuration need no
 * importer.
 */
function findOrphans(repository: Repository): Finding[] {
  const importers = new Map<string, Set<string>>()
  for (const [from, targets] of importGraph(repository))
    for (const to of targets) importers.set(to, (importers.get(to) ?? new Set()).add(from))
  const configuration = repository.files
    .filter(({ path }) => /(^|\/)(package\.json|[a-z]+\.config\.ts)$/.test(path))
    .map(({ text }) => text)
    .join('\n')
  return repository.sources
    .filter(({ path }) =>
      [sourceRoot, sdkRoot, webRoot, `${testRoot}support/`].some((root) => path.startsWith(root)),
    )
    .filter(({ path }) => path !== `${sdkRoot}index.ts` && path !== `${sdkCommandRoot}run.ts`)
    .filter(({ path }) => !isTest(path) || path.startsWith(`${testRoot}support/`))
    .filter(({ path }) => !path.startsWith(`${sourceRoot}bin/`) && !webEntry.test(path))
    .filter(({ path }) => !isConformance(path) && !configuration.includes(path.replace('server/', '')))
    .filter(({ path }) => ![...(importers.get(path) ?? [])].some((from) => from !== ownTestOf(path)))
    .map(({ path }) => ({ path, line: 1, what: 'nobody imports this file', instead: 'Use it or delete it' }))
}

function capabilityOf(path: string): string | undefined {
  const sourcePath = sourcePathOf(path)
  return sourcePath === undefined ? undefined : capabilityAt(sourcePath)
}

interface Crossing {
  readonly path: string
  readonly from: string
  readonly to: string
  readonly target: string
}

/** Applies `findingFor` to each import between two files of src, and returns the findings. */
function eachImport(
  sources: readonly Source[],
  findingFor: (crossing: Crossing) => Pick<Finding, 'what' | 'instead'> | undefined,
): Finding[] {
  return sources.flatMap((source) => {
    const from = capabilityOf(source.path)
    if (from === undefined) return []
    return importsOf(source).flatMap(({ line, target }) => {
      const to = target === undefined ? undefined : capabilityOf(target)
      const verdict =
        to === undefined || target === undefined
          ? undefined
          : findingFor({ path: source.path, from, to, target })
      return verdict === undefined ? [] : [{ path: source.path, line, ...verdict }]
    })
  })
}

/** Returns the shortest cycle of imports from `start` back to itself, without repeating `start`. */
function circleThrough(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const path of queue)
    for (const next of graph.get(path) ?? []) {
      if (next === start) return pathTo(path, cameFrom)
      if (cameFrom.has(next)) continue
      cameFrom.set(next, path)
      queue.push(next)
    }
  return undefined
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const chain = [end]
  for (let at = cameFrom.get(end); at !== undefined; at = cameFrom.get(at)) chain.unshift(at)
  return chain
}

function ownTestOf(path: string): string {
  return path.replace(/\.(tsx?)$/, '.test.$1')
}

function packageOf(specifier: string | undefined): string | undefined {
  if (specifier === undefined || /^(\.|node:)/.test(specifier) || builtinModules.includes(specifier))
    return undefined
  const [first, second] = specifier.split('/')
  return first?.startsWith('@') ? `${first}/${second}` : first
}

/** Returns the package names in the given parts of one package.json. */
export function packagesIn(
  files: readonly TextFile[],
  path: string,
  parts: readonly string[],
): ReadonlySet<string> {
  const text = files.find((file) => file.path === path)?.text ?? '{}'
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(text)
  return new Set(parts.flatMap((part) => Object.keys(manifest[part] ?? {})))
}
