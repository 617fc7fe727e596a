/**
 * What was ever signed, in a file that only grows: a line for each entry, each with a MAC over itself and the one before,
 * under a key of the same seed. Nothing is answered before its line is on disk.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { assert, required } from '../../core/assert.ts'
import { createDurably, writeWhole } from '../../core/durable-file.ts'
import { intentText, readIntentText } from '../../intents/intent.ts'
import type { LogEntry, Signed, SignRequest } from '../../intents/signer-port.ts'
import { wireLimits } from '../../intents/signer-wire.ts'
import { type Anchor, anchorText, readAnchor, writeAnchor } from './log-anchor.ts'

/** The log is not what the signer wrote: nothing is signed until its operator has put the right one back. */
export class SignLogError extends Error {
  override readonly name = 'SignLogError'
}

/** What `append` is given: the log counts for itself. */
export type NewEntry = SignRequest & Omit<Signed, 'sequence'>

interface Line {
  readonly offset: number
  readonly bytes: number
}

/** {"mac":"<64 digits>","entry":...} */
const entryAt = '{"mac":"'.length + 64 + '","entry":'.length
const readBytesMax = wireLimits.replyBytes / 2
const firstMac = '0'.repeat(64)

export class SignLog {
  readonly #path: string
  readonly #key: KeyObject
  readonly #file: FileHandle
  readonly #anchorFile: FileHandle
  readonly #lines: Line[] = []
  #end: Anchor = { sequence: 0, mac: firstMac }
  #offset = 0
  #anchorTurn = 0
  /** Set by a write that failed: what is on disk is not known then. */
  #isBroken = false

  private constructor(path: string, key: KeyObject, file: FileHandle, anchorFile: FileHandle) {
    this.#path = path
    this.#key = key
    this.#file = file
    this.#anchorFile = anchorFile
  }

  /** Makes an empty log; one that is there stays as it is. */
  static async create(path: string, key: KeyObject): Promise<void> {
    await createDurably(anchorPath(path), anchorText(key, { sequence: 0, mac: firstMac }))
    await createDurably(path, '')
  }

  /**
   * Reads a log to its end and checks all of it. A last line that was being written when the machine stopped is taken
   * away: nobody was answered for it.
   * @param onEntry told each entry, in order
   * @throws SignLogError
   */
  static async open(path: string, key: KeyObject, onEntry: (entry: LogEntry) => void): Promise<SignLog> {
    const file = await openExisting(path)
    const anchorFile = await openExisting(anchorPath(path)).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    const log = new SignLog(path, key, file, anchorFile)
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

  /** Durable once this resolves, all or none of them; the entries with their sequences. */
  async append(entries: readonly NewEntry[]): Promise<readonly LogEntry[]> {
    assert(!this.#isBroken, 'the log could not be written before: the signer must be started again')
    const added: LogEntry[] = []
    const lines: Line[] = []
    let end = this.#end
    let text = ''
    for (const entry of entries) {
      const whole = { sequence: end.sequence + 1, ...entry }
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
    this.#lines.push(...lines)
    this.#offset += Buffer.byteLength(text)
    this.#end = end
    return added
  }

  /** Entries with sequences above `after`, in order: at most `max`, and no more than are read at once. */
  async read(after: number, max: number): Promise<readonly LogEntry[]> {
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
      .map((line) => entryOf(line.slice(entryAt, -1)))
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#anchorFile.close()
  }

  async #anchor(anchor: Anchor): Promise<void> {
    this.#anchorTurn += 1
    await writeAnchor(this.#anchorFile, this.#key, anchor, this.#anchorTurn)
  }

  #lineOf(entry: LogEntry, macBefore: string): { readonly text: string; readonly mac: string } {
    const body = intentText({ ...entry, signedAt: entry.signedAt.toISOString() })
    const mac = this.#macOf(body, macBefore)
    return { text: `${lineText(body, mac)}\n`, mac }
  }

  #macOf(body: string, macBefore: string): string {
    return createHmac('sha256', this.#key)
      .update(`coffer/signer-log/entry ${macBefore} `)
      .update(body)
      .digest('hex')
  }

  async #readAll(onEntry: (entry: LogEntry) => void): Promise<void> {
    const anchor = await readAnchor(this.#anchorFile, this.#key)
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

  #take(text: string, onEntry: (entry: LogEntry) => void): void {
    const sequence = this.#end.sequence + 1
    if (!this.#fits(text)) throw this.#fault(`entry ${sequence} was altered, or is of another keystore`)
    const body = text.slice(entryAt, -1)
    const mac = this.#macOf(body, this.#end.mac)
    const entry = entryOf(body)
    if (entry.sequence !== sequence) throw this.#fault(`entry ${sequence} says that it is ${entry.sequence}`)
    const bytes = Buffer.byteLength(text) + 1
    this.#lines.push({ offset: this.#offset, bytes })
    this.#offset += bytes
    this.#end = { sequence, mac }
    onEntry(entry)
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
      `The signer's log ${this.#path} cannot be trusted: ${what}. Put back the log (and its .anchor file) that the ` +
        'signer wrote last; without it a payment could be made twice',
    )
  }
}

function lineText(body: string, mac: string): string {
  return `{"mac":"${mac}","entry":${body}}`
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

function entryOf(body: string): LogEntry {
  const entry = readIntentText(body) as SignRequest & Omit<Signed, 'signedAt'> & { readonly signedAt: string }
  return { ...entry, signedAt: new Date(entry.signedAt) }
}
