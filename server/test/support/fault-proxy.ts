/**
 * A connection between Coffer and a node with the faults of real connections: it is cut, slow or silent, or
 * it alters bytes.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { required } from '../../src/core/assert.ts'

/**
 * The faults of a connection. `cut`: every connection ends and no new one is accepted. `delayed`: answers
 * come `ms` milliseconds later. `half-open`: connections stay open, and no byte passes in either direction.
 * `altered`: one of every `everyBytes` bytes of an answer is changed.
 */
export type Fault =
  | { readonly type: 'none' | 'cut' | 'half-open' }
  | { readonly type: 'delayed'; readonly ms: number }
  | { readonly type: 'altered'; readonly everyBytes: number }

export interface FaultProxy {
  readonly url: string
  /** The number of accepted connections, and of altered bytes. */
  readonly counts: { readonly connections: number; readonly alteredBytes: number }
  /** Sets the fault from now on, for open connections as well. */
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
    // Writes are queued, so that a delayed answer is not overtaken by a later one.
    let step = Promise.resolve<unknown>(undefined)
    node.on('data', (bytes: Buffer) => {
      step = step.then(async () => {
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

/** Sets one fault after the other, in turn, until the signal aborts, and then removes the fault. */
export async function troubled(
  proxy: FaultProxy,
  { faults, eachMs, signal }: { faults: readonly Fault[]; eachMs: number; signal: AbortSignal },
): Promise<void> {
  for (let step = 0; !signal.aborted; step += 1) {
    proxy.set(required(faults[step % faults.length], 'a fault'))
    await sleep(eachMs, undefined, { signal }).catch(() => {})
  }
  proxy.set({ type: 'none' })
}
