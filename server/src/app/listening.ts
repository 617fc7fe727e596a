import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Checks that the API can listen on a port, before anything else is started. Another process may still take
 * the port before the API listens.
 * @throws Error whose message says how to solve the problem
 */
export async function refuseTakenPort(host: string, port: number): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port }), 'listening')
  } catch (error) {
    throw listenError(error, host, port)
  }
  probe.close()
  await once(probe, 'close')
}

/** Returns an error that says why a server cannot listen and which setting to change. */
export function listenError(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(
        `port ${port} is in use: stop the process that listens on it, or set PORT to another port`,
      )
    case 'EACCES':
      return new Error(`this user may not listen on port ${port}: set PORT to a port above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(
        `HOST ${host} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all addresses`,
      )
    default:
      return error
  }
}

/** Returns the URL of a server. An IPv6 host is written in brackets (RFC 3986, 3.2.2). */
export function urlOf(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
