/** Reads an entry that is about to be signed, so that the page shows what is signed and nothing else. */

/** A field of the entry with its value as text. */
export interface EntryFact {
  readonly name: string
  readonly value: string
}

interface EntryChange {
  readonly type?: unknown
  readonly row?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly isEnabled?: unknown
}

/** Returns every field of the row that an entry adds. */
export function factsOf(text: string): readonly EntryFact[] {
  return flat('', changeOf(text).row)
}

/** Whether an entry enables or disables what was meant and nothing else. */
export function isStateOf(
  text: string,
  meant: { readonly kind: string; readonly name: string; readonly isEnabled: boolean },
): boolean {
  const { type, kind, name, isEnabled } = changeOf(text)
  return type === 'state' && kind === meant.kind && name === meant.name && isEnabled === meant.isEnabled
}

/** What an operator entered about a network. A cold address is undefined if none was entered. */
interface MeantNetwork {
  readonly name: string
  readonly chainId: number
  readonly coldAddress: string | undefined
}

/** Whether an entry adds the network that was meant. */
export function isNetworkOf(text: string, meant: MeantNetwork): boolean {
  const { name, chainId, coldAddress } = rowOf(text, 'network')
  const isCold = same(coldAddress ?? '', meant.coldAddress ?? '')
  return name === meant.name && chainId === meant.chainId && isCold
}

/** Whether an entry adds the token that was meant. */
export function isTokenOf(
  text: string,
  meant: { readonly network: string; readonly contract: string; readonly decimals: number },
): boolean {
  const { network, contract, decimals } = rowOf(text, 'token')
  return network === meant.network && decimals === meant.decimals && same(contract, meant.contract)
}

/** Returns the number of an entry; undefined if it has none. */
export function numberOf(text: string): number | undefined {
  const { serial } = JSON.parse(text) as { readonly serial?: unknown }
  return typeof serial === 'number' ? serial : undefined
}

/** Addresses may be written with capitals. */
function same(found: unknown, meant: string): boolean {
  return typeof found === 'string' && found.toLowerCase() === meant.toLowerCase()
}

/** Returns the row that an entry adds; no fields if the entry does something else. */
function rowOf(text: string, wanted: string): Readonly<Record<string, unknown>> {
  const { type, row } = changeOf(text)
  return type === wanted && typeof row === 'object' && row !== null ? { ...row } : {}
}

function changeOf(text: string): EntryChange {
  const { change } = JSON.parse(text) as { readonly change?: EntryChange }
  return change ?? {}
}

function flat(before: string, value: unknown): readonly EntryFact[] {
  if (Array.isArray(value)) return [{ name: before, value: value.join(', ') }]
  if (typeof value !== 'object' || value === null) return [{ name: before, value: String(value ?? 'none') }]
  return Object.entries(value).flatMap(([name, inner]) =>
    flat(before === '' ? name : `${before}.${name}`, inner),
  )
}
