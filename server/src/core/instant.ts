/**
 * Matches `Z` or a UTC offset of ISO 8601, in the extended format (`+01:00`) or the basic format (`+0100`).
 * The offset is optional.
 */
const offsetPattern = '(Z|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)?'
const timeOf = (colon: string) =>
  `(?:T([01]\\d|2[0-3])${colon}([0-5]\\d)(?:${colon}([0-5]\\d)(?:[.,](\\d{1,9}))?)?${offsetPattern})?`
const formats = [
  new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})${timeOf(':')}$`),
  new RegExp(`^(\\d{4})(\\d{2})(\\d{2})${timeOf('')}$`),
]

/**
 * Parses an ISO 8601 date or date-time to the millisecond. A text without an offset is read as UTC. A date
 * alone is the start of that UTC day, or the day's last millisecond if `edge` is `to`. A space in place of an
 * offset's `+` is read as `+`, because an unencoded plus in a query becomes a space. Returns undefined for
 * any other text, including impossible dates.
 */
export function parseInstant(text: string, edge: 'from' | 'to'): Date | undefined {
  const normalized = text.replace(/ (?=\d{2}(?::?\d{2})?$)/, '+')
  const matches = formats.map((format) => format.exec(normalized))
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset = 'Z'] =
    matches.find((match) => match !== null) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const midnight = new Date(`${year}-${month}-${day}T00:00:00.000Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return undefined
  if (hour === undefined) return edge === 'from' ? midnight : new Date(midnight.getTime() + 86_400_000 - 1)
  const millisecond = fraction.padEnd(3, '0').slice(0, 3)
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}${zoneOf(offset)}`)
}

/** Converts an offset to the form that every `Date` parses: `Z` or `+hh:mm`. */
function zoneOf(offset: string): string {
  if (offset === 'Z') return offset
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
}
