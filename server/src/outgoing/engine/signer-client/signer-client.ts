import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { intentText, readIntentText } from '../../../signing/intent.ts'
import {
  type Attestation,
  type CountersignAnswer,
  type LogEntry,
  type SignAnswer,
  type Signer,
  SignerAwayError,
  type SignerControl,
  type SignRequest,
} from '../../../signing/signer-port.ts'
import { LineReader, type SignerCall, type SignerReply, wireLimits } from '../../../signing/signer-wire.ts'

interface Waiting {
  resolve(result: unknown): void
  reject(error: SignerAwayError): void
}

/** Far above what a full call takes; a signer that hangs is away. */
const replyTimeoutMs = 60_000

/**
 * The signer behind its socket. Connects when first asked, and again after it was away; what was asked when a connection
 * ended is not asked again: whoever asked reads the log first.
 */
export class SignerClient implements Signer {
  readonly control: SignerControl = {
    countersign: async (head) => (await this.#call('countersign', { head })) as CountersignAnswer,
    halt: async (halt) => void (await this.#call('halt', { halt })),
    lift: async (line) => (await this.#call('lift', { line })) === true,
  }
  readonly #path: string
  readonly #waiting = new Map<number, Waiting>()
  #socket: Socket | undefined
  #nextId = 1
  #isClosed = false

  constructor(socketPath: string) {
    this.#path = socketPath
  }

  async attest(): Promise<Attestation> {
    return (await this.#call('attest', {})) as Attestation
  }

  async sign(requests: readonly SignRequest[]): Promise<readonly SignAnswer[]> {
    const answers: SignAnswer[] = []
    for (const some of callsOf(requests)) {
      const result = await this.#call('sign', { requests: some })
      if (!Array.isArray(result) || result.length !== some.length)
        throw new SignerAwayError('another number of answers')
      answers.push(...(result as SignAnswer[]))
    }
    return answers
  }

  async readLog(after: number, max: number): Promise<readonly LogEntry[]> {
    const result = await this.#call('readLog', { after, max })
    if (!Array.isArray(result)) throw new SignerAwayError('no entries')
    return result.map((entry) => ({ ...entry, signedAt: new Date(entry.signedAt) }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#drop(new SignerAwayError('The connection to the signer was closed'))
  }

  async #call(call: SignerCall, given: object): Promise<unknown> {
    const socket = await this.#connected()
    const id = this.#nextId++
    const result = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    const timer = setTimeout(
      () => this.#drop(new SignerAwayError('The signer does not answer')),
      replyTimeoutMs,
    )
    socket.write(`${intentText({ id, call, ...given })}\n`)
    return result.finally(() => clearTimeout(timer))
  }

  async #connected(): Promise<Socket> {
    if (this.#isClosed) throw new SignerAwayError('The connection to the signer was closed')
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket
    const socket = createConnection(this.#path)
    this.#socket = socket
    const reader = new LineReader(wireLimits.replyBytes)
    socket.on('data', (piece) => this.#read(socket, reader, piece))
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      if (this.#socket === socket) this.#drop(new SignerAwayError(`The signer at ${this.#path} is away`))
    })
    if (socket.connecting) {
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
    }
    if (socket.destroyed) throw new SignerAwayError(`The signer at ${this.#path} is away`)
    return socket
  }

  #read(socket: Socket, reader: LineReader, piece: Buffer): void {
    try {
      for (const line of reader.push(piece)) this.#settle(readIntentText(line) as SignerReply)
    } catch {
      socket.destroy()
    }
  }

  #settle(reply: SignerReply): void {
    if (reply.id === null) {
      this.#drop(new SignerAwayError('The signer did not understand what it was sent'))
      return
    }
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('fault' in reply) waiting?.reject(new SignerAwayError(reply.fault))
    else waiting?.resolve(reply.result)
  }

  /** Ends the connection: nothing is known of what was asked on it. */
  #drop(error: SignerAwayError): void {
    const socket = this.#socket
    this.#socket = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const one of waiting) one.reject(error)
    socket?.destroy()
  }
}

/** As many requests together as go into one call. */
function callsOf(requests: readonly SignRequest[]): readonly (readonly SignRequest[])[] {
  const calls: SignRequest[][] = []
  let bytes = 0
  for (const request of requests) {
    const own = Buffer.byteLength(intentText(request))
    const call = calls.at(-1)
    const fits = call !== undefined && call.length < wireLimits.requestsPerCall
    if (fits && bytes + own <= requestBytesMax) {
      call.push(request)
      bytes += own
    } else {
      calls.push([request])
      bytes = own
    }
  }
  return calls
}

/** What stands around the requests of a call takes far less than the rest. */
const requestBytesMax = wireLimits.callBytes - 64 * 1024
