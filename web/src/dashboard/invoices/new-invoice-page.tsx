import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, errorText, fieldError } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { lateHint, MethodName, methodOptions } from '../methods.tsx'
import { BackLink } from '../shell/back-link.tsx'
import { useAction } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import { invoiceTypes } from './invoice-filters.ts'
import { typeMeanings, typeNames } from './invoice-words.ts'

type InvoiceType = (typeof invoiceTypes)[number]

interface Draft {
  readonly amount: string
  readonly type: InvoiceType
  readonly paymentMethodID: number
  readonly others: readonly number[]
  readonly description: string
  readonly reference: string
  readonly expiresInMinutes: string
  readonly redirectURL: string
}

export function NewInvoicePage() {
  const { id: merchantID, methods } = useMerchant()
  const navigate = useNavigate()
  const [claim, setClaim] = useState<Claim>()
  const once = useOnce()
  const create = useAction((draft: Draft) => once(api.createInvoice, { merchantID, body: bodyOf(draft) }), {
    showsError: true,
    onDone: ({ id: invoiceID, claimURL: url }) => {
      // The claim link is shown at once, because the page of the invoice shows it only on request.
      if (url !== undefined) setClaim({ invoiceID, url })
      else void navigate({ to: '/m/$merchantID/invoices/$invoiceID', params: { merchantID, invoiceID } })
    },
  })
  return (
    <Page title="New invoice" back={<BackLink to={`/m/${merchantID}/invoices`}>Invoices</BackLink>}>
      <div className="max-w-2xl">
        {claim === undefined ? (
          <InvoiceForm
            first={methods[0]?.paymentMethodID ?? 0}
            isBusy={create.isPending}
            error={create.error}
            onDraft={(draft) => create.mutate(draft)}
          />
        ) : (
          <ClaimLink claim={claim} />
        )}
      </div>
    </Page>
  )
}

interface Claim {
  readonly invoiceID: string
  readonly url: string
}

function ClaimLink({ claim: { invoiceID, url } }: { claim: Claim }) {
  const { id: merchantID } = useMerchant()
  return (
    <Card
      title="Claim link"
      description="Share it with the recipient. You can show it again on the invoice page until it is claimed."
    >
      <Copyable value={url} what="claim link" isBlock />
      <Notice tone="warn">Anyone who has this link can claim the amount.</Notice>
      <div>
        <Link
          to="/m/$merchantID/invoices/$invoiceID"
          params={{ merchantID, invoiceID }}
          className={buttonClasses('secondary')}
        >
          View invoice
        </Link>
      </div>
    </Card>
  )
}

function bodyOf({ amount, type, paymentMethodID, others, ...draft }: Draft) {
  const minutes = Number(draft.expiresInMinutes)
  return {
    amount: amount.trim(),
    type,
    paymentMethodID,
    ...(others.length === 0 ? {} : { paymentMethodIDs: [...others] }),
    ...(draft.description === '' ? {} : { description: draft.description }),
    ...(draft.reference === '' ? {} : { reference: draft.reference }),
    ...(draft.expiresInMinutes === '' ? {} : { expiresInMinutes: minutes }),
    ...(draft.redirectURL === '' ? {} : { redirectURL: draft.redirectURL }),
  }
}

/** The fields that show their errors themselves. */
const shownFields = ['amount', 'description', 'reference', 'expiresInMinutes', 'redirectURL'] as const

interface FormProps {
  readonly first: number
  readonly isBusy: boolean
  readonly error: Error | null
  onDraft(draft: Draft): void
}

function InvoiceForm({ first, isBusy, error, onDraft }: FormProps) {
  const { methods } = useMerchant()
  const [draft, setDraft] = useState<Draft>({
    amount: '',
    type: 'onetime',
    paymentMethodID: first,
    others: [],
    description: '',
    reference: '',
    expiresInMinutes: '',
    redirectURL: '',
  })
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDraft(draft)
  }
  return (
    <Card>
      <form className="grid gap-5" onSubmit={submit}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Amount"
            value={draft.amount}
            onValue={(amount) => set({ amount })}
            inputMode="decimal"
            placeholder="25.00"
            suffix="USD"
            error={fieldError(error, 'amount')}
            required
          />
          <SelectField
            label="Type"
            value={draft.type}
            onValue={(value) => set({ type: invoiceTypes.find((one) => one === value) ?? 'onetime' })}
            options={invoiceTypes.map((value) => ({ value, label: typeNames[value] }))}
            hint={typeMeanings[draft.type]}
          />
          <SelectField
            label="Payment method"
            value={String(draft.paymentMethodID)}
            onValue={(value) => set({ paymentMethodID: Number(value), others: [] })}
            options={methodOptions(methods)}
            hint={lateHint(methods.find(({ paymentMethodID }) => paymentMethodID === draft.paymentMethodID))}
          />
          <OtherMethods draft={draft} onSet={set} />
        </div>
        <FurtherFields draft={draft} onSet={set} error={error} />
        {error !== null && !shownFields.some((field) => fieldError(error, field) !== undefined) && (
          <Notice tone="bad">{errorText(error)}</Notice>
        )}
        <div>
          <Button type="submit" isBusy={isBusy}>
            Create invoice
          </Button>
        </div>
      </form>
    </Card>
  )
}

interface PartProps {
  readonly draft: Draft
  onSet(part: Partial<Draft>): void
}

function OtherMethods({ draft, onSet }: PartProps) {
  const { methods } = useMerchant()
  const others = methods.filter(({ paymentMethodID }) => paymentMethodID !== draft.paymentMethodID)
  if (draft.type === 'withdraw' || others.length === 0) return null
  return (
    <fieldset className="grid content-start gap-1.5">
      <legend className="mb-1.5 font-medium">The payer may also choose</legend>
      {others.map(({ paymentMethodID, ...method }) => (
        <CheckField
          key={paymentMethodID}
          label={<MethodName method={{ paymentMethodID, ...method }} />}
          isChecked={draft.others.includes(paymentMethodID)}
          onCheck={(isChecked) =>
            onSet({
              others: isChecked
                ? [...draft.others, paymentMethodID]
                : draft.others.filter((one) => one !== paymentMethodID),
            })
          }
        />
      ))}
    </fieldset>
  )
}

function FurtherFields({ draft, onSet, error }: PartProps & { readonly error: Error | null }) {
  return (
    <div className="grid gap-4 border-t border-line pt-5 sm:grid-cols-2">
      <TextField
        label="Description"
        value={draft.description}
        onValue={(description) => onSet({ description })}
        hint="Optional. Shown to the payer."
        error={fieldError(error, 'description')}
      />
      <TextField
        label="Reference"
        value={draft.reference}
        onValue={(reference) => onSet({ reference })}
        hint="Optional. Your order number. It must be unique among your invoices."
        error={fieldError(error, 'reference')}
      />
      <TextField
        label="Expires after"
        value={draft.expiresInMinutes}
        onValue={(expiresInMinutes) => onSet({ expiresInMinutes })}
        inputMode="numeric"
        suffix="minutes"
        hint="Optional. Default: 60 minutes for one-time invoices, 30 days for collections, 7 days for payout links, never for reusable invoices."
        error={fieldError(error, 'expiresInMinutes')}
      />
      <TextField
        label="Return URL"
        type="url"
        value={draft.redirectURL}
        onValue={(redirectURL) => onSet({ redirectURL })}
        placeholder="https://shop.example/thanks"
        hint="Optional. The page to which the payer returns after the payment."
        error={fieldError(error, 'redirectURL')}
      />
    </div>
  )
}
