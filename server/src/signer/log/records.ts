/**
 * Both logs of the signer and their checkpoint. An entry is written to its log first, then the checkpoint is
 * written, and only then is the request answered. A request that cannot be recorded is not signed.
 */
import type { KeyObject } from 'node:crypto'
import { diskFiles } from '../../core/durable-file.ts'
import type { Files } from '../../core/files.ts'
import type { LogEntry } from '../../signing/signer-port.ts'
import { type ControlEntry, controlLogKind, type NewControlEntry } from '../control/control-log.ts'
import { ChainedLog, SignLogError } from './chained-log.ts'
import { type Checkpoint, CheckpointFile } from './checkpoint.ts'
import type { LogPosition } from './log-position.ts'
import { type NewEntry, SignLog } from './sign-log.ts'

export interface RecordsParts {
  /** The files of the logs; by default the files on the disk. */
  readonly files?: Files | undefined
  readonly logPath: string
  /** Undefined only in tests and in sandboxes without a checkpoint. */
  readonly checkpointPath: string | undefined
  readonly key: KeyObject
  onSigned(entry: LogEntry): void
  onControl(entry: ControlEntry): void
}

export type AcceptedLoss = Extract<NewControlEntry, { type: 'loss' }>

export class SignerRecords {
  readonly #log: ChainedLog<LogEntry>
  readonly #control: ChainedLog<ControlEntry>
  readonly #checkpoint: CheckpointFile | undefined
  #logGeneration: number

  private constructor(
    log: ChainedLog<LogEntry>,
    control: ChainedLog<ControlEntry>,
    checkpoint: CheckpointFile | undefined,
    logGeneration: number,
  ) {
    this.#log = log
    this.#control = control
    this.#checkpoint = checkpoint
    this.#logGeneration = logGeneration
  }

  /** Creates empty logs, and a checkpoint if a path is given. Existing files are not changed. */
  static async create(
    logPath: string,
    checkpointPath: string | undefined,
    key: KeyObject,
    files: Files = diskFiles,
  ): Promise<void> {
    await ChainedLog.create(controlLogKind, { files, path: controlPath(logPath), key })
    if (checkpointPath !== undefined) await CheckpointFile.create({ files, path: checkpointPath, key })
    await SignLog.create({ files, path: logPath, key })
  }

  /**
   * Reads both logs to their ends and compares them with the checkpoint.
   * @throws SignLogError if a log differs from what the signer wrote or is older than the checkpoint.
   */
  static async open(parts: RecordsParts): Promise<SignerRecords> {
    const opened = await openFiles(parts)
    const { before, isLogWhole, isControlWhole, log, control, file } = opened
    const logGeneration = Math.max(before?.logGeneration ?? 1, opened.logGeneration)
    const records = new SignerRecords(log, control, file, logGeneration)
    try {
      if (parts.checkpointPath !== undefined) {
        if (before === undefined) throw missing(parts.checkpointPath)
        if (!isLogWhole) throw older(parts.logPath, log.length, before.log.sequence)
        if (!isControlWhole) throw older(controlPath(parts.logPath), control.length, before.control.sequence)
      }
      await records.#writeBoth()
      return records
    } catch (error) {
      await records.close()
      throw error
    }
  }

  /**
   * Accepts that entries of the logs are lost. The logs continue from their present ends, in a new
   * generation, and the loss is recorded.
   * @throws SignLogError if a log differs from what the signer wrote, or if nothing was lost.
   */
  static async acceptLoss(
    parts: Omit<RecordsParts, 'onSigned' | 'onControl'> & { readonly checkpointPath: string },
    reason: string,
    now: Date,
  ): Promise<AcceptedLoss> {
    const { files = diskFiles, checkpointPath, key } = parts
    const opened = await openFiles({ ...parts, onSigned: () => {}, onControl: () => {} })
    const { before, isLogWhole, isControlWhole, log, control, file, logGeneration } = opened
    const records = new SignerRecords(log, control, file, logGeneration)
    try {
      if (before !== undefined && isLogWhole && isControlWhole)
        throw new SignLogError('Nothing is lost: the logs reach the checkpoint. Start the signer')
      records.#logGeneration = nextLogGeneration(logGeneration, before, now)
      const loss = {
        type: 'loss' as const,
        at: now.toISOString(),
        logGeneration: records.logGeneration,
        log: lostOf(log.end, before?.log, isLogWhole),
        control: lostOf(control.end, before?.control, isControlWhole),
        reason,
      }
      await records.appendControl([loss])
      // The control log contains the loss now. Only then may a checkpoint contain the new generation, a number
      // that rises when an operator accepts a loss.
      if (file === undefined)
        await CheckpointFile.create({ files, path: checkpointPath, key }, records.#reached)
      else await records.#writeCheckpoint()
      return loss
    } finally {
      await records.close()
    }
  }

  /** Number of entries in the log of signatures. */
  get length(): number {
    return this.#log.length
  }

  get logGeneration(): number {
    return this.#logGeneration
  }

  async append(entries: readonly NewEntry[]): Promise<readonly LogEntry[]> {
    const added = await this.#log.append(entries)
    await this.#writeCheckpoint()
    return added
  }

  async appendControl(entries: readonly NewControlEntry[]): Promise<readonly ControlEntry[]> {
    const added = await this.#control.append(entries)
    await this.#writeCheckpoint()
    return added
  }

  read(after: number, max: number): Promise<readonly LogEntry[]> {
    return this.#log.read(after, max)
  }

  async close(): Promise<void> {
    await this.#log.close()
    await this.#control.close()
    await this.#checkpoint?.close()
  }

  /** Writes the checkpoint twice, so that both slots of its file are equal. */
  async #writeBoth(): Promise<void> {
    await this.#writeCheckpoint()
    await this.#writeCheckpoint()
  }

