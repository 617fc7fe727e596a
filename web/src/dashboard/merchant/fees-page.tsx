import { Percent } from 'lucide-react'
import { useState } from 'react'
import { Amount, Dollars, Money } from '../../design/amount.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { isSomething } from '../../design/format-amount.ts'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { Table } from '../../design/table.tsx'
import { faultText } from '../client.ts'
import { typeNames } from '../invoices/invoice-words.ts'
import { useApi } from '../use-api.ts'
import { useMerchant } from './merchant-area.tsx'

const types = ['onetime', 'reusable', 'collect', 'withdrawal'] as const

const typeOptions = types.map((value) => ({
  value,
  label: value === 'withdrawal' ? 'Withdrawals' : `${typeNames[value]} invoices`,
}))

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
            { head: 'Method', cell: ({ symbol }) => <span className="font-medium">{symbol}</span> },
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
          label="Of what"
          value={type}
          onValue={(value) => setType(types.find((one) => one === value) ?? 'onetime')}
          options={typeOptions}
        />
        <SelectField
          label="In what"
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
        <TextField
          label="Amount"
          value={amount}
          onValue={setAmount}
          inputMode="decimal"
          suffix={rate.data?.currency ?? ''}
          fault={kept.error === null || !isAmount ? undefined : faultText(kept.error)}
        />
      </div>
      {rate.error !== null && <Notice tone="warn">{faultText(rate.error)}</Notice>}
      {rate.data === undefined ? (
        rate.error === null && <SkeletonLines />
      ) : (
        <Facts>
          <Fact name="Rate">
            {rate.data.percent} %
            {isSomething(rate.data.flat) && (
              <>
                {' '}
                and <Money value={rate.data.flat} currency={rate.data.currency} />
              </>
            )}
          </Fact>
          {kept.data !== undefined && (
            <>
              <Fact name="Fee">
                <Money value={kept.data.fee} currency={kept.data.currency} />
              </Fact>
              <Fact name="You get">
                <span className="font-semibold">
                  <Money value={kept.data.net} currency={kept.data.currency} />
                </span>
              </Fact>
            </>
          )}
        </Facts>
      )}
    </Card>
  )
}
