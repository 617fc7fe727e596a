/**
 * How far the log had come when the signer last answered, kept in a small file beside it: a log that ends before that was
 * shortened. Two slots are written in turn, so that one is whole whenever the machine stops.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { writeWhole } from '../../core/durable-file.ts'

export interface Anchor {
  readonly sequence: number
  /** Of the entry with that sequence, in hex. */
  readonly mac: string
}

const slotBytes = 256

/** The newest anchor; undefined where no slot holds one that carries our seal. */
export async function readAnchor(file: FileHandle, key: KeyObject): Promise<Anchor | undefined> {
  const bytes = Buffer.alloc(2 * slotBytes)
  await file.read(bytes, 0, bytes.length, 0)
  const slots = [bytes.subarray(0, slotBytes), bytes.subarray(slotBytes)]
  return slots
    .flatMap((slot) => parse(slot.toString('latin1'), key) ?? [])
    .sort((a, b) => b.sequence - a.sequence)[0]
}

/** A whole anchor file, for a log that begins. */
export function anchorText(key: KeyObject, anchor: Anchor): string {
  return slotText(key, anchor).repeat(2)
}

/** Durable once this resolves. @param turn counts the writes: the slot written last stays as it is */
export async function writeAnchor(
  file: FileHandle,
  key: KeyObject,
  anchor: Anchor,
  turn: number,
): Promise<void> {
  await writeWhole(file, slotText(key, anchor), (turn % 2) * slotBytes)
  await file.datasync()
}

function slotText(key: KeyObject, anchor: Anchor): string {
  const text = `${anchor.sequence} ${anchor.mac} ${sealOf(key, anchor)}`
  return `${text.padEnd(slotBytes - 1)}\n`
}

function parse(text: string, key: KeyObject): Anchor | undefined {
  const [, sequence, mac, seal] = /^(\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64}) *\n$/.exec(text) ?? []
  if (sequence === undefined || mac === undefined || seal === undefined) return undefined
  const anchor = { sequence: Number(sequence), mac }
  const isOurs = timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(key, anchor)))
  return isOurs ? anchor : undefined
}

function sealOf(key: KeyObject, { sequence, mac }: Anchor): string {
  return createHmac('sha256', key).update(`coffer/signer-log/anchor ${sequence} ${mac}`).digest('hex')
}
