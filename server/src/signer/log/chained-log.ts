/**
 * A file that only grows: a line for each entry, each with a MAC over itself and the one before, under a key of the
 * signer's seed. Nothing is answered before its line is on disk.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { assert, required } from '../../core/assert.ts'
import { createDurably, writeWhole } from '../../core/durable-file.ts'
import { type Anchor, anchorText, firstAnchor, readAnchor, writeAnchor } from './log-anchor.ts'
import type { SlotKey } from './slots.ts'

/** The log is not what the signer wrote: nothing is signed until its operator has put the right one back. */
export class SignLogError extends Error {
  override readonly name = 'SignLogError'
}

interface Numbered {
  /** From 1, without gaps. */
  readonly sequence: number
}

/** What `append` is given: the log counts for itself. */
export type Unnumbered<Entry> = Entry extends Numbered ? Omit<Entry, 'sequence'> : never

/** What a log is for. */
export interface LogKind<Entry extends Numbered> {
  /** Part of each MAC: a line of one kind of log is none of another. */
  readonly purpose: string
  /** What people are told that it is. */
  readonly name: string
  /** On one line, with `sequence` in it. */
  textOf(entry: Entry): string
  read(text: string): Entry
  /** What one `read` takes at most; undefined where entries are read at the start alone, and no place is kept of them. */
  readonly readBytesMax: number | undefined
}

interface Line {
  readonly offset: number
  readonly bytes: number
}

/** {"mac":"<64 digits>","entry":...} */
const entryAt = '{"mac":"'.length + 64 + '","entry":'.length

export class ChainedLog<Entry extends Numbered> {
  readonly #kind: LogKind<Entry>
  readonly #path: string
  readonly #key: KeyObject
  readonly #file: FileHandle
  readonly #anchorFile: FileHandle
  readonly #lines: Line[] = []
  #end: Anchor = firstAnchor
  #offset = 0
  #anchorTurn = 0
  /** Set by a write that failed: what is on disk is not known then. */
  #isBroken = false

  private constructor(
    kind: LogKind<Entry>,
    path: string,
    key: KeyObject,
    file: FileHandle,
    anchorFile: FileHandle,
  ) {
    this.#kind = kind
    this.#path = path
    this.#key = key
    this.#file = file
    this.#anchorFile = anchorFile
  }

  /** Makes an empty log; one that is there stays as it is. */
  static async create(
    { purpose }: { readonly purpose: string },
    path: string,
    key: KeyObject,
  ): Promise<void> {
    await createDurably(anchorPath(path), anchorText(anchorKey(key, purpose), firstAnchor))
    await createDurably(path, '')
  }

