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
import { api, fieldFault, formFault } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

type Shown = ReplyOf<'createSecondFactor'>

/** Off, being set up, or on; and the recovery codes, which are shown once. */
export function SecondFactorCard() {
  const { data } = useApi('getSecondFactor', {})
  const [shown, setShown] = useState<Shown>()
  const [codes, setCodes] = useState<readonly string[]>()
  if (data === undefined)
    return (
      <Card title="Second factor">
        <SkeletonLines />
      </Card>
    )
  return (
    <Card
      title="Second factor"
      description="Six digits of an app on your phone, beside the password: a stolen password alone opens nothing."
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
    showsFault: true,
    onDone: onShown,
  })
  const fault = formFault(begin.error, 'password')
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
        label="Your password, to begin"
        type="password"
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
        fault={fieldFault(begin.error, 'password')}
        required
      />
      <Button type="submit" className="justify-self-start sm:mt-6.5" isBusy={begin.isPending}>
        Set it up
      </Button>
      {fault !== undefined && (
        <div className="sm:col-span-2">
          <Notice tone="bad">{fault}</Notice>
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
    showsFault: true,
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
  })
  const fault = formFault(confirm.error, 'code')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate(undefined)
  }
  return (
    <div className="grid gap-5 sm:grid-cols-[11rem_minmax(0,26rem)]">
      <QrCode text={shown.uri} label="Scan it with your authenticator app" />
      <form className="grid content-start gap-4" onSubmit={submit}>
        <p>Scan this with your authenticator app, or type its secret:</p>
        <Copyable value={shown.secret} what="secret" isBlock />
        <TextField
          label="The six digits it shows"
          value={code}
          onValue={setCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          fault={fieldFault(confirm.error, 'code')}
          required
        />
        <p className="text-ink-soft">Every other login and API access token of yours ends with it.</p>
        {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
        <div>
          <Button type="submit" isBusy={confirm.isPending}>
            Turn it on
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
    showsFault: true,
    onDone: ({ recoveryCodes }) => {
      setCode('')
      onCodes(recoveryCodes)
    },
  })
  const fault = formFault(renew.error, 'code')
  const end = useAction(() => api.disableSecondFactor({ body: { code: code.trim() } }), {
    done: 'The second factor is off.',
    showsFault: true,
    onDone: () => setEnding(false),
  })
  return (
    <div className="grid max-w-lg gap-4">
      <p>
        On since <Moment at={since} />. {left === 1 ? '1 recovery code is' : `${left} recovery codes are`}{' '}
        left.
      </p>
      {left < 3 && <Notice tone="warn">Make new recovery codes before the last one is used up.</Notice>}
      <TextField
        label="A code of your app, to change it"
        value={code}
        onValue={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        fault={fieldFault(renew.error, 'code')}
      />
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button
          look="secondary"
          disabled={code.trim() === ''}
          isBusy={renew.isPending}
          onClick={() => renew.mutate(undefined)}
        >
          New recovery codes
        </Button>
        <Button look="ending" disabled={code.trim() === ''} onClick={() => setEnding(true)}>
          Turn it off
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isEnding}
        onOpen={setEnding}
        title="Turn the second factor off?"
        description="Your password alone opens your account then."
        word="turn off"
        action="Turn it off"
        {...confirmed(end)}
      />
    </div>
  )
}
