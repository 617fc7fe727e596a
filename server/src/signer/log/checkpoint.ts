/**
 * How far both logs came when the signer last answered, on a medium that is no part of the machine's snapshots. Logs that are
 * older were put back from a copy; what the signer did since would be done twice.
 */

import type { KeyObject } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { createDurably } from '../../core/durable-file.ts'
import { type Anchor, firstAnchor } from './log-anchor.ts'
import { readSlots, type SlotKey, slotsText, writeSlot } from './slots.ts'

export interface Checkpoint {
  /** Which life of the log this is; it rises where a loss was accepted. */
  readonly logIncarnation: number
  /** Of what was signed. */
  readonly log: Anchor
  /** Of statements. */
  readonly control: Anchor
}

const first: Checkpoint = { logIncarnation: 1, log: firstAnchor, control: firstAnchor }

export class CheckpointFile {
  readonly #file: FileHandle
  readonly #by: SlotKey
  #turn = 0

  private constructor(file: FileHandle, by: SlotKey) {
    this.#file = file
    this.#by = by
  }

  /** Makes one, for logs that begin unless told otherwise; one that is there stays as it is. */
  static async create(path: string, key: KeyObject, checkpoint: Checkpoint = first): Promise<void> {
    await createDurably(path, slotsText(slotKey(key), textOf(checkpoint)))
  }

  /** Undefined where there is none. */
  static async open(path: string, key: KeyObject): Promise<CheckpointFile | undefined> {
    const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
    return file === undefined ? undefined : new CheckpointFile(file, slotKey(key))
  }

  /** The newest; undefined where no slot holds one that carries our MAC. */
  async read(): Promise<Checkpoint | undefined> {
    const found = (await readSlots(this.#file, this.#by)).flatMap((text) => parse(text) ?? [])
    return found.sort(newestFirst)[0]
  }

  /** Durable once this resolves. */
  async write(checkpoint: Checkpoint): Promise<void> {
    this.#turn += 1
    await writeSlot(this.#file, this.#by, textOf(checkpoint), this.#turn)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

function slotKey(key: KeyObject): SlotKey {
  return { key, purpose: 'signer-checkpoint' }
}

function textOf({ logIncarnation, log, control }: Checkpoint): string {
  return [logIncarnation, log.sequence, log.mac, control.sequence, control.mac].join(' ')
}

function parse(text: string): Checkpoint | undefined {
  const fields = /^(\d{1,15}) (\d{1,15}) ([0-9a-f]{64}) (\d{1,15}) ([0-9a-f]{64})$/.exec(text)
  if (fields === null) return undefined
  const [, logIncarnation, logSequence, logMac = '', controlSequence, controlMac = ''] = fields
  return {
    logIncarnation: Number(logIncarnation),
    log: { sequence: Number(logSequence), mac: logMac },
    control: { sequence: Number(controlSequence), mac: controlMac },
  }
}

/** Within a life both logs only grow; where one begins, they may be shorter. */
function newestFirst(a: Checkpoint, b: Checkpoint): number {
  const entriesOf = ({ log, control }: Checkpoint) => log.sequence + control.sequence
  return b.logIncarnation - a.logIncarnation || entriesOf(b) - entriesOf(a)
}
