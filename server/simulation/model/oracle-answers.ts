/**
 * What the sanctions oracles of a run answered, and when. The service may then be unable to screen an address for a
 * while, although each oracle answers every question.
 */
import { required } from '../../src/core/assert.ts'
import { limits } from '../../src/core/limits.ts'

/** A screening of addresses on a network by a process. Times are simulated milliseconds. */
export interface ScreeningRun {
  /** A process that starts again has another name. */
  readonly process: string
  readonly network: string
  readonly startedMs: number
  /** When the screening gave its verdicts. Undefined before that, if it failed, and if its process was killed. */
  endedMs: number | undefined
  /** The question to the oracle. Undefined if the service asked nothing. */
  question: OracleQuestion | undefined
}

interface OracleQuestion {
  readonly addresses: readonly string[]
  readonly startedMs: number
  /** When the oracle answered; undefined before that. */
  endedMs: number | undefined
}

export class OracleAnswers {
  /** The screenings that asked their oracle. */
  readonly #asking: ScreeningRun[] = []

  begin(process: string, network: string, nowMs: number): ScreeningRun {
    return { process, network, startedMs: nowMs, endedMs: undefined, question: undefined }
  }

  /** Notes the question of a screening. A screening asks once at most. */
  ask(run: ScreeningRun, addresses: readonly string[], nowMs: number): void {
    run.question = { addresses, startedMs: nowMs, endedMs: undefined }
    this.#asking.push(run)
  }

  /** Notes the answer to the question of a screening. The service ignores it if it came late. */
  answer(run: ScreeningRun, nowMs: number): void {
    required(run.question, 'a question').endedMs = nowMs
  }

  /** Notes that a screening gave its verdicts. The service has then stored the answer. */
  end(run: ScreeningRun, nowMs: number): void {
    run.endedMs = nowMs
  }

  /**
   * Returns whether the service may have been unable to screen the address in a screening that gave its verdicts.
   * Either the answer about it may have become too old meanwhile, because time passed between two steps. Or the oracle
   * took too long to answer this process, which then does not ask it for a while.
   */
  mayBeUnknown(run: ScreeningRun, address: string): boolean {
    const answeredMs = answeredMsOf(run, address)
    if (answeredMs !== undefined) return isTooOld(answeredMs, endOf(run))
    return this.#mayExpireIn(run, address) || this.#mayRestIn(run)
  }

  /**
   * Whether an answer that another screening stored may have been recent when the service decided whether to ask, and
   * too old for the verdict. The service stored it between the answer and the end of that screening. Each answer
   * replaces the one before, so no older answer than one that was certainly stored counts.
   */
  #mayExpireIn(run: ScreeningRun, address: string): boolean {
    const endedMs = endOf(run)
    let storedMs = -Infinity
    let mayBeRecent = false
    for (const other of this.#asking) {
      const answeredMs = other.network === run.network ? answeredMsOf(other, address) : undefined
      if (answeredMs === undefined || answeredMs > endedMs) continue
      const latestMs = other.endedMs ?? Infinity
      if (latestMs <= run.startedMs) storedMs = Math.max(storedMs, answeredMs)
      if (isTooOld(answeredMs, endedMs) && !isTooOld(latestMs, run.startedMs)) mayBeRecent = true
    }
    return mayBeRecent && isTooOld(storedMs, endedMs)
  }

  /** Whether the process may not have asked the oracle, because it took too long shortly before or has not answered. */
  #mayRestIn(run: ScreeningRun): boolean {
    return this.#asking.some(({ process, network, question }) => {
      if (process !== run.process || network !== run.network || question === undefined) return false
      const lastMs = question.endedMs ?? endOf(run)
      return isLate(question, lastMs) && lastMs + limits.oracleRestMs >= run.startedMs
    })
  }
}

/** Returns when the oracle answered in time about the address; undefined if it did not. */
function answeredMsOf({ question }: ScreeningRun, address: string): number | undefined {
  if (question?.endedMs === undefined || isLate(question, question.endedMs)) return undefined
  return question.addresses.includes(address) ? question.endedMs : undefined
}

function endOf({ endedMs }: ScreeningRun): number {
  return required(endedMs, 'the end of a screening')
}

function isTooOld(storedMs: number, nowMs: number): boolean {
  return nowMs - storedMs >= limits.oracleAnswerS * 1_000
}

function isLate({ startedMs }: OracleQuestion, nowMs: number): boolean {
  return nowMs - startedMs >= limits.oracleMs
}

/** Identifies a sender on its network. */
export function senderKeyOf(network: string, address: string): string {
  return `${network} ${address}`
}
