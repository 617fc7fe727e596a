import { Link } from '@tanstack/react-router'
import type { components, ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { dollars } from '../../design/format-amount.ts'
import { Notice } from '../../design/notice.tsx'
import { api, fieldError, formError } from '../client.ts'
import { useMethods } from '../operator/target.tsx'
import { useAction, useApi } from '../use-api.ts'

type Invoice = components['schemas']['Invoice']

/** The value of the select option for an invoice that is not listed. */
const byID = 'by-id'

const choices = [
  { value: 'exact', label: 'exact amount' },
  { value: 'short', label: 'underpayment: 60 percent' },
  { value: 'over', label: 'overpayment: 130 percent' },
] as const

/**
 * Returns the merchant's invoices that can be paid. They include expired invoices, whose payments are late.
 */
function usePayable(merchantID: string | undefined): readonly Invoice[] {
  const { data } = useApi(
    'listInvoices',
    {
      merchantID: merchantID ?? '',
      states: ['pending', 'expired'],
      types: ['onetime', 'reusable', 'collect'],
      showDetails: true,
      limit: 50,
    },
    { isWanted: merchantID !== undefined, keepsPreviousData: true, everyMs: 5_000 },
  )
  return data?.data ?? []
}

function labelOf({ reference, description, amount, state }: Invoice): string {
  const details = [reference, dollars(amount), description].filter(
    (text) => text !== undefined && text !== null && text !== '',
  )
  return `${details.join(' · ')}${state === 'expired' ? ', expired' : ''}`
}

interface PayProps {
  /** The merchant whose invoices are listed. */
  readonly merchantID: string | undefined
  /** Whether invoices of any merchant can be paid by their ID, as operators may. */
  readonly paysAny: boolean
}

export function PayCard({ merchantID, paysAny }: PayProps) {
  const invoices = usePayable(merchantID)
  const { options } = useMethods()
  const [chosen, setChosen] = useState<string>()
  const [typed, setTyped] = useState('')
  const [method, setMethod] = useState('')
  const [how, setHow] = useState<(typeof choices)[number]['value']>('exact')
  const listed = chosen === byID ? undefined : (invoices.find(({ id }) => id === chosen) ?? invoices[0])
  const pay = useAction(
    // The invoice is passed as an argument. When the paid invoice disappears from the list, the list selects
    // another one.
    (paid: Invoice | undefined) => {
      const body = { how, ...(method === '' ? {} : { paymentMethodID: Number(method) }) }
      return paid === undefined || merchantID === undefined
        ? api.payInSandbox({ body: { ...body, invoiceID: paid?.id ?? typed.trim() } })
        : api.payInvoiceInSandbox({ merchantID, invoiceID: paid.id, body })
    },
    { showsError: true },
  )
  const error = formError(pay.error, ...(listed === undefined ? ['invoiceID'] : []))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChosen(listed?.id ?? byID)
    pay.mutate(listed)
  }
  return (
    <Card
      title="Pay an invoice"
      description="Sends a real transaction on the development chain, from an account that is not Coffer's."
    >
      <form className="grid gap-4 sm:grid-cols-2" onSubmit={submit}>
        <div className="grid gap-4">
          <InvoiceChoice listed={listed} invoices={invoices} paysAny={paysAny} onChosen={setChosen} />
          {paysAny && listed === undefined && (
            <InvoiceID value={typed} onValue={setTyped} error={fieldError(pay.error, 'invoiceID')} />
          )}
        </div>
        <SelectField
          label="Payment method"
          value={method}
          onValue={setMethod}
          options={[{ value: '', label: 'method of the invoice' }, ...options]}
        />
        <SelectField
          label="Amount"
          value={how}
          onValue={(value) => setHow(choices.find((choice) => choice.value === value)?.value ?? 'exact')}
          options={choices}
        />
        <div className="flex items-end">
          <Button type="submit" isBusy={pay.isPending} disabled={listed === undefined && !paysAny}>
            Pay
          </Button>
        </div>
      </form>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {pay.data !== undefined && (
        <SentNotice sent={pay.data} merchantID={merchantID} invoiceID={pay.variables?.id} />
      )}
    </Card>
  )
}

interface ChoiceProps {
  readonly listed: Invoice | undefined
  readonly invoices: readonly Invoice[]
  readonly paysAny: boolean
  onChosen(id: string): void
}

function InvoiceChoice({ listed, invoices, paysAny, onChosen }: ChoiceProps) {
  const other = paysAny ? 'other invoice, by ID' : 'no payable invoice: create one first'
  return (
    <SelectField
      label="Invoice"
      value={listed?.id ?? byID}
      onValue={onChosen}
      options={[
        ...invoices.map((invoice) => ({ value: invoice.id, label: labelOf(invoice) })),
        ...(paysAny || invoices.length === 0 ? [{ value: byID, label: other }] : []),
      ]}
    />
  )
}

interface IDProps {
  readonly value: string
  readonly error: string | undefined
  onValue(value: string): void
}

function InvoiceID(props: IDProps) {
  return (
    <TextField
      label="Invoice ID"
      className="font-mono"
      autoComplete="off"
      spellCheck={false}
      required
      {...props}
    />
  )
}

interface SentProps {
  readonly sent: ReplyOf<'payInSandbox'>
  readonly merchantID: string | undefined
  /** The invoice; undefined if it may belong to another merchant. */
  readonly invoiceID: string | undefined
}

function SentNotice({ sent, merchantID, invoiceID }: SentProps) {
  return (
    <Notice tone="good" title={`${sent.amount} ${sent.currency} sent`}>
      <div className="grid justify-items-start gap-1">
        <Copyable value={sent.txHash} what="transaction hash" />
        {merchantID !== undefined && invoiceID !== undefined && (
          <Link
            to="/m/$merchantID/invoices/$invoiceID"
            params={{ merchantID, invoiceID }}
            className="font-medium underline underline-offset-2"
          >
            View invoice
          </Link>
        )}
      </div>
    </Notice>
  )
}
