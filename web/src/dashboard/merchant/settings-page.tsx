import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, faultText } from '../client.ts'
import { confirmed, useAction } from '../use-api.ts'
import { useMerchant } from './merchant-area.tsx'

export function SettingsPage() {
  const { id, isOwner } = useMerchant()
  return (
    <Page title="Settings">
      <SettingsForm />
      <Card title="Merchant ID" description="Every path of the API names it.">
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
  const save = useAction(
    () =>
      api.updateMerchant({
        merchantID: id,
        body: {
          name: name.trim(),
          settings: { paidWhen: paidWhen === 'confirmed' ? 'confirmed' : 'included', tolerancePercent },
        },
      }),
    { done: 'The settings are saved.', showsFault: true },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined)
  }
  return (
    <Card title="Name, and how payments count">
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
            hint="The balance always waits for confirmation. Being told earlier is quicker and a little less sure."
          />
          <TextField
            label="Tolerance"
            value={tolerancePercent}
            onValue={setTolerance}
            inputMode="decimal"
            suffix="%"
            hint="An invoice that lacks no more than this still counts as paid; at most 1 %."
          />
        </fieldset>
        {save.error !== null && <Notice tone="bad">{faultText(save.error)}</Notice>}
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
    showsFault: true,
    onDone: () => {
      // The way home leads to the merchant last looked at, as long as a list has it.
      queries.setQueriesData<ReplyOf<'listMerchants'>>({ queryKey: ['listMerchants'] }, (merchants) =>
        merchants?.filter((one) => one.id !== id),
      )
      void navigate({ to: '/' })
    },
  })
  return (
    <>
      <Card
        title="Delete the merchant"
        description="Its key dies, its invoices vanish, its webhook is told nothing more. It must hold no money: withdraw first."
      >
        <div>
          <Button look="ending" onClick={() => setOpen(true)}>
            Delete the merchant
          </Button>
        </div>
      </Card>
      <ConfirmDialog
        isOpen={isOpen}
        onOpen={setOpen}
        title={`Delete ${merchant.name}?`}
        description="Only an operator can bring it back, for 30 days."
        word={merchant.name}
        action="Delete the merchant"
        {...confirmed(end)}
        {...(holdsMoney(end.error) ? { fault: 'It still holds money: withdraw all of it first.' } : {})}
      />
    </>
  )
}

function holdsMoney(fault: Error | null): boolean {
  return fault instanceof CofferError && fault.code === 'merchant-has-funds'
}
