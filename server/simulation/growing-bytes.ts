/** The bytes of a file in memory. Appending is cheap, because the buffer grows in large steps. */
export class GrowingBytes {
  /** The buffer may be longer than the file. All bytes after the end of the file are zero. */
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

  /** Writes bytes at an offset. If the offset is after the end of the file, the gap is filled with zeros. */
  write(bytes: Buffer, offset: number): void {
    if (bytes.length === 0) return
    this.#reserve(offset + bytes.length)
    bytes.copy(this.#buffer, offset)
    this.#length = Math.max(this.#length, offset + bytes.length)
  }

  /** Sets the length of the file. Removes the bytes after it, or appends zeros. */
  truncate(length: number): void {
    this.#reserve(length)
    if (length < this.#length) this.#buffer.fill(0, length, this.#length)
    this.#length = length
  }

  /**
   * Copies bytes from an offset of the file until the buffer is full or the file ends. Returns the number of
   * copied bytes.
   */
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
