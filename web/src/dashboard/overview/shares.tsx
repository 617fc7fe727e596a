import type { ReactNode } from 'react'

export interface Share {
  readonly key: string | number
  readonly name: ReactNode
  /** The length of the segment in the bar. The unit does not matter, but must be the same for all shares. */
  readonly length: number
  readonly colour: string
  /** The text to the right of the name. */
  readonly details: ReactNode
}

/**
 * Shows a bar with one segment for each share. The list below the bar is its legend and also serves screen
 * readers.
 */
export function Shares({ shares }: { shares: readonly Share[] }) {
  const whole = shares.reduce((before, { length }) => before + length, 0)
  return (
    <div className="grid gap-3">
      <div aria-hidden className="flex h-2 gap-0.5 overflow-hidden rounded-full bg-band">
        {shares.map(
          ({ key, length, colour }) =>
            length > 0 && (
              // A minimum width keeps small shares visible; the list has the exact value.
              <span
                key={key}
                className="min-w-1"
                style={{ flexGrow: length / whole, flexBasis: 0, background: colour }}
              />
            ),
        )}
      </div>
      <ul className="grid gap-2">
        {shares.map(({ key, name, colour, details }) => (
          <li key={key} className="flex items-baseline justify-between gap-3">
            <span className="flex min-w-0 items-baseline gap-2">
              <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: colour }} />
              {name}
            </span>
            <span className="figures whitespace-nowrap">{details}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
