import { get, type IncomingMessage } from 'node:http'
import { vi } from 'vitest'

/** A stream of server-sent events while it is read. */
export interface EventSourceReader {
  readonly status: number
  /** The parsed `data` of each event so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests state themselves what they expect to find
  readonly events: readonly any[]
  /** Returns all text that was received so far. */
  readonly text: () => string
  readonly isOver: () => boolean
  close(): void
}

/** Opens a stream and resolves with its status. The caller must close it. */
export async function openEventSource(
  url: string,
  headers: Record<string, string> = {},
): Promise<EventSourceReader> {
  let text = ''
  let isOver = false
  const events: unknown[] = []
  const request = get(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
  request.on('error', () => {})
  response.setEncoding('utf8').on('error', () => {})
  response.once('close', () => {
    isOver = true
  })
  response.on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n\n').slice(0, -1)
    const payloads = parts.flatMap((part) => /^data: (.*)$/m.exec(part)?.[1] ?? [])
    events.splice(0, events.length, ...payloads.map((one): unknown => JSON.parse(one)))
  })
  return {
    status: response.statusCode ?? 0,
    events,
    text: () => text,
    isOver: () => isOver,
    close: () => request.destroy(),
  }
}

/** Resolves once the condition holds. */
export function till(condition: () => boolean): Promise<void> {
  return vi.waitFor(
    () => {
      if (!condition()) throw new Error('not yet')
    },
    { interval: 5, timeout: 10_000 },
  )
}
