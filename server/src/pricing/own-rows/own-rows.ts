/**
 * The operator's own networks and tokens, as a chain of signed entries. An entry adds a network or a token, or
 * enables or disables one. Facts never change. Each entry has a number and the hash of the entry before it, so
 * that no entry can be left out, moved, or signed twice under one number. See docs/decisions/0105.
 */
import { createHash } from 'node:crypto'
import { ownConflictsOf, shippedConflictsOf } from './conflicts.ts'
import { isNodesHash, type OwnNetwork, readOwnNetwork } from './own-network.ts'
import { readOwnToken, tokenName } from './own-token.ts'
import {
  type KnownRow,
  noOwnRows,
  type OwnChange,
  type OwnRows,
  type RefusedEntry,
  type StoredEntry,
} from './signed-rows.ts'

export interface ReadingParts {
  /** Tells whether one of the operator's keys signed a text. */
  isSigned(text: string, signature: string): boolean
  /** Identifies the installation: the fingerprint of its account xpub. Entries for another one are refused. */
  readonly installation: string
}

interface Entry {
  readonly id: number
  readonly text: string
  readonly serial: number
  readonly previous: string
  readonly installation: string
  readonly change: unknown
}

const format = 'coffer/own-row/1'
/** Stands for the entry before the first. */
const noHash = '0'.repeat(64)

/**
 * Returns the rows that the stored entries state. Entries that the operator did not sign, and all that does not
 * continue the chain, are refused and change nothing. If several different entries with one number are signed, the
 * one counts that the next signed entry names. If none is named, or several are, the chain ends before them, because
 * nobody can tell which one is meant. What a version of Coffer ships never ends the chain: a row that repeats it
 * cannot be used, and the entries after it count.
 */
export function readOwnRows(stored: readonly StoredEntry[], parts: ReadingParts): OwnRows {
  const refused: RefusedEntry[] = []
  const waiting: Entry[] = []
  for (const one of stored) {
    const { id } = one
    const isSigned = parts.isSigned(one.text, one.signature)
    const entry = isSigned ? parse(one) : undefined
    if (!isSigned) refused.push({ id, reason: 'it has no valid signature of the operator', isLost: false })
    else if (entry === undefined)
      refused.push({ id, reason: 'it is signed, but this version cannot read it', isLost: true })
    else if (entry.installation !== parts.installation)
      refused.push({ id, reason: 'it was signed for another installation', isLost: false })
    else waiting.push(entry)
  }
  let rows: OwnRows = noOwnRows
  for (;;) {
    const next = nextOf(waiting, rows)
    const changed = next === undefined ? undefined : apply(rows, next)
    if (next === undefined || changed === undefined) break
    rows = changed
  }
  const accepted = new Set(rows.hashes)
  for (const entry of waiting) if (!accepted.has(hashOf(entry.text))) refused.push(unused(entry, rows))
  return { ...rows, refused: [...rows.refused, ...refused].toSorted((a, b) => a.id - b.id) }
}

/**
 * Returns why the chain is not whole; undefined if it is. An entry that is signed after a shortened chain takes
 * the number of one that was removed, and the operator would have signed two for one number. Entries without a
 * valid signature do not matter, so that nobody can keep the operator from signing.
 * @param entryMin the number of the last entry that the operator knows
 */
export function lossIn({ hashes, refused }: OwnRows, entryMin: number): string | undefined {
  const lost = refused.filter(({ isLost }) => isLost).map(({ id }) => id)
  const count = `the database has ${hashes.length} signed entries that follow each other`
  if (hashes.length < entryMin)
    return `${count}, and OPERATOR_ENTRY_MIN is ${entryMin}: signed entries are missing: restore them first`
  return lost.length === 0
    ? undefined
    : `${count}, and the signed entries with the ids ${lost.join(', ')} are refused: restore what is missing first`
}

/**
 * Returns the entry that follows the rows. A signature that was made and never stored, for example because the nodes
 * did not answer, can be added by whoever kept it. The operator signed the entry after it knowing which one is stored.
 */
function nextOf(waiting: readonly Entry[], { hashes }: OwnRows): Entry | undefined {
  const rivals = new Map(
    waiting.filter((entry) => isAt(hashes.length, entry, hashes)).map((entry) => [entry.text, entry]),
  )
  const [first, ...others] = rivals.values()
  if (others.length === 0) return first
  const named = [...rivals.values()].filter(({ serial, text }) => {
    const hash = hashOf(text)
    return waiting.some((after) => after.serial === serial + 1 && after.previous === hash)
  })
  return named.length === 1 ? named[0] : undefined
}

