/** What goes over the signer's socket: one JSON text a line, a call each way; answers carry the number of their call. */

const signerCalls = ['attest', 'sign', 'readLog', 'countersign', 'halt', 'lift'] as const
export type SignerCall = (typeof signerCalls)[number]

/** `fault` is for people: the call did nothing, or nothing is known of it. */
export type SignerReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number | null; readonly fault: string }

export const wireLimits = {
  requestsPerCall: 200,
  callBytes: 8 * 1024 * 1024,
  /** Entries of the log are answered with up to half of it; a single one is always smaller. */
  replyBytes: 16 * 1024 * 1024,
  entriesPerCall: 500,
} as const

export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
}

/** Puts the pieces in which a stream arrives together to lines of at most `bytesMax`. */
export class LineReader {
  readonly #bytesMax: number
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The lines that end in this piece. @throws LineTooLongError */
  push(piece: Buffer): readonly string[] {
    const lines: string[] = []
    let from = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      this.#keep(piece.subarray(from, end))
      lines.push(Buffer.concat(this.#pieces).toString('utf8'))
      this.#pieces = []
      this.#bytes = 0
      from = end + 1
    }
    this.#keep(piece.subarray(from))
    return lines
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#bytes > this.#bytesMax)
      throw new LineTooLongError(`a line of more than ${this.#bytesMax} bytes`)
    if (piece.length > 0) this.#pieces.push(piece)
  }
}
