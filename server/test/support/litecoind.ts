/**
 * A private regtest chain of Litecoin for one test file: a real node on free ports, stopped after the last
 * test.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { call, openRpc, resultOf } from '../../src/chains/json-rpc.ts'
import { networks, type UtxoNetwork } from '../../src/chains/networks.ts'
import { utxoChains } from '../../src/chains/utxo/utxo-chains.ts'
import { required } from '../../src/core/assert.ts'
import { freePort } from '../../src/core/free-port.ts'
import { findProgram } from '../../src/sandbox/find-program.ts'

export const hasLitecoind = findProgram('litecoind') !== undefined

export const litecoinRegtest: UtxoNetwork = { ...networks.litecoin, chain: utxoChains.litecoin.regtest }

export interface Litecoind {
  /** The URL of the node, with its credentials. */
  readonly url: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the node's answers as it knows them to be
  rpc(method: string, ...params: readonly unknown[]): Promise<any>
  /**
   * Mines empty blocks whose rewards go to scripts without an address, and returns the height of the last.
   */
  mine(blocks?: number): Promise<number>
  /** Mines one block of exactly these transactions, each given in hex or as the id of a waiting one. */
  mineOnly(transactions: readonly string[]): Promise<number>
  /** Drops the last blocks. Their transactions return to the mempool where they are still valid. */
  rollBack(depth: number): Promise<void>
  stop(): Promise<void>
}

/** Returns scripts without an address for mining rewards, each different, so that no two blocks are equal. */
function nobodies(): () => string {
  let count = 0
  return () => {
    count += 1
    return `raw(04${count.toString(16).padStart(8, '0')})`
  }
}

const credentials = 'coffer:coffer'

/**
 * Starts a node. MWEB is off by default, because otherwise nothing can be mined above height 431 without a
 * peg-in. The node replaces transactions in its mempool, which Litecoin's default policy does not, and
 * accepts non-standard transactions.
 */
export async function startLitecoind(
  options: readonly string[] = ['-vbparams=mweb:-2:0'],
): Promise<Litecoind> {
  const folder = await mkdtemp(path.join(tmpdir(), 'litecoind-'))
  const [user = '', password = ''] = credentials.split(':')
  const rpcPort = await freePort()
  const port = await freePort()
  const words = [
    '-regtest',
    `-datadir=${folder}`,
    `-rpcport=${rpcPort}`,
    `-port=${port}`,
    '-listen=0',
    '-server',
  ]
  const child = spawn(
    'litecoind',
    [
      ...words,
      `-rpcuser=${user}`,
      `-rpcpassword=${password}`,
      '-printtoconsole=0',
      '-mempoolreplacement=1',
      '-acceptnonstdtxn=1',
      '-dnsseed=0',
      '-connect=0',
      ...options,
    ],
    { stdio: 'ignore' },
  )
  // The node must not survive a test run that is killed.
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  const url = `http://${credentials}@127.0.0.1:${rpcPort}`
  await listening(child, url)
  return operate(url, async () => {
    process.off('exit', end)
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
}

/** Starts one node for a test file. The file must be skipped as a whole where litecoind is not installed. */
export function useLitecoind(options?: readonly string[]): Litecoind {
  let node: Litecoind | undefined
  beforeAll(async () => {
    node = await startLitecoind(options)
  })
  afterAll(() => node?.stop())
  const of = () => required(node, 'the node, which exists inside tests only,')
  return {
    get url() {
      return of().url
    },
    rpc: (...words) => of().rpc(...words),
    mine: (blocks) => of().mine(blocks),
    mineOnly: (transactions) => of().mineOnly(transactions),
    rollBack: (depth) => of().rollBack(depth),
    stop: () => of().stop(),
  }
}

async function listening(child: ChildProcess, url: string): Promise<void> {
  const { rpc, close } = openNode(url)
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error('litecoind ended before it listened')
      const isReady = await rpc('getblockcount').then(
        () => true,
        () => false,
      )
      if (isReady) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await close()
  }
}

function openNode(url: string) {
  const node = openRpc(url, { connections: 4 })
  const rpc: Litecoind['rpc'] = async (method, ...params) => {
    const { answers } = await node.ask([call(method, ...params)], new AbortController().signal, 30_000)
    return resultOf(answers[0], method)
  }
  return { rpc, close: () => node.close() }
}

function operate(url: string, end: () => Promise<void>): Litecoind {
  const { rpc, close } = openNode(url)
  const nobodyUser = nobodies()
  const mineOnly = async (transactions: readonly string[]) => {
    await rpc('generateblock', nobodyUser(), transactions)
    return (await rpc('getblockcount')) as number
  }
  return {
    url,
    rpc,
    mineOnly,
    mine: async (blocks = 1) => {
      for (let mined = 0; mined < blocks; mined += 1) await rpc('generatetodescriptor', 1, nobodyUser())
      return (await rpc('getblockcount')) as number
    },
    rollBack: async (depth) => {
      const height = ((await rpc('getblockcount')) as number) - depth + 1
      await rpc('invalidateblock', await rpc('getblockhash', height))
    },
    stop: async () => {
      await close()
      await end()
    },
  }
}

/** Submits blocks of one node to another, in their order, as a peer would. */
export async function copyBlocks(from: Litecoind, to: Litecoind, first: number, last: number): Promise<void> {
  for (let height = first; height <= last; height += 1) {
    const hash = await from.rpc('getblockhash', height)
    await to.rpc('submitblock', await from.rpc('getblock', hash, 0))
  }
}
