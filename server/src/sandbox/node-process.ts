/** A development node as a process: it runs detached and outlives Coffer, so that it ends after those who read it. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { required } from '../core/assert.ts'
import { birthOf, isAlive } from '../core/process-table.ts'
import { endProcess, type NodeRecord, removeRecord } from './node-record.ts'

export interface NodeServer {
  readonly url: string
  readonly pid: number
  /** Calls once when the node ends without having been stopped. */
  onExit(callback: () => void): void
  /** Lets the node save its chain and end. */
  stop(): Promise<void>
}

export interface NodeCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Where its output goes, begun anew with each start. */
  readonly outputFile: string
  /** Says what to do where the program cannot be run. */
  explain?(cause: Error): Error
}

const readyTimeoutMs = 20_000
const stopTimeoutMs = 10_000
const watchEveryMs = 250
/** As much of its output as tells why it did not start. */
const outputCharsMax = 2000

/** Starts a node. Rejects where its program cannot be run. */
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
    // Ours holds secrets that are no business of its.
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

/** Whether a node that was just launched comes to answer; false once it has ended. */
export async function comesToAnswer(pid: number, answers: () => Promise<boolean>): Promise<boolean> {
  const until = Date.now() + readyTimeoutMs
  while (isAlive(pid) && Date.now() < until) {
    if (await answers()) return true
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return false
}

/** The end of what a node wrote. */
export function readOutput(outputFile: string): string {
  return readFileSync(outputFile, 'utf8').slice(-outputCharsMax)
}

export interface Supervision {
  readonly url: string
  readonly recordFile: string
  /** Ends what is done for the node while it runs. */
  rest(): void
}

/** Watches a node until it ends by itself, or is stopped. */
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

/** Lets a node save its chain and end; ends it for good where it takes too long. */
export function endNode(pid: number): Promise<void> {
  return endProcess(pid, stopTimeoutMs)
}

/** Ends a node that does not answer: it would not hear a request to end either. */
export function endStuckNode(pid: number): Promise<void> {
  return endProcess(pid, 1_000)
}
