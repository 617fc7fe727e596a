/** The bytes of a file in memory. Appending is cheap, because the buffer grows in large steps. */
export class GrowingBytes {
  /** May be longer than the file. Whatever is behind the end of the file is zero. */
  #buffer = Buffer.alloc(0)
  #length = 0

  static of(bytes: Buffer): GrowingBytes {
    const made = new GrowingBytes()
    made.write(bytes, 0)
    return made
  }

  get length(): number {
    return this.#length
  }

  /** Writes bytes at an offset. Zeros fill a gap between the end of the file and the offset. */
  write(bytes: Buffer, offset: number): void {
    if (bytes.length === 0) return
    this.#reserve(offset + bytes.length)
    bytes.copy(this.#buffer, offset)
    this.#length = Math.max(this.#length, offset + bytes.length)
  }

  /** Removes everything from an offset on, or appends zeros up to it. */
  truncate(length: number): void {
    this.#reserve(length)
    if (length < this.#length) this.#buffer.fill(0, length, this.#length)
    this.#length = length
  }

  /** Copies bytes from an offset into a buffer until either ends, and returns their number. */
  read(into: Buffer, offset: number): number {
    if (offset >= this.#length) return 0
    return this.#buffer.copy(into, 0, offset, this.#length)
  }

  copy(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length))
  }

  #reserve(length: number): void {
    if (length <= this.#buffer.length) return
    const larger = Buffer.alloc(Math.max(length, 2 * this.#buffer.length))
    this.#buffer.copy(larger)
    this.#buffer = larger
  }
}
