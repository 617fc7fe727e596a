/** ISO 8601, extended and basic format; a representation is one or the other throughout. */
const offsetPattern = '(Z|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)?'
const timeOf = (colon: string) =>
  `(?:T([01]\\d|2[0-3])${colon}([0-5]\\d)(?:${colon}([0-5]\\d)(?:[.,](\\d{1,9}))?)?${offsetPattern})?`
const formats = [
  new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})${timeOf(':')}$`),
  new RegExp(`^(\\d{4})(\\d{2})(\\d{2})${timeOf('')}$`),
]

/**
 * Reads an ISO 8601 date or date-time, to the millisecond; one without an offset is UTC, as all times of ours are. A date
 * alone is the start of that UTC day, or its last millisecond as the end of a range. A space where an offset's `+` should
 * be is read as that `+`: it is what an unencoded plus in a query becomes. Undefined for anything else, impossible days
 * included.
 */
export function parseInstant(text: string, edge: 'from' | 'to'): Date | undefined {
  const spelled = text.replace(/ (?=\d{2}(?::?\d{2})?$)/, '+')
  const matches = formats.map((format) => format.exec(spelled))
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset = 'Z'] =
    matches.find((match) => match !== null) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const midnight = new Date(`${year}-${month}-${day}T00:00:00.000Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return undefined
  if (hour === undefined) return edge === 'from' ? midnight : new Date(midnight.getTime() + 86_400_000 - 1)
  const millisecond = fraction.padEnd(3, '0').slice(0, 3)
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}${zoneOf(offset)}`)
}

/** In the spelling that every `Date` reads: `Z` or `+hh:mm`. */
function zoneOf(offset: string): string {
  if (offset === 'Z') return offset
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
}
