/**
 * Functions for lists of sanctioned addresses. Money must be neither sent to these addresses nor accepted
 * from them. All functions of this file are pure.
 */

export interface ListedAddress {
  /** In canonical form, as `canonicalize` returns it. */
  readonly canonical: string
  /** The currency codes with which the list names the address, such as XBT; `plain` in a plain list. */
  readonly codes: readonly string[]
  /** The ids that the list gives to the owners of the address; empty in a plain list. */
  readonly parties: readonly string[]
}

/** One mention of an address, as the list writes it. */
export interface ListEntry {
  readonly address: string
  readonly code: string
  readonly party: string | undefined
}

/**
 * Returns an address of one family in canonical form; undefined if the text is not an address of that family.
 */
export type CanonicalOf = (text: string) => string | undefined

const hexAddress = /^0x[0-9a-f]{40}$/i
/** BIP 173: a prefix, the digit 1 and at least six characters, in letters of one case. */
const bech32Form = /^(?:[a-z]{1,20}1[02-9ac-hj-np-z]{6,}|[A-Z]{1,20}1[02-9AC-HJ-NP-Z]{6,})$/

/**
 * Returns the form in which addresses are compared: the canonical form of the first family that can parse the
 * address. If no family can, hexadecimal and bech32 text becomes lower case, because its case has no meaning.
 * Any other text stays unchanged, because base58 is case-sensitive. A prefix such as `bitcoincash:` is kept.
 */
export function canonicalize(families: readonly CanonicalOf[], text: string): string {
  const trimmed = text.trim()
  for (const canonicalOf of families) {
    const canonical = canonicalOf(trimmed)
    if (canonical !== undefined) return canonical
  }
  return hexAddress.test(trimmed) || bech32Form.test(trimmed) ? trimmed.toLowerCase() : trimmed
}

/**
 * Merges the entries of a list by address. A list may name the same address under several codes and several
 * parties.
 */
export function mergeEntries(
  families: readonly CanonicalOf[],
  entries: readonly ListEntry[],
): readonly ListedAddress[] {
  const merged = new Map<string, { codes: Set<string>; parties: Set<string> }>()
  for (const { address, code, party } of entries) {
    const canonical = canonicalize(families, address)
    const one = merged.get(canonical) ?? { codes: new Set(), parties: new Set() }
    one.codes.add(code)
    if (party !== undefined) one.parties.add(party)
    merged.set(canonical, one)
  }
  return [...merged].map(([canonical, { codes, parties }]) => ({
    canonical,
    codes: [...codes],
    parties: [...parties],
  }))
}

/**
 * Returns why a list should not replace the previous list, or undefined if it may. A source that was cut off
 * or emptied must not remove most of the addresses.
 */
export function replacementError(countBefore: number, countAfter: number): string | undefined {
  if (countAfter === 0) return 'it contains no address'
  if (countAfter * 2 >= countBefore) return undefined
  return `it contains ${countAfter} addresses, fewer than half of the previous ${countBefore}`
}
