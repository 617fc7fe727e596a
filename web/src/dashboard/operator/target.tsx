import { Undo2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { fieldError } from '../client.ts'
import { methodLabel, methodOptions } from '../methods.tsx'
import { useApi } from '../use-api.ts'
import { MerchantCell } from './row.tsx'

/**
 * The merchant and the payment method of a fee or limit, as the operator typed them. An empty value means
 * all.
 */
export interface Target {
  readonly merchantID: string
  readonly paymentMethodID: string
}

export const everyTarget: Target = { merchantID: '', paymentMethodID: '' }

/** Converts a typed target to the form of the API, in which a missing field means all. */
export function named({ merchantID, paymentMethodID }: Target) {
  return {
    ...(merchantID.trim() === '' ? {} : { merchantID: merchantID.trim() }),
    ...(paymentMethodID === '' ? {} : { paymentMethodID: Number(paymentMethodID) }),
  }
}

/** Returns the labels and units of the payment methods. */
export function useMethods() {
  const { data: methods = [] } = useApi('listPaymentMethods', {})
  const of = (id: string | number | null) =>
    methods.find(({ paymentMethodID }) => String(paymentMethodID) === String(id))
  return {
    options: methodOptions(methods),
    unitOf: (id: string) => (id === '' ? 'USD' : (of(id)?.symbol ?? '')),
    labelOf: (id: string | number | null) => {
      const method = of(id)
      if (id === null || id === '') return 'all payment methods'
      return method === undefined ? `payment method ${id}` : methodLabel(method)
    },
  }
}

interface FieldsProps {
  readonly target: Target
  readonly error: Error | null
  onTarget(target: Target): void
}

export function TargetFields({ target, error, onTarget }: FieldsProps) {
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
        hint="Leave it empty for all merchants. The ID of a merchant is on its settings page."
        error={fieldError(error, 'merchantID')}
      />
      <SelectField
        label="Payment method"
        value={target.paymentMethodID}
        onValue={(paymentMethodID) => onTarget({ ...target, paymentMethodID })}
        options={[{ value: '', label: 'all payment methods' }, ...options]}
        error={fieldError(error, 'paymentMethodID')}
      />
    </>
  )
}

interface StoredTarget {
  readonly merchantID: string | null
  readonly merchantName: string | null
  readonly paymentMethodID: number | null
}

/** Converts a stored target to the form of the API. */
export function ofTarget({ merchantID, paymentMethodID }: StoredTarget) {
  return { ...ofMerchant(merchantID ?? undefined), ...(paymentMethodID === null ? {} : { paymentMethodID }) }
}

/** Converts a merchant to the form of the API. Undefined means all merchants. */
export function ofMerchant(merchantID: string | undefined) {
  return merchantID === undefined ? {} : { merchantID }
}

/** Shows the merchant and the payment method of a row. */
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

/** The button that removes an override. On a phone, the button shows only its icon. */
export function TakeBackButton({ onClick }: { onClick(): void }) {
  return (
    <Button variant="quiet" onClick={onClick}>
      <Undo2 aria-hidden className="md:hidden" />
      <span className="max-md:sr-only">Remove</span>
    </Button>
  )
}

/** Limits a list to the rows of one merchant. */
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
          label="Filter by merchant ID"
          isLabelHidden
          type="search"
          placeholder="Merchant ID"
          className="font-mono"
          value={typed}
          onValue={setTyped}
        />
      </div>
      <Button variant="secondary" type="submit">
        Filter
      </Button>
    </form>
  )
}
