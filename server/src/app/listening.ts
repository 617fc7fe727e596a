import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds out that the API cannot listen there before anything else is started. Another process may still take the port
 * between this and the real thing.
 * @throws with what to do about it
 */
export async function refuseTakenPort(host: string, port: number): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port }), 'listening')
  } catch (error) {
    throw listenFault(error, host, port)
  }
  probe.close()
  await once(probe, 'close')
}

/** Why a server cannot listen, in words that say which setting to change. */
export function listenFault(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(`port ${port} is taken: stop what listens there, or set PORT to another`)
    case 'EACCES':
      return new Error(`this user may not listen on port ${port}: set PORT to one above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`HOST ${host} is no address of this machine: 127.0.0.1, or 0.0.0.0 for all of them`)
    default:
      return error
  }
}

/** The address of a server; an IPv6 host is written in brackets (RFC 3986, 3.2.2). */
export function urlOf(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
