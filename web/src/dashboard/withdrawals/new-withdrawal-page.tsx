import { useNavigate } from '@tanstack/react-router'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { BackLink } from '../shell/back-link.tsx'
import { useAction, useApi } from '../use-api.ts'
import { type Once, useOnce } from '../use-once.ts'

interface Draft {
  readonly address: string
  readonly amount: string
  readonly paymentMethodID: number
}

/** First what, how much and where to; then all of it once more, with its fee, before it goes. */
export function NewWithdrawalPage() {
  const { id: merchantID, methods } = useMerchant()
  const [draft, setDraft] = useState<Draft>({
    address: '',
    amount: '',
    paymentMethodID: methods[0]?.paymentMethodID ?? 0,
  })
  const [isReviewing, setReviewing] = useState(false)
  const once = useOnce()
  return (
    <Page
      title={isReviewing ? 'Look at it once more' : 'Withdraw'}
      back={<BackLink to={`/m/${merchantID}/withdrawals`}>Withdrawals</BackLink>}
    >
      <div className="max-w-xl">
        {isReviewing ? (
          <Review draft={draft} once={once} onBack={() => setReviewing(false)} />
        ) : (
          <WithdrawalForm draft={draft} onDraft={setDraft} onReview={() => setReviewing(true)} />
        )}
      </div>
    </Page>
  )
}

interface FormProps {
  readonly draft: Draft
  onDraft(draft: Draft): void
  onReview(): void
}

function WithdrawalForm({ draft, onDraft, onReview }: FormProps) {
  const { id: merchantID, methods } = useMerchant()
  const { data: funds } = useApi('listFunds', { merchantID })
  const { data: limits } = useApi('getLimits', { merchantID })
  const isMethod = ({ paymentMethodID }: { paymentMethodID: number }) =>
    paymentMethodID === draft.paymentMethodID
  const entry = funds?.find(isMethod)
  const least = limits?.methods.find(isMethod)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onReview()
  }
  return (
    <Card>
      <form className="grid gap-4" onSubmit={submit}>
        <SelectField
          label="From"
          value={String(draft.paymentMethodID)}
          onValue={(value) => onDraft({ ...draft, paymentMethodID: Number(value), amount: '' })}
          options={methods.map(({ paymentMethodID, symbol, network }) => ({
            value: String(paymentMethodID),
            label: `${symbol} on ${network}`,
          }))}
        />
        <TextField
          label="Amount"
          value={draft.amount}
          onValue={(amount) => onDraft({ ...draft, amount })}
          inputMode="decimal"
          required
          {...(entry === undefined ? {} : { suffix: entry.symbol })}
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
                <button
                  type="button"
                  className="font-medium text-accent-text underline underline-offset-2"
                  onClick={() => onDraft({ ...draft, amount: entry.balance })}
                >
                  Take all
                </button>
              </>
            )
          }
        />
        <TextField
          label="To the address"
          value={draft.address}
          onValue={(address) => onDraft({ ...draft, address })}
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <div>
          <Button type="submit">Go on to the review</Button>
        </div>
      </form>
    </Card>
  )
}

interface ReviewProps {
  readonly draft: Draft
  /** Of the page: who goes back and comes again still asks for the same. */
  readonly once: Once
  onBack(): void
}

function Review({ draft, once, onBack }: ReviewProps) {
  const { id: merchantID } = useMerchant()
  const navigate = useNavigate()
  const [confirmLookalike, setConfirmed] = useState(false)
  const amount = draft.amount.trim()
  const fee = useApi('getFeeAmount', {
    merchantID,
    type: 'withdrawal',
    paymentMethodID: draft.paymentMethodID,
    amount,
  })
  const send = useAction(
    () =>
      once(api.createWithdrawal, {
        merchantID,
        body: {
          address: draft.address.trim(),
          amount,
          paymentMethodID: draft.paymentMethodID,
          ...(confirmLookalike ? { confirmLookalike } : {}),
        },
      }),
    {
      done: 'The withdrawal is on its way.',
      showsFault: true,
      onDone: () => void navigate({ to: '/m/$merchantID/withdrawals', params: { merchantID } }),
    },
  )
  const fault = send.error ?? fee.error
  const isLookalike = send.error instanceof CofferError && send.error.code === 'lookalike-address'
  return (
    <Card description="What is sent cannot be called back. Compare the whole address, not its ends alone.">
      <ReviewFacts draft={draft} fee={fee.data} />
      {fault !== null && <Notice tone="bad">{faultText(fault)}</Notice>}
      {isLookalike && (
        <CheckField
          label="I compared every character: this address is right."
          isChecked={confirmLookalike}
          onCheck={setConfirmed}
        />
      )}
      <div className="flex gap-2">
        <Button look="secondary" onClick={onBack}>
          Change it
        </Button>
        <Button
          isBusy={send.isPending}
          disabled={fee.data === undefined || (isLookalike && !confirmLookalike)}
          onClick={() => send.mutate(undefined)}
        >
          Send it
        </Button>
      </div>
    </Card>
  )
}

function ReviewFacts({ draft, fee }: { draft: Draft; fee: ReplyOf<'getFeeAmount'> | undefined }) {
  const { methods } = useMerchant()
  const method = methods.find(({ paymentMethodID }) => paymentMethodID === draft.paymentMethodID)
  return (
    <Facts>
      <Fact name="Taken from you">
        <Amount value={draft.amount.trim()} unit={method?.symbol} />
      </Fact>
      <Fact name="Fee">{fee && <Amount value={fee.fee} unit={fee.currency} />}</Fact>
      <Fact name="They get">
        {fee && (
          <span className="font-semibold">
            <Amount value={fee.net} unit={fee.currency} />
          </span>
        )}
      </Fact>
      <Fact name="Network">{method?.network}</Fact>
      <Fact name="To">
        <code className="font-mono text-[0.8125rem]">{draft.address.trim()}</code>
      </Fact>
    </Facts>
  )
}
