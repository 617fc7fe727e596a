/**
 * Runs the sandbox's dev chain: starts, takes over and stops anvil. Ctrl-C reaches only Coffer and not anvil.
 * If Coffer is killed, anvil keeps running. The next start of Coffer finds that anvil by its process record.
 */
import { createServer } from 'node:net'
import path from 'node:path'
import { evmNetworks, type ShippedEvmName } from '../chains/evm/evm-networks.ts'
import { devChainIdOf } from '../chains/networks.ts'
import type { Log } from '../core/log.ts'
import { anvilMissing, findAnvil } from './anvil-binary.ts'
import {
  copyEveryMs,
  copyState,
  openStateFiles,
  putAside,
  type StateFiles,
  saveIntervalS,
  stateFilesOf,
} from './anvil-state.ts'
import { callNode } from './node-call.ts'
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

type AnvilRecord = NodeRecord & { readonly blockTimeS: number }

export interface AnvilSettings {
  /** The network whose dev chain it is. It decides the chain id and the rules. */
  readonly network: ShippedEvmName
  readonly dataDir: string
  readonly port: number
  /** Seconds between blocks; may be fractional. */
  readonly blockTimeS: number
  readonly log: Log
}

const correctClockEveryMs = 1_000
/**
 * Tolerance of anvil's clock, in seconds. If the newest block is older than three block times plus this
 * tolerance, anvil's clock is set to the system time.
 */
const clockSlackS = 2

/**
 * Starts the dev chain that is stored in `dataDir`, or takes over the chain if it is still running. If the
 * chain cannot be started, rejects with an error that says what to do or contains anvil's output.
 */
export async function startAnvil(settings: AnvilSettings): Promise<NodeServer> {
  const files = await openStateFiles(settings.dataDir, settings.network)
  const recordFile = recordFileOf(files)
  const running = await adopt(await findRecorded(recordFile, files.state), settings)
  if (running !== undefined) return supervise(running, recordFile, files)

  await refuseTakenPort(settings)
  const record = await launchWithState(settings, files, recordFile)
  await keepTimeIncreasing(urlOf(record))
  return supervise(record, recordFile, files)
}

/** Returns the URL of the dev chain that a Coffer with this folder runs; undefined if it runs none. */
export async function findDevChain(dataDir: string, network: ShippedEvmName): Promise<string | undefined> {
  const files = stateFilesOf(dataDir, network)
  const record = await findRecorded(recordFileOf(files), files.state)
  return record !== undefined && (await answers(urlOf(record))) ? urlOf(record) : undefined
}

/** Ends the dev chain that a killed Coffer left behind, if this start uses none. */
export async function endLeftAnvil(dataDir: string, network: ShippedEvmName): Promise<void> {
  const files = stateFilesOf(dataDir, network)
  const record = await findRecorded(recordFileOf(files), files.state)
  if (record !== undefined) await endNode(record.pid)
}

function recordFileOf({ folder }: StateFiles): string {
  return path.join(folder, 'anvil.pid')
}

/**
 * Returns the anvil process that a killed Coffer left behind. If that process does not answer or does not fit
 * the settings, ends it and returns undefined.
 */
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
  await (fits ? endStuckNode : endNode)(record.pid)
  return undefined
}

/** Starts anvil with the saved state. If anvil cannot load it, tries its copy, and then a new chain. */
async function launchWithState(
  settings: AnvilSettings,
  files: StateFiles,
  recordFile: string,
): Promise<AnvilRecord> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    const record = await launch(settings, files)
    writeRecord(recordFile, record)
    if (await comesToAnswer(record.pid, () => answers(urlOf(record)))) return record
    await endProcess(record.pid, 0)
    removeRecord(recordFile)
    const output = readOutput(logFileOf(files))
    if (triesLeft === 0 || !/failed to parse json/i.test(output)) {
      throw new Error(`The dev chain did not start. Output of anvil:\n${output}`)
    }
    await putAside(files, settings.log)
  }
}

async function launch(settings: AnvilSettings, files: StateFiles): Promise<AnvilRecord> {
  const { port, blockTimeS } = settings
  const args = anvilArguments(settings, files, await saveIntervalS(files))
  const command = { program: findAnvil(), args, outputFile: logFileOf(files), explain: anvilMissing }
  return { ...(await launchNode(command)), port, blockTimeS }
}

/**
 * Returns anvil's arguments. Anvil keeps the states of the last 256 blocks in memory and drops older ones.
 * Without this limit, it would write the state of every block to disk (1.7 GB for 5,000 empty blocks). The
 * state file does not contain the states of past blocks, because `--preserve-historical-states` would write
 * 1.8 GB a second. After a restart, all blocks, receipts and call traces are therefore available, but balances
 * at earlier blocks are not.
 */
function anvilArguments(
  { network, port, blockTimeS }: AnvilSettings,
  files: StateFiles,
  saveEveryS: number,
): string[] {
  const chain = ['--block-time', String(blockTimeS), '--slots-in-an-epoch', '1', '--prune-history', '256']
  const state = ['--state', files.state, '--state-interval', String(saveEveryS)]
  const cache = ['--cache-path', path.join(files.folder, 'cache')]
  const id = ['--chain-id', String(devChainIdOf(network))]
  const rules = evmNetworks[network].feeModel === 'op-stack' ? ['--network', 'optimism'] : []
  const server = ['--host', '127.0.0.1', '--port', String(port), '--silent']
  return [...server, ...id, ...rules, ...chain, ...state, ...cache]
}

/**
 * Makes the next block later than the newest one if the time of the newest block is ahead of the system
 * clock. This is necessary after a restart, because anvil then takes the times of blocks from the system
 * clock again.
 */
async function keepTimeIncreasing(url: string): Promise<void> {
  const headS = await headTimeS(url)
  if (headS >= Math.floor(Date.now() / 1000)) await callNode(url, 'evm_setNextBlockTimestamp', [headS + 1])
}

/**
 * Sets anvil's clock to the system time if the newest block is too old. After a reorganisation or a rollback,
 * anvil's clock continues from an old block, and new payments would seem older than they are.
 */
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

function supervise(record: AnvilRecord, recordFile: string, files: StateFiles): NodeServer {
  const copying = setInterval(() => void copyState(files).catch(() => {}), copyEveryMs)
  const correcting = setInterval(() => void correctClock(record).catch(() => {}), correctClockEveryMs)
  copying.unref()
  correcting.unref()
  const rest = () => {
    clearInterval(copying)
    clearInterval(correcting)
  }
  return superviseNode(record.pid, { url: urlOf(record), recordFile, rest })
}

async function answers(url: string): Promise<boolean> {
  return callNode(url, 'eth_chainId', []).then(
    () => true,
    () => false,
  )
}

/**
 * Rejects if the port is in use, with an error that names the setting to change. The error of anvil itself
 * says only "Address already in use".
 */
function refuseTakenPort({ network, port }: AnvilSettings): Promise<void> {
  const setting = network === 'ethereum' ? 'SANDBOX_EVM_PORT' : `SANDBOX_${network.toUpperCase()}_PORT`
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => {
      const remedy = `Stop the process that uses this port, or set ${setting} to a free port.`
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
