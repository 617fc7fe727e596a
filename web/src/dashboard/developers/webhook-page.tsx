import { CofferError, type ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { StateBadge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { api, faultText, fieldFault, hasFieldFaults } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { Deliveries } from './deliveries.tsx'

export function WebhookPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { id: merchantID, canChange } = useMerchant()
  const { data: webhook, error } = useApi('getWebhook', { merchantID })
  const isAbsent = error instanceof CofferError && error.status === 404
  const [saved, setSaved] = useState<string>()
  return (
    <Page
      title="Webhook"
      description="Your server is told of each event by a signed request, again and again until it answers with success."
    >
      {error !== null && !isAbsent && <Notice tone="bad">{faultText(error)}</Notice>}
      {webhook === undefined && error === null && (
        <Card>
          <SkeletonLines />
        </Card>
      )}
      {saved !== undefined && (
        <Card
          title="The secret"
          description="It is shown this once. Keep it where your server finds it: with it your server knows that a request is ours."
        >
          <Copyable value={saved} what="secret" isBlock />
        </Card>
      )}
      {webhook !== undefined && !isAbsent && <WebhookCard webhook={webhook} />}
      {canChange && (webhook !== undefined || isAbsent) && (
        <WebhookForm
          key={isAbsent ? 'new' : 'kept'}
          url={isAbsent ? '' : (webhook?.url ?? '')}
          onSaved={setSaved}
        />
      )}
      <Deliveries page={page} onPage={onPage} />
    </Page>
  )
}

function WebhookCard({ webhook }: { webhook: ReplyOf<'getWebhook'> }) {
  const { id: merchantID, canChange } = useMerchant()
  const [isEnding, setEnding] = useState(false)
  const test = useAction(() => api.testWebhook({ merchantID }), {
    done: 'A test event is on its way: look among the deliveries.',
  })
  const end = useAction(() => api.deleteWebhook({ merchantID }), {
    done: 'The webhook is removed.',
    showsFault: true,
    onDone: () => setEnding(false),
  })
  return (
    <Card
      title="Where events go"
      actions={
        canChange && (
          <>
            <Button look="secondary" isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
              Send a test
            </Button>
            <Button look="quiet" onClick={() => setEnding(true)}>
              Remove
            </Button>
          </>
        )
      }
    >
      {webhook.state === 'disabled' && (
        <Notice tone="bad" title="Disabled">
          {webhook.disabledReason === 'gone'
            ? 'Your server answered 410, which says that nobody is there any more.'
            : 'It failed for too long.'}{' '}
          Save it again to go on; what happened meanwhile can be read under Events.
        </Notice>
      )}
      {webhook.state !== 'disabled' && webhook.restUntil !== null && (
        <Notice tone="warn" title="Nothing is sent just now">
          Your server asked for no deliveries until <Moment at={webhook.restUntil} />. What waits is sent
          then; save the webhook again to have it sent at once.
        </Notice>
      )}
      <WebhookFacts webhook={webhook} />
      <ConfirmDialog
        isOpen={isEnding}
        onOpen={setEnding}
        title="Remove the webhook?"
        description="Your server is told of nothing any more. Events can still be read."
        word="remove"
        action="Remove the webhook"
        {...confirmed(end)}
      />
    </Card>
  )
}

function WebhookFacts({ webhook }: { webhook: ReplyOf<'getWebhook'> }) {
  return (
    <Facts>
      <Fact name="URL">
        <Copyable value={webhook.url} what="URL" />
      </Fact>
      <Fact name="State">
        <StateBadge state={webhook.state} />
        {webhook.failingSince !== null && (
          <>
            {' '}
            since <Moment at={webhook.failingSince} />
          </>
        )}
      </Fact>
      <Fact name="Set">
        <Moment at={webhook.createdAt} />
      </Fact>
      {webhook.formerSecretValidUntil !== null && (
        <Fact name="Former secret">
          also signs until <Moment at={webhook.formerSecretValidUntil} />
        </Fact>
      )}
    </Facts>
  )
}

/** 256 bits from the browser's own source of chance, as Standard Webhooks writes secrets. */
function freshSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}

function WebhookForm({ url: kept, onSaved }: { url: string; onSaved(secret: string): void }) {
  const { id: merchantID } = useMerchant()
  const [url, setUrl] = useState(kept)
  const [secret, setSecret] = useState('')
  const save = useAction(() => api.createWebhook({ merchantID, body: { url: url.trim(), secret } }), {
    done: 'The webhook is saved.',
    showsFault: true,
    onDone: () => {
      onSaved(secret)
      setSecret('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined)
  }
  return (
    <Card title={kept === '' ? 'Set a webhook' : 'Change the webhook'}>
      <form className="grid max-w-2xl gap-4" onSubmit={submit}>
        <TextField
          label="URL"
          type="url"
          value={url}
          onValue={setUrl}
          placeholder="https://shop.example/coffer"
          fault={fieldFault(save.error, 'url')}
          required
        />
        <TextField
          label="Secret"
          value={secret}
          onValue={setSecret}
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
          minLength={32}
          hint="At least 32 characters, of your own or made here. Once it is saved you can copy it, this once."
          fault={fieldFault(save.error, 'secret')}
          required
        />
        {save.error !== null && !hasFieldFaults(save.error) && (
          <Notice tone="bad">{faultText(save.error)}</Notice>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" isBusy={save.isPending}>
            Save the webhook
          </Button>
          <Button look="secondary" onClick={() => setSecret(freshSecret())}>
            Make a secret
          </Button>
        </div>
      </form>
    </Card>
  )
}
