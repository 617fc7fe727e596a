/**
 * The sandbox's Litecoin chain: litecoind on a chain of its own, started, adopted and stopped as anvil is. It speaks to no
 * other node, listens for RPC alone, on a free port of this machine, and is asked with the cookie that it writes anew each
 * time it starts.
 */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { cookieParameter } from '../chains/utxo/core-calls.ts'
import { required } from '../core/assert.ts'
import { freePort } from '../core/free-port.ts'
import type { Log } from '../core/log.ts'
import { findProgram } from './find-program.ts'
import { callLitecoin } from './litecoin-call.ts'
import { prepareWallets, startMiner } from './litecoin-miner.ts'
import {
  comesToAnswer,
  endNode,
  endStuckNode,
  launchNode,
  type NodeServer,
  readOutput,
  superviseNode,
} from './node-process.ts'
import { endProcess, findRecorded, type NodeRecord, removeRecord, writeRecord } from './node-record.ts'

export interface LitecoindSettings {
  readonly dataDir: string
  /** Seconds between blocks while payments wait; may be fractional. */
  readonly blockTimeS: number
  readonly log: Log
}

const answerTimeoutMs = 2_000
/** A port that was free may be taken before the node listens there. */
const launchTries = 3

/**
 * Starts the Litecoin chain of `dataDir`, or takes over the one that runs already. Its url tells the place of its cookie,
 * as UTXO_RPC_LITECOIN takes it. Rejects with what to do about it.
 */
export async function startLitecoind(settings: LitecoindSettings): Promise<NodeServer> {
  const files = filesOf(settings.dataDir)
  await mkdir(files.folder, { recursive: true, mode: 0o700 })
  const record = (await adopt(files, settings.log)) ?? (await launchAndRecord(files))
  await prepareWallets(urlOf(files, record))
  return supervise(record, files, settings.blockTimeS)
}

/** Ends the litecoind that a killed Coffer left behind, where this one is to run without. */
export async function endLeftLitecoind(dataDir: string, log: Log): Promise<void> {
  const files = filesOf(dataDir)
  const record = await findRecorded(files.record, files.folder)
  if (record === undefined) return
  log.info({ pid: record.pid }, 'ended a Litecoin chain that was still running')
  await endNode(record.pid)
  removeRecord(files.record)
}

/** Where the litecoind of a Coffer that runs on `dataDir` is asked; undefined where none answers. */
export async function findLitecoind(dataDir: string): Promise<string | undefined> {
  const files = filesOf(dataDir)
  const record = await findRecorded(files.record, files.folder)
  if (record === undefined) return undefined
  const url = urlOf(files, record)
  return (await answers(url)) ? url : undefined
}

interface Files {
  readonly folder: string
  readonly record: string
  readonly cookie: string
  /** What it wrote while it ran. */
  readonly output: string
}

function filesOf(dataDir: string): Files {
  const folder = path.join(path.resolve(dataDir), 'litecoind')
  return {
    folder,
    record: path.join(folder, 'litecoind.pid.json'),
    cookie: path.join(folder, 'regtest', '.cookie'),
    output: path.join(folder, 'litecoind.log'),
  }
}

function urlOf({ cookie }: Files, { port }: NodeRecord): string {
  const url = new URL(`http://127.0.0.1:${port}/`)
  url.searchParams.set(cookieParameter, cookie)
  return url.href
}

/** The litecoind left by a killed Coffer, if it still answers; else it is ended. */
async function adopt(files: Files, log: Log): Promise<NodeRecord | undefined> {
  const record = await findRecorded(files.record, files.folder)
  if (record === undefined) return undefined
  if (await answers(urlOf(files, record))) {
    log.info({ pid: record.pid }, 'took over the Litecoin chain that was still running')
    return record
  }
  await endStuckNode(record.pid)
  return undefined
}

async function launchAndRecord(files: Files): Promise<NodeRecord> {
  for (let triesLeft = launchTries - 1; ; triesLeft -= 1) {
    const record = await launch(files)
    writeRecord(files.record, record)
    if (await comesToAnswer(record.pid, () => answers(urlOf(files, record)))) return record
    await endProcess(record.pid, 0)
    removeRecord(files.record)
    if (triesLeft > 0) continue
    throw new Error(
      `The Litecoin chain did not start. Delete ${files.folder} for a new one, or start without --with-litecoin. ` +
        `litecoind said:\n${readOutput(files.output)}`,
    )
  }
}

async function launch(files: Files): Promise<NodeRecord> {
  const port = await freePort()
  const program = required(findProgram('litecoind'), 'litecoind on the PATH')
  const args = litecoindArguments(files, port)
  return { ...(await launchNode({ program, args, outputFile: files.output })), port }
}

/**
 * The extension block (MWEB) is left out: nothing can be mined from height 432 on before somebody pays into it. Where
 * nobody pays fees, their level is not known, so that the wallet is told one.
 */
function litecoindArguments({ folder }: Files, port: number): readonly string[] {
  const rpc = ['-server', `-rpcport=${port}`, '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1']
  const alone = ['-listen=0', '-connect=0', '-dnsseed=0']
  const chain = ['-regtest', '-vbparams=mweb:-2:0', '-fallbackfee=0.0001', '-dbcache=4']
  // One log, begun anew with each start.
  return [`-datadir=${folder}`, ...chain, ...rpc, ...alone, '-nodebuglogfile', '-printtoconsole=1']
}

async function answers(url: string): Promise<boolean> {
  return callLitecoin(url, 'getblockcount', [], AbortSignal.timeout(answerTimeoutMs)).then(
    () => true,
    () => false,
  )
}

function supervise(record: NodeRecord, files: Files, blockTimeS: number): NodeServer {
  const url = urlOf(files, record)
  const miner = startMiner(url, blockTimeS)
  return superviseNode(record.pid, { url, recordFile: files.record, rest: () => miner.stop() })
}
