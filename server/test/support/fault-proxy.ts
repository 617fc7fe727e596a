/** A wire between Coffer and a node that does what wires do: it is cut, slow, silent, or alters bytes. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { required } from '../../src/core/assert.ts'

/**
 * cut: every connection ends, and no new one is taken. delayed: answers come so much later. half-open: connections stand
 * and nothing comes through them, either way. altered: of so many bytes of an answer one is another.
 */
export type Fault =
  | { readonly type: 'none' | 'cut' | 'half-open' }
  | { readonly type: 'delayed'; readonly ms: number }
  | { readonly type: 'altered'; readonly everyBytes: number }

export interface FaultProxy {
  readonly url: string
  /** How many connections were taken, and how many bytes were altered. */
  readonly counts: { readonly connections: number; readonly alteredBytes: number }
  /** From now on, for the connections that stand as well. */
  set(fault: Fault): void
  close(): Promise<void>
}

export async function startFaultProxy(nodeUrl: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(nodeUrl)
  const sockets = new Set<Socket>()
  const counts = { connections: 0, alteredBytes: 0 }
  let fault: Fault = { type: 'none' }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const altered = (bytes: Buffer): Buffer => {
    if (fault.type !== 'altered') return bytes
    const changed = Buffer.from(bytes)
    for (let at = fault.everyBytes - 1; at < changed.length; at += fault.everyBytes) {
      changed[at] = required(changed[at], 'a byte') ^ 1
      counts.alteredBytes += 1
    }
    return changed
  }
  const server = createServer((client) => {
    counts.connections += 1
    if (fault.type === 'cut') return void client.destroy()
    const node = connect(Number(port), hostname)
    for (const [end, other] of [
      [client, node],
      [node, client],
    ] as const) {
      sockets.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        sockets.delete(end)
        other.destroy()
      })
    }
    client.on('data', (bytes) => void (fault.type !== 'half-open' && node.write(bytes)))
    // One after the other, so that what is late does not overtake.
    let turn = Promise.resolve<unknown>(undefined)
    node.on('data', (bytes: Buffer) => {
      turn = turn.then(async () => {
        if (fault.type === 'delayed') await sleep(fault.ms)
        if (fault.type !== 'half-open' && !client.destroyed) client.write(altered(bytes))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    set: (next) => {
      fault = next
      if (next.type === 'cut') cut()
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}

/** Gives a wire one fault after the other, again and again, until the signal aborts; then it has none. */
export async function troubled(
  proxy: FaultProxy,
  { faults, eachMs, signal }: { faults: readonly Fault[]; eachMs: number; signal: AbortSignal },
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    proxy.set(required(faults[turn % faults.length], 'a fault'))
    await sleep(eachMs, undefined, { signal }).catch(() => {})
  }
  proxy.set({ type: 'none' })
}
