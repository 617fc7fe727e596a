import { Link } from '@tanstack/react-router'
import { Amount, Dollars } from '../../design/amount.tsx'
import { Card } from '../../design/card.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { lengthOf } from './chart-scale.ts'
import type { Overview } from './overview.ts'
import { Shares } from './shares.tsx'

const colours = [1, 2, 3, 4, 5, 6].map((index) => `var(--chart-${index})`)

export function MethodShares({ methods }: { methods: Overview['methods'] | undefined }) {
  return (
    <Card title="By payment method">
      {methods === undefined ? (
        <SkeletonLines count={2} />
      ) : (
        <Shares
          shares={methods.map(({ paymentMethodID, symbol, amount, volumeUsd, volumePercent }, index) => ({
            key: paymentMethodID,
            name: <Amount value={amount} unit={symbol} />,
            length: lengthOf(volumeUsd),
            colour: colours[index % colours.length] ?? 'var(--chart-1)',
            details: (
              <>
                <Dollars value={volumeUsd} />
                {volumePercent !== null && (
                  <span className="ml-2 inline-block w-14 text-right text-ink-soft">{volumePercent} %</span>
                )}
              </>
            ),
          }))}
        />
      )}
    </Card>
  )
}

const outcomes = [
  { state: 'paid', name: 'Paid', colour: 'var(--chart-2)' },
  { state: 'pending', name: 'Pending', colour: 'var(--chart-4)' },
  { state: 'expired', name: 'Expired', colour: 'var(--chart-6)' },
] as const

/** Shows how the invoices of the selected days divide into states. Each state links to its invoices. */
export function InvoiceShares({ overview }: { overview: Overview | undefined }) {
  const { id: merchantID } = useMerchant()
  return (
    <Card title="Invoices">
      {overview === undefined ? (
        <SkeletonLines count={3} />
      ) : (
        <Shares
          shares={outcomes.map(({ state, name, colour }) => ({
            key: state,
            name: (
              <Link
                to="/m/$merchantID/invoices"
                params={{ merchantID }}
                search={{ states: [state], dateFrom: overview.dateFrom }}
                className="hover:underline"
              >
                {name}
              </Link>
            ),
            length: overview.conversion[state],
            colour,
            details: overview.conversion[state],
          }))}
        />
      )}
    </Card>
  )
}
