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
import { api, errorText, fieldError, hasFieldErrors } from '../client.ts'
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
      description="Each event is sent to your server as a signed request. Failed requests are retried."
    >
      {error !== null && !isAbsent && <Notice tone="bad">{errorText(error)}</Notice>}
      {webhook === undefined && error === null && (
        <Card>
          <SkeletonLines />
        </Card>
      )}
      {saved !== undefined && (
        <Card
          title="Signing secret"
          description="Copy it now: it is shown only once. Your server uses it to verify that a request comes from Coffer."
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
    done: 'The test event is queued. See its delivery below.',
  })
  const end = useAction(() => api.deleteWebhook({ merchantID }), {
    done: 'The webhook is removed.',
    showsError: true,
    onDone: () => setEnding(false),
  })
  return (
    <Card
      title="Endpoint"
      actions={
        canChange && (
          <>
            <Button variant="secondary" isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
              Send test event
            </Button>
            <Button variant="quiet" onClick={() => setEnding(true)}>
              Remove
            </Button>
          </>
        )
      }
    >
      {webhook.state === 'disabled' && (
        <Notice tone="bad" title="Disabled">
          {webhook.disabledReason === 'gone'
            ? 'Your server answered with 410 (Gone).'
            : 'Deliveries failed for too long.'}{' '}
          Save the webhook again to enable it. The Events page lists the events that were not delivered.
        </Notice>
      )}
      {webhook.state !== 'disabled' && webhook.restUntil !== null && (
        <Notice tone="warn" title="Deliveries are paused">
          Your server asked for no deliveries until <Moment at={webhook.restUntil} />. Pending deliveries are
          sent then. To send them now, save the webhook again.
        </Notice>
      )}
      <WebhookFacts webhook={webhook} />
      <ConfirmDialog
        isOpen={isEnding}
        onOpen={setEnding}
        title="Remove the webhook?"
        description="No more events are sent to your server. The Events page still lists them."
        word="remove"
        action="Remove webhook"
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
      <Fact name="Created">
        <Moment at={webhook.createdAt} />
      </Fact>
      {webhook.formerSecretValidUntil !== null && (
        <Fact name="Previous secret">
          still signs requests until <Moment at={webhook.formerSecretValidUntil} />
        </Fact>
      )}
    </Facts>
  )
}

/** Returns a new secret of 256 random bits, in the format of Standard Webhooks. */
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
    showsError: true,
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
    <Card title={kept === '' ? 'New webhook' : 'Webhook settings'}>
      <form className="grid max-w-2xl gap-4" onSubmit={submit}>
        <TextField
          label="URL"
          type="url"
          value={url}
          onValue={setUrl}
          placeholder="https://shop.example/coffer"
          error={fieldError(save.error, 'url')}
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
          hint="At least 32 characters. Enter your own or generate one. After saving you can copy it once."
          error={fieldError(save.error, 'secret')}
          required
        />
        {save.error !== null && !hasFieldErrors(save.error) && (
          <Notice tone="bad">{errorText(save.error)}</Notice>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" isBusy={save.isPending}>
            Save webhook
          </Button>
          <Button variant="secondary" onClick={() => setSecret(freshSecret())}>
            Generate secret
          </Button>
        </div>
      </form>
    </Card>
  )
}
