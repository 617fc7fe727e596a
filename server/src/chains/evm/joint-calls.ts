import type { RpcAnswer, RpcCall } from '../json-rpc.ts'

type Ask = (calls: readonly RpcCall[], signal: AbortSignal) => Promise<readonly RpcAnswer[]>

interface Group {
  readonly calls: RpcCall[]
  readonly answers: Promise<readonly RpcAnswer[]>
}

/** Batches calls that independent callers make at the same time into one request. */
export class JointCalls {
  readonly #ask: Ask
  /**
   * Groups of calls that are not sent yet. Each group is sent in the next microtask, after the current
   * callers have added their calls. Only calls with the same abort signal share a group.
   */
  readonly #leaving = new Map<AbortSignal, Group>()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** Returns the answers in the order of `calls`. Rejects if the whole batch fails. */
  async ask(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]> {
    const group = this.#leaving.get(signal) ?? this.#gather(signal)
    const first = group.calls.length
    group.calls.push(...calls)
    return (await group.answers).slice(first, first + calls.length)
  }

  #gather(signal: AbortSignal): Group {
    const calls: RpcCall[] = []
    const answers = Promise.resolve().then(() => {
      this.#leaving.delete(signal)
      return this.#ask(calls, signal)
    })
    const group = { calls, answers }
    this.#leaving.set(signal, group)
    return group
  }
}
