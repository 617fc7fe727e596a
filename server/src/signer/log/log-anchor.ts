/**
 * How far a log had come when the signer last answered, kept in a small file beside it: a log that ends before that was
 * shortened.
 */
import type { FileHandle } from 'node:fs/promises'
import { readSlots, type SlotKey, slotsText, writeSlot } from './slots.ts'

export interface Anchor {
  readonly sequence: number
  /** Of the entry with that sequence, in hex. */
  readonly mac: string
}

/** Where every log begins. */
export const firstAnchor: Anchor = { sequence: 0, mac: '0'.repeat(64) }

/** The newest anchor; undefined where no slot holds one that carries our seal. */
export async function readAnchor(file: FileHandle, by: SlotKey): Promise<Anchor | undefined> {
  const anchors = (await readSlots(file, by)).flatMap((text) => parse(text) ?? [])
  return anchors.sort((a, b) => b.sequence - a.sequence)[0]
}

/** A whole anchor file, for a log that begins. */
export function anchorText(by: SlotKey, anchor: Anchor): string {
  return slotsText(by, textOf(anchor))
}

/** Durable once this resolves. @param turn counts the writes: the slot written last stays as it is */
export function writeAnchor(file: FileHandle, by: SlotKey, anchor: Anchor, turn: number): Promise<void> {
  return writeSlot(file, by, textOf(anchor), turn)
}

function textOf({ sequence, mac }: Anchor): string {
  return `${sequence} ${mac}`
}

function parse(text: string): Anchor | undefined {
  const [, sequence, mac] = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(text) ?? []
  return sequence === undefined || mac === undefined ? undefined : { sequence: Number(sequence), mac }
}
