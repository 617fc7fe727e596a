import {
  Bar,
  BarChart,
  CartesianGrid,
  Cell,
  LabelList,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { dollars, isSomething } from '../../design/format-amount.ts'
import { lengthOf, namedDays, shortDollars, ticksUpTo } from './chart-scale.ts'
import { ChartTable } from './chart-table.tsx'
import { ChartTip } from './chart-tip.tsx'
import type { Overview } from './overview.ts'

const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const tick = { fill: 'var(--ink-soft)', fontSize: 12 }

/** Maximum number of bars with labels. With more bars, the labels have no room. */
const labelledMax = 4

/** Shows the volume of each day as a bar chart, and in a hidden table for screen readers. */
export default function VolumeChart({ days }: { days: Overview['days'] }) {
  const bars = days.map(({ day, volumeUsd, payments }) => ({
    name: dayAndMonth.format(new Date(day)),
    length: lengthOf(volumeUsd),
    label: isSomething(volumeUsd) ? dollars(volumeUsd) : '',
    details: [dollars(volumeUsd), payments === 1 ? '1 payment' : `${payments} payments`],
  }))
  const paid = days.filter(({ volumeUsd }) => isSomething(volumeUsd))
  const ticks = ticksUpTo(Math.max(...bars.map(({ length }) => length)))
  return (
    <>
      <ChartTable
        label="Volume by day"
        heads={['Day', 'Volume', 'Payments']}
        rows={days.map(({ day, volumeUsd, payments }) => [day, dollars(volumeUsd), String(payments)])}
      />
      <div aria-hidden className="h-64">
        <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 256 }}>
          <BarChart
            data={bars}
            margin={{ top: 20, right: 22, bottom: 0, left: 0 }}
            accessibilityLayer={false}
          >
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="name"
              ticks={namedDays(bars).map(({ name }) => name)}
              interval={0}
              tickLine={false}
              axisLine={false}
              tick={tick}
            />
            <YAxis
              width={48}
              ticks={[...ticks]}
              domain={[0, ticks.at(-1) ?? 0]}
              tickLine={false}
              axisLine={false}
              tickFormatter={shortDollars}
              tick={tick}
            />
            <Tooltip content={ChartTip} cursor={{ fill: 'var(--line)' }} isAnimationActive={false} />
            {/* Days without volume have a short grey bar, so that they differ from missing days. */}
            <Bar
              dataKey="length"
              radius={[4, 4, 0, 0]}
              maxBarSize={28}
              minPointSize={3}
              isAnimationActive={false}
            >
              {bars.map(({ name, length }) => (
                <Cell key={name} fill={length > 0 ? 'var(--chart-1)' : 'var(--line)'} />
              ))}
              {paid.length <= labelledMax && (
                <LabelList dataKey="label" position="top" fill="var(--ink)" fontSize={12} fontWeight={600} />
              )}
            </Bar>
          </BarChart>
        </ResponsiveContainer>
      </div>
    </>
  )
}
