/** Runs the simulator of Quint on a model of `server/models`, as a process of its own. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../models/', import.meta.url))
const program = join(folder, 'node_modules/@informalsystems/quint/dist/src/cli.js')

/** Quint is not among the packages that `npm ci` installs at the root. */
export const isQuintInstalled = existsSync(program)
export const quintMissing = 'Quint is not installed: run "npm ci --prefix server/models"'

export interface Simulation {
  /** The file in `server/models`. */
  readonly file: string
  /** The module whose constants select the rules of the model. */
  readonly module: string
  readonly seed: string
  /** The maximum number of traces. */
  readonly traces: number
  /** The number of steps of each trace. */
  readonly steps: number
  readonly invariants: readonly string[]
}

export type Simulated =
  | { readonly type: 'clean' }
  /** @property states the states of the trace, in the Informal Trace Format without its marks for types */
  | { readonly type: 'violated'; readonly states: readonly unknown[] }

/** Returns the command that repeats a simulation in `server/models`. */
export function commandOf(simulation: Simulation): string {
  return `npx quint ${argumentsOf(simulation).join(' ')}`
}

/**
 * Makes traces until one violates an invariant.
 * @throws Error if Quint cannot read the model
 */
export async function simulate(simulation: Simulation): Promise<Simulated> {
  const traceFolder = await mkdtemp(join(tmpdir(), 'coffer-model-'))
  try {
    const file = join(traceFolder, 'trace.itf.json')
    const printed = await run([...argumentsOf(simulation), `--out-itf=${file}`, '--verbosity=1'])
    if (printed.includes('[ok]')) return { type: 'clean' }
    if (!printed.includes('[violation]')) throw new Error(`Quint did not run the model:\n${printed}`)
    const { states } = JSON.parse(await readFile(file, 'utf8')) as { readonly states: readonly unknown[] }
    return { type: 'violated', states: states.map(withoutMarks) }
  } finally {
    await rm(traceFolder, { recursive: true, force: true })
  }
}

function argumentsOf({ file, module, seed, traces, steps, invariants }: Simulation): readonly string[] {
  return [
    'run',
    file,
    // The other backend is a program that Quint would download.
    '--backend=typescript',
    `--main=${module}`,
    `--seed=${seed}`,
    `--max-samples=${traces}`,
    `--max-steps=${steps}`,
    '--invariants',
    ...invariants,
  ]
}

/** A simulation that lasts longer is ended. */
const patienceMs = 280_000

/** Returns what Quint printed. It exits with an error if it found a violation. */
function run(words: readonly string[]): Promise<string> {
  // The simulator makes many short-lived objects. A larger young generation saves a third of its time.
  const options = ['--max-semi-space-size=128', program]
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...options, ...words],
      { cwd: folder, timeout: patienceMs },
      (_, stdout, stderr) => resolve(stdout + stderr),
    )
  })
}

/**
 * Returns a value of a trace as plain data: numbers, lists, and records. A set becomes a list, and a map
 * becomes a record whose names are its keys. The module's name is removed from the names of variables.
 */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks)
  if (typeof value !== 'object' || value === null) return value
  const record = value as Readonly<Record<string, unknown>>
  if (typeof record['#bigint'] === 'string') return Number(record['#bigint'])
  if ('#set' in record) return withoutMarks(record['#set'])
  if ('#tup' in record) return withoutMarks(record['#tup'])
  const pairs = '#map' in record ? (record['#map'] as [unknown, unknown][]) : Object.entries(record)
  return Object.fromEntries(
    pairs.map(([key, one]) => [String(withoutMarks(key)).replace(/^.*::/, ''), withoutMarks(one)]),
  )
}
