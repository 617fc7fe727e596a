import { Link } from '@tanstack/react-router'
import type { components, ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { dollars } from '../../design/format-amount.ts'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, fieldFault, formFault } from '../client.ts'
import { useLastMerchant } from '../shell/use-last-merchant.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useMethods } from './target.tsx'

type Invoice = components['schemas']['Invoice']

/** The choice of an invoice that is not listed. */
const byID = 'by-id'

const ways = [
  { value: 'exact', label: 'exactly what is due' },
  { value: 'short', label: 'too little: 60 percent' },
  { value: 'over', label: 'too much: 130 percent' },
] as const

/** Plays the customer and the chain, so that every case can be seen without a wallet. */
export function SandboxPage() {
  return (
    <Page title="Sandbox" description="Be the customer, and the chain. Only a sandbox has this page.">
      <PayCard />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <MineCard />
        <ReorganiseCard />
      </div>
    </Page>
  )
}

/** What customers of the merchant last looked at may still pay; what is over is paid late. */
function usePayable(): { readonly merchantID: string | undefined; readonly invoices: readonly Invoice[] } {
  const merchantID = useLastMerchant()
  const { data } = useApi(
    'listInvoices',
    { merchantID: merchantID ?? '', states: ['pending', 'expired'], showDetails: true, limit: 50 },
    { isWanted: merchantID !== undefined, keepsShown: true, everyMs: 5_000 },
  )
  return { merchantID, invoices: data?.data ?? [] }
}

function labelOf({ reference, description, amount, state }: Invoice): string {
  const told = [reference, dollars(amount), description].filter(
    (text) => text !== undefined && text !== null && text !== '',
  )
  return `${told.join(' · ')}${state === 'expired' ? ', its time is over' : ''}`
}

function PayCard() {
  const { merchantID, invoices } = usePayable()
  const { options } = useMethods()
  const [chosen, setChosen] = useState<string>()
  const [typed, setTyped] = useState('')
  const [method, setMethod] = useState('')
  const [how, setHow] = useState<(typeof ways)[number]['value']>('exact')
  const listed = chosen === byID ? undefined : (invoices.find(({ id }) => id === chosen) ?? invoices[0])
  const pay = useAction(
    // The list shows another one first as soon as what was paid leaves it.
    (paid: Invoice | undefined) =>
      api.payInSandbox({
        body: {
          invoiceID: paid?.id ?? typed.trim(),
          how,
          ...(method === '' ? {} : { paymentMethodID: Number(method) }),
        },
      }),
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
          <InvoiceChoice listed={listed} invoices={invoices} onChosen={setChosen} />
          {listed === undefined && (
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
          <Button type="submit" isBusy={pay.isPending}>
            Pay it
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
  onChosen(id: string): void
}

function InvoiceChoice({ listed, invoices, onChosen }: ChoiceProps) {
  return (
    <SelectField
      label="Invoice"
      value={listed?.id ?? byID}
      onValue={onChosen}
      options={[
        ...invoices.map((invoice) => ({ value: invoice.id, label: labelOf(invoice) })),
        { value: byID, label: 'another one, by its ID' },
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

function MineCard() {
  const [blocks, setBlocks] = useState('2')
  const mine = useAction(() => api.mineInSandbox({ body: { blocks: Number(blocks) } }), {
    done: 'The blocks are mined.',
  })
  return (
    <Card title="Mine blocks" description="To have a payment confirmed at once.">
      <form
        className="grid grid-cols-[8rem_auto] items-end justify-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          mine.mutate(undefined)
        }}
      >
        <TextField
          label="How many"
          type="number"
          min={1}
          max={100}
          value={blocks}
          onValue={setBlocks}
          required
        />
        <Button type="submit" isBusy={mine.isPending}>
          Mine
        </Button>
      </form>
    </Card>
  )
}

function ReorganiseCard() {
  const [depth, setDepth] = useState('1')
  const [isOpen, setOpen] = useState(false)
  const drop = useAction(() => api.reorganiseSandbox({ body: { depth: Number(depth) } }), {
    done: 'The blocks are taken back.',
    showsFault: true,
    onDone: () => setOpen(false),
  })
  return (
    <Card title="Take blocks back" description="A reorganisation: what was in them is undone.">
      <form
        className="grid grid-cols-[8rem_auto] items-end justify-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          setOpen(true)
        }}
      >
        <TextField
          label="How many"
          type="number"
          min={1}
          max={100}
          value={depth}
          onValue={setDepth}
          required
        />
        <Button type="submit" look="ending">
          Take back
        </Button>
      </form>
      <ConfirmDialog
        isOpen={isOpen}
        onOpen={setOpen}
        title="Take the last blocks back?"
        description="Payments in them go back to pending; credited money is taken back."
        word="reorg"
        action="Take them back"
        {...confirmed(drop)}
      />
    </Card>
  )
}
