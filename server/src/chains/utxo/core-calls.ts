import { readFile } from 'node:fs/promises'
import { call, field, openRpc, type Rpc, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import type { UtxoNetwork } from '../networks.ts'
import { NodeError, WrongChainError } from '../port.ts'
import { utxoChains } from './utxo-chains.ts'

/** How long an answer may take, unless it is known to need longer. */
export const answerTimeoutMs = 15_000
/** Nodes work on four requests at once, and let sixteen wait. */
const connections = 8
const callsPerRequest = 50

/** Calls to one node, which is asked nothing before it has shown to be of the right chain. */
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
      throw new WrongChainError(`node ${this.rpc.node} is of ${nameOf(genesisHash)}; it must be of ${right}`)
    }
    const version = field(resultOf(answers[1], 'getnetworkinfo'), 'version')
    if (typeof version !== 'number' || version < chain.nodeVersionMin) {
      throw new NodeError(
        `node ${this.rpc.node} is of version ${String(version)}: blocks may be told wrong before ${chain.nodeVersionMin}, update it`,
      )
    }
    this.#isChecked = true
  }

  /** Answers in the order of the calls. */
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

  /** The result of one call, which must not be refused. */
  async result(asked: RpcCall, signal: AbortSignal, timeoutMs?: number): Promise<unknown> {
    const [answer] = await this.ask([asked], signal, timeoutMs)
    return resultOf(answer, asked.method)
  }
}

/**
 * Speaks to the node at `url`, whose credentials are in it, or in the cookie file that its query names: the node writes
 * a new one each time it starts.
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

/** `http://127.0.0.1:8332/?cookiefile=/var/lib/bitcoin/.cookie` */
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
