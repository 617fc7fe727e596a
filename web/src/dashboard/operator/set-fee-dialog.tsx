import type { components } from 'coffer-sdk'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Fact, Facts } from '../../design/card.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { api, fieldError } from '../client.ts'
import { useAction } from '../use-api.ts'
import { ReviewDialog } from './review-dialog.tsx'
import { everyTarget, named, type Target, TargetFields, useMethods } from './target.tsx'

type FeeType = components['schemas']['FeeType']

const feeTypes = ['onetime', 'reusable', 'collect', 'withdrawal'] as const satisfies readonly FeeType[]

const feeTypeLabels: Readonly<Record<FeeType, string>> = {
  onetime: 'one-time invoices',
  reusable: 'reusable invoices',
  collect: 'collection invoices',
  withdrawal: 'withdrawals',
}

export function feeTypeLabel(type: FeeType): string {
  return feeTypeLabels[type]
}

interface Draft extends Target {
  readonly type: FeeType
  readonly percent: string
  readonly flat: string
  readonly currency: string
}

/** Sets the fee of one type of payment, for exactly the given merchants and payment methods. */
export function SetFeeDialog({ onClose }: { onClose(): void }) {
  const { unitOf } = useMethods()
  const [draft, setDraft] = useState<Draft>({
    ...everyTarget,
    type: 'onetime',
    percent: '',
    flat: '0',
    currency: 'USD',
  })
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const order = useAction(() => api.updateOperatorFees({ body: bodyOf(draft) }), {
    done: 'The fee is set.',
    showsError: true,
    onDone: onClose,
  })
  const unit = unitOf(draft.paymentMethodID)
  const currencies = unit === 'USD' ? ['USD'] : [unit, 'USD']
  return (
    <ReviewDialog
      title="Set fee"
      consequence="It applies to payments from now on. Payments that were already seen keep their fee."
      word="set"
      action="Set fee"
      order={order}
      onClose={onClose}
      review={<FeeFacts draft={draft} />}
    >
      <SelectField
        label="Type"
        value={draft.type}
        onValue={(value) => set({ type: feeTypes.find((one) => one === value) ?? 'onetime' })}
        options={feeTypes.map((value) => ({ value, label: feeTypeLabel(value) }))}
      />
      <TargetFields
        target={draft}
        error={order.error}
        onTarget={(target) => set({ ...target, currency: unitOf(target.paymentMethodID) })}
      />
      <TextField
        label="Percent"
        value={draft.percent}
        onValue={(percent) => set({ percent })}
        inputMode="decimal"
        placeholder="1.5"
        suffix="%"
        error={fieldError(order.error, 'percent')}
        required
      />
      <div className="grid grid-cols-[minmax(0,1fr)_7rem] gap-3">
        <TextField
          label="Flat fee for each transaction"
          value={draft.flat}
          onValue={(flat) => set({ flat })}
          inputMode="decimal"
          error={fieldError(order.error, 'flat')}
          required
        />
        <SelectField
          label="Currency"
          value={draft.currency}
          onValue={(currency) => set({ currency })}
          options={currencies.map((value) => ({ value, label: value }))}
          error={fieldError(order.error, 'currency')}
        />
      </div>
    </ReviewDialog>
  )
}

function bodyOf(draft: Draft) {
  const { type, percent, flat, currency } = draft
  return { type, ...named(draft), percent: percent.trim(), flat: flat.trim(), currency }
}

function FeeFacts({ draft }: { draft: Draft }) {
  const { labelOf } = useMethods()
  return (
    <Facts>
      <Fact name="Type">{feeTypeLabel(draft.type)}</Fact>
      <Fact name="Merchant">
        {draft.merchantID.trim() === '' ? 'all merchants' : draft.merchantID.trim()}
      </Fact>
      <Fact name="Payment method">{labelOf(draft.paymentMethodID)}</Fact>
      <Fact name="Percent">{draft.percent.trim()} %</Fact>
      <Fact name="Flat fee">
        <Amount value={draft.flat.trim()} unit={draft.currency} />
      </Fact>
    </Facts>
  )
}
