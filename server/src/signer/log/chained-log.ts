/**
 * A log file that only grows. Each entry is one line, with a MAC over the entry and the MAC of the previous
 * line. The key of the MACs comes from the signer's seed. The signer answers a request only after the line
 * for it is on disk.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { assert, required } from '../../core/assert.ts'
import { createDurably, streamText, writeWhole } from '../../core/durable-file.ts'
import type { Files, OpenFile } from '../../core/files.ts'
import { type LogPosition, logStart, positionText, readPosition, writePosition } from './log-position.ts'
import type { SlotKey } from './slots.ts'

/**
 * Thrown if the log differs from what the signer wrote. The signer signs nothing until an operator has
 * restored the right log.
 */
export class SignLogError extends Error {
  override readonly name = 'SignLogError'
}

interface Numbered {
  /** Counts from 1 without gaps. */
  readonly sequence: number
}

/** An entry for `append`, which assigns its sequence. */
export type Unnumbered<Entry> = Entry extends Numbered ? Omit<Entry, 'sequence'> : never

export interface LogKind<Entry extends Numbered> {
  /** Part of each MAC, so that a line of one kind of log is not valid in another. */
  readonly purpose: string
  /** Name of the log in error messages. */
  readonly name: string
  /** Returns the entry on one line, including its `sequence`. */
  textOf(entry: Entry): string
  read(text: string): Entry
  /**
   * Maximum number of bytes that one `read` returns. Undefined if entries are read only at startup; the
   * offsets of the entries are not kept then.
   */
  readonly readBytesMax: number | undefined
}

export interface LogParts {
  readonly files: Files
  readonly path: string
  /** The key of the MACs. */
  readonly key: KeyObject
}

interface Line {
  readonly offset: number
  readonly bytes: number
}

/** Offset of the entry in a line: {"mac":"<64 digits>","entry":...} */
const entryAt = '{"mac":"'.length + 64 + '","entry":'.length

export class ChainedLog<Entry extends Numbered> {
  readonly #kind: LogKind<Entry>
  readonly #path: string
  readonly #key: KeyObject
  readonly #file: OpenFile
  readonly #positionFile: OpenFile
  readonly #lines: Line[] = []
  #end: LogPosition = logStart
  #offset = 0
  #positionWrites = 0
  /** True after a write failed, because the state on disk is unknown then. */
  #isBroken = false

  private constructor(kind: LogKind<Entry>, { path, key }: LogParts, file: OpenFile, positionFile: OpenFile) {
    this.#kind = kind
    this.#path = path
    this.#key = key
    this.#file = file
    this.#positionFile = positionFile
  }

  /** Creates an empty log. An existing log is not changed. */
  static async create(
    { purpose }: { readonly purpose: string },
    { files, path, key }: LogParts,
  ): Promise<void> {
    await createDurably(positionPath(path), positionText(positionKey(key, purpose), logStart), files)
    await createDurably(path, '', files)
  }

  /**
   * Reads a log to its end and checks all of it. If the host stopped while a line was written, the last line
   * is incomplete and is removed. Nothing is lost, because the signer answers a request only after the whole
   * line is on disk.
   * @param onEntry called with each entry and its MAC, in order.
   * @throws SignLogError if the log differs from what the signer wrote.
   */
  static async open<Entry extends Numbered>(
    kind: LogKind<Entry>,
    parts: LogParts,
    onEntry: (entry: Entry, mac: string) => void,
  ): Promise<ChainedLog<Entry>> {
    const { files, path } = parts
    const file = await openExisting(files, path)
    const positionFile = await openExisting(files, positionPath(path)).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    const log = new ChainedLog(kind, parts, file, positionFile)
    try {
      await log.#readAll(onEntry)
      return log
    } catch (error) {
      await log.close()
      throw error
    }
  }

  get length(): number {
    return this.#end.sequence
  }

  /** Position of the last entry, as the checkpoint and the position file store it. */
  get end(): LogPosition {
    return this.#end
  }