  async #writeCheckpoint(): Promise<void> {
    await this.#checkpoint?.write(this.#reached)
  }

  get #reached(): Checkpoint {
    return { logGeneration: this.logGeneration, log: this.#log.end, control: this.#control.end }
  }
}

interface OpenedFiles {
  readonly log: ChainedLog<LogEntry>
  readonly control: ChainedLog<ControlEntry>
  readonly file: CheckpointFile | undefined
  /** The checkpoint as read; undefined if no checkpoint has a valid MAC. */
  readonly before: Checkpoint | undefined
  /** Whether the log contains the entry that the checkpoint names. */
  readonly isLogWhole: boolean
  readonly isControlWhole: boolean
  /** Generation of the logs according to the control log. */
  readonly logGeneration: number
}

async function openFiles(parts: RecordsParts): Promise<OpenedFiles> {
  const { files = diskFiles, logPath, checkpointPath, key } = parts
  const controlParts = { files, path: controlPath(logPath), key }
  const file =
    checkpointPath === undefined ? undefined : await CheckpointFile.open({ files, path: checkpointPath, key })
  const opened: { close(): Promise<void> }[] = file === undefined ? [] : [file]
  try {
    const before = await file?.read()
    // A missing control log is created, because the signer may have recorded no statement yet. If entries
    // were written and are lost, the checkpoint shows the loss.
    if (!(await files.exists(controlParts.path))) await ChainedLog.create(controlLogKind, controlParts)
    const controlFit = fitOf(before?.control)
    let logGeneration = 1
    const control = await ChainedLog.open(controlLogKind, controlParts, (entry, mac) => {
      controlFit.see(entry.sequence, mac)
      if (entry.type === 'loss') logGeneration = entry.logGeneration
      parts.onControl(entry)
    })
    opened.push(control)
    const logFit = fitOf(before?.log)
    const log = await SignLog.open({ files, path: logPath, key }, (entry, mac) => {
      logFit.see(entry.sequence, mac)
      parts.onSigned(entry)
    })
    return {
      log,
      control,
      file,
      before,
      logGeneration,
      isLogWhole: logFit.isWhole,
      isControlWhole: controlFit.isWhole,
    }
  } catch (error) {
    for (const one of opened) await one.close()
    throw error
  }
}

/**
 * Returns an observer of a log's entries. Its `isWhole` is true once it has seen the entry that the
 * checkpoint names. It is also true if the checkpoint names none.
 */
function fitOf(vouched: LogPosition | undefined) {
  let isWhole = vouched === undefined || vouched.sequence === 0
  return {
    see: (sequence: number, mac: string) => {
      if (sequence === vouched?.sequence) isWhole = mac === vouched.mac
    },
    get isWhole() {
      return isWhole
    },
  }
}

/**
 * Returns the generation after a loss. Without a readable checkpoint the last generation is unknown, because
 * a control log that was restored from a copy may not contain it. The current time in seconds is then used,
 * because it is above every earlier generation.
 */
function nextLogGeneration(logGeneration: number, before: Checkpoint | undefined, now: Date): number {
  if (before !== undefined) return Math.max(logGeneration, before.logGeneration) + 1
  return Math.max(logGeneration + 1, Math.floor(now.getTime() / 1000))
}

function lostOf({ sequence }: LogPosition, vouched: LogPosition | undefined, isWhole: boolean) {
  if (vouched === undefined) return { from: sequence + 1, to: null }
  if (isWhole) return null
  // The log may have as many entries as the checkpoint requires, but other ones. It is unknown which entry is
  // the first that differs.
  return { from: Math.min(sequence + 1, vouched.sequence), to: vouched.sequence }
}

function controlPath(logPath: string): string {
  return `${logPath}.control`
}

const instructions =
  'If it is lost for good, "coffer signer accept-loss" lets the signer continue without it; docs/signer.md explains what to do first'

function missing(path: string): SignLogError {
  return new SignLogError(
    `The checkpoint ${path} is missing, or belongs to another keystore: check that its medium is mounted. ${instructions}`,
  )
}

function older(path: string, length: number, vouched: number): SignLogError {
  return new SignLogError(
    `${path} has ${length} entries and lacks entry ${vouched} of the checkpoint: it was restored from a copy, and a ` +
      `payment could be made twice. Restore the latest log of the signer. ${instructions}`,
  )
}
