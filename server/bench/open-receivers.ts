import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { required } from '../src/core/assert.ts'
import { webhookSecret } from './fill-shop.ts'

/** A command to the process of the receivers. The process answers commands one after another. */
export type Order =
  | { readonly type: 'open'; readonly live: number; readonly dead: number }
  | { readonly type: 'count' }
  | { readonly type: 'take' }

export interface Opened {
  /** URLs that answer 200 at once. A connection pool treats each of them as a separate host. */
  readonly live: readonly string[]
  /** URLs that accept requests and never answer. */
  readonly dead: readonly string[]
}

export interface Received {
  readonly count: number
  /** The number of requests whose signatures were checked, and the number of these with a wrong signature. */
  readonly checked: number
  readonly refused: number
  /** Event id and arrival time (`monotonicMs`) of each request, including repeated deliveries. */
  readonly received: readonly (readonly [string, number])[]
}

export type Reply = Opened | Received | number

export interface Receivers extends Opened {
  readonly pid: number
  /** Returns the number of requests since the last `take`. */
  count(): Promise<number>
  take(): Promise<Received>
  stop(): Promise<void>
}

/** Starts a process with this many receivers. */
export async function openReceivers({ live, dead }: { live: number; dead: number }): Promise<Receivers> {
  const child = fork(fileURLToPath(new URL('./receiver-process.js', import.meta.url)), [webhookSecret])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the receivers ended')))
  ended.catch(() => {})
  let last: Promise<unknown> = Promise.resolve()
  const ask = <T extends Reply>(order: Order): Promise<T> => {
    const asked = last.then(() => Promise.race([answerOf<T>(child, order), ended]))
    last = asked
    return asked
  }
  const opened = await ask<Opened>({ type: 'open', live, dead })
  return {
    ...opened,
    pid: required(child.pid, 'pid of the receivers'),
    count: () => ask<number>({ type: 'count' }),
    take: () => ask<Received>({ type: 'take' }),
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** Sends a command and returns its answer. Only one command may be in progress at a time. */
function answerOf<T extends Reply>(child: ChildProcess, order: Order): Promise<T> {
  return new Promise((resolve) => {
    child.once('message', (reply) => resolve(reply as T))
    child.send(order)
  })
}
