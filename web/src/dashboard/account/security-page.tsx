import type { ReplyOf } from 'coffer-sdk'
import { MonitorSmartphone } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, fieldFault, formFault } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { SecondFactorCard } from './second-factor-card.tsx'

type Login = ReplyOf<'listSessions'>[number]

export function SecurityPage() {
  return (
    <Page title="Security" description="How you prove that it is you, and where you are signed in.">
      <SecondFactorCard />
      <PasswordCard />
      <Logins />
    </Page>
  )
}

function PasswordCard() {
  const { data: factor } = useApi('getSecondFactor', {})
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const [code, setCode] = useState('')
  const needsCode = factor?.isOn === true
  const body = { currentPassword, newPassword, ...(needsCode ? { code: code.trim() } : {}) }
  const change = useAction(() => api.changePassword({ body }), {
    done: 'The password is changed; every other login and API access token has ended.',
    showsFault: true,
    onDone: () => {
      setCurrent('')
      setNew('')
      setCode('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(undefined)
  }
  const fault = formFault(change.error, 'currentPassword', 'newPassword', 'code')
  return (
    <Card title="Password">
      <form className="grid max-w-3xl items-start gap-4 sm:grid-cols-2" onSubmit={submit}>
        <TextField
          label="Password now"
          type="password"
          value={currentPassword}
          onValue={setCurrent}
          autoComplete="current-password"
          fault={fieldFault(change.error, 'currentPassword')}
          required
        />
        <TextField
          label="New password"
          type="password"
          value={newPassword}
          onValue={setNew}
          autoComplete="new-password"
          hint="At least 12 characters: four or five words of your own are good."
          fault={fieldFault(change.error, 'newPassword')}
          required
        />
        {needsCode && (
          <TextField
            label="A code of your app"
            value={code}
            onValue={setCode}
            autoComplete="one-time-code"
            fault={fieldFault(change.error, 'code')}
            required
          />
        )}
        {fault !== undefined && (
          <div className="sm:col-span-2">
            <Notice tone="bad">{fault}</Notice>
          </div>
        )}
        <div className="sm:col-span-2">
          <Button type="submit" isBusy={change.isPending}>
            Change the password
          </Button>
        </div>
      </form>
    </Card>
  )
}

function Logins() {
  const { data } = useApi('listSessions', {})
  const [isEnding, setEnding] = useState(false)
  const endOne = useAction((login: Login) => api.deleteSession({ sessionID: login.id }), {
    done: 'That login has ended.',
  })
  return (
    <Card
      title="Where you are signed in"
      isFlush
      actions={
        (data?.length ?? 0) > 1 && (
          <Button look="secondary" onClick={() => setEnding(true)}>
            End all others
          </Button>
        )
      }
    >
      <Table
        label="Logins"
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'With',
            cell: (login) => (
              <>
                <span className="font-medium [overflow-wrap:anywhere]">{browserOf(login.userAgent)}</span>
                {login.address !== null && <p className="text-ink-soft md:hidden">{login.address}</p>}
              </>
            ),
          },
          { head: 'From', cell: ({ address }) => address ?? '–', isWide: true },
          { head: 'Begun', cell: ({ createdAt }) => <Moment at={createdAt} />, isWide: true },
          {
            head: 'Last seen',
            cell: ({ lastSeenAt, isCurrent }) => (isCurrent ? 'Now' : <Moment at={lastSeenAt} />),
          },
          {
            head: 'Change',
            isFigure: true,
            cell: (login) =>
              login.isCurrent ? (
                <span className="inline-flex min-h-9 items-center">
                  <Badge tone="good">this one</Badge>
                </span>
              ) : (
                <Button
                  look="secondary"
                  isBusy={endOne.isPending && endOne.variables.id === login.id}
                  onClick={() => endOne.mutate(login)}
                >
                  End
                </Button>
              ),
          },
        ]}
        empty={
          <EmptyState icon={MonitorSmartphone} title="No login">
            Each browser and program that is signed in as you is listed here.
          </EmptyState>
        }
      />
      {isEnding && <EndOthersDialog onClose={() => setEnding(false)} />}
    </Card>
  )
}

function EndOthersDialog({ onClose }: { onClose(): void }) {
  const endOthers = useAction(() => api.endOtherSessions(), {
    done: 'Every other login has ended.',
    showsFault: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="End every other login?"
      description="Each has to sign in again. This one goes on; API access tokens live on too."
      word="end"
      action="End them"
      {...confirmed(endOthers)}
    />
  )
}

const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const

/** "Firefox on Linux", as far as a browser says what it is. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'a program'
  const browser = browsers.find((name) => userAgent.includes(name))
  const system = systems.find((name) => userAgent.includes(name))
  if (browser === undefined) return userAgent
  const name = browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser
  return system === undefined ? name : `${name} on ${system}`
}
