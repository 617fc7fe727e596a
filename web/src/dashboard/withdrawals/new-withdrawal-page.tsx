import { useNavigate } from '@tanstack/react-router'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { isSomething } from '../../design/format-amount.ts'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, faultText, fieldFault, formFault, reasonText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { BackLink } from '../shell/back-link.tsx'
import { useAction, useApi } from '../use-api.ts'
import { type Once, useOnce } from '../use-once.ts'

interface Draft {
  readonly address: string
  readonly amount: string
  /** Undefined until one is chosen: then the first that has anything to withdraw. */
  readonly paymentMethodID: number | undefined
}

interface Order {
  readonly address: string
  readonly amount: string
  readonly paymentMethodID: number
  readonly preview: ReplyOf<'previewWithdrawal'>
}

/** First what, how much and where to; then all of it once more, with its fee, before it goes. */
export function NewWithdrawalPage() {
  const { id: merchantID } = useMerchant()
  const [draft, setDraft] = useState<Draft>({ address: '', amount: '', paymentMethodID: undefined })
  const [order, setOrder] = useState<Order>()
  const [refusal, setRefusal] = useState<Error>()
  const once = useOnce()
  return (
    <Page
      title={order === undefined ? 'Withdraw' : 'Review withdrawal'}
      back={<BackLink to={`/m/${merchantID}/withdrawals`}>Withdrawals</BackLink>}
    >
      <div className="max-w-xl">
        {order === undefined ? (
          <WithdrawalForm
            draft={draft}
            refusal={refusal}
            onDraft={(next) => {
              setDraft(next)
              setRefusal(undefined)
            }}
            onOrder={setOrder}
          />
        ) : (
          <Review
            order={order}
            once={once}
            onBack={(fault) => {
              setRefusal(fault)
              setOrder(undefined)
            }}
          />
        )}
      </div>
    </Page>
  )
}

const amountCodes: readonly string[] = ['insufficient-balance', 'below-minimum', 'fee-exceeds-amount']
const addressCodes: readonly string[] = ['invalid-address', 'listed-address']

/** Which field of the form a refusal is about; undefined where it is about none. */
function fieldOf(fault: Error | null | undefined): 'amount' | 'address' | undefined {
  if (!(fault instanceof CofferError)) return undefined
  if (amountCodes.includes(fault.code) || fieldFault(fault, 'amount') !== undefined) return 'amount'
  return addressCodes.includes(fault.code) ? 'address' : undefined
}

interface FormProps {
  readonly draft: Draft
  /** Why what was reviewed was not taken. */
  readonly refusal: Error | undefined
  onDraft(draft: Draft): void
  onOrder(order: Order): void
}

