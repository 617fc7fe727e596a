import { Undo2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { fieldFault } from '../client.ts'
import { useApi } from '../use-api.ts'
import { MerchantCell } from './row.tsx'

/** For whom and in what a fee or a limit is set, as typed: nothing is every one. */
export interface Target {
  readonly merchantID: string
  readonly paymentMethodID: string
}

export const everyTarget: Target = { merchantID: '', paymentMethodID: '' }

/** A target as the API names it, where what is not there is every one. */
export function named({ merchantID, paymentMethodID }: Target) {
  return {
    ...(merchantID.trim() === '' ? {} : { merchantID: merchantID.trim() }),
    ...(paymentMethodID === '' ? {} : { paymentMethodID: Number(paymentMethodID) }),
  }
}

/** What is known of the methods: how they are called, and what is counted in them. */
export function useMethods() {
  const { data: methods = [] } = useApi('listPaymentMethods', {})
  const of = (id: string | number | null) =>
    methods.find(({ paymentMethodID }) => String(paymentMethodID) === String(id))
  return {
    options: methods.map(({ paymentMethodID, symbol, network }) => ({
      value: String(paymentMethodID),
      label: `${symbol} on ${network}`,
    })),
    unitOf: (id: string) => (id === '' ? 'USD' : (of(id)?.symbol ?? '')),
    labelOf: (id: string | number | null) => {
      const method = of(id)
      if (id === null || id === '') return 'every payment method'
      return method === undefined ? `payment method ${id}` : `${method.symbol} on ${method.network}`
    },
  }
}

interface FieldsProps {
  readonly target: Target
  readonly fault: Error | null
  onTarget(target: Target): void
}

export function TargetFields({ target, fault, onTarget }: FieldsProps) {
  const { options } = useMethods()
  return (
    <>
      <TextField
        label="Merchant ID"
        value={target.merchantID}
        onValue={(merchantID) => onTarget({ ...target, merchantID })}
        className="font-mono"
        autoComplete="off"
        spellCheck={false}
        placeholder="all merchants"
        hint="Nothing here is all merchants. One has its ID on its settings page."
        fault={fieldFault(fault, 'merchantID')}
      />
      <SelectField
        label="Payment method"
        value={target.paymentMethodID}
        onValue={(paymentMethodID) => onTarget({ ...target, paymentMethodID })}
        options={[{ value: '', label: 'every payment method' }, ...options]}
        fault={fieldFault(fault, 'paymentMethodID')}
      />
    </>
  )
}

interface StoredTarget {
  readonly merchantID: string | null
  readonly merchantName: string | null
  readonly paymentMethodID: number | null
}

/** A stored target as the API names it. */
export function ofTarget({ merchantID, paymentMethodID }: StoredTarget) {
  return { ...ofMerchant(merchantID ?? undefined), ...(paymentMethodID === null ? {} : { paymentMethodID }) }
}

/** One merchant as the API names it; undefined is every one. */
export function ofMerchant(merchantID: string | undefined) {
  return merchantID === undefined ? {} : { merchantID }
}

/** In a list: whose it is, and of which method. */
export function TargetCell({ merchantID, merchantName, paymentMethodID }: StoredTarget) {
  const { labelOf } = useMethods()
  return (
    <div className="grid gap-0.5">
      {merchantID === null ? (
        <p className="font-medium">All merchants</p>
      ) : (
        <MerchantCell merchantID={merchantID} merchantName={merchantName} />
      )}
      <p className="text-ink-soft first-letter:uppercase">{labelOf(paymentMethodID)}</p>
    </div>
  )
}

/** On a phone its sign alone. */
export function TakeBackButton({ onClick }: { onClick(): void }) {
  return (
    <Button look="quiet" onClick={onClick}>
      <Undo2 aria-hidden className="md:hidden" />
      <span className="max-md:sr-only">Take back</span>
    </Button>
  )
}

/** Which rows a list shows: those of one merchant, or all. */
export function MerchantFilter({ onMerchant }: { onMerchant(merchantID: string | undefined): void }) {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onMerchant(typed.trim() === '' ? undefined : typed.trim())
  }
  return (
    <form className="flex items-end gap-2" onSubmit={submit}>
      <div className="min-w-0 flex-1 sm:max-w-sm">
        <TextField
          label="Of one merchant alone"
          isLabelHidden
          type="search"
          placeholder="Merchant ID"
          className="font-mono"
          value={typed}
          onValue={setTyped}
        />
      </div>
      <Button look="secondary" type="submit">
        Filter
      </Button>
    </form>
  )
}
