/**
 * What the sanctions oracles of a run answered, and when. The service may then be unable to screen an address for a
 * while, although each oracle answers every question.
 */
import { limits } from '../../src/core/limits.ts'

/** A question to the oracle of a network. Times are simulated milliseconds. */
export interface OracleCall {
  readonly process: string
  readonly network: string
  readonly startedMs: number
  /** When the oracle answered; undefined before that. */
  endedMs: number | undefined
}

/** A screening of an address that ended without a verdict. Times are simulated milliseconds. */
interface Unscreened {
  /** The process that screened. A process that starts again has another name. */
  readonly process: string
  readonly network: string
  readonly address: string
  readonly startedMs: number
  readonly endedMs: number
}

export class OracleAnswers {
  /** When an oracle first answered in time, by network and address. */
  readonly #firstMs = new Map<string, number>()
  readonly #calls: OracleCall[] = []

  begin(process: string, network: string, nowMs: number): OracleCall {
    const call = { process, network, startedMs: nowMs, endedMs: undefined }
    this.#calls.push(call)
    return call
  }

  /** Notes an answer. The service ignores it if it came late. */
  end(call: OracleCall, addresses: readonly string[], nowMs: number): void {
    call.endedMs = nowMs
    if (isLate(call, nowMs)) return
    for (const address of addresses) {
      const key = senderKeyOf(call.network, address)
      if (!this.#firstMs.has(key)) this.#firstMs.set(key, nowMs)
    }
  }

  /**
   * Returns whether the service may have been unable to screen the address. Either an answer about it may have become
   * too old meanwhile, because time passed between two steps. Or the oracle took too long to answer this process,
   * which then does not ask it for a while.
   */
  mayBeUnknown({ process, network, address, startedMs, endedMs }: Unscreened): boolean {
    const firstMs = this.#firstMs.get(senderKeyOf(network, address)) ?? Infinity
    if (endedMs - firstMs >= limits.oracleAnswerS * 1_000) return true
    return this.#calls.some((call) => {
      const lastMs = call.endedMs ?? endedMs
      return (
        call.process === process &&
        call.network === network &&
        isLate(call, lastMs) &&
        lastMs + limits.oracleRestMs >= startedMs
      )
    })
  }
}

function isLate({ startedMs }: OracleCall, nowMs: number): boolean {
  return nowMs - startedMs >= limits.oracleMs
}

/** Identifies a sender on its network. */
export function senderKeyOf(network: string, address: string): string {
  return `${network} ${address}`
}
