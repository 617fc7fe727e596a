import type { RpcAnswer, RpcCall } from '../json-rpc.ts'

type Ask = (calls: readonly RpcCall[], signal: AbortSignal) => Promise<readonly RpcAnswer[]>

interface Group {
  readonly calls: RpcCall[]
  readonly answers: Promise<readonly RpcAnswer[]>
}

/** Lets calls that are made at the same time travel together, for callers who know nothing of each other. */
export class JointCalls {
  readonly #ask: Ask
  /** What leaves as soon as nobody of this moment has more to ask. Only what ends together travels together. */
  readonly #leaving = new Map<AbortSignal, Group>()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** Answers in the order of `calls`. Rejects as the whole request does. */
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
