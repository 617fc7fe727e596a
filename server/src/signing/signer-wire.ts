/**
 * The protocol of the signer's socket. Each call and each reply is one line of JSON. A reply carries the
 * number of its call.
 */

const signerCalls = ['attest', 'sign', 'readLog', 'countersign', 'halt', 'lift'] as const
export type SignerCall = (typeof signerCalls)[number]

/**
 * `error` is a message for people. An error means that the call did nothing, or that the outcome of the call
 * is unknown.
 */
export type SignerReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number | null; readonly error: string }

export const wireLimits = {
  requestsPerCall: 200,
  callBytes: 8 * 1024 * 1024,
  /**
   * Maximum size of a reply. The log entries in one reply use at most half of it. A single entry is always
   * smaller than this half.
   */
  replyBytes: 16 * 1024 * 1024,
  entriesPerCall: 500,
} as const

export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
}

/** Splits the chunks of a stream into lines of at most `bytesMax`. */
export class LineReader {
  readonly #bytesMax: number
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /**
   * Adds a chunk, and returns the lines that end in the chunk.
   * @throws LineTooLongError if a line exceeds `bytesMax`
   */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = []
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end))
      lines.push(Buffer.concat(this.#chunks).toString('utf8'))
      this.#chunks = []
      this.#bytes = 0
      from = end + 1
    }
    this.#keep(chunk.subarray(from))
    return lines
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#bytesMax)
      throw new LineTooLongError(`a line of more than ${this.#bytesMax} bytes`)
    if (chunk.length > 0) this.#chunks.push(chunk)
  }
}
