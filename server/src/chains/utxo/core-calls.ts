import { readFile } from 'node:fs/promises'
import { call, field, openRpc, type Rpc, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import type { UtxoNetwork } from '../networks.ts'
import { NodeError, WrongChainError } from '../port.ts'
import { utxoChains } from './utxo-chains.ts'

/** Default timeout of an answer; slow calls get a longer timeout. */
export const answerTimeoutMs = 15_000
/** Maximum number of connections. By default a node processes four requests at once and queues sixteen. */
const connections = 8
const callsPerRequest = 50

/** Sends calls to one node, after checking once that the node belongs to the right chain. */
export class CoreCalls {
  readonly rpc: Rpc
  readonly #network: UtxoNetwork
  readonly #timeoutMs: number
  #isChecked = false

  constructor(network: UtxoNetwork, url: string, timeoutMs: number) {
    this.#network = network
    this.#timeoutMs = timeoutMs
    this.rpc = openCoreRpc(url)
  }

  async checkIdentity(signal: AbortSignal): Promise<void> {
    const { chain, name } = this.#network
    const calls = [call('getblockhash', 0), call('getnetworkinfo')]
    const { answers } = await this.rpc.ask(calls, signal, this.#timeoutMs)
    const genesisHash = resultOf(answers[0], 'getblockhash')
    if (genesisHash !== chain.genesisHash) {
      const right = chain.kind === 'main' ? name : `${name} ${chain.kind}`
      throw new WrongChainError(`node ${this.rpc.node} is on ${nameOf(genesisHash)}; it must be on ${right}`)
    }
    const version = field(resultOf(answers[1], 'getnetworkinfo'), 'version')
    if (typeof version !== 'number' || version < chain.nodeVersionMin) {
      throw new NodeError(
        `node ${this.rpc.node} has version ${String(version)}: update it, because versions before ${chain.nodeVersionMin} may report wrong blocks`,
      )
    }
    this.#isChecked = true
  }

  /** Returns the answers in the order of the calls. */
  async ask(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    timeoutMs = this.#timeoutMs,
  ): Promise<readonly RpcAnswer[]> {
    if (!this.#isChecked) await this.checkIdentity(signal)
    const answers: RpcAnswer[] = []
    for (let from = 0; from < calls.length; from += callsPerRequest) {
      const part = calls.slice(from, from + callsPerRequest)
      answers.push(...(await this.rpc.ask(part, signal, timeoutMs)).answers)
    }
    return answers
  }

  /** Returns the result of one call. @throws NodeError if the node answers with an error */
  async result(asked: RpcCall, signal: AbortSignal, timeoutMs?: number): Promise<unknown> {
    const [answer] = await this.ask([asked], signal, timeoutMs)
    return resultOf(answer, asked.method)
  }
}

/**
 * Opens the RPC interface of the node at `url`. The credentials are in the URL, or in a cookie file that the
 * URL's query names. The cookie file is read for each request, because the node writes a new file at each
 * start.
 */
export function openCoreRpc(url: string, options: { readonly connections?: number } = {}): Rpc {
  const at = new URL(url)
  const cookieFile = at.searchParams.get(cookieParameter)
  at.searchParams.delete(cookieParameter)
  return openRpc(at.href, {
    connections,
    amountFields: ['amount', 'value'],
    ...options,
    ...(cookieFile !== null && { readCredentials: () => readCookie(cookieFile) }),
  })
}

/**
 * Query parameter that names the cookie file: `http://127.0.0.1:8332/?cookiefile=/var/lib/bitcoin/.cookie`.
 */
export const cookieParameter = 'cookiefile'

async function readCookie(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim()
}

function nameOf(genesisHash: unknown): string {
  for (const [name, chains] of Object.entries(utxoChains)) {
    const known = Object.values(chains).find((chain) => chain.genesisHash === genesisHash)
    if (known !== undefined) return known.kind === 'main' ? name : `${name} ${known.kind}`
  }
  return `an unknown chain (${String(genesisHash).slice(0, 64)})`
}