function WithdrawalForm({ draft, refusal, onDraft, onOrder }: FormProps) {
  const { id: merchantID, methods } = useMerchant()
  const { data: funds } = useApi('listFunds', { merchantID })
  const filled = funds?.find(({ balance }) => isSomething(balance)) ?? methods[0]
  const paymentMethodID = draft.paymentMethodID ?? filled?.paymentMethodID ?? 0
  const wish = { address: draft.address.trim(), amount: draft.amount.trim(), paymentMethodID }
  const ask = useAction(() => api.previewWithdrawal({ merchantID, body: wish }), {
    showsFault: true,
    onDone: (preview) => {
      if (preview.errors.length === 0) onOrder({ ...wish, address: preview.address ?? wish.address, preview })
    },
  })
  const change = (part: Partial<Draft>) => {
    ask.reset()
    onDraft({ ...draft, ...part })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate(undefined)
  }
  const faultOf = (field: 'amount' | 'address') =>
    ask.data?.errors.find(({ pointer }) => pointer === `/${field}`)?.detail ??
    fieldFault(ask.error, field) ??
    (fieldOf(refusal) === field ? reasonText(refusal) : undefined)
  const fault = formFault(ask.error, 'amount', 'address')
  return (
    <Card>
      <form className="grid gap-4" onSubmit={submit}>
        <SelectField
          label="From"
          value={String(paymentMethodID)}
          onValue={(value) => change({ paymentMethodID: Number(value), amount: '' })}
          options={methods.map(({ paymentMethodID: id, symbol, network }) => ({
            value: String(id),
            label: `${symbol} on ${network}`,
          }))}
        />
        <AmountField
          amount={draft.amount}
          paymentMethodID={paymentMethodID}
          fault={faultOf('amount')}
          onAmount={(amount) => change({ amount })}
        />
        <TextField
          label="To the address"
          value={draft.address}
          onValue={(address) => change({ address })}
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
          fault={faultOf('address')}
          required
        />
        {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
        <div>
          <Button type="submit" isBusy={ask.isPending}>
            Continue
          </Button>
        </div>
      </form>
    </Card>
  )
}

interface AmountProps {
  readonly amount: string
  readonly paymentMethodID: number
  readonly fault: string | undefined
  onAmount(amount: string): void
}

function AmountField({ amount, paymentMethodID, fault, onAmount }: AmountProps) {
  const { id: merchantID, symbolOf } = useMerchant()
  const { data: funds } = useApi('listFunds', { merchantID })
  const { data: limits } = useApi('getLimits', { merchantID })
  const isMethod = (one: { readonly paymentMethodID: number }) => one.paymentMethodID === paymentMethodID
  const entry = funds?.find(isMethod)
  const least = limits?.methods.find(isMethod)
  return (
    <TextField
      label="Amount"
      value={amount}
      onValue={onAmount}
      inputMode="decimal"
      required
      suffix={symbolOf(paymentMethodID)}
      fault={fault}
      hint={
        entry !== undefined && (
          <>
            Available: <Amount value={entry.balance} unit={entry.symbol} />
            {least !== undefined && (
              <>
                , at least <Amount value={least.minWithdraw} unit={least.symbol} />
              </>
            )}
            .{' '}
            {isSomething(entry.balance) && (
              <button
                type="button"
                className="font-medium text-accent-text underline underline-offset-2"
                onClick={() => onAmount(entry.balance)}
              >
                Take all
              </button>
            )}
          </>
        )
      }
    />
  )
}

interface ReviewProps {
  readonly order: Order
  /** Of the page: who goes back and comes again still asks for the same. */
  readonly once: Once
  /** With what was refused, where that is about a field of the form. */
  onBack(refusal?: Error): void
}

function Review({ order, once, onBack }: ReviewProps) {
  const { id: merchantID } = useMerchant()
  const navigate = useNavigate()
  const [confirmLookalike, setConfirmed] = useState(false)
  const { preview, ...wish } = order
  const send = useAction(
    () =>
      once(api.createWithdrawal, {
        merchantID,
        body: { ...wish, ...(confirmLookalike ? { confirmLookalike } : {}) },
      }),
    {
      done: 'The withdrawal is on its way.',
      showsFault: true,
      onDone: () => void navigate({ to: '/m/$merchantID/withdrawals', params: { merchantID } }),
      onFault: (fault) => fieldOf(fault) !== undefined && onBack(fault),
    },
  )
  const isRefusedAsLookalike = send.error instanceof CofferError && send.error.code === 'lookalike-address'
  const isLookalike = preview.lookalike !== null || isRefusedAsLookalike
  return (
    <Card description="What is sent cannot be called back. Compare the whole address, not its ends alone.">
      <ReviewFacts order={order} />
      {isLookalike && (
        <Notice tone="bad" title="This may be a forged address">
          {isRefusedAsLookalike
            ? forPeople(faultText(send.error))
            : `It begins and ends like ${preview.lookalike}, which was paid before, and is another address.`}
        </Notice>
      )}
      {send.error !== null && !isRefusedAsLookalike && <Notice tone="bad">{faultText(send.error)}</Notice>}
      {isLookalike && (
        <CheckField
          label="I compared every character: this address is right."
          isChecked={confirmLookalike}
          onCheck={setConfirmed}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          isBusy={send.isPending}
          disabled={isLookalike && !confirmLookalike}
          onClick={() => send.mutate(undefined)}
        >
          Send
        </Button>
        <Button look="secondary" disabled={send.isPending} onClick={() => onBack()}>
          Change
        </Button>
      </div>
    </Card>
  )
}

/** Without the end of it, which tells programs what to send. */
function forPeople(detail: string): string {
  return detail.replace(/ Compare every character.*$/, '')
}

function ReviewFacts({ order: { address, amount, paymentMethodID, preview } }: { order: Order }) {
  const { methods } = useMerchant()
  const method = methods.find((one) => one.paymentMethodID === paymentMethodID)
  return (
    <Facts>
      <Fact name="Total debited">
        <Amount value={amount} unit={preview.currency} />
      </Fact>
      <Fact name="Fee">
        <Amount value={preview.fee ?? ''} unit={preview.currency} />
      </Fact>
      <Fact name="Recipient receives">
        <span className="font-semibold">
          <Amount value={preview.net ?? ''} unit={preview.currency} />
        </span>
      </Fact>
      <Fact name="Network">
        <span className="inline-block first-letter:uppercase">{method?.network}</span>
      </Fact>
      <Fact name="To">
        <code className="font-mono text-[0.8125rem]">{address}</code>
      </Fact>
    </Facts>
  )
}
