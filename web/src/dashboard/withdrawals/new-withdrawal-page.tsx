import { useNavigate } from '@tanstack/react-router'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { isSomething } from '../../design/format-amount.ts'
import { NetworkMark } from '../../design/marks.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, errorText, fieldError, formError, reasonText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { methodOptions, useNetworkTitles } from '../methods.tsx'
import { BackLink } from '../shell/back-link.tsx'
import { useAction, useApi } from '../use-api.ts'
import { type Once, useOnce } from '../use-once.ts'

interface Draft {
  readonly address: string
  readonly amount: string
  /** The chosen method. While it is undefined, the first method with a balance is used. */
  readonly paymentMethodID: number | undefined
}

interface Order {
  readonly address: string
  readonly amount: string
  readonly paymentMethodID: number
  readonly preview: ReplyOf<'previewWithdrawal'>
}

/**
 * Asks for asset, amount and address. Then shows all values and the fee for review, before the order is sent.
 */
export function NewWithdrawalPage() {
  const { id: merchantID } = useMerchant()
  const [draft, setDraft] = useState<Draft>({ address: '', amount: '', paymentMethodID: undefined })
  const [order, setOrder] = useState<Order>()
  const [rejection, setRejection] = useState<Error>()
  const once = useOnce()
  return (
    <Page
      title={order === undefined ? 'New withdrawal' : 'Review withdrawal'}
      back={<BackLink to={`/m/${merchantID}/withdrawals`}>Withdrawals</BackLink>}
    >
      <div className="max-w-xl">
        {order === undefined ? (
          <WithdrawalForm
            draft={draft}
            rejection={rejection}
            onDraft={(next) => {
              setDraft(next)
              setRejection(undefined)
            }}
            onOrder={setOrder}
          />
        ) : (
          <Review
            order={order}
            once={once}
            onBack={(error) => {
              setRejection(error)
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

/** Returns the form field that an error concerns; undefined if it concerns no field. */
function fieldOf(error: Error | null | undefined): 'amount' | 'address' | undefined {
  if (!(error instanceof CofferError)) return undefined
  if (amountCodes.includes(error.code) || fieldError(error, 'amount') !== undefined) return 'amount'
  return addressCodes.includes(error.code) ? 'address' : undefined
}

interface FormProps {
  readonly draft: Draft
  /** The error with which the server rejected the reviewed order. */
  readonly rejection: Error | undefined
  onDraft(draft: Draft): void
  onOrder(order: Order): void
}

function WithdrawalForm({ draft, rejection, onDraft, onOrder }: FormProps) {
  const { id: merchantID, methods } = useMerchant()
  const { data: funds } = useApi('listFunds', { merchantID })
  const filled = funds?.find(({ balance }) => isSomething(balance)) ?? methods[0]
  const paymentMethodID = draft.paymentMethodID ?? filled?.paymentMethodID ?? 0
  const input = { address: draft.address.trim(), amount: draft.amount.trim(), paymentMethodID }
  const ask = useAction(() => api.previewWithdrawal({ merchantID, body: input }), {
    showsError: true,
    onDone: (preview) => {
      if (preview.errors.length === 0)
        onOrder({ ...input, address: preview.address ?? input.address, preview })
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
  const errorOf = (field: 'amount' | 'address') =>
    ask.data?.errors.find(({ pointer }) => pointer === `/${field}`)?.detail ??
    fieldError(ask.error, field) ??
    (fieldOf(rejection) === field ? reasonText(rejection) : undefined)
  const error = formError(ask.error, 'amount', 'address')
  return (
    <Card>
      <form className="grid gap-4" onSubmit={submit}>
        <SelectField
          label="Asset"
          value={String(paymentMethodID)}
          onValue={(value) => change({ paymentMethodID: Number(value), amount: '' })}
          options={methodOptions(methods)}
        />
        <AmountField
          amount={draft.amount}
          paymentMethodID={paymentMethodID}
          error={errorOf('amount')}
          onAmount={(amount) => change({ amount })}
        />
        <TextField
          label="Recipient address"
          value={draft.address}
          onValue={(address) => change({ address })}
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
          error={errorOf('address')}
          required
        />
        {error !== undefined && <Notice tone="bad">{error}</Notice>}
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
  readonly error: string | undefined
  onAmount(amount: string): void
}

function AmountField({ amount, paymentMethodID, error, onAmount }: AmountProps) {
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
      error={error}
      hint={
        entry !== undefined && (
          <>
            Available: <Amount value={entry.balance} unit={entry.symbol} />
            {least !== undefined && (
              <>
                , minimum: <Amount value={least.minWithdraw} unit={least.symbol} />
              </>
            )}
            .{' '}
            {isSomething(entry.balance) && (
              <button
                type="button"
                className="font-medium text-accent-text underline underline-offset-2"
                onClick={() => onAmount(entry.balance)}
              >
                Use maximum
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
  /**
   * The page owns this function, so that the same order keeps its idempotency key after the user goes back.
   */
  readonly once: Once
  /** Returns to the form. If the server rejected a field, called with the error. */
  onBack(rejection?: Error): void
}

function Review({ order, once, onBack }: ReviewProps) {
  const { id: merchantID } = useMerchant()
  const navigate = useNavigate()
  const [confirmLookalike, setLookalikeConfirmed] = useState(false)
  const [confirmNetwork, setNetworkConfirmed] = useState(false)
  const { preview, ...input } = order
  const send = useAction(
    () =>
      once(api.createWithdrawal, {
        merchantID,
        body: {
          ...input,
          ...(confirmLookalike ? { confirmLookalike } : {}),
          ...(confirmNetwork ? { confirmNetwork } : {}),
        },
      }),
    {
      done: 'The withdrawal is created.',
      showsError: true,
      onDone: () => void navigate({ to: '/m/$merchantID/withdrawals', params: { merchantID } }),
      onFailure: (error) => fieldOf(error) !== undefined && onBack(error),
    },
  )
  const isRefusedAsLookalike = hasCode(send.error, 'lookalike-address')
  const isRefusedAsElsewhere = hasCode(send.error, 'contract-elsewhere')
  const isElsewhere = preview.contractOn.length > 0 || isRefusedAsElsewhere
  const isLookalike = preview.lookalike !== null || isRefusedAsLookalike
  return (
    <Card description="A sent withdrawal cannot be reversed. Compare the whole address, not only its ends.">
      <ReviewFacts order={order} />
      {isLookalike && (
        <Notice tone="bad" title="This may be a forged address">
          {isRefusedAsLookalike
            ? forPeople(errorText(send.error))
            : `It begins and ends like ${preview.lookalike}, which was paid before, but it is a different address.`}
        </Notice>
      )}
      <ForeignContractNotice order={order} refusal={isRefusedAsElsewhere ? send.error : null} />
      {send.error !== null && !isRefusedAsLookalike && !isRefusedAsElsewhere && (
        <Notice tone="bad">{errorText(send.error)}</Notice>
      )}
      {isLookalike && (
        <CheckField
          label="I compared every character, and this address is correct."
          isChecked={confirmLookalike}
          onCheck={setLookalikeConfirmed}
        />
      )}
      {isElsewhere && (
        <CheckField
          label="The recipient controls this address on the network of this withdrawal."
          isChecked={confirmNetwork}
          onCheck={setNetworkConfirmed}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          isBusy={send.isPending}
          disabled={(isLookalike && !confirmLookalike) || (isElsewhere && !confirmNetwork)}
          onClick={() => send.mutate(undefined)}
        >
          Send
        </Button>
        <Button variant="secondary" disabled={send.isPending} onClick={() => onBack()}>
          Edit
        </Button>
      </div>
    </Card>
  )
}

function hasCode(error: Error | null, code: string): boolean {
  return error instanceof CofferError && error.code === code
}

interface ForeignContractProps {
  readonly order: Order
  /** The error with which the server refused the order; null if it did not. */
  readonly refusal: Error | null
}

/** Warns of an address that is a contract on another network only, or that could not be checked there. */
function ForeignContractNotice({ order: { paymentMethodID, preview }, refusal }: ForeignContractProps) {
  const { methods } = useMerchant()
  const titleOf = useNetworkTitles()
  const titles = (networks: readonly string[]) => networks.map(titleOf).join(' and ')
  const own = methods.find((method) => method.paymentMethodID === paymentMethodID)?.networkName
  const { contractOn, uncheckedOn } = preview
  if (refusal !== null || contractOn.length > 0) {
    return (
      <Notice tone="bad" title="This address may belong to somebody else on this network">
        {refusal === null
          ? `It is a contract on ${titles(contractOn)}, but not on ${own}. Ask the recipient for an address on ${own}.`
          : forPeople(errorText(refusal))}
      </Notice>
    )
  }
  if (uncheckedOn.length === 0) return null
  return (
    <Notice tone="warn">
      It could not be checked whether the address is a contract on {titles(uncheckedOn)}, because no node
      answered. If it is a contract wallet there, ask the recipient for another address.
    </Notice>
  )
}

/** Removes the last sentence of an error, which only concerns API clients. */
function forPeople(detail: string): string {
  return detail.replace(/ Compare every character.*$/, '').replace(/; if it is right, send.*$/, '.')
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
        <span className="inline-flex items-center gap-1.5">
          {method !== undefined && <NetworkMark network={method.network} />}
          {method?.networkName}
        </span>
      </Fact>
      <Fact name="Recipient address">
        <code className="font-mono text-[0.8125rem]">{address}</code>
      </Fact>
    </Facts>
  )
}
