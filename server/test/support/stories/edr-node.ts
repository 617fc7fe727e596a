/**
 * A private development chain on EDR, the node of Hardhat: another implementation of the JSON-RPC interface,
 * the mempool, the blocks and the fees than anvil. Both execute transactions with revm. EDR is a library, so a
 * server in the test's process answers its requests.
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mnemonicToAccount } from 'viem/accounts'
import { required } from '../../../src/core/assert.ts'
import type { RpcMessage } from '../../chains/altered-node.ts'
import { testMnemonic } from '../shop.ts'

export interface EdrNode {
  readonly url: string
  close(): Promise<void>
}

export interface EdrOptions {
  readonly chainId: number
  /**
   * Whether the server answers `debug_traceBlockByHash`, which EDR lacks, with EDR's traces of each transaction
   * of the block.
   */
  readonly tracesBlocks: boolean
}

/** The reason why EDR cannot run here; undefined if it can. */
export function edrObstacle(): string | undefined {
  try {
    loadEdr()
    return undefined
  } catch {
    return `EDR has no binary for ${process.platform}-${process.arch} here`
  }
}

export async function startEdrNode({ chainId, tracesBlocks }: EdrOptions): Promise<EdrNode> {
  const ask = asking(await openProvider(chainId))
  const answer = (message: RpcMessage) =>
    tracesBlocks && message.method === 'debug_traceBlockByHash' ? traceBlock(ask, message) : ask(message)
  const server = createServer(async (request, response) => {
    const body: RpcMessage | readonly RpcMessage[] = JSON.parse(await text(request))
    const answers = Array.isArray(body) ? await inOrder(body, answer) : await answer(body as RpcMessage)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Ask = (message: RpcMessage) => Promise<RpcReply>

interface RpcReply {
  readonly result?: unknown
  readonly error?: unknown
}

async function inOrder<T>(messages: readonly RpcMessage[], answer: (message: RpcMessage) => Promise<T>) {
  const answers: T[] = []
  for (const message of messages) answers.push(await answer(message))
  return answers
}

/** EDR answers without id and version, which the server adds. */
function asking(provider: Provider): Ask {
  return async (message) => {
    const { data } = await provider.handleRequest(JSON.stringify(message))
    const reply: RpcReply = typeof data === 'string' ? JSON.parse(data) : data
    return { jsonrpc: '2.0', id: message.id, ...reply }
  }
}

/** Answers as geth does: one entry with the call frames of each transaction, in the block's order. */
async function traceBlock(ask: Ask, { id, params: [hash, options] }: RpcMessage): Promise<RpcReply> {
  const question = (method: string, ...params: readonly unknown[]) => ask({ id, method, params })
  const block = await question('eth_getBlockByHash', hash, false)
  const { transactions } = block.result as { readonly transactions: readonly string[] }
  const result: unknown[] = []
  for (const txHash of transactions)
    result.push({ txHash, result: (await question('debug_traceTransaction', txHash, options)).result })
  return { ...block, result }
}

/** The part of EDR's interface that is used here (index.d.ts of @nomicfoundation/edr). */
interface Edr {
  readonly EdrContext: new () => EdrContext
  readonly ContractDecoder: new () => object
  l1ProviderFactory(): object
  l1HardforkFromString(name: string): number
  l1GenesisState(hardfork: number): readonly GenesisAccount[]
}

interface EdrContext {
  registerProviderFactory(chainType: string, factory: object): Promise<void>
  createProvider(chainType: string, ...settings: readonly object[]): Promise<Provider>
}

interface Provider {
  handleRequest(request: string): Promise<{ readonly data: string | RpcReply }>
}

interface GenesisAccount {
  readonly address: Uint8Array
  readonly balance?: bigint
  readonly code?: Uint8Array
}

function loadEdr(): Edr {
  return createRequire(import.meta.url)('@nomicfoundation/edr-linux-x64-gnu')
}

/** EDR allows one context in a process. */
let context: Promise<{ readonly edr: Edr; readonly opened: EdrContext }> | undefined

async function openContext() {
  const edr = loadEdr()
  const opened = new edr.EdrContext()
  await opened.registerProviderFactory(chainType, edr.l1ProviderFactory())
  return { edr, opened }
}

const chainType = 'L1'
/** The newest rules that were active on Ethereum when this version of EDR was released, without Osaka's limits. */
const hardfork = 'Prague'
const accounts = Array.from({ length: 10 }, (_, addressIndex) =>
  mnemonicToAccount(testMnemonic, { addressIndex }),
)

/** The deterministic deployer, which anvil and Ethereum have at this address. */
const deployer: GenesisAccount = {
  address: bytesOf('4e59b44847b379578588920ca78fbf26c0b4956c'),
  code: bytesOf(
    '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
  ),
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex')
}

async function openProvider(chainId: number): Promise<Provider> {
  context ??= openContext()
  const { edr, opened } = await context
  const funded = accounts.map(({ address }) => ({
    address: bytesOf(address.slice(2)),
    balance: 10n ** 22n,
  }))
  const settings = {
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    chainId: BigInt(chainId),
    coinbase: bytesOf('00'.repeat(20)),
    defaultTransactionGasLimit: 1_000_000n,
    genesisState: [...edr.l1GenesisState(edr.l1HardforkFromString(hardfork)), ...funded, deployer],
    hardfork,
    initialBaseFeePerGas: 10n ** 9n,
    initialParentBeaconBlockRoot: bytesOf('00'.repeat(32)),
    minGasPrice: 0n,
    mining: { autoMine: false, blockGasLimit: 30_000_000n, memPool: { order: 'Fifo' } },
    network: { genesisBlockGasLimit: 30_000_000n },
    networkId: BigInt(chainId),
    observability: {},
    ownedAccounts: accounts.map(
      (account) =>
        `0x${Buffer.from(required(account.getHdKey().privateKey, 'a private key')).toString('hex')}`,
    ),
    precompileOverrides: [],
  }
  const logger = { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} }
  const subscriptions = { subscriptionCallback: () => {} }
  return opened.createProvider(chainType, settings, logger, subscriptions, new edr.ContractDecoder())
}
