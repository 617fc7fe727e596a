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
import { errorText } from '../client.ts'
import { typeNames } from '../invoices/invoice-words.ts'
import { methodOptions } from '../methods.tsx'
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
      description="The fees of payments and withdrawals, and the minimum amounts."
    >
      <FeeQuestion />
      <Card title="Minimums" isFlush>
        <Table
          label="Minimums by payment method"
          rows={limits?.methods}
          keyOf={({ paymentMethodID }) => paymentMethodID}
          columns={[
            { head: 'Payment method', cell: ({ symbol }) => <span className="font-medium">{symbol}</span> },
            {
              head: 'Collection',
              isFigure: true,
              cell: ({ minCollect, symbol }) => <Amount value={minCollect} unit={symbol} />,
            },
            {
              head: 'Withdrawal',
              isFigure: true,
              cell: ({ minWithdraw, symbol }) => <Amount value={minWithdraw} unit={symbol} />,
            },
          ]}
          empty={
            <EmptyState icon={Percent} title="No payment methods">
              The operator has not enabled any payment method.
            </EmptyState>
          }
        />
        {limits !== undefined && (
          <p className="border-t border-line px-4 py-3 text-ink-soft sm:px-5">
            In US dollars: collection from <Dollars value={limits.minCollect} />, withdrawal from{' '}
            <Dollars value={limits.minWithdraw} />.
          </p>
        )}
      </Card>
    </Page>
  )
}

/**
 * Lets the user choose a type of payment, a currency and an amount, and shows the fee that the server
 * computes for them.
 */
function FeeQuestion() {
  const { id, methods } = useMerchant()
  const [type, setType] = useState<(typeof types)[number]>('onetime')
  const [method, setMethod] = useState('')
  const [amount, setAmount] = useState('100')
  const about = { merchantID: id, type, ...(method === '' ? {} : { paymentMethodID: Number(method) }) }
  const rate = useApi('getFees', about)
  const isAmount = /^(0|[1-9]\d*)(\.\d+)?$/.test(amount)
  const kept = useApi('getFeeAmount', { ...about, amount }, { isWanted: isAmount, keepsPreviousData: true })
  return (
    <Card title="Fee calculator">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label="Type"
          value={type}
          onValue={(value) => setType(types.find((one) => one === value) ?? 'onetime')}
          options={typeOptions}
        />
        <SelectField
          label="Currency"
          value={method}
          onValue={setMethod}
          options={[{ value: '', label: 'US dollars (default)' }, ...methodOptions(methods)]}
        />
        <TextField
          label="Amount"
          value={amount}
          onValue={setAmount}
          inputMode="decimal"
          suffix={rate.data?.currency ?? ''}
          error={kept.error === null || !isAmount ? undefined : errorText(kept.error)}
        />
      </div>
      {rate.error !== null && <Notice tone="warn">{errorText(rate.error)}</Notice>}
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
              <Fact name="Net amount">
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
