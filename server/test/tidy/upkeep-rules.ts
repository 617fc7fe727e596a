/** Rules about files that must agree with each other. */
import { packagesIn } from './import-rules.ts'
import type { Finding, Repository, Rule } from './repository.ts'

export const upkeepRules: readonly Rule[] = [
  { title: 'migrations are numbered 0001, 0002, ... without a gap', find: findMigrationGaps },
  {
    title: 'docs/dependencies.md has a line for each dependency and for nothing else',
    find: findDependencyDrift,
  },
]

const migrations = 'server/src/platform/db/migrations/'
const dependencyPage = 'docs/dependencies.md'

/**
 * Finds gaps and repeats in the numbers of migrations. Migrations run in the order of their names, so a gap
 * or a repeat would leave the order to chance.
 */
function findMigrationGaps({ files }: Repository): Finding[] {
  const names = files
    .filter(({ path }) => path.startsWith(migrations))
    .map(({ path }) => path.slice(migrations.length))
    .sort()
  return names.flatMap((name, index) => {
    const number = String(index + 1).padStart(4, '0')
    if (new RegExp(`^${number}-[a-z0-9]+(-[a-z0-9]+)*\\.sql$`).test(name)) return []
    const what = `migration ${name} stands where ${number} belongs`
    return [{ path: migrations + name, line: 1, what, instead: `Name it ${number}-what-it-adds.sql` }]
  })
}

function findDependencyDrift(repository: Repository): Finding[] {
  const listed = listedPackages(repository)
  const declared = declaredPackages(repository)
  const missing = [...declared].filter(([name]) => ![...listed.keys()].some((row) => covers(row, name)))
  const extra = [...listed].filter(([row]) => ![...declared.keys()].some((name) => covers(row, name)))
  return [
    ...missing.map(([name, path]) => ({
      path,
      line: 1,
      what: `${name} has no line in ${dependencyPage}`,
      instead: 'Write down why it is here, who keeps it, what would replace it and its licence',
    })),
    ...extra.map(([row, line]) => ({
      path: dependencyPage,
      line,
      what: `${row} is listed and no package.json declares it`,
      instead: 'Delete the line',
    })),
  ]
}

/**
 * Returns each package with the package.json that declares it. The workspaces themselves do not count as
 * dependencies.
 */
function declaredPackages({ files }: Repository): ReadonlyMap<string, string> {
  const parts = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  return new Map(
    files
      .filter(({ path }) => /(^|\/)package\.json$/.test(path))
      .flatMap(({ path }) =>
        [...packagesIn(files, path, parts)].map((name): [string, string] => [name, path]),
      ),
  )
}

/** Returns the first cell of each row of the page's tables, with its line. */
function listedPackages({ files }: Repository): ReadonlyMap<string, number> {
  const page = files.find(({ path }) => path === dependencyPage)?.text ?? ''
  return new Map(
    page.split('\n').flatMap((content, index) => {
      const name = /^\| `([^`]+)` \|/.exec(content)?.[1]
      return name === undefined ? [] : [[name, index + 1] as const]
    }),
  )
}

/** Decides whether a row covers a package. A row `@scope/*` covers the platform packages of one scope. */
function covers(row: string, name: string): boolean {
  return row.endsWith('/*') ? name.startsWith(row.slice(0, -1)) : row === name
}
