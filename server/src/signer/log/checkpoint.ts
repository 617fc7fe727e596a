/**
 * The positions of both logs when the signer last answered. The file is on a medium that snapshots of this
 * host do not include. If a log is shorter than its position says, it was restored from a copy. With such a
 * log, the signer could sign a second time what it signed after the copy was made.
 */

import type { KeyObject } from 'node:crypto'
import { createDurably } from '../../core/durable-file.ts'
import type { Files, OpenFile } from '../../core/files.ts'
import { type LogPosition, logStart } from './log-position.ts'
import { readSlots, type SlotKey, slotsText, writeSlot } from './slots.ts'

export interface Checkpoint {
  /** Generation of the logs. The generation rises when an operator accepts a loss. */
  readonly logGeneration: number
  /** Position of the log of signatures. */
  readonly log: LogPosition
  /** Position of the log of statements. */
  readonly control: LogPosition
}

export interface CheckpointParts {
  readonly files: Files
  readonly path: string
  readonly key: KeyObject
}

const first: Checkpoint = { logGeneration: 1, log: logStart, control: logStart }

export class CheckpointFile {
  readonly #file: OpenFile
  readonly #by: SlotKey
  #writes = 0

  private constructor(file: OpenFile, by: SlotKey) {
    this.#file = file
    this.#by = by
  }

  /** Creates a checkpoint file, by default for new logs. An existing file is not changed. */
  static async create({ files, path, key }: CheckpointParts, checkpoint: Checkpoint = first): Promise<void> {
    await createDurably(path, slotsText(slotKey(key), textOf(checkpoint)), files)
  }

  /** Opens a checkpoint file; returns undefined if the file does not exist. */
  static async open({ files, path, key }: CheckpointParts): Promise<CheckpointFile | undefined> {
    const file = await files.open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
    return file === undefined ? undefined : new CheckpointFile(file, slotKey(key))
  }

  /** Returns the newest checkpoint in the file that has a valid MAC; undefined if there is none. */
  async read(): Promise<Checkpoint | undefined> {
    const found = (await readSlots(this.#file, this.#by)).flatMap(({ slot, text }) => {
      const checkpoint = parse(text)
      return checkpoint === undefined ? [] : [{ slot, checkpoint }]
    })
    const newest = found.sort((a, b) => newestFirst(a.checkpoint, b.checkpoint))[0]
    // The counter starts with the slot of the newest checkpoint, so the first write changes the other slot.
    this.#writes = newest?.slot ?? 0
    return newest?.checkpoint
  }

  /** Stores a checkpoint. The checkpoint is durable once the promise resolves. */
  async write(checkpoint: Checkpoint): Promise<void> {
    this.#writes += 1
    await writeSlot(this.#file, this.#by, textOf(checkpoint), this.#writes)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

function slotKey(key: KeyObject): SlotKey {
  return { key, purpose: 'signer-checkpoint' }
}

function textOf({ logGeneration, log, control }: Checkpoint): string {
  return [logGeneration, log.sequence, log.mac, control.sequence, control.mac].join(' ')
}

function parse(text: string): Checkpoint | undefined {
  const fields = /^(\d{1,15}) (\d{1,15}) ([0-9a-f]{64}) (\d{1,15}) ([0-9a-f]{64})$/.exec(text)
  if (fields === null) return undefined
  const [, logGeneration, logSequence, logMac = '', controlSequence, controlMac = ''] = fields
  return {
    logGeneration: Number(logGeneration),
    log: { sequence: Number(logSequence), mac: logMac },
    control: { sequence: Number(controlSequence), mac: controlMac },
  }
}

/**
 * Orders checkpoints, newest first. Within a generation both logs only grow, so longer logs are newer. In a
 * new generation the logs may be shorter.
 */
function newestFirst(a: Checkpoint, b: Checkpoint): number {
  const entriesOf = ({ log, control }: Checkpoint) => log.sequence + control.sequence
  return b.logGeneration - a.logGeneration || entriesOf(b) - entriesOf(a)
}
