/** A process that outlives its parent, known again by pid, start time and command line. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { birthOf, commandLineOf, isAlive } from '../core/process-table.ts'

/** What is written down of a running development node. */
export interface NodeRecord {
  readonly pid: number
  /** Of its RPC. */
  readonly port: number
  /** Absent of a node that mines when told. */
  readonly blockTimeS?: number
  /** As the system tells it: a pid is given to another process sooner or later, with a later birth. */
  readonly birth: string
}

export function writeRecord(file: string, record: NodeRecord): void {
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export function removeRecord(file: string): void {
  rmSync(file, { force: true })
}

/** The recorded node if it still runs and was started with `place`, a path of its own; undefined when it does not. */
export async function findRecorded(file: string, place: string): Promise<NodeRecord | undefined> {
  const record = readRecord(file)
  if (record === undefined || !isAlive(record.pid) || birthOf(record.pid) !== record.birth) return undefined
  const commandLine = await commandLineOf(record.pid)
  return commandLine.some((word) => word.includes(place)) ? record : undefined
}

function readRecord(file: string): NodeRecord | undefined {
  try {
    const { pid, port, blockTimeS, birth } = JSON.parse(readFileSync(file, 'utf8'))
    if (![pid, port].every(Number.isFinite) || typeof birth !== 'string') return undefined
    return { pid, port, birth, ...(Number.isFinite(blockTimeS) && { blockTimeS }) }
  } catch {
    return undefined
  }
}

/** Asks the process to end, waits, and ends it for good when it does not within `patienceMs`. */
export async function endProcess(pid: number, patienceMs: number): Promise<void> {
  signalProcess(pid, 'SIGTERM')
  if (await isGoneWithin(pid, patienceMs)) return
  signalProcess(pid, 'SIGKILL')
  await isGoneWithin(pid, 5_000)
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already.
  }
}

async function isGoneWithin(pid: number, limitMs: number): Promise<boolean> {
  const until = Date.now() + limitMs
  while (isAlive(pid)) {
    if (Date.now() > until) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}
