import type { components } from 'coffer-sdk'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Fact, Facts } from '../../design/card.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { isSomething } from '../../design/format-amount.ts'
import { Notice } from '../../design/notice.tsx'
import { api, errorText, fieldError } from '../client.ts'
import { NetworkName, useNetworkTitles } from '../methods.tsx'
import { useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import { ReviewDialog } from './review-dialog.tsx'

type Asset = components['schemas']['AssetFigures']
type Source = components['schemas']['TreasuryWithdrawalSource']

const sources = ['fees', 'capital', 'forfeited'] as const satisfies readonly Source[]

export function sourceLabel(source: Source): string {
  return { fees: 'fees earned', capital: 'capital', forfeited: 'forfeited funds' }[source]
}

interface Draft {
  readonly paymentMethodID: string
  readonly source: Source
  readonly amount: string
}

/** Orders a treasury withdrawal to the cold address, after a review of all values. */
export function TreasuryWithdrawalDialog({ onClose }: { onClose(): void }) {
  const { data, error } = useApi('getTreasury', {})
  const [draft, setDraft] = useState<Draft>({ paymentMethodID: '', source: 'fees', amount: '' })
  const assets = data?.assets ?? []
  const asset = assets.find((one) => String(one.paymentMethodID) === draft.paymentMethodID) ?? assets[0]
  const once = useOnce()
  const order = useAction(
    () =>
      once(api.orderTreasuryWithdrawal, {
        body: {
          paymentMethodID: asset?.paymentMethodID ?? 0,
          source: draft.source,
          amount: draft.amount.trim(),
        },
      }),
    { done: 'The treasury withdrawal is created.', showsError: true, onDone: onClose },
  )
  return (
    <ReviewDialog
      title="Move to cold wallet"
      description="The amount is sent to the cold address of its network, which is a setting of the server and of its signer."
      consequence="A sent transaction cannot be reversed."
      word="move"
      action="Move to cold wallet"
      order={order}
      onClose={onClose}
      isPossible={asset !== undefined && asset.coldAddress !== null}
      review={asset !== undefined && <TreasuryWithdrawalFacts draft={draft} asset={asset} />}
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <TreasuryWithdrawalFields
        draft={draft}
        onDraft={setDraft}
        assets={assets}
        asset={asset}
        error={order.error}
      />
    </ReviewDialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly assets: readonly Asset[]
  readonly asset: Asset | undefined
  readonly error: Error | null
  onDraft(draft: Draft): void
}

function TreasuryWithdrawalFields({ draft, assets, asset, error, onDraft }: FieldsProps) {
  const titleOf = useNetworkTitles()
  const most = asset?.own.takeable[draft.source]
  return (
    <>
      {asset?.coldAddress === null && (
        <Notice tone="warn" title={`${titleOf(asset.network)} has no cold address`}>
          Set <code className="font-mono">COLD_ADDRESS_{asset.network.toUpperCase()}</code> for the server and
          for the signer.
        </Notice>
      )}
      <SelectField
        label="Asset"
        value={String(asset?.paymentMethodID ?? '')}
        onValue={(paymentMethodID) => onDraft({ ...draft, paymentMethodID, amount: '' })}
        options={assets.map(({ paymentMethodID, symbol, network }) => ({
          value: String(paymentMethodID),
          label: `${symbol} on ${titleOf(network)}`,
        }))}
        error={fieldError(error, 'paymentMethodID')}
      />
      <SelectField
        label="Source"
        value={draft.source}
        onValue={(value) =>
          onDraft({ ...draft, source: sources.find((one) => one === value) ?? 'fees', amount: '' })
        }
        options={sources.map((value) => ({ value, label: sourceLabel(value) }))}
      />
      <TextField
        label="Amount"
        value={draft.amount}
        onValue={(amount) => onDraft({ ...draft, amount })}
        inputMode="decimal"
        autoComplete="off"
        required
        {...(asset === undefined ? {} : { suffix: asset.symbol })}
        hint={
          most !== undefined && (
            <>
              At most <Amount value={most} unit={asset?.symbol} /> now.{' '}
              {isSomething(most) && (
                <button
                  type="button"
                  className="font-medium text-accent-text underline underline-offset-2"
                  onClick={() => onDraft({ ...draft, amount: most })}
                >
                  Use maximum
                </button>
              )}
            </>
          )
        }
        error={fieldError(error, 'amount')}
      />
    </>
  )
}

function TreasuryWithdrawalFacts({ draft, asset }: { draft: Draft; asset: Asset }) {
  return (
    <Facts>
      <Fact name="Amount">
        <span className="font-semibold">
          <Amount value={draft.amount.trim()} unit={asset.symbol} />
        </span>
      </Fact>
      <Fact name="Source">{sourceLabel(draft.source)}</Fact>
      <Fact name="Destination">
        <p>
          the cold address of <NetworkName network={asset.network} />
        </p>
        <code className="font-mono text-[0.8125rem]">{asset.coldAddress}</code>
      </Fact>
    </Facts>
  )
}
