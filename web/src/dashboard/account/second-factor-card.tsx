import type { ReplyOf } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { QrCode } from '../../design/qr-code.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { api, fieldError, formError } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

type Shown = ReplyOf<'createSecondFactor'>

/** Shows whether the second factor is off, being set up, or on. Also shows new recovery codes, once. */
export function SecondFactorCard() {
  const { data } = useApi('getSecondFactor', {})
  const [shown, setShown] = useState<Shown>()
  const [codes, setCodes] = useState<readonly string[]>()
  if (data === undefined)
    return (
      <Card title="Two-factor authentication">
        <SkeletonLines />
      </Card>
    )
  return (
    <Card
      title="Two-factor authentication"
      description="Sign in with your password and a six-digit code from an authenticator app. A stolen password alone is then not enough."
      actions={<Badge tone={data.isOn ? 'good' : 'warn'}>{data.isOn ? 'on' : 'off'}</Badge>}
    >
      {codes !== undefined && <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />}
      {codes === undefined && data.isOn && (
        <FactorOn since={data.since} left={data.recoveryCodesLeft} onCodes={setCodes} />
      )}
      {codes === undefined && !data.isOn && shown === undefined && <FactorOff onShown={setShown} />}
      {codes === undefined && !data.isOn && shown !== undefined && (
        <FactorSetUp
          shown={shown}
          onCodes={(fresh) => {
            setCodes(fresh)
            setShown(undefined)
          }}
        />
      )}
    </Card>
  )
}

function FactorOff({ onShown }: { onShown(shown: Shown): void }) {
  const [password, setPassword] = useState('')
  const begin = useAction(() => api.createSecondFactor({ body: { password } }), {
    showsError: true,
    onDone: onShown,
  })
  const error = formError(begin.error, 'password')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    begin.mutate(undefined)
  }
  return (
    <form
      className="grid items-start gap-4 sm:grid-cols-[minmax(0,22rem)_auto] sm:justify-start"
      onSubmit={submit}
    >
      <TextField
        label="Your password"
        type="password"
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
        error={fieldError(begin.error, 'password')}
        required
      />
      <Button type="submit" className="justify-self-start sm:mt-6.5" isBusy={begin.isPending}>
        Set up
      </Button>
      {error !== undefined && (
        <div className="sm:col-span-2">
          <Notice tone="bad">{error}</Notice>
        </div>
      )}
    </form>
  )
}

interface SetUpProps {
  readonly shown: Shown
  onCodes(codes: readonly string[]): void
}

function FactorSetUp({ shown, onCodes }: SetUpProps) {
  const [code, setCode] = useState('')
  const confirm = useAction(() => api.confirmSecondFactor({ body: { code: code.trim() } }), {
    showsError: true,
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
  })
  const error = formError(confirm.error, 'code')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate(undefined)
  }
  return (
    <div className="grid gap-5 sm:grid-cols-[11rem_minmax(0,26rem)]">
      <QrCode text={shown.uri} label="QR code for your authenticator app" />
      <form className="grid content-start gap-4" onSubmit={submit}>
        <p>Scan the QR code with your authenticator app, or enter the secret:</p>
        <Copyable value={shown.secret} what="secret" isBlock />
        <TextField
          label="Six-digit code from the app"
          value={code}
          onValue={setCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          error={fieldError(confirm.error, 'code')}
          required
        />
        <p className="text-ink-soft">This ends all your other sessions and revokes your API access tokens.</p>
        {error !== undefined && <Notice tone="bad">{error}</Notice>}
        <div>
          <Button type="submit" isBusy={confirm.isPending}>
            Enable
          </Button>
        </div>
      </form>
    </div>
  )
}

interface OnProps {
  readonly since: string | null
  readonly left: number
  onCodes(codes: readonly string[]): void
}

function FactorOn({ since, left, onCodes }: OnProps) {
  const [code, setCode] = useState('')
  const [isEnding, setEnding] = useState(false)
  const renew = useAction(() => api.renewRecoveryCodes({ body: { code: code.trim() } }), {
    showsError: true,
    onDone: ({ recoveryCodes }) => {
      setCode('')
      onCodes(recoveryCodes)
    },
  })
  const error = formError(renew.error, 'code')
  const end = useAction(() => api.disableSecondFactor({ body: { code: code.trim() } }), {
    done: 'Two-factor authentication is disabled.',
    showsError: true,
    onDone: () => setEnding(false),
  })
  return (
    <div className="grid max-w-lg gap-4">
      <p>
        Enabled since <Moment at={since} />.{' '}
        {left === 1 ? '1 recovery code is' : `${left} recovery codes are`} left.
      </p>
      {left < 3 && <Notice tone="warn">Create new recovery codes before you use the last one.</Notice>}
      <TextField
        label="Code from your app, required for changes"
        value={code}
        onValue={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        error={fieldError(renew.error, 'code')}
      />
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          disabled={code.trim() === ''}
          isBusy={renew.isPending}
          onClick={() => renew.mutate(undefined)}
        >
          Create new recovery codes
        </Button>
        <Button variant="ending" disabled={code.trim() === ''} onClick={() => setEnding(true)}>
          Disable
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isEnding}
        onOpen={setEnding}
        title="Disable two-factor authentication?"
        description="Your password alone is then enough to sign in."
        word="disable"
        action="Disable"
        {...confirmed(end)}
      />
    </div>
  )
}
