/**
 * Stores a short text in a small file that survives a crash of the host at any moment. The file has two
 * halves, called slots, each with a MAC. They are written alternately, so that one of them is always intact.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { writeWhole } from '../../core/durable-file.ts'
import type { OpenFile } from '../../core/files.ts'

const slotBytes = 256

export interface SlotKey {
  readonly key: KeyObject
  /** Part of each MAC, so that a text stored for one purpose is not valid for another. */
  readonly purpose: string
}

export interface SlotText {
  /** Number of the slot, 0 or 1. */
  readonly slot: number
  readonly text: string
}

/** Returns the texts of the slots that have a valid MAC. */
export async function readSlots(file: OpenFile, by: SlotKey): Promise<readonly SlotText[]> {
  const bytes = Buffer.alloc(2 * slotBytes)
  await file.read(bytes, 0)
  const slots = [bytes.subarray(0, slotBytes), bytes.subarray(slotBytes)]
  return slots.flatMap((bytesOfSlot, slot) => {
    const text = parse(bytesOfSlot.toString('latin1'), by)
    return text === undefined ? [] : [{ slot, text }]
  })
}

/** Returns the contents of a file with `text` in both slots. */
export function slotsText(by: SlotKey, text: string): string {
  return slotText(by, text).repeat(2)
}

/**
 * Writes a text to one slot. The text is durable once the promise resolves.
 * @param writes is a counter that selects slot 0 if it is even and slot 1 if it is odd. It starts at the slot
 * of the newest text and is raised by one before each write. The slot with the newest text is therefore never
 * overwritten.
 */
export async function writeSlot(file: OpenFile, by: SlotKey, text: string, writes: number): Promise<void> {
  await writeWhole(file, slotText(by, text), (writes % 2) * slotBytes)
  await file.datasync()
}

function slotText(by: SlotKey, text: string): string {
  return `${`${text} ${macOf(by, text)}`.padEnd(slotBytes - 1)}\n`
}

function parse(slot: string, by: SlotKey): string | undefined {
  const [, text, mac] = /^(.+) ([0-9a-f]{64}) *\n$/.exec(slot) ?? []
  if (text === undefined || mac === undefined) return undefined
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(by, text))) ? text : undefined
}

function macOf({ key, purpose }: SlotKey, text: string): string {
  return createHmac('sha256', key).update(`coffer/${purpose} ${text}`).digest('hex')
}
