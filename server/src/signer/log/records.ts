/**
 * Both logs of the signer and their checkpoint. What is appended is in its log first, in the checkpoint then, and only after
 * that it is answered: what cannot be written down is not signed.
 */
import type { KeyObject } from 'node:crypto'
import { exists } from '../../core/durable-file.ts'
import type { LogEntry } from '../../signing/signer-port.ts'
import { type ControlEntry, controlLogKind, type NewControlEntry } from '../control/control-log.ts'
import { ChainedLog, SignLogError } from './chained-log.ts'
import { type Checkpoint, CheckpointFile } from './checkpoint.ts'
import type { Anchor } from './log-anchor.ts'
import { type NewEntry, SignLog } from './sign-log.ts'

export interface RecordsParts {
  readonly logPath: string
  /** Undefined in tests alone, where nothing else vouches for the logs. */
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
  #logIncarnation: number

  private constructor(
    log: ChainedLog<LogEntry>,
    control: ChainedLog<ControlEntry>,
    checkpoint: CheckpointFile | undefined,
    logIncarnation: number,
  ) {
    this.#log = log
    this.#control = control
    this.#checkpoint = checkpoint
    this.#logIncarnation = logIncarnation
  }

  /** Makes empty logs, and a checkpoint where one is wanted; what is there stays as it is. */
  static async create(logPath: string, checkpointPath: string | undefined, key: KeyObject): Promise<void> {
    await ChainedLog.create(controlLogKind, controlPath(logPath), key)
    if (checkpointPath !== undefined) await CheckpointFile.create(checkpointPath, key)
    await SignLog.create(logPath, key)
  }

  /**
   * Reads both logs to their ends and compares them with the checkpoint.
   * @throws SignLogError where one is not what the signer wrote, or is older than the checkpoint
   */
  static async open(parts: RecordsParts): Promise<SignerRecords> {
    const opened = await openFiles(parts)
    const { before, isLogWhole, isControlWhole, log, control, file } = opened
    const logIncarnation = Math.max(before?.logIncarnation ?? 1, opened.logIncarnation)
    const records = new SignerRecords(log, control, file, logIncarnation)
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
   * Has the logs go on as they are, in a life of their own, though entries are lost. What was lost is written down.
   * @throws SignLogError where a log is not what the signer wrote, or where nothing was lost
   */
  static async acceptLoss(
    parts: Omit<RecordsParts, 'onSigned' | 'onControl'> & { readonly checkpointPath: string },
    reason: string,
    now: Date,
  ): Promise<AcceptedLoss> {
    const { checkpointPath, key } = parts
    const opened = await openFiles({ ...parts, onSigned: () => {}, onControl: () => {} })
    const { before, isLogWhole, isControlWhole, log, control, file, logIncarnation } = opened
    const records = new SignerRecords(log, control, file, logIncarnation)
    try {
      if (before !== undefined && isLogWhole && isControlWhole)
        throw new SignLogError('Nothing is lost: the logs go as far as the checkpoint, start the signer')
      records.#logIncarnation = nextLife(logIncarnation, before, now)
      const loss = {
        type: 'loss' as const,
        at: now.toISOString(),
        logIncarnation: records.logIncarnation,
        log: lostOf(log.end, before?.log, isLogWhole),
        control: lostOf(control.end, before?.control, isControlWhole),
        reason,
      }
      await records.appendControl([loss])
      // Last, so that a checkpoint that is there vouches for a loss that is written down.
      if (file === undefined) await CheckpointFile.create(checkpointPath, key, records.#reached)
      else await records.#writeCheckpoint()
      return loss
    } finally {
      await records.close()
    }
  }

  /** How many entries the log of signatures has. */
  get length(): number {
    return this.#log.length
  }

  get logIncarnation(): number {
    return this.#logIncarnation
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

  /** Into both slots, so that neither says anything else. */
  async #writeBoth(): Promise<void> {
    await this.#writeCheckpoint()
    await this.#writeCheckpoint()
  }

  async #writeCheckpoint(): Promise<void> {
    await this.#checkpoint?.write(this.#reached)
  }

  get #reached(): Checkpoint {
    return { logIncarnation: this.logIncarnation, log: this.#log.end, control: this.#control.end }
  }
}

interface OpenedFiles {
  readonly log: ChainedLog<LogEntry>
  readonly control: ChainedLog<ControlEntry>
  readonly file: CheckpointFile | undefined
  /** What the checkpoint said; undefined where there is none, or none of ours. */
  readonly before: Checkpoint | undefined
  /** Whether what the checkpoint vouches for is there. */
  readonly isLogWhole: boolean
  readonly isControlWhole: boolean
  /** As the control log knows it. */
  readonly logIncarnation: number
}

async function openFiles(parts: RecordsParts): Promise<OpenedFiles> {
  const { logPath, checkpointPath, key } = parts
  const file = checkpointPath === undefined ? undefined : await CheckpointFile.open(checkpointPath, key)
  const opened: { close(): Promise<void> }[] = file === undefined ? [] : [file]
  try {
    const before = await file?.read()
    // One that is missing was never written to, or the checkpoint knows better.
    if (!(await exists(controlPath(logPath))))
      await ChainedLog.create(controlLogKind, controlPath(logPath), key)
    const controlFit = fitOf(before?.control)
    let logIncarnation = 1
    const control = await ChainedLog.open(controlLogKind, controlPath(logPath), key, (entry, mac) => {
      controlFit.see(entry.sequence, mac)
      if (entry.type === 'loss') logIncarnation = entry.logIncarnation
      parts.onControl(entry)
    })
    opened.push(control)
    const logFit = fitOf(before?.log)
    const log = await SignLog.open(logPath, key, (entry, mac) => {
      logFit.see(entry.sequence, mac)
      parts.onSigned(entry)
    })
    return {
      log,
      control,
      file,
      before,
      logIncarnation,
      isLogWhole: logFit.isWhole,
      isControlWhole: controlFit.isWhole,
    }
  } catch (error) {
    for (const one of opened) await one.close()
    throw error
  }
}

/** Whether a log holds the entry that a checkpoint names. */
function fitOf(vouched: Anchor | undefined) {
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
 * Without a checkpoint that can be read, a control log that was put back may have forgotten the last life of the log: the
 * time in seconds is above any that was counted.
 */
function nextLife(logIncarnation: number, before: Checkpoint | undefined, now: Date): number {
  if (before !== undefined) return Math.max(logIncarnation, before.logIncarnation) + 1
  return Math.max(logIncarnation + 1, Math.floor(now.getTime() / 1000))
}

function lostOf({ sequence }: Anchor, vouched: Anchor | undefined, isWhole: boolean) {
  if (vouched === undefined) return { from: sequence + 1, to: null }
  if (isWhole) return null
  // As long as it was, or longer, with other entries: from where they differ is not known.
  return { from: Math.min(sequence + 1, vouched.sequence), to: vouched.sequence }
}

function controlPath(logPath: string): string {
  return `${logPath}.control`
}

const wayOut =
  'If it is lost for good, "coffer signer accept-loss" has the signer go on with what is there; docs/signer.md says what to do before'

function missing(path: string): SignLogError {
  return new SignLogError(
    `The checkpoint ${path} is missing, or is of another keystore: is its medium there? ${wayOut}`,
  )
}

function older(path: string, length: number, vouched: number): SignLogError {
  return new SignLogError(
    `${path} has ${length} entries and does not hold entry ${vouched} as the checkpoint knows it: it was put back from a copy, and a ` +
      `payment could be made twice. Put back the one that the signer wrote last. ${wayOut}`,
  )
}
