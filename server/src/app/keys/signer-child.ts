/**
 * Runs the signer as a child process of a sandbox, with an empty environment and file paths as arguments. No
 * secret enters this process.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'

/** The executable of Coffer. For the commands "signer" and "keys" it loads no code of the service. */
const coffer = join(fileURLToPath(new URL('../../../', import.meta.url)), 'bin', 'coffer.js')

/**
 * Runs `coffer keys <words>` to its end and returns its output.
 * @throws Error with the command's message
 */
export function runKeysProcess(words: readonly string[]): Promise<string> {
  return runToEnd(['keys', ...words])
}

/**
 * Runs `coffer signer <words>` to its end and returns its output. The first word must name a subcommand that
 * ends by itself, such as `lift`.
 * @throws Error with the command's message
 */
export function runSignerVerb(words: readonly string[]): Promise<string> {
  return runToEnd(['signer', ...words])
}

/** Much longer than any of these commands takes on a slow host. A command that takes longer hangs. */
const commandTimeoutMs = 180_000

async function runToEnd(words: readonly string[]): Promise<string> {
  const options = { env: {}, encoding: 'utf8', timeout: commandTimeoutMs } as const
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [coffer, ...words], options)
    return stdout.trim()
  } catch (error) {
    throw new Error(whyFailed(words, error as CommandError), { cause: error })
  }
}

/** The properties of the error of `execFile` that are used here. `killed` is true after the timeout. */
interface CommandError {
  readonly stderr?: string
  readonly killed?: boolean
}

/** Returns the command's own error message. It also says if the command was stopped, or printed no message. */
export function whyFailed(words: readonly string[], { stderr = '', killed = false }: CommandError): string {
  const command = `coffer ${words.slice(0, 2).join(' ')}`
  const message = stderr.trim()
  if (!killed) return message || `"${command}" ended without an error message`
  const stopped = `"${command}" was stopped because it took longer than ${commandTimeoutMs / 1_000} s`
  return message === '' ? stopped : `${stopped}: ${message}`
}

export interface SignerChildParts {
  /** The arguments of `coffer signer`. */
  readonly words: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

const restartMs = 1_000
const restartMsMax = 30_000
const endTimeoutMs = 5_000
const saidCharsMax = 2_000

/**
 * Keeps a signer running until it is stopped. While the signer is not running, no money leaves, and
 * everything else continues.
 */
export class SignerChild {
  readonly #parts: SignerChildParts
  readonly #stopping = new AbortController()
  readonly #kept: Promise<void>
  #child: ChildProcess | undefined

  constructor(parts: SignerChildParts) {
    this.#parts = parts
    this.#kept = this.#keep()
  }

  /** The id of the running process. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const child = this.#child
    child?.stdin?.end()
    const timer = setTimeout(() => child?.kill('SIGKILL'), endTimeoutMs)
    await this.#kept
    clearTimeout(timer)
  }

  async #keep(): Promise<void> {
    const { clock, log } = this.#parts
    const { signal } = this.#stopping
    for (let waitMs = restartMs; !signal.aborted; waitMs = Math.min(2 * waitMs, restartMsMax)) {
      const startedAt = performance.now()
      const said = await this.#runOnce()
      if (signal.aborted) return
      if (performance.now() - startedAt > restartMsMax) waitMs = restartMs
      log.error({ alert: 'signer-down', said, restartMs: waitMs }, 'the signer ended and is restarted')
      await clock.sleep(waitMs, signal)
    }
  }

  /** Runs the signer until it ends, and returns its last output on standard error. */
  async #runOnce(): Promise<string> {
    // The signer is detached into a process group of its own, so that Ctrl-C reaches only this process. The
    // signer ends when its standard input is closed.
    const child = spawn(process.execPath, [coffer, 'signer', '--child', ...this.#parts.words], {
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    this.#child = child
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-saidCharsMax)
    })
    child.stdin?.on('error', () => {})
    if (this.#stopping.signal.aborted) child.stdin?.end()
    await Promise.race([once(child, 'close'), once(child, 'error')]).catch(() => {})
    return said.trim()
  }
}
