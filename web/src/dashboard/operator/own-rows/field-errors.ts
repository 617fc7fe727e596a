/** Finds the errors of a request by the fields of a form, some of which hold a list. */
import { CofferError } from 'coffer-sdk'

/**
 * Returns the error of a field, or the error of the first wrong item of the list in it.
 * @param item what an item of the list is called
 */
export function errorOf(error: unknown, field: string, item = 'Item'): string | undefined {
  const found = errorsIn(error).find((one) => one.field === field)
  if (found === undefined) return undefined
  return found.place === undefined ? found.detail : `${item} ${found.place + 1} ${found.detail}`
}

/** Returns the errors of fields that the form does not show, with their names. */
export function unshownErrors(error: unknown, shown: readonly string[]): readonly string[] {
  return errorsIn(error)
    .filter(({ field }) => !shown.includes(field))
    .map(({ field, detail }) => `${field} ${detail}`)
}

/** `place` is that of an item in a list, from 0. */
function errorsIn(error: unknown) {
  if (!(error instanceof CofferError)) return []
  return error.errors.map(({ pointer, detail }) => {
    const [, path = '', place] = /^#?\/(.*?)(?:\/(\d+))?$/.exec(pointer) ?? []
    return { field: path, place: place === undefined ? undefined : Number(place), detail }
  })
}
