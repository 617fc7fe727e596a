/** Real Coffer processes for tests: started as a person would start them, watched, stopped and killed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { freePort } from '../../src/core/free-port.ts'
import { isAlive } from '../../src/core/process-table.ts'

export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url))
export const stub = join(repositoryRoot, 'server/bin/coffer.js')

/** The longest wait for any step, far above what a step takes on a loaded machine. */
const patienceMs = 180_000

export type Settings = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface CofferProcess {
  readonly pid: number
  readonly settings: Settings
  /** What it wrote so far. Results for people and pipes go to `stdout`; notes and the log go to `stderr`. */
  readonly stdout: string
  readonly stderr: string
  readonly ended: Promise<Ended>
  /** Sends a signal to the Coffer process alone, not to its children. */
  signal(name: NodeJS.Signals): void
  /** Resolves once its output matches the pattern, and rejects if the process ends first. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>
}

export interface RunningCoffer extends CofferProcess {
  readonly url: string
  readonly nodeUrl: string
  /** The time in milliseconds from the start until it reported that it is ready. */
  readonly readyMs: number
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<Ended>
}

export interface StartOptions {
  /**
   * The command that starts Coffer, such as `npm start`, or a command that changes the user first. The
   * default is `server/bin/coffer.js`.
   */
  readonly command?: readonly string[]
}

/**
 * Returns the settings of a Coffer that shares nothing with any other: free ports, and blocks every 0.2
 * seconds.
 */
export async function ownSettings(dataDir: string, over: Settings = {}): Promise<Settings> {
  const evmPort = await freePort()
  return {
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX_EVM_PORT: `${evmPort}`,
    SANDBOX_BLOCK_TIME_S: '0.2',
    RATE_LIMIT_PER_SECOND: '0',
    ...over,
  }
}

/** Every Coffer of this test file that still runs. */
const running = new Set<ChildProcess>()

/** Runs `coffer <words>` with these settings and no others. */
export function spawnCoffer(
  words: readonly string[],
  settings: Settings,
  { command = [process.execPath, stub] }: StartOptions = {},
): CofferProcess {
  const [program = '', ...before] = command
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, [...before, ...words], {
    cwd: repositoryRoot,
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return watch(child, settings)
}

/** Runs a command to its end. */
export async function runCoffer(
  words: readonly string[],
  settings: Settings,
  options?: StartOptions,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const coffer = spawnCoffer(words, settings, options)
  const { code } = await coffer.ended
  return { code, stdout: coffer.stdout, stderr: coffer.stderr }
}

/** Starts a Coffer and waits until it reports that it is ready. */
export async function startCoffer(
  settings: Settings,
  { words = ['start'], ...options }: StartOptions & { readonly words?: readonly string[] } = {},
): Promise<RunningCoffer> {
  const startedAt = performance.now()
  const coffer = spawnCoffer(words, settings, options)
  await coffer.wrote(/is ready after/)
  const readyMs = performance.now() - startedAt
  // In production no URL of a node is printed.
  const [, nodeUrl = ''] = await coffer.wrote(/(?:Dev chain|Chain) +(\S+)/)
  const [, url = ''] = /API +(\S+)/.exec(coffer.stdout) ?? []
  const stop = () => {
    coffer.signal('SIGTERM')
    return coffer.ended
  }
  return Object.assign(coffer, { url, nodeUrl, readyMs, stop })
}

function watch(child: ChildProcess, settings: Settings): CofferProcess {
  const text = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk
  })
  let hasEnded = false
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    hasEnded = true
    return { code, signal }
  })
  return {
    pid: required(child.pid, 'pid of Coffer'),
    settings,
    ended,
    get stdout() {
      return text.stdout
    },
    get stderr() {
      return text.stderr
    },
    signal: (name) => void child.kill(name),
    wrote: async (pattern) => {
      const giveUpAt = performance.now() + patienceMs
      for (;;) {
        const wasOver = hasEnded
        const found = pattern.exec(text.stdout) ?? pattern.exec(text.stderr)
        if (found !== null) return found
        if (wasOver || performance.now() > giveUpAt) {
          const printed = `${text.stdout}\n${text.stderr}`.slice(-3_000)
          throw new Error(
            `Coffer ${wasOver ? 'ended without writing' : 'did not write'} ${pattern}:\n${printed}`,
          )
        }
        await sleep(10)
      }
    },
  }
}

/**
 * Returns the ids of all processes that work in a data folder. They are found by their command line, or by
 * their working directory in the case of PostgreSQL's children.
 */
export function processesIn(dataDir: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid) && worksIn(pid, dataDir))
}

function worksIn(pid: number, dataDir: string): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir)) return true
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${dataDir}/`)
  } catch {
    return false
  }
}

/** Kills a Coffer and all processes that it started, as a power cut does. */
export async function killAll(coffer: CofferProcess, dataDir: string): Promise<void> {
  for (const pid of [coffer.pid, ...processesIn(dataDir)]) kill(pid)
  await coffer.ended
  const areGone = () => {
    for (const pid of processesIn(dataDir)) kill(pid)
    return processesIn(dataDir).length === 0
  }
  await vi.waitUntil(areGone, { timeout: 10_000 })
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}

/** Creates data folders for the tests of one file. At the end, all processes that work in them are killed. */
export function useDataDirs(): { fresh(): Promise<string>; copyOf(dataDir: string): Promise<string> } {
  const made: string[] = []
  const fresh = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'coffer-process-'))
    // If this process runs as root, PostgreSQL runs as another user. That user has no access to a folder with
    // the mode 0700 of mkdtemp.
    await chmod(dataDir, 0o755)
    made.push(dataDir)
    return dataDir
  }
  // Without this, the first command of a fresh clone would build, and its output would mix with what a test
  // expects.
  beforeAll(() => promisify(execFile)(process.execPath, [join(repositoryRoot, 'server/bin/build.js')]))
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL')
    for (const dataDir of made) {
      for (const pid of processesIn(dataDir)) kill(pid)
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    }
  })
  return {
    fresh,
    copyOf: async (dataDir) => {
      const copy = await fresh()
      // The copy keeps the owners, since the cluster belongs to the user that its server runs as.
      await promisify(execFile)('cp', ['-a', `${dataDir}/.`, copy])
      return copy
    },
  }
}
