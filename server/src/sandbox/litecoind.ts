/**
 * Runs the sandbox's Litecoin chain: starts, takes over and stops litecoind. litecoind connects to no other
 * node, so the chain is separate from all others. It serves only RPC, on a free local port. RPC calls are
 * authenticated with the cookie that litecoind writes at each start.
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
/** The launch is tried this many times, because another process may take the port before the node listens. */
const launchTries = 3

/**
 * Starts the Litecoin chain that is stored in `dataDir`, or takes over the chain if it is still running. The
 * URL in the result has the form of the setting UTXO_RPC_LITECOIN and names the cookie file. If litecoind never
 * answers, rejects with an error that says what to do and contains litecoind's output.
 */
export async function startLitecoind(settings: LitecoindSettings): Promise<NodeServer> {
  const files = filesOf(settings.dataDir)
  await mkdir(files.folder, { recursive: true, mode: 0o700 })
  const record = (await adopt(files, settings.log)) ?? (await launchAndRecord(files))
  await prepareWallets(urlOf(files, record))
  return supervise(record, files, settings.blockTimeS)
}

/** Ends the litecoind that a killed Coffer left behind. Called when Coffer starts without Litecoin. */
export async function endLeftLitecoind(dataDir: string, log: Log): Promise<void> {
  const files = filesOf(dataDir)
  const record = await findRecorded(files.record, files.folder)
  if (record === undefined) return
  log.info({ pid: record.pid }, 'stopped a Litecoin chain that was still running')
  await endNode(record.pid)
  removeRecord(files.record)
}

/** Returns the URL of the litecoind that runs on `dataDir`; undefined if no litecoind answers. */
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
  /** The file to which litecoind's output goes. */
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

/** Returns the litecoind that a killed Coffer left behind. Ends that litecoind if it does not answer. */
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
      `The Litecoin chain did not start. Delete ${files.folder} to create a new chain, or start without --with-litecoin. ` +
        `Output of litecoind:\n${readOutput(files.output)}`,
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
 * Returns litecoind's arguments. The extension block (MWEB) is disabled: with it, no block from height 432 on
 * could be mined before somebody pays into the extension block. The wallet gets a fallback fee, because the
 * node cannot estimate a fee on a chain where nobody pays fees.
 */
function litecoindArguments({ folder }: Files, port: number): readonly string[] {
  const rpc = ['-server', `-rpcport=${port}`, '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1']
  const alone = ['-listen=0', '-connect=0', '-dnsseed=0']
  const chain = ['-regtest', '-vbparams=mweb:-2:0', '-fallbackfee=0.0001', '-dbcache=4']
  // litecoind writes its log only to its standard output. The file for this output is truncated at each
  // start.
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
