import { Link } from '@tanstack/react-router'
import type { components, ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { dollars } from '../../design/format-amount.ts'
import { Notice } from '../../design/notice.tsx'
import { api, fieldFault, formFault } from '../client.ts'
import { useMethods } from '../operator/target.tsx'
import { useAction, useApi } from '../use-api.ts'

type Invoice = components['schemas']['Invoice']

/** The choice of an invoice that is not listed. */
const byID = 'by-id'

const ways = [
  { value: 'exact', label: 'exactly what is due' },
  { value: 'short', label: 'too little: 60 percent' },
  { value: 'over', label: 'too much: 130 percent' },
] as const

/** What customers of the merchant may still pay; what is over is paid late. */
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
    { isWanted: merchantID !== undefined, keepsShown: true, everyMs: 5_000 },
  )
  return data?.data ?? []
}

function labelOf({ reference, description, amount, state }: Invoice): string {
  const told = [reference, dollars(amount), description].filter(
    (text) => text !== undefined && text !== null && text !== '',
  )
  return `${told.join(' · ')}${state === 'expired' ? ', its time is over' : ''}`
}

interface PayProps {
  /** Whose invoices are listed. */
  readonly merchantID: string | undefined
  /** An operator may pay the invoices of all merchants, by their ID. */
  readonly paysAny: boolean
}

export function PayCard({ merchantID, paysAny }: PayProps) {
  const invoices = usePayable(merchantID)
  const { options } = useMethods()
  const [chosen, setChosen] = useState<string>()
  const [typed, setTyped] = useState('')
  const [method, setMethod] = useState('')
  const [how, setHow] = useState<(typeof ways)[number]['value']>('exact')
  const listed = chosen === byID ? undefined : (invoices.find(({ id }) => id === chosen) ?? invoices[0])
  const pay = useAction(
    // The list shows another one first as soon as what was paid leaves it.
    (paid: Invoice | undefined) => {
      const body = { how, ...(method === '' ? {} : { paymentMethodID: Number(method) }) }
      return paid === undefined || merchantID === undefined
        ? api.payInSandbox({ body: { ...body, invoiceID: paid?.id ?? typed.trim() } })
        : api.payInvoiceInSandbox({ merchantID, invoiceID: paid.id, body })
    },
    { showsFault: true },
  )
  const fault = formFault(pay.error, ...(listed === undefined ? ['invoiceID'] : []))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChosen(listed?.id ?? byID)
    pay.mutate(listed)
  }
  return (
    <Card
      title="Pay an invoice"
      description="A real transaction on the development chain, from an outsider's account."
    >
      <form className="grid gap-4 sm:grid-cols-2" onSubmit={submit}>
        <div className="grid gap-4">
          <InvoiceChoice listed={listed} invoices={invoices} paysAny={paysAny} onChosen={setChosen} />
          {paysAny && listed === undefined && (
            <InvoiceID value={typed} onValue={setTyped} fault={fieldFault(pay.error, 'invoiceID')} />
          )}
        </div>
        <SelectField
          label="In"
          value={method}
          onValue={setMethod}
          options={[{ value: '', label: 'its own method' }, ...options]}
        />
        <SelectField
          label="Send"
          value={how}
          onValue={(value) => setHow(ways.find((way) => way.value === value)?.value ?? 'exact')}
          options={ways}
        />
        <div className="flex items-end">
          <Button type="submit" isBusy={pay.isPending} disabled={listed === undefined && !paysAny}>
            Pay
          </Button>
        </div>
      </form>
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
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
  const other = paysAny ? 'another one, by its ID' : 'none can be paid: create one first'
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
  readonly fault: string | undefined
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
  /** Undefined where it may be another merchant's. */
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
            See what becomes of it
          </Link>
        )}
      </div>
    </Notice>
  )
}
