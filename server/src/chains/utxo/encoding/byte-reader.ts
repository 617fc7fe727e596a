import { NodeError } from '../../port.ts'

/** Reads bytes from start to end. @throws NodeError if a read goes beyond the last byte */
export class ByteReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get position(): number {
    return this.#position
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length
  }

  peek(): number | undefined {
    return this.#bytes[this.#position]
  }

  bytes(length: number): Buffer {
    const end = this.#position + length
    if (end > this.#bytes.length) throw new NodeError('the bytes end too early')
    const read = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return read
  }

  since(position: number): Buffer {
    return this.#bytes.subarray(position, this.#position)
  }

  /** Reads a count ("compact size" of Bitcoin). @throws NodeError if fewer bytes than the count are left */
  count(): number {
    const first = this.bytes(1)[0] ?? 0
    const count = first < 0xfd ? first : this.#wideCount(first)
    if (count > this.#bytes.length - this.#position) throw new NodeError('the bytes end too early')
    return count
  }

  #wideCount(first: number): number {
    if (first === 0xfd) return this.bytes(2).readUInt16LE(0)
    if (first === 0xfe) return this.bytes(4).readUInt32LE(0)
    return Number(this.bytes(8).readBigUInt64LE(0))
  }
}
