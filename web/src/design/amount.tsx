import { dollars, groupDigits } from './format-amount.ts'

export function Amount({ value, unit }: { value: string; unit?: string | undefined }) {
  return (
    <span className="figures whitespace-nowrap">
      {groupDigits(value)}
      {unit !== undefined && <span className="ml-1 text-ink-soft">{unit}</span>}
    </span>
  )
}

/** Shows an amount in dollars, or in the given currency. */
export function Money({ value, currency }: { value: string; currency: string }) {
  return currency === 'USD' ? <Dollars value={value} /> : <Amount value={value} unit={currency} />
}

export function Dollars({ value }: { value: string }) {
  return <span className="figures whitespace-nowrap">{dollars(value)}</span>
}
