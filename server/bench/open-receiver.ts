import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A merchant's receiver. It accepts webhooks with 200 and records the arrival time of each. */
export interface Receiver {
  readonly url: string
  readonly received: readonly ReceivedEvent[]
  /**
   * Tells the receiver which block will contain these transactions. `index` counts the mined blocks from 0.
   */
  expect(txHashes: readonly string[], index: number): void
  /** Whether every expected transaction was reported as detected and as confirmed. */
  isComplete(): boolean
  stop(): Promise<void>
}

export interface ReceivedEvent {
  /**
   * Index of the block that caused the webhook. A payment is detected in the block of its transaction, and
   * confirmed by the next block.
   */
  readonly index: number
  /** Value of `performance.now()` before the body was read. */
  readonly atMs: number
}

interface Webhook {
  readonly type: string
  readonly data: { readonly txHash: string }
}

export async function openReceiver(): Promise<Receiver> {
  const indexes = new Map<string, number>()
  const emitted = { 'transaction.detected': new Set<string>(), 'transaction.confirmed': new Set<string>() }
  const received: ReceivedEvent[] = []
  const receive = async (request: IncomingMessage) => {
    const atMs = performance.now()
    const { type, data }: Webhook = JSON.parse((await buffer(request)).toString('utf8'))
    const index = indexes.get(data.txHash)
    if (index === undefined) return
    if (type === 'transaction.detected' || type === 'transaction.confirmed') emitted[type].add(data.txHash)
    received.push({ index: type === 'transaction.confirmed' ? index + 1 : index, atMs })
  }
  const server = createServer((request, response) => {
    void receive(request).finally(() => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    received,
    expect: (txHashes, index) => {
      for (const txHash of txHashes) indexes.set(txHash, index)
    },
    isComplete: () => Object.values(emitted).every((hashes) => hashes.size === indexes.size),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
