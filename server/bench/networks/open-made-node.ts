import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ChainPlan } from './make-chain.ts'

/** A running node whose blocks were made before. */
export interface MadeNode {
  readonly plan: ChainPlan
  readonly url: string
  /** The payments of the chain, by rising height. */
  readonly payments: readonly MadePayment[]
  /** Makes the block at this height the head, and announces it. The first head is block 0. */
  moveTo(height: number): void
  stop(): Promise<void>
}

export interface MadePayment {
  readonly height: number
  readonly txHash: string
}

/** The messages of the node's process. The first message to it is the plan of the chain. */
export interface NodeOrder {
  readonly moveTo: number
}

export interface NodeReady {
  readonly url: string
  readonly payments: readonly MadePayment[]
}

const program = fileURLToPath(new URL('./made-node-process.js', import.meta.url))

/** Makes the blocks in another process, and serves them from there. */
export async function openMadeNode(plan: ChainPlan): Promise<MadeNode> {
  const child = fork(program)
  const ended = once(child, 'exit')
  child.send(plan)
  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as NodeReady),
    ended.then(() => undefined),
  ])
  if (ready === undefined) throw new Error(`the node of ${plan.shape.network} ended`)
  const moveTo = (height: number) => void child.send({ moveTo: height } satisfies NodeOrder)
  const stop = async () => {
    child.disconnect()
    await ended
  }
  return { ...ready, plan, moveTo, stop }
}
