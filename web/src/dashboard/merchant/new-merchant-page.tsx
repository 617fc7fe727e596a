import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { TextField } from '../../design/field.tsx'
import { Page } from '../../design/page.tsx'
import { api, errorText } from '../client.ts'
import { useAction } from '../use-api.ts'
import { useOnce } from '../use-once.ts'

export function NewMerchantPage() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const once = useOnce()
  const create = useAction((body: { name: string }) => once(api.createMerchant, { body }), {
    showsError: true,
    onDone: ({ id }) => void navigate({ to: '/m/$merchantID/overview', params: { merchantID: id } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ name: name.trim() })
  }
  return (
    <Page
      title="New merchant"
      description="A merchant is a shop: it has its own invoices, balances, API key, webhook and members."
    >
      <div className="max-w-lg">
        <Card>
          <form className="grid gap-4" onSubmit={submit}>
            <TextField
              label="Name"
              value={name}
              onValue={setName}
              hint="Payers see it on the payment page. You can change it later."
              error={create.error === null ? undefined : errorText(create.error)}
              maxLength={200}
              required
            />
            <div>
              <Button type="submit" isBusy={create.isPending}>
                Create merchant
              </Button>
            </div>
          </form>
        </Card>
      </div>
    </Page>
  )
}
