import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, errorText } from '../client.ts'
import { confirmed, useAction } from '../use-api.ts'
import { useMerchant } from './merchant-area.tsx'

export function SettingsPage() {
  const { id, isOwner } = useMerchant()
  return (
    <Page title="Settings">
      <SettingsForm />
      <Card title="Merchant ID" description="It is part of the paths of the API.">
        <Copyable value={id} what="merchant ID" />
      </Card>
      {isOwner && <Ending />}
    </Page>
  )
}

function SettingsForm() {
  const { id, merchant, canChange } = useMerchant()
  const [name, setName] = useState(merchant.name)
  const [paidWhen, setPaidWhen] = useState<string>(merchant.settings.paidWhen)
  const [tolerancePercent, setTolerance] = useState(merchant.settings.tolerancePercent)
  const [creditsWrongNetwork, setCreditsWrongNetwork] = useState(merchant.settings.creditsWrongNetwork)
  const save = useAction(
    () =>
      api.updateMerchant({
        merchantID: id,
        body: {
          name: name.trim(),
          settings: {
            paidWhen: paidWhen === 'confirmed' ? 'confirmed' : 'included',
            tolerancePercent,
            creditsWrongNetwork,
          },
        },
      }),
    { done: 'The settings are saved.', showsError: true },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined)
  }
  return (
    <Card title="General">
      <form className="grid max-w-lg gap-4" onSubmit={submit}>
        <fieldset disabled={!canChange} className="grid gap-4">
          <TextField label="Name" value={name} onValue={setName} maxLength={200} required />
          <SelectField
            label="An invoice is paid"
            value={paidWhen}
            onValue={setPaidWhen}
            options={[
              { value: 'included', label: 'when its payment is in a block' },
              { value: 'confirmed', label: 'when its payment is confirmed' },
            ]}
            hint="The balance always waits for confirmation. Counting a payment once it is in a block is faster, but slightly less certain."
          />
          <TextField
            label="Tolerance"
            value={tolerancePercent}
            onValue={setTolerance}
            inputMode="decimal"
            suffix="%"
            hint="An invoice that is short by no more than this still counts as paid. At most 1 %."
          />
          <CheckField
            label="Credit payments on a network that the invoice does not offer. They do not pay it."
            isChecked={creditsWrongNetwork}
            onCheck={setCreditsWrongNetwork}
            disabled={!canChange}
          />
        </fieldset>
        {save.error !== null && <Notice tone="bad">{errorText(save.error)}</Notice>}
        {canChange && (
          <div>
            <Button type="submit" isBusy={save.isPending}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}

function Ending() {
  const { id, merchant } = useMerchant()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const end = useAction(() => api.deleteMerchant({ merchantID: id, ifEmpty: true }), {
    done: 'The merchant is deleted.',
    showsError: true,
    onDone: () => {
      // The deleted merchant is removed from the cached list. Otherwise the home page would open it again as
      // the last merchant.
      queries.setQueriesData<ReplyOf<'listMerchants'>>({ queryKey: ['listMerchants'] }, (merchants) =>
        merchants?.filter((one) => one.id !== id),
      )
      void navigate({ to: '/' })
    },
  })
  return (
    <>
      <Card
        title="Deletion"
        description="The merchant’s API key is revoked, its invoices are deleted and its webhook receives no more events. The merchant must hold no money: withdraw it first."
      >
        <div>
          <Button variant="ending" onClick={() => setOpen(true)}>
            Delete merchant
          </Button>
        </div>
      </Card>
      <ConfirmDialog
        isOpen={isOpen}
        onOpen={setOpen}
        title={`Delete ${merchant.name}?`}
        description="Only an operator can restore it, within 30 days."
        word={merchant.name}
        action="Delete merchant"
        {...confirmed(end)}
        {...(holdsMoney(end.error)
          ? { error: 'The merchant still holds money. Withdraw all of it first.' }
          : {})}
      />
    </>
  )
}

function holdsMoney(error: Error | null): boolean {
  return error instanceof CofferError && error.code === 'merchant-has-funds'
}
