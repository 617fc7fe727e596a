import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Fact, Facts } from '../../design/card.tsx'
import { TextField } from '../../design/field.tsx'
import { api, fieldFault } from '../client.ts'
import { useAction } from '../use-api.ts'
import { ReviewDialog } from './review-dialog.tsx'
import { everyTarget, named, type Target, TargetFields, useMethods } from './target.tsx'

interface Draft extends Target {
  readonly minCollect: string
  readonly minWithdraw: string
}

/** Sets one figure or both; one that is left empty stays as it is. */
export function SetLimitDialog({ onClose }: { onClose(): void }) {
  const { unitOf } = useMethods()
  const [draft, setDraft] = useState<Draft>({ ...everyTarget, minCollect: '', minWithdraw: '' })
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const order = useAction(() => api.updateOperatorLimits({ body: bodyOf(draft) }), {
    done: 'The limits are set.',
    showsFault: true,
    onDone: onClose,
  })
  const unit = unitOf(draft.paymentMethodID)
  return (
    <ReviewDialog
      title="Set a limit"
      description="A figure that is left empty stays as it is."
      consequence="It holds at once, for what is asked for from now on."
      word="set"
      action="Set the limits"
      order={order}
      onClose={onClose}
      review={<LimitFacts draft={draft} unit={unit} />}
    >
      <TargetFields target={draft} fault={order.error} onTarget={set} />
      <TextField
        label="Collect from"
        value={draft.minCollect}
        onValue={(minCollect) => set({ minCollect })}
        inputMode="decimal"
        suffix={unit}
        hint="No invoice is made for less, and nothing less is brought in."
        fault={fieldFault(order.error, 'minCollect')}
      />
      <TextField
        label="Withdraw from"
        value={draft.minWithdraw}
        onValue={(minWithdraw) => set({ minWithdraw })}
        inputMode="decimal"
        suffix={unit}
        fault={fieldFault(order.error, 'minWithdraw')}
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
  const figure = (value: string) => (value === '' ? 'stays as it is' : <Amount value={value} unit={unit} />)
  return (
    <Facts>
      <Fact name="Merchant">
        {draft.merchantID.trim() === '' ? 'all merchants' : draft.merchantID.trim()}
      </Fact>
      <Fact name="Payment method">{labelOf(draft.paymentMethodID)}</Fact>
      <Fact name="Collect from">{figure(draft.minCollect.trim())}</Fact>
      <Fact name="Withdraw from">{figure(draft.minWithdraw.trim())}</Fact>
    </Facts>
  )
}
