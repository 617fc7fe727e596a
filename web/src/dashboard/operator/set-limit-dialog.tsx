import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Fact, Facts } from '../../design/card.tsx'
import { TextField } from '../../design/field.tsx'
import { api, fieldError } from '../client.ts'
import { useAction } from '../use-api.ts'
import { ReviewDialog } from './review-dialog.tsx'
import { everyTarget, named, type Target, TargetFields, useMethods } from './target.tsx'

interface Draft extends Target {
  readonly minCollect: string
  readonly minWithdraw: string
}

/** Sets one minimum or both. An empty field leaves its minimum unchanged. */
export function SetLimitDialog({ onClose }: { onClose(): void }) {
  const { unitOf } = useMethods()
  const [draft, setDraft] = useState<Draft>({ ...everyTarget, minCollect: '', minWithdraw: '' })
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const order = useAction(() => api.updateOperatorLimits({ body: bodyOf(draft) }), {
    done: 'The limits are set.',
    showsError: true,
    onDone: onClose,
  })
  const unit = unitOf(draft.paymentMethodID)
  return (
    <ReviewDialog
      title="Set limits"
      description="A minimum that is left empty stays unchanged."
      consequence="The limits apply at once, to all later requests."
      word="set"
      action="Set limits"
      order={order}
      onClose={onClose}
      review={<LimitFacts draft={draft} unit={unit} />}
    >
      <TargetFields target={draft} error={order.error} onTarget={set} />
      <TextField
        label="Minimum collection"
        value={draft.minCollect}
        onValue={(minCollect) => set({ minCollect })}
        inputMode="decimal"
        suffix={unit}
        hint="No collection invoice is created for less, and smaller amounts are not swept."
        error={fieldError(order.error, 'minCollect')}
      />
      <TextField
        label="Minimum withdrawal"
        value={draft.minWithdraw}
        onValue={(minWithdraw) => set({ minWithdraw })}
        inputMode="decimal"
        suffix={unit}
        error={fieldError(order.error, 'minWithdraw')}
      />
    </ReviewDialog>
  )
}

function bodyOf(draft: Draft) {
  const minCollect = draft.minCollect.trim()
  const minWithdraw = draft.minWithdraw.trim()
  return {
    ...named(draft),
    ...(minCollect === '' ? {} : { minCollect }),
    ...(minWithdraw === '' ? {} : { minWithdraw }),
  }
}

function LimitFacts({ draft, unit }: { draft: Draft; unit: string }) {
  const { labelOf } = useMethods()
  const figure = (value: string) => (value === '' ? 'unchanged' : <Amount value={value} unit={unit} />)
  return (
    <Facts>
      <Fact name="Merchant">
        {draft.merchantID.trim() === '' ? 'all merchants' : draft.merchantID.trim()}
      </Fact>
      <Fact name="Payment method">{labelOf(draft.paymentMethodID)}</Fact>
      <Fact name="Minimum collection">{figure(draft.minCollect.trim())}</Fact>
      <Fact name="Minimum withdrawal">{figure(draft.minWithdraw.trim())}</Fact>
    </Facts>
  )
}
