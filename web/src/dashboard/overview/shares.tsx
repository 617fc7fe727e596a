import type { ReactNode } from 'react'

export interface Share {
  readonly key: string | number
  readonly name: ReactNode
  /** As long as its part of the bar is to be, in whatever unit all of them have. */
  readonly length: number
  readonly colour: string
  /** At the right of its name. */
  readonly told: ReactNode
}

/** A bar of parts; the list below it is its legend, and what screen readers read. */
export function Shares({ shares }: { shares: readonly Share[] }) {
  const whole = shares.reduce((before, { length }) => before + length, 0)
  return (
    <div className="grid gap-3">
      <div aria-hidden className="flex h-2 gap-0.5 overflow-hidden rounded-full bg-band">
        {shares.map(
          ({ key, length, colour }) =>
            length > 0 && (
              // Never so thin that it is not seen: the list says how much it is.
              <span
                key={key}
                className="min-w-1"
                style={{ flexGrow: length / whole, flexBasis: 0, background: colour }}
              />
            ),
        )}
      </div>
      <ul className="grid gap-2">
        {shares.map(({ key, name, colour, told }) => (
          <li key={key} className="flex items-baseline justify-between gap-3">
            <span className="flex min-w-0 items-baseline gap-2">
              <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: colour }} />
              {name}
            </span>
            <span className="figures whitespace-nowrap">{told}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
