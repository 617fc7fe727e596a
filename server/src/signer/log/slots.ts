/**
 * A short text in a small file that survives any stop of the machine: it is kept in two slots that are written in turn,
 * each with a MAC, so that one of them is always whole.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { writeWhole } from '../../core/durable-file.ts'

const slotBytes = 256

export interface SlotKey {
  readonly key: KeyObject
  /** Part of each MAC: what is kept for one purpose is not accepted for another. */
  readonly purpose: string
}

/** The texts of the slots whose MAC fits, in no order; empty where none does. */
export async function readSlots(file: FileHandle, by: SlotKey): Promise<readonly string[]> {
  const bytes = Buffer.alloc(2 * slotBytes)
  await file.read(bytes, 0, bytes.length, 0)
  const slots = [bytes.subarray(0, slotBytes), bytes.subarray(slotBytes)]
  return slots.flatMap((slot) => parse(slot.toString('latin1'), by) ?? [])
}

/** A whole file that says `text` in both slots. */
export function slotsText(by: SlotKey, text: string): string {
  return slotText(by, text).repeat(2)
}

/** Durable once this resolves. @param turn counts the writes: the slot written last stays as it is */
export async function writeSlot(file: FileHandle, by: SlotKey, text: string, turn: number): Promise<void> {
  await writeWhole(file, slotText(by, text), (turn % 2) * slotBytes)
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