  /**
   * Appends all entries or none, and returns them with their sequences. The entries are durable once the
   * promise resolves.
   */
  async append(entries: readonly Unnumbered<Entry>[]): Promise<readonly Entry[]> {
    assert(!this.#isBroken, 'writing the log failed before: restart the signer')
    const added: Entry[] = []
    const lines: Line[] = []
    let end = this.#end
    let text = ''
    for (const entry of entries) {
      const whole = { sequence: end.sequence + 1, ...entry } as unknown as Entry
      const line = this.#lineOf(whole, end.mac)
      lines.push({ offset: this.#offset + Buffer.byteLength(text), bytes: Buffer.byteLength(line.text) })
      text += line.text
      end = { sequence: whole.sequence, mac: line.mac }
      added.push(whole)
    }
    this.#isBroken = true
    await writeWhole(this.#file, text, this.#offset)
    await this.#file.datasync()
    await this.#position(end)
    this.#isBroken = false
    if (this.#kind.readBytesMax !== undefined) this.#lines.push(...lines)
    this.#offset += Buffer.byteLength(text)
    this.#end = end
    return added
  }

  /**
   * Returns entries with sequences above `after`, in order: at most `max` entries, and at most `readBytesMax`
   * bytes.
   */
  async read(after: number, max: number): Promise<readonly Entry[]> {
    const readBytesMax = required(
      this.#kind.readBytesMax,
      `how much of the ${this.#kind.name} is read at once`,
    )
    const lines = this.#lines.slice(after, after + max)
    const [first] = lines
    if (first === undefined) return []
    const fitting = lines.filter(({ offset, bytes }) => offset + bytes - first.offset <= readBytesMax)
    const last = fitting.at(-1) ?? first
    const bytes = Buffer.alloc(last.offset + last.bytes - first.offset)
    await this.#file.read(bytes, first.offset)
    return bytes
      .toString('utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => this.#kind.read(line.slice(entryAt, -1)))
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#positionFile.close()
  }

  async #position(position: LogPosition): Promise<void> {
    this.#positionWrites += 1
    await writePosition(
      this.#positionFile,
      positionKey(this.#key, this.#kind.purpose),
      position,
      this.#positionWrites,
    )
  }

  #lineOf(entry: Entry, macBefore: string): { readonly text: string; readonly mac: string } {
    const body = this.#kind.textOf(entry)
    const mac = this.#macOf(body, macBefore)
    return { text: `${lineText(body, mac)}\n`, mac }
  }

  #macOf(body: string, macBefore: string): string {
    return createHmac('sha256', this.#key)
      .update(`coffer/${this.#kind.purpose}/entry ${macBefore} `)
      .update(body)
      .digest('hex')
  }

  async #readAll(onEntry: (entry: Entry, mac: string) => void): Promise<void> {
    const stored = await readPosition(this.#positionFile, positionKey(this.#key, this.#kind.purpose))
    if (stored === undefined) {
      throw this.#logError(
        `${positionPath(this.#path)} does not belong to it, or it belongs to another keystore`,
      )
    }
    const { position, slot } = stored
    this.#positionWrites = slot
    let isAtPosition = position.sequence === 0
    for await (const line of linesOf(this.#file)) {
      const isAnswered = this.#end.sequence < position.sequence
      if (!isAnswered && !(line.isWhole && this.#fits(line.text))) {
        await this.#file.truncate(this.#offset)
        break
      }
      this.#take(line.text, onEntry)
      if (this.#end.sequence === position.sequence) {
        isAtPosition = this.#end.mac === position.mac
      }
    }
    if (!isAtPosition) {
      throw this.#logError(`it ends before entry ${position.sequence}, for which the signer has answered`)
    }
    // A signer that was killed may have written entries without syncing them. The entries are synced first,
    // because the stored positions must not be ahead of them. The position is then written to both slots of
    // its file.
    await this.#file.datasync()
    await this.#position(this.#end)
    await this.#position(this.#end)
  }

  #take(text: string, onEntry: (entry: Entry, mac: string) => void): void {
    const sequence = this.#end.sequence + 1
    if (!this.#fits(text))
      throw this.#logError(`entry ${sequence} was altered, or belongs to another keystore`)
    const body = text.slice(entryAt, -1)
    const mac = this.#macOf(body, this.#end.mac)
    const entry = this.#kind.read(body)
    if (entry.sequence !== sequence)
      throw this.#logError(`entry ${sequence} has the number ${entry.sequence}`)
    const bytes = Buffer.byteLength(text) + 1
    if (this.#kind.readBytesMax !== undefined) this.#lines.push({ offset: this.#offset, bytes })
    this.#offset += bytes
    this.#end = { sequence, mac }
    onEntry(entry, mac)
  }

  /** Decides whether a line is exactly the line that this class would have written next. */
  #fits(text: string): boolean {
    const body = text.slice(entryAt, -1)
    const right = Buffer.from(lineText(body, this.#macOf(body, this.#end.mac)))
    const given = Buffer.from(text)
    return given.length === right.length && timingSafeEqual(given, right)
  }

  #logError(what: string): SignLogError {
    return new SignLogError(
      `The ${this.#kind.name} ${this.#path} cannot be trusted: ${what}. Restore the latest log of the signer (and its .position file); ` +
        'without it a payment could be made twice',
    )
  }
}

function lineText(body: string, mac: string): string {
  return `{"mac":"${mac}","entry":${body}}`
}

function positionKey(key: KeyObject, purpose: string): SlotKey {
  return { key, purpose: `${purpose}/position` }
}

function positionPath(path: string): string {
  return `${path}.position`
}

async function openExisting(files: Files, path: string): Promise<OpenFile> {
  return files.open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new SignLogError(
      `${path} is missing: restore the log that belongs to the keystore; "coffer keys init" creates one only for new keys`,
    )
  })
}

/** Yields the lines of the file without their line ends. The last line may lack its line end. */
async function* linesOf(
  file: OpenFile,
): AsyncGenerator<{ readonly text: string; readonly isWhole: boolean }> {
  let rest = ''
  for await (const chunk of streamText(file)) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = required(lines.pop(), 'last part')
    for (const text of lines) yield { text, isWhole: true }
  }
  if (rest !== '') yield { text: rest, isWhole: false }
}