  /**
   * Reads a log to its end and checks all of it. A last line that was being written when the machine stopped is taken
   * away: nobody was answered for it.
   * @param onEntry told each entry and its MAC, in order
   * @throws SignLogError
   */
  static async open<Entry extends Numbered>(
    kind: LogKind<Entry>,
    path: string,
    key: KeyObject,
    onEntry: (entry: Entry, mac: string) => void,
  ): Promise<ChainedLog<Entry>> {
    const file = await openExisting(path)
    const anchorFile = await openExisting(anchorPath(path)).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    const log = new ChainedLog(kind, path, key, file, anchorFile)
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

  /** The last entry, as the checkpoint and the anchor know it. */
  get end(): Anchor {
    return this.#end
  }

  /** Durable once this resolves, all or none of them; the entries with their sequences. */
  async append(entries: readonly Unnumbered<Entry>[]): Promise<readonly Entry[]> {
    assert(!this.#isBroken, 'the log could not be written before: the signer must be started again')
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
    await this.#anchor(end)
    this.#isBroken = false
    if (this.#kind.readBytesMax !== undefined) this.#lines.push(...lines)
    this.#offset += Buffer.byteLength(text)
    this.#end = end
    return added
  }

  /** Entries with sequences above `after`, in order: at most `max`, and no more than are read at once. */
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
    await this.#file.read(bytes, 0, bytes.length, first.offset)
    return bytes
      .toString('utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => this.#kind.read(line.slice(entryAt, -1)))
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#anchorFile.close()
  }

  async #anchor(anchor: Anchor): Promise<void> {
    this.#anchorTurn += 1
    await writeAnchor(this.#anchorFile, anchorKey(this.#key, this.#kind.purpose), anchor, this.#anchorTurn)
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
    const anchor = await readAnchor(this.#anchorFile, anchorKey(this.#key, this.#kind.purpose))
    if (anchor === undefined) {
      throw this.#fault(`${anchorPath(this.#path)} does not belong to it, or it is of another keystore`)
    }
    let isAnchored = anchor.sequence === 0
    for await (const line of linesOf(this.#file)) {
      const isAnswered = this.#end.sequence < anchor.sequence
      if (!isAnswered && !(line.isWhole && this.#fits(line.text))) {
        await this.#dropTail()
        break
      }
      this.#take(line.text, onEntry)
      if (this.#end.sequence === anchor.sequence) {
        isAnchored = this.#end.mac === anchor.mac
      }
    }
    if (!isAnchored) {
      throw this.#fault(`it ends before entry ${anchor.sequence}, for which the signer has answered`)
    }
    await this.#anchor(this.#end)
    await this.#anchor(this.#end)
  }

  #take(text: string, onEntry: (entry: Entry, mac: string) => void): void {
    const sequence = this.#end.sequence + 1
    if (!this.#fits(text)) throw this.#fault(`entry ${sequence} was altered, or is of another keystore`)
    const body = text.slice(entryAt, -1)
    const mac = this.#macOf(body, this.#end.mac)
    const entry = this.#kind.read(body)
    if (entry.sequence !== sequence) throw this.#fault(`entry ${sequence} says that it is ${entry.sequence}`)
    const bytes = Buffer.byteLength(text) + 1
    if (this.#kind.readBytesMax !== undefined) this.#lines.push({ offset: this.#offset, bytes })
    this.#offset += bytes
    this.#end = { sequence, mac }
    onEntry(entry, mac)
  }

  /** Whether a line is, to the letter, what we would have written as the next one. */
  #fits(text: string): boolean {
    const body = text.slice(entryAt, -1)
    const right = Buffer.from(lineText(body, this.#macOf(body, this.#end.mac)))
    const given = Buffer.from(text)
    return given.length === right.length && timingSafeEqual(given, right)
  }

  async #dropTail(): Promise<void> {
    await this.#file.truncate(this.#offset)
    await this.#file.datasync()
  }

  #fault(what: string): SignLogError {
    return new SignLogError(
      `The ${this.#kind.name} ${this.#path} cannot be trusted: ${what}. Put back the log (and its .anchor file) that the ` +
        'signer wrote last; without it a payment could be made twice',
    )
  }
}

function lineText(body: string, mac: string): string {
  return `{"mac":"${mac}","entry":${body}}`
}

function anchorKey(key: KeyObject, purpose: string): SlotKey {
  return { key, purpose: `${purpose}/anchor` }
}

function anchorPath(path: string): string {
  return `${path}.anchor`
}

async function openExisting(path: string): Promise<FileHandle> {
  return open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new SignLogError(
      `${path} is missing: put back the log that belongs to the keystore; "coffer keys init" makes one for new keys alone`,
    )
  })
}

/** The file's lines without their ends; the last may lack its own. */
async function* linesOf(
  file: FileHandle,
): AsyncGenerator<{ readonly text: string; readonly isWhole: boolean }> {
  const stream = file.createReadStream({ encoding: 'utf8', autoClose: false, start: 0 })
  let rest = ''
  for await (const chunk of stream) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = required(lines.pop(), 'last part')
    for (const text of lines) yield { text, isWhole: true }
  }
  if (rest !== '') yield { text: rest, isWhole: false }
}
