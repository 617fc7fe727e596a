const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const withYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** A time of the API in the reader's own zone; pointing at it tells the seconds and the zone. */
export function Moment({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="text-ink-faint">–</span>
  const date = new Date(at)
  const isThisYear = date.getFullYear() === new Date().getFullYear()
  return (
    <time dateTime={at} title={whole.format(date)} className="whitespace-nowrap">
      {(isThisYear ? dayAndTime : withYear).format(date)}
    </time>
  )
}
