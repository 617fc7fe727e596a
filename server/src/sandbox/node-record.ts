/**
 * Records the process of a development node, and finds the process again by pid, start time and command line.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { birthOf, commandLineOf, isAlive } from '../core/process-table.ts'

/** The stored record of a running development node. */
export interface NodeRecord {
  readonly pid: number
  /** The port on which the node serves RPC. */
  readonly port: number
  /** Seconds between blocks; undefined if the node mines only on request. */
  readonly blockTimeS?: number
  /** The start time of the process. It distinguishes the process from a later one with the same pid. */
  readonly birth: string
}

export function writeRecord(file: string, record: NodeRecord): void {
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export function removeRecord(file: string): void {
  rmSync(file, { force: true })
}

/**
 * Returns the recorded node if it still runs and its command line contains `path`; undefined if not. No other
 * program has this path in its command line.
 */
export async function findRecorded(file: string, path: string): Promise<NodeRecord | undefined> {
  const record = readRecord(file)
  if (record === undefined || !isAlive(record.pid) || birthOf(record.pid) !== record.birth) return undefined
  const commandLine = await commandLineOf(record.pid)
  return commandLine.some((word) => word.includes(path)) ? record : undefined
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

/** Sends SIGTERM. Sends SIGKILL if the process has not ended `patienceMs` later. */
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
    // The process has already ended.
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
