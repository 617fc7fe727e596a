import { Cell, Pie, PieChart, ResponsiveContainer, Tooltip } from 'recharts'
import { Amount, Dollars } from '../../design/amount.tsx'
import { dollars } from '../../design/format-amount.ts'
import { lengthOf } from './chart-scale.ts'
import { ChartTip } from './chart-tip.tsx'
import type { Overview } from './overview.ts'

const colours = [1, 2, 3, 4, 5, 6].map((place) => `var(--chart-${place})`)

/** A ring of shares; the list beside it is the legend, and what screen readers read. */
export default function MethodChart({ methods }: { methods: Overview['methods'] }) {
  if (methods.length === 0)
    return <p className="grid h-60 place-items-center text-ink-soft">Nothing was confirmed in these days.</p>
  const shares = methods.map(({ symbol, volumeUsd, payments }, place) => ({
    name: symbol,
    length: lengthOf(volumeUsd),
    told: [dollars(volumeUsd), `${payments} payments`],
    fill: colourAt(place),
  }))
  return (
    <div className="grid content-start gap-3">
      <div aria-hidden className="h-36">
        <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 300, height: 144 }}>
          <PieChart accessibilityLayer={false}>
            <Pie
              data={shares}
              dataKey="length"
              innerRadius="68%"
              outerRadius="100%"
              stroke={shares.length > 1 ? 'var(--paper)' : 'none'}
              isAnimationActive={false}
              rootTabIndex={-1}
            >
              {shares.map(({ name, fill }) => (
                <Cell key={name} fill={fill} />
              ))}
            </Pie>
            <Tooltip content={ChartTip} isAnimationActive={false} />
          </PieChart>
        </ResponsiveContainer>
      </div>
      <ul className="grid gap-2">
        {methods.map(({ paymentMethodID, symbol, amount, volumeUsd }, place) => (
          <li key={paymentMethodID} className="flex items-baseline justify-between gap-3">
            <span className="flex min-w-0 items-center gap-2">
              <svg viewBox="0 0 8 8" aria-hidden className="size-2 shrink-0">
                <circle cx="4" cy="4" r="4" fill={colourAt(place)} />
              </svg>
              <Amount value={amount} unit={symbol} />
            </span>
            <Dollars value={volumeUsd} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function colourAt(place: number): string {
  return colours[place % colours.length] ?? 'var(--chart-1)'
}
