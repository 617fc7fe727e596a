/** The parts of a running benchmark of several networks. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Receiver } from '../open-receiver.ts'
import type { MadeNode } from './open-made-node.ts'
import type { Booked } from './watch-booked.ts'

/** How the networks are read. */
export interface Mode {
  /** Networks on which tokens alone are accepted, and which are read from logs. */
  readonly tokensOnly: readonly string[]
  /** Text for the table of results: how the networks are read, and from which nodes. */
  readonly description: string
}

/** A network of the benchmark while it runs. Heights are those of its chain. */
export interface Followed {
  readonly network: string
  readonly node: MadeNode
  /** The head after the missed blocks. */
  readonly missedHeight: number
  readonly lastHeight: number
  /** The number of the network's block 0 among the blocks of all networks, as the receiver counts them. */
  readonly firstIndex: number
}

export interface Running {
  readonly followed: readonly Followed[]
  readonly booked: Booked
  readonly receiver: Receiver
  readonly pid: number
  readonly mode: Mode
  note(line: string): void
}

/** Waits until every expected webhook has arrived. @throws Error after `patienceMs` */
export async function waitForWebhooks(
  { receiver }: Pick<Running, 'receiver'>,
  patienceMs: number,
): Promise<void> {
  const giveUpMs = performance.now() + patienceMs
  while (!receiver.isComplete()) {
    if (performance.now() > giveUpMs) throw new Error('webhooks are missing')
    await sleep(20)
  }
}
