import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, faultText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'

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

function PayCard() {
  const [invoiceID, setInvoiceID] = useState('')
  const [method, setMethod] = useState('')
  const [how, setHow] = useState<(typeof ways)[number]['value']>('exact')
  const { data: methods = [] } = useApi('listPaymentMethods', {})
  const pay = useAction(
    () =>
      api.payInSandbox({
        body: {
          invoiceID: invoiceID.trim(),
          how,
          ...(method === '' ? {} : { paymentMethodID: Number(method) }),
        },
      }),
    { showsFault: true },
  )
  return (
    <Card
      title="Pay an invoice"
      description="A real transaction on the development chain, from an outsider's account."
    >
      <form
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault()
          pay.mutate(undefined)
        }}
      >
        <TextField
          label="Invoice ID"
          value={invoiceID}
          onValue={setInvoiceID}
          className="font-mono"
          autoComplete="off"
          required
        />
        <SelectField
          label="In"
          value={method}
          onValue={setMethod}
          options={[
            { value: '', label: 'its own method' },
            ...methods.map(({ paymentMethodID, symbol, network }) => ({
              value: String(paymentMethodID),
              label: `${symbol} on ${network}`,
            })),
          ]}
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
      {pay.error !== null && <Notice tone="bad">{faultText(pay.error)}</Notice>}
      {pay.data !== undefined && (
        <Notice tone="good" title={`${pay.data.amount} ${pay.data.currency} sent`}>
          {pay.data.txHash}
        </Notice>
      )}
    </Card>
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
        <Button type="submit" look="danger">
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
