/** A process that outlives its parent, known again by pid, start time and command line. */
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** What is written down of a running anvil. */
export interface AnvilRecord {
  readonly pid: number
  readonly port: number
  readonly blockTimeS: number
  /** As the system tells it: a pid is given to another process sooner or later, with a later start. */
  readonly startTime: string
}

export function writeRecord(file: string, record: AnvilRecord): void {
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export function removeRecord(file: string): void {
  rmSync(file, { force: true })
}

/** The recorded anvil if it still runs with the state file `stateFile`; undefined when it does not. */
export function findRecorded(file: string, stateFile: string): AnvilRecord | undefined {
  const record = readRecord(file)
  if (record === undefined || !isAlive(record.pid)) return undefined
  if (startTimeOf(record.pid) !== record.startTime) return undefined
  return commandLineOf(record.pid)?.includes(stateFile) ? record : undefined
}

function readRecord(file: string): AnvilRecord | undefined {
  try {
    const { pid, port, blockTimeS, startTime } = JSON.parse(readFileSync(file, 'utf8'))
    const numbers = [pid, port, blockTimeS]
    if (!numbers.every(Number.isFinite) || typeof startTime !== 'string') return undefined
    return { pid, port, blockTimeS, startTime }
  } catch {
    return undefined
  }
}

/** A zombie does not live, once its last thread is gone: until then anvil may still hold its port. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = processStat(pid)
  return stat?.[0] !== 'Z' || Number(stat[threadsField - stateField]) > 1
}

export function startTimeOf(pid: number): string | undefined {
  return processStat(pid)?.[startTimeField - stateField] ?? askPs(pid, 'lstart=')
}

function commandLineOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return askPs(pid, 'command=')
  }
}

/** proc(5): fields of /proc/<pid>/stat, counted from 1; the second may hold spaces and ends with the last ")". */
const stateField = 3
const threadsField = 20
const startTimeField = 22

/** The fields from the third on; undefined where there is no /proc. */
function processStat(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function askPs(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' }).trim() || undefined
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