/** Whether an entry follows the first `count` accepted ones. */
function isAt(count: number, { serial, previous }: Entry, hashes: readonly string[]): boolean {
  return serial === count + 1 && previous === (count === 0 ? noHash : hashes[count - 1])
}

/** Says why a signed entry is not in the chain. One that the operator passed over is missing to nobody. */
function unused(entry: Entry, { hashes }: OwnRows): RefusedEntry {
  const { id, serial } = entry
  const isPassedOver = serial < hashes.length && isAt(serial - 1, entry, hashes)
  const reason = isPassedOver
    ? `it is signed, but the signed entry ${serial + 1} follows another entry with the number ${serial}`
    : 'it does not continue the signed entries, or another entry has its number'
  return { id, reason, isLost: !isPassedOver }
}

/** Returns the rows after one more entry; undefined if the entry is not valid after them. */
function apply(rows: OwnRows, { id, serial, text, change }: Entry): OwnRows | undefined {
  const read = readChange(change)
  if (read === undefined || ownConflictsOf(read, rows).length > 0) return undefined
  const [problem] = shippedConflictsOf(read, rows)
  const conflict = problem && `${problem.field} ${problem.detail}`
  const reason = `it is signed, but cannot be used with this version of Coffer: ${conflict}`
  const refused: readonly RefusedEntry[] =
    conflict === undefined ? rows.refused : [...rows.refused, { id, reason, isLost: false, isAccepted: true }]
  const next = { ...rows, refused, hashes: [...rows.hashes, hashOf(text)] }
  const fresh = { isEnabled: true, serial, conflict }
  switch (read.type) {
    case 'network':
      return { ...next, networks: [...rows.networks, { row: read.row, ...fresh }] }
    case 'token':
      return { ...next, tokens: [...rows.tokens, { row: read.row, ...fresh }] }
    case 'state': {
      const { kind, name, isEnabled } = read
      const turned = <Row>(known: KnownRow<Row>, itsName: string) =>
        itsName === name ? { ...known, isEnabled, serial } : known
      return kind === 'network'
        ? { ...next, networks: rows.networks.map((known) => turned(known, known.row.name)) }
        : { ...next, tokens: rows.tokens.map((known) => turned(known, tokenName(known.row))) }
    }
    // What is offered stays the same, so the number of the row does, too.
    case 'nodes': {
      const { network, nodesHash } = read
      const moved = (known: KnownRow<OwnNetwork>) =>
        known.row.name === network ? { ...known, row: { ...known.row, nodesHash } } : known
      return { ...next, networks: rows.networks.map(moved) }
    }
  }
}

/** Returns the text of the entry that comes after these rows. */
export function nextText(rows: OwnRows, installation: string, change: OwnChange): string {
  const previous = rows.hashes.at(-1) ?? noHash
  return JSON.stringify({ format, serial: rows.hashes.length + 1, previous, installation, change })
}

function parse({ id, text }: StoredEntry): Entry | undefined {
  const value = jsonOf(text)
  if (value?.['format'] !== format) return undefined
  const { serial, previous, installation, change } = value
  if (typeof serial !== 'number' || typeof previous !== 'string' || typeof installation !== 'string')
    return undefined
  return { id, text, serial, previous, installation, change }
}

/** Reads the text of an entry, whoever may have signed it. Returns undefined if this version cannot read it. */
export function readEntryText(
  text: string,
): { readonly serial: number; readonly change: OwnChange } | undefined {
  const entry = parse({ id: 0, text, signature: '' })
  const change = entry && readChange(entry.change)
  return entry && change && { serial: entry.serial, change }
}

function readChange(value: unknown): OwnChange | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const change = value as Readonly<Record<string, unknown>>
  switch (change['type']) {
    case 'network': {
      const row = readOwnNetwork(change['row'])
      return 'problems' in row ? undefined : { type: 'network', row }
    }
    case 'token': {
      const row = readOwnToken(change['row'])
      return 'problems' in row ? undefined : { type: 'token', row }
    }
    case 'state': {
      const { kind, name, isEnabled } = change
      const isKind = kind === 'network' || kind === 'token'
      if (!isKind || typeof name !== 'string' || typeof isEnabled !== 'boolean') return undefined
      return { type: 'state', kind, name, isEnabled }
    }
    case 'nodes': {
      const { network, nodesHash } = change
      return typeof network === 'string' && isNodesHash(nodesHash)
        ? { type: 'nodes', network, nodesHash }
        : undefined
    }
    default:
      return undefined
  }
}

/** Tells whether rows that were read earlier are missing now: somebody removed or replaced entries. */
export function hasLost(known: OwnRows, now: OwnRows): boolean {
  return known.hashes.some((hash, index) => now.hashes[index] !== hash)
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
