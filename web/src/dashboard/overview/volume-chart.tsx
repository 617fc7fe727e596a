import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { dollars } from '../../design/format-amount.ts'
import { lengthOf, shortDollars } from './chart-scale.ts'
import { ChartTable } from './chart-table.tsx'
import { ChartTip } from './chart-tip.tsx'
import type { Overview } from './overview.ts'

const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** The bars are for the eye; the table behind them says the same to screen readers. */
export default function VolumeChart({ days }: { days: Overview['days'] }) {
  const bars = days.map(({ day, volumeUsd, payments }) => ({
    name: dayAndMonth.format(new Date(day)),
    length: lengthOf(volumeUsd),
    told: [`${dollars(volumeUsd)}`, `${payments} payments`],
  }))
  return (
    <>
      <ChartTable
        label="Volume by day"
        heads={['Day', 'Volume', 'Payments']}
        rows={days.map(({ day, volumeUsd, payments }) => [day, dollars(volumeUsd), String(payments)])}
      />
      <div aria-hidden className="h-60">
        <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 240 }}>
          <BarChart data={bars} margin={{ top: 4, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="name"
              tickLine={false}
              axisLine={false}
              minTickGap={24}
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <YAxis
              width={52}
              tickLine={false}
              axisLine={false}
              tickFormatter={shortDollars}
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <Tooltip content={ChartTip} cursor={{ fill: 'var(--band)' }} isAnimationActive={false} />
            <Bar
              dataKey="length"
              fill="var(--chart-1)"
              radius={[4, 4, 0, 0]}
              maxBarSize={28}
              isAnimationActive={false}
            />
          </BarChart>
        </ResponsiveContainer>
      </div>
    </>
  )
}
