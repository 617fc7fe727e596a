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
