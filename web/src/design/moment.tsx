const dayOfMonth: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
const day = new Intl.DateTimeFormat(undefined, dayOfMonth)
const dayAndYear = new Intl.DateTimeFormat(undefined, { ...dayOfMonth, year: 'numeric' })
const time = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/**
 * Shows a time of the API in the user's time zone. The tooltip shows seconds and time zone. On a phone, the
 * time of day may be on a second line.
 */
export function Moment({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="text-ink-faint">–</span>
  const date = new Date(at)
  const isThisYear = date.getFullYear() === new Date().getFullYear()
  return (
    <time dateTime={at} title={whole.format(date)} className="md:whitespace-nowrap">
      <span className="whitespace-nowrap">{(isThisYear ? day : dayAndYear).format(date)},</span>{' '}
      <span className="whitespace-nowrap">{time.format(date)}</span>
    </time>
  )
}
