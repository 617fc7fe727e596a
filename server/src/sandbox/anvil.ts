/**
 * The sandbox's dev chain: anvil, started, adopted and stopped. It runs detached, so that Ctrl-C reaches Coffer alone
 * and the chain stops after those who read it; should Coffer be killed, the next start finds it by its record.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { birthOf, isAlive } from '../core/process-table.ts'
import { anvilMissing, findAnvil } from './anvil-binary.ts'
import {
  copyEveryMs,
  copyState,
  openStateFiles,
  putAside,
  type StateFiles,
  saveIntervalS,
} from './anvil-state.ts'
import { callNode } from './node-call.ts'
import { endProcess, findRecorded, type NodeRecord, removeRecord, writeRecord } from './node-record.ts'

export interface AnvilServer {
  readonly url: string
  readonly pid: number
  /** Calls once when anvil ends without having been stopped. */
  onExit(callback: () => void): void
  /** Lets anvil save its state and end. */
  stop(): Promise<void>
}

type AnvilRecord = NodeRecord & { readonly blockTimeS: number }

export interface AnvilSettings {
  readonly dataDir: string
  readonly port: number
  /** Seconds between blocks; may be fractional. */
  readonly blockTimeS: number
  readonly log: Log
}

const readyTimeoutMs = 20_000
const stopTimeoutMs = 10_000
/** For one that does not answer: it would not hear a request to end either. */
const stuckTimeoutMs = 1_000
const watchEveryMs = 250
const correctClockEveryMs = 1_000
/** How far blocks may be behind the clock, beyond three block times, before anvil's clock is set. */
const clockSlackS = 2

/** Starts the dev chain of `dataDir`, or takes over the one that runs already. Rejects with what to do about it. */
export async function startAnvil(settings: AnvilSettings): Promise<AnvilServer> {
  const files = await openStateFiles(settings.dataDir)
  const recordFile = path.join(files.folder, 'anvil.pid')
  const running = await adopt(await findRecorded(recordFile, files.state), settings)
  if (running !== undefined) return supervise(running, recordFile, files)

  await refuseTakenPort(settings.port)
  const record = await launchWithState(settings, files, recordFile)
  await keepTimeIncreasing(urlOf(record))
  return supervise(record, recordFile, files)
}

/** The anvil left by a killed Coffer, if it still answers and is what the settings ask for; else it is ended. */
async function adopt(
  record: NodeRecord | undefined,
  settings: AnvilSettings,
): Promise<AnvilRecord | undefined> {
  if (record === undefined) return undefined
  const { blockTimeS } = settings
  const fits = record.port === settings.port && record.blockTimeS === blockTimeS
  if (fits && (await answers(urlOf(record)))) {
    settings.log.info({ pid: record.pid }, 'took over the dev chain that was still running')
    return { ...record, blockTimeS }
  }
  await endProcess(record.pid, fits ? stuckTimeoutMs : stopTimeoutMs)
  return undefined
}

/** Tries the state, then its copy, then a new chain: anvil itself says whether it can load one. */
async function launchWithState(
  settings: AnvilSettings,
  files: StateFiles,
  recordFile: string,
): Promise<AnvilRecord> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    const record = await launch(settings, files)
    writeRecord(recordFile, record)
    if (await isReady(record)) return record
    await endProcess(record.pid, 0)
    removeRecord(recordFile)
    const output = readFileSync(logFileOf(files), 'utf8').slice(-2000)
    if (triesLeft === 0 || !/failed to parse json/i.test(output)) {
      throw new Error(`The dev chain did not start. anvil said:\n${output}`)
    }
    await putAside(files, settings.log)
  }
}

async function launch(settings: AnvilSettings, files: StateFiles): Promise<AnvilRecord> {
  const { port, blockTimeS } = settings
  const output = openSync(logFileOf(files), 'w')
  const child = spawn(findAnvil(), anvilArguments(settings, files, await saveIntervalS(files)), {
    detached: true,
    stdio: ['ignore', output, output],
    // Ours holds secrets that are no business of its.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  })
  closeSync(output)
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve).once('error', (error) => reject(anvilMissing(error)))
  })
  child.unref()
  const pid = required(child.pid, 'pid of anvil')
  return { pid, port, blockTimeS, birth: birthOf(pid) ?? '' }
}

