/**
 * The position of a log when the signer last answered. It is stored in a small file beside the log. If the
 * log is shorter than its position says, entries are lost.
 */
import type { OpenFile } from '../../core/files.ts'
import { readSlots, type SlotKey, slotsText, writeSlot } from './slots.ts'

export interface LogPosition {
  readonly sequence: number
  /** MAC of the entry with that sequence, in hex. */
  readonly mac: string
}

/** Position of an empty log. */
export const logStart: LogPosition = { sequence: 0, mac: '0'.repeat(64) }

export interface StoredPosition {
  readonly position: LogPosition
  /** The slot that holds the position. The next write must change the other slot. */
  readonly slot: number
}

/** Returns the newest position in the file that has a valid MAC; undefined if there is none. */
export async function readPosition(file: OpenFile, by: SlotKey): Promise<StoredPosition | undefined> {
  const stored = (await readSlots(file, by)).flatMap(({ slot, text }) => {
    const position = parse(text)
    return position === undefined ? [] : [{ slot, position }]
  })
  return stored.sort((a, b) => b.position.sequence - a.position.sequence)[0]
}

/** Returns the contents of the position file of a new log. */
export function positionText(by: SlotKey, position: LogPosition): string {
  return slotsText(by, textOf(position))
}

/**
 * Stores a position. The position is durable once the promise resolves.
 * @param writes selects the slot, as in `writeSlot`; the other slot keeps the previous position
 */
export function writePosition(
  file: OpenFile,
  by: SlotKey,
  position: LogPosition,
  writes: number,
): Promise<void> {
  return writeSlot(file, by, textOf(position), writes)
}

function textOf({ sequence, mac }: LogPosition): string {
  return `${sequence} ${mac}`
}

function parse(text: string): LogPosition | undefined {
  const [, sequence, mac] = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(text) ?? []
  return sequence === undefined || mac === undefined ? undefined : { sequence: Number(sequence), mac }
}
