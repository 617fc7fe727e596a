import { Percent } from 'lucide-react'
import { useState } from 'react'
import { Amount, Dollars } from '../../design/amount.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { Table } from '../../design/table.tsx'
import { faultText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { useMerchant } from './merchant-area.tsx'

const types = ['onetime', 'reusable', 'collect', 'withdrawal'] as const

export function FeesPage() {
  const { id } = useMerchant()
  const { data: limits } = useApi('getLimits', { merchantID: id })
  return (
    <Page
      title="Fees and limits"
      description="What is kept of a payment, and the least that is worth sending."
    >
      <FeeQuestion />
      <Card title="Least amounts" isFlush>
        <Table
          label="Least amounts by payment method"
          rows={limits?.methods}
          keyOf={({ paymentMethodID }) => paymentMethodID}
          columns={[
            { head: 'Method', cell: ({ symbol }) => symbol },
            {
              head: 'Collect from',
              isFigure: true,
              cell: ({ minCollect, symbol }) => <Amount value={minCollect} unit={symbol} />,
            },
            {
              head: 'Withdraw from',
              isFigure: true,
              cell: ({ minWithdraw, symbol }) => <Amount value={minWithdraw} unit={symbol} />,
            },
          ]}
          empty={
            <EmptyState icon={Percent} title="No payment method">
              The operator has enabled none.
            </EmptyState>
          }
        />
        {limits !== undefined && (
          <p className="border-t border-line px-4 py-3 text-ink-soft sm:px-5">
            In general: collect from <Dollars value={limits.minCollect} />, withdraw from{' '}
            <Dollars value={limits.minWithdraw} />.
          </p>
        )}
      </Card>
    </Page>
  )
}

/** The server answers what would be kept, of a type of payment and of an amount. */
function FeeQuestion() {
  const { id, methods } = useMerchant()
  const [type, setType] = useState<(typeof types)[number]>('onetime')
  const [method, setMethod] = useState('')
  const [amount, setAmount] = useState('100')
  const about = { merchantID: id, type, ...(method === '' ? {} : { paymentMethodID: Number(method) }) }
  const rate = useApi('getFees', about)
  const isAmount = /^(0|[1-9]\d*)(\.\d+)?$/.test(amount)
  const kept = useApi('getFeeAmount', { ...about, amount }, { isWanted: isAmount, keepsShown: true })
  return (
    <Card title="What a payment costs">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label="Of"
          value={type}
          onValue={(value) => setType(types.find((one) => one === value) ?? 'onetime')}
          options={types.map((value) => ({
            value,
            label: value === 'withdrawal' ? value : `${value} invoices`,
          }))}
        />
        <SelectField
          label="In"
          value={method}
          onValue={setMethod}
          options={[
            { value: '', label: 'US dollars (default)' },
            ...methods.map(({ paymentMethodID, symbol, network }) => ({
              value: String(paymentMethodID),
              label: `${symbol} on ${network}`,
            })),
          ]}
        />
        <TextField label="Amount" value={amount} onValue={setAmount} inputMode="decimal" />
      </div>
      {rate.error !== null && <Notice tone="warn">{faultText(rate.error)}</Notice>}
      {rate.data === undefined ? (
        rate.error === null && <SkeletonLines />
      ) : (
        <Facts>
          <Fact name="Rate">
            {rate.data.percent} % and <Amount value={rate.data.flat} unit={rate.data.currency} />
          </Fact>
          {kept.data !== undefined && (
            <>
              <Fact name="Fee">
                <Amount value={kept.data.fee} unit={kept.data.currency} />
              </Fact>
              <Fact name="You get">
                <Amount value={kept.data.net} unit={kept.data.currency} />
              </Fact>
            </>
          )}
          {kept.error !== null && <Fact name="Fee">{faultText(kept.error)}</Fact>}
        </Facts>
      )}
    </Card>
  )
}
