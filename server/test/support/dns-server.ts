/** A name server for tests. It answers over UDP as a script says and keeps the questions. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, type DecodedPacket, decode, encode } from 'dns-packet'

export interface Question {
  readonly name: string
  readonly type: string
}

export interface DnsAnswer {
  readonly answers?: readonly Answer[]
  /** The response code: 0 is no error, 2 is SERVFAIL and 3 is NXDOMAIN. */
  readonly code?: number
}

export interface DnsServer {
  /** The address as `address:port`. */
  readonly address: string
  readonly asked: readonly Question[]
  close(): Promise<void>
}

/**
 * Starts a server that answers each question with the result of `script`, and does not answer if the result
 * is undefined.
 */
export async function startDnsServer(
  script: (question: Question) => DnsAnswer | undefined,
): Promise<DnsServer> {
  const asked: Question[] = []
  const socket = createSocket('udp4')
  socket.on('message', (bytes, { port, address }) => {
    const query: DecodedPacket = decode(bytes)
    const [question] = query.questions ?? []
    if (question === undefined) return
    const heard = { name: question.name.toLowerCase(), type: question.type }
    asked.push(heard)
    const answer = script(heard)
    if (answer === undefined) return
    const { answers = [], code = 0 } = answer
    const response = { type: 'response' as const, id: query.id ?? 0, questions: [question] }
    // The flags are a response with recursion desired and available. The code is in the last four bits.
    socket.send(encode({ ...response, flags: 0x0180 | code, answers: [...answers] }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

/**
 * Returns the records of a name: IPv4 addresses answer questions of type A, IPv6 addresses those of type
 * AAAA.
 */
export function recordsOf({ name, type }: Question, addresses: readonly string[], ttl = 0): DnsAnswer {
  const isAsked = (address: string) => address.includes(':') === (type === 'AAAA')
  return {
    answers: addresses
      .filter(isAsked)
      .map((data) => ({ name, ttl, data, type: data.includes(':') ? 'AAAA' : 'A' })),
  }
}
