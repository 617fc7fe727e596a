import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { startTimer } from '../../../core/clock.ts'
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

/**
 * A signer that does not reply in this time counts as unavailable. Even the largest call takes far less time.
 */
const replyTimeoutMs = 60_000

/**
 * A client of the signer's socket. Connects on the first call, and reconnects after a failure. If the
 * connection is lost, calls are not repeated: the caller must first read in the signer's log what was signed.
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
    const timer = startTimer(
      () => this.#drop(new SignerAwayError('The signer does not answer')),
      replyTimeoutMs,
    )
    socket.write(`${intentText({ id, call, ...given })}\n`)
    return result.finally(() => timer.cancel())
  }

  async #connected(): Promise<Socket> {
    if (this.#isClosed) throw new SignerAwayError('The connection to the signer was closed')
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket
    const socket = createConnection(this.#path)
    this.#socket = socket
    const reader = new LineReader(wireLimits.replyBytes)
    socket.on('data', (chunk) => this.#read(socket, reader, chunk))
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      if (this.#socket === socket)
        this.#drop(new SignerAwayError(`The signer at ${this.#path} cannot be reached`))
    })
    if (socket.connecting) {
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
    }
    if (socket.destroyed) throw new SignerAwayError(`The signer at ${this.#path} cannot be reached`)
    return socket
  }

  #read(socket: Socket, reader: LineReader, chunk: Buffer): void {
    try {
      for (const line of reader.push(chunk)) this.#settle(readIntentText(line) as SignerReply)
    } catch {
      socket.destroy()
    }
  }

  #settle(reply: SignerReply): void {
    if (reply.id === null) {
      this.#drop(new SignerAwayError('The signer did not understand the request'))
      return
    }
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('error' in reply) waiting?.reject(new SignerAwayError(reply.error))
    else waiting?.resolve(reply.result)
  }

  /**
   * Closes the connection. Also rejects all calls that have had no reply yet, because their results are
   * unknown.
   */
  #drop(error: SignerAwayError): void {
    const socket = this.#socket
    this.#socket = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const one of waiting) one.reject(error)
    socket?.destroy()
  }
}

/** Groups requests into calls that stay within the limits for one call. */
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

/**
 * The maximum size of the requests in one call. The remaining 64 KiB of a call are more than enough for its
 * other fields.
 */
const requestBytesMax = wireLimits.callBytes - 64 * 1024
