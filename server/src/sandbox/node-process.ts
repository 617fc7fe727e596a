/**
 * Runs a development node as a detached process, which keeps running when Coffer is stopped or killed. Coffer
 * can therefore stop the node after the processes that read from it.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { required } from '../core/assert.ts'
import { birthOf, isAlive } from '../core/process-table.ts'
import { endProcess, type NodeRecord, removeRecord } from './node-record.ts'

export interface NodeServer {
  readonly url: string
  readonly pid: number
  /** Registers a callback that is called if the node ends although nobody stopped it. */
  onExit(callback: () => void): void
  /** Stops the node after it has saved its chain. */
  stop(): Promise<void>
}

export interface NodeCommand {
  readonly program: string
  readonly args: readonly string[]
  /** The file for the program's output, truncated at each start. */
  readonly outputFile: string
  /** Returns the error for the case that the program cannot be run. Its message says what the user can do. */
  explain?(cause: Error): Error
}

const readyTimeoutMs = 20_000
const stopTimeoutMs = 10_000
const watchEveryMs = 250
/** Number of characters that are shown from the end of the output, to explain why the node did not start. */
const outputCharsMax = 2000

/** Starts a node. Rejects if its program cannot be run. */
export async function launchNode({
  program,
  args,
  outputFile,
  explain = (cause) => cause,
}: NodeCommand): Promise<Pick<NodeRecord, 'pid' | 'birth'>> {
  const output = openSync(outputFile, 'w')
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', output, output],
    // The environment of Coffer contains secrets, so the node gets only these variables.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  })
  closeSync(output)
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve).once('error', (error) => reject(explain(error)))
  })
  child.unref()
  const pid = required(child.pid, `pid of ${program}`)
  return { pid, birth: birthOf(pid) ?? '' }
}

/** Waits until a new node answers. Returns false if it ends, or does not answer within 20 seconds. */
export async function comesToAnswer(pid: number, answers: () => Promise<boolean>): Promise<boolean> {
  const until = Date.now() + readyTimeoutMs
  while (isAlive(pid) && Date.now() < until) {
    if (await answers()) return true
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return false
}

/** Returns the end of a node's output. */
export function readOutput(outputFile: string): string {
  return readFileSync(outputFile, 'utf8').slice(-outputCharsMax)
}

export interface Supervision {
  readonly url: string
  readonly recordFile: string
  /** Stops the timers that this kind of node needs while it runs, such as the timer that mines blocks. */
  rest(): void
}

/** Watches a node until it ends by itself or is stopped. */
export function superviseNode(pid: number, { url, recordFile, rest }: Supervision): NodeServer {
  const exitCallbacks: (() => void)[] = []
  const restAll = () => {
    rest()
    clearInterval(watching)
  }
  const watching = setInterval(() => {
    if (isAlive(pid)) return
    restAll()
    for (const callback of exitCallbacks) callback()
  }, watchEveryMs)
  watching.unref()
  return {
    url,
    pid,
    onExit: (callback) => void exitCallbacks.push(callback),
    stop: async () => {
      restAll()
      await endNode(pid)
      removeRecord(recordFile)
    },
  }
}

/** Asks a node to save its chain and end. Kills the node if it still runs after ten seconds. */
export function endNode(pid: number): Promise<void> {
  return endProcess(pid, stopTimeoutMs)
}

/**
 * Ends a node that does not answer. A node in this state rarely reacts to SIGTERM, so it is killed after one
 * second.
 */
export function endStuckNode(pid: number): Promise<void> {
  return endProcess(pid, 1_000)
}
