/** Lists of addresses to which money must not go, and from which it must not be taken. Everything here is pure. */

export interface ListedAddress {
  /** As `spell` writes it. */
  readonly spelling: string
  /** The codes of currencies under which the list has it, such as XBT; `plain` in a plain list. */
  readonly codes: readonly string[]
  /** Whose it is by the list's own numbers; empty in a plain list. */
  readonly parties: readonly string[]
}

/** One mention of an address in a list, as it is written there. */
export interface ListEntry {
  readonly address: string
  readonly code: string
  readonly party: string | undefined
}

/** Says how a family spells an address that it can read; undefined for any other. */
export type CanonicalOf = (text: string) => string | undefined

const hexAddress = /^0x[0-9a-f]{40}$/i
/** BIP 173: a prefix, the digit 1 and at least six characters, in letters of one case. */
const bech32Form = /^(?:[a-z]{1,20}1[02-9ac-hj-np-z]{6,}|[A-Z]{1,20}1[02-9AC-HJ-NP-Z]{6,})$/

/**
 * The spelling under which addresses are compared: the canonical one of the family that can read it; else lower case
 * where letters of both cases mean the same (hexadecimal with a wrong checksum, bech32); else as it is, since base58
 * tells letters apart. A prefix such as `bitcoincash:` stays.
 */
export function spell(families: readonly CanonicalOf[], text: string): string {
  const trimmed = text.trim()
  for (const canonicalOf of families) {
    const canonical = canonicalOf(trimmed)
    if (canonical !== undefined) return canonical
  }
  return hexAddress.test(trimmed) || bech32Form.test(trimmed) ? trimmed.toLowerCase() : trimmed
}

/** Folds the mentions of a list by address: the same one may stand under several codes and names. */
export function fold(
  families: readonly CanonicalOf[],
  entries: readonly ListEntry[],
): readonly ListedAddress[] {
  const folded = new Map<string, { codes: Set<string>; parties: Set<string> }>()
  for (const { address, code, party } of entries) {
    const spelling = spell(families, address)
    const one = folded.get(spelling) ?? { codes: new Set(), parties: new Set() }
    one.codes.add(code)
    if (party !== undefined) one.parties.add(party)
    folded.set(spelling, one)
  }
  return [...folded].map(([spelling, { codes, parties }]) => ({
    spelling,
    codes: [...codes],
    parties: [...parties],
  }))
}

/**
 * Why a list should not take the place of the one before: a source that was cut or emptied must not open the gates.
 * Undefined where it may.
 */
export function replacementFault(countBefore: number, countAfter: number): string | undefined {
  if (countAfter === 0) return 'it names no address'
  if (countAfter * 2 >= countBefore) return undefined
  return `it names ${countAfter} addresses, fewer than half of the ${countBefore} before`
}
