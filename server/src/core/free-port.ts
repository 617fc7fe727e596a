import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The lowest port to try. Systems use ports from 32768 (Linux) or higher for outgoing connections. Lower
 * ports therefore stay free for longer.
 */
const lowest = 20_000
const highest = 32_767

/** Returns a port of 127.0.0.1 on which nothing listens now. Outgoing connections do not use this port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
