import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A merchant's end: takes webhooks, answers 200, and notes when each arrived. */
export interface Receiver {
  readonly url: string
  readonly arrivals: readonly Arrival[]
  /** Says which block, in the order they are mined, will hold these transactions. */
  expect(txHashes: readonly string[], place: number): void
  /** Whether every expected transaction was told as detected and as confirmed. */
  isComplete(): boolean
  stop(): Promise<void>
}

export interface Arrival {
  /** The block that caused the webhook: the one that confirms is the one after the one that holds. */
  readonly place: number
  /** Of `performance.now()`, before the body was read. */
  readonly atMs: number
}

interface Webhook {
  readonly type: string
  readonly data: { readonly txHash: string }
}

export async function openReceiver(): Promise<Receiver> {
  const places = new Map<string, number>()
  const told = { 'transaction.detected': new Set<string>(), 'transaction.confirmed': new Set<string>() }
  const arrivals: Arrival[] = []
  const receive = async (request: IncomingMessage) => {
    const atMs = performance.now()
    const { type, data }: Webhook = JSON.parse((await buffer(request)).toString('utf8'))
    const place = places.get(data.txHash)
    if (place === undefined) return
    if (type === 'transaction.detected' || type === 'transaction.confirmed') told[type].add(data.txHash)
    arrivals.push({ place: type === 'transaction.confirmed' ? place + 1 : place, atMs })
  }
  const server = createServer((request, response) => {
    void receive(request).finally(() => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    arrivals,
    expect: (txHashes, place) => {
      for (const txHash of txHashes) places.set(txHash, place)
    },
    isComplete: () => Object.values(told).every((hashes) => hashes.size === places.size),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
