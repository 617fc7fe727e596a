/** A name server for tests: answers over UDP what a script says, and keeps what it was asked. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, type DecodedPacket, decode, encode } from 'dns-packet'

export interface Question {
  readonly name: string
  readonly type: string
}

export interface DnsAnswer {
  readonly answers?: readonly Answer[]
  /** 0 no error, 2 SERVFAIL, 3 NXDOMAIN. */
  readonly code?: number
}

export interface DnsServer {
  /** `address:port`. */
  readonly place: string
  readonly asked: readonly Question[]
  close(): Promise<void>
}

/** Answers each question with what `script` says; nothing is answered where it says nothing. */
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
    // Recursion desired and available; the code is the last four bits.
    socket.send(encode({ ...response, flags: 0x0180 | code, answers: [...answers] }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    place: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

/** Records of a name: IPv4 addresses answer A, IPv6 addresses AAAA. */
export function recordsOf({ name, type }: Question, addresses: readonly string[], ttl = 0): DnsAnswer {
  const isAsked = (address: string) => address.includes(':') === (type === 'AAAA')
  return {
    answers: addresses
      .filter(isAsked)
      .map((data) => ({ name, ttl, data, type: data.includes(':') ? 'AAAA' : 'A' })),
  }
}
