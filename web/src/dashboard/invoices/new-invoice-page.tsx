import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, faultText, fieldFault } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
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
    showsFault: true,
    onDone: ({ id: invoiceID, claimURL: url }) => {
      // A claim's link is shown this once; nothing else has it.
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
            fault={create.error}
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
    <Card title="The link to claim it" description="Send it to whom you pay. It is shown this once.">
      <Copyable value={url} what="claim link" isBlock />
      <Notice tone="warn">Whoever has this link can claim the amount.</Notice>
      <div>
        <Link
          to="/m/$merchantID/invoices/$invoiceID"
          params={{ merchantID, invoiceID }}
          className={buttonClasses('secondary')}
        >
          To the invoice
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

/** These say themselves what is wrong with them. */
const shownFields = ['amount', 'description', 'reference', 'expiresInMinutes', 'redirectURL'] as const

interface FormProps {
  readonly first: number
  readonly isBusy: boolean
  readonly fault: Error | null
  onDraft(draft: Draft): void
}

function InvoiceForm({ first, isBusy, fault, onDraft }: FormProps) {
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
            fault={fieldFault(fault, 'amount')}
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
            options={methods.map(({ paymentMethodID, symbol, network }) => ({
              value: String(paymentMethodID),
              label: `${symbol} on ${network}`,
            }))}
          />
          <OtherMethods draft={draft} onSet={set} />
        </div>
        <FurtherFields draft={draft} onSet={set} fault={fault} />
        {fault !== null && !shownFields.some((field) => fieldFault(fault, field) !== undefined) && (
          <Notice tone="bad">{faultText(fault)}</Notice>
        )}
        <div>
          <Button type="submit" isBusy={isBusy}>
            Create the invoice
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
      {others.map(({ paymentMethodID, symbol, network }) => (
        <CheckField
          key={paymentMethodID}
          label={`${symbol} on ${network}`}
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

function FurtherFields({ draft, onSet, fault }: PartProps & { readonly fault: Error | null }) {
  return (
    <div className="grid gap-4 border-t border-line pt-5 sm:grid-cols-2">
      <TextField
        label="Description"
        value={draft.description}
        onValue={(description) => onSet({ description })}
        hint="Optional. The payer sees it."
        fault={fieldFault(fault, 'description')}
      />
      <TextField
        label="Reference"
        value={draft.reference}
        onValue={(reference) => onSet({ reference })}
        hint="Optional. Your own number of the order; no two invoices share one."
        fault={fieldFault(fault, 'reference')}
      />
      <TextField
        label="Can be paid for"
        value={draft.expiresInMinutes}
        onValue={(expiresInMinutes) => onSet({ expiresInMinutes })}
        inputMode="numeric"
        suffix="minutes"
        hint="Optional. An hour where nothing is said."
        fault={fieldFault(fault, 'expiresInMinutes')}
      />
      <TextField
        label="Then back to"
        type="url"
        value={draft.redirectURL}
        onValue={(redirectURL) => onSet({ redirectURL })}
        placeholder="https://shop.example/thanks"
        hint="Optional. Where the payer goes once it is paid."
        fault={fieldFault(fault, 'redirectURL')}
      />
    </div>
  )
}