/**
 * History is kept in memory for 256 blocks: without a bound anvil writes a state of every block to disk (1.7 GB for
 * 5,000 empty blocks). States of past blocks are not saved (`--preserve-historical-states` writes 1.8 GB a second
 * then): after a restart blocks, receipts and traces are all there, balances at earlier blocks are not.
 */
function anvilArguments(
  { port, blockTimeS }: AnvilSettings,
  files: StateFiles,
  saveEveryS: number,
): string[] {
  const chain = ['--block-time', String(blockTimeS), '--slots-in-an-epoch', '1', '--prune-history', '256']
  const state = ['--state', files.state, '--state-interval', String(saveEveryS)]
  const cache = ['--cache-path', path.join(files.folder, 'cache')]
  return ['--host', '127.0.0.1', '--port', String(port), '--silent', ...chain, ...state, ...cache]
}

async function isReady(record: AnvilRecord): Promise<boolean> {
  const until = Date.now() + readyTimeoutMs
  while (isAlive(record.pid) && Date.now() < until) {
    if (await answers(urlOf(record))) return true
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return false
}

/** A restarted anvil goes by the system's clock again; where the chain was ahead of it, it goes on from there. */
async function keepTimeIncreasing(url: string): Promise<void> {
  const headS = await headTimeS(url)
  if (headS >= Math.floor(Date.now() / 1000)) await callNode(url, 'evm_setNextBlockTimestamp', [headS + 1])
}

/** After a reorganisation or a rollback anvil's clock goes on from the old block; payments would seem to come early. */
async function correctClock(record: AnvilRecord): Promise<void> {
  const url = urlOf(record)
  const nowS = Math.floor(Date.now() / 1000)
  if ((await headTimeS(url)) >= nowS - clockSlackS - 3 * record.blockTimeS) return
  await callNode(url, 'evm_setTime', [nowS])
}

async function headTimeS(url: string): Promise<number> {
  const head = await callNode(url, 'eth_getBlockByNumber', ['latest', false])
  return Number((head as { timestamp: string }).timestamp)
}

function supervise(record: AnvilRecord, recordFile: string, files: StateFiles): AnvilServer {
  const exitCallbacks: (() => void)[] = []
  const copying = setInterval(() => void copyState(files).catch(() => {}), copyEveryMs)
  const correcting = setInterval(() => void correctClock(record).catch(() => {}), correctClockEveryMs)
  const watching = setInterval(() => {
    if (isAlive(record.pid)) return
    rest()
    for (const callback of exitCallbacks) callback()
  }, watchEveryMs)
  const rest = () => {
    clearInterval(copying)
    clearInterval(correcting)
    clearInterval(watching)
  }
  copying.unref()
  correcting.unref()
  watching.unref()
  const stop = async () => {
    rest()
    await endProcess(record.pid, stopTimeoutMs)
    removeRecord(recordFile)
  }
  return {
    url: urlOf(record),
    pid: record.pid,
    onExit: (callback) => void exitCallbacks.push(callback),
    stop,
  }
}

async function answers(url: string): Promise<boolean> {
  return callNode(url, 'eth_chainId', []).then(
    () => true,
    () => false,
  )
}

/** anvil says only "Address already in use"; whoever reads that must know which setting to change. */
function refuseTakenPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => {
      const remedy = `Stop what listens there, or set SANDBOX_EVM_PORT to a free port.`
      reject(new Error(`The dev chain cannot listen on 127.0.0.1:${port}. ${remedy}`, { cause: error }))
    })
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()))
  })
}

function urlOf({ port }: NodeRecord): string {
  return `http://127.0.0.1:${port}`
}

function logFileOf(files: StateFiles): string {
  return path.join(files.folder, 'anvil.log')
}
