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
import { api, fieldError, formError } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { SecondFactorCard } from './second-factor-card.tsx'

type Login = ReplyOf<'listSessions'>[number]

export function SecurityPage() {
  return (
    <Page title="Security" description="Your password, two-factor authentication and sessions.">
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
    done: 'The password is changed. All other sessions and API access tokens have ended.',
    showsError: true,
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
  const error = formError(change.error, 'currentPassword', 'newPassword', 'code')
  return (
    <Card title="Password">
      <form className="grid max-w-3xl items-start gap-4 sm:grid-cols-2" onSubmit={submit}>
        <TextField
          label="Current password"
          type="password"
          value={currentPassword}
          onValue={setCurrent}
          autoComplete="current-password"
          error={fieldError(change.error, 'currentPassword')}
          required
        />
        <TextField
          label="New password"
          type="password"
          value={newPassword}
          onValue={setNew}
          autoComplete="new-password"
          hint="Use 12 or more characters, such as four or five words of your own."
          error={fieldError(change.error, 'newPassword')}
          required
        />
        {needsCode && (
          <TextField
            label="Code from your app"
            value={code}
            onValue={setCode}
            autoComplete="one-time-code"
            error={fieldError(change.error, 'code')}
            required
          />
        )}
        {error !== undefined && (
          <div className="sm:col-span-2">
            <Notice tone="bad">{error}</Notice>
          </div>
        )}
        <div className="sm:col-span-2">
          <Button type="submit" isBusy={change.isPending}>
            Change password
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
    done: 'The session has ended.',
  })
  return (
    <Card
      title="Sessions"
      isFlush
      actions={
        (data?.length ?? 0) > 1 && (
          <Button variant="secondary" onClick={() => setEnding(true)}>
            Sign out all others
          </Button>
        )
      }
    >
      <Table
        label="Sessions"
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Device',
            cell: (login) => (
              <>
                <span className="font-medium [overflow-wrap:anywhere]">{browserOf(login.userAgent)}</span>
                {login.address !== null && <p className="text-ink-soft md:hidden">{login.address}</p>}
              </>
            ),
          },
          { head: 'IP address', cell: ({ address }) => address ?? '–', isWide: true },
          { head: 'Started', cell: ({ createdAt }) => <Moment at={createdAt} />, isWide: true },
          {
            head: 'Last seen',
            cell: ({ lastSeenAt, isCurrent }) => (isCurrent ? 'Now' : <Moment at={lastSeenAt} />),
          },
          {
            head: 'Actions',
            isFigure: true,
            cell: (login) =>
              login.isCurrent ? (
                <span className="inline-flex min-h-9 items-center">
                  <Badge tone="good">this session</Badge>
                </span>
              ) : (
                <Button
                  variant="secondary"
                  isBusy={endOne.isPending && endOne.variables.id === login.id}
                  onClick={() => endOne.mutate(login)}
                >
                  Sign out
                </Button>
              ),
          },
        ]}
        empty={
          <EmptyState icon={MonitorSmartphone} title="No sessions">
            Each browser and program that is signed in as you is listed here.
          </EmptyState>
        }
      />
      {isEnding && <EndOtherSessionsDialog onClose={() => setEnding(false)} />}
    </Card>
  )
}

function EndOtherSessionsDialog({ onClose }: { onClose(): void }) {
  const endOtherSessions = useAction(() => api.endOtherSessions(), {
    done: 'All other sessions have ended.',
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Sign out all other sessions?"
      description="Each must sign in again. This session and your API access tokens stay valid."
      word="sign out"
      action="Sign out all others"
      {...confirmed(endOtherSessions)}
    />
  )
}

const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const

/** Returns a name such as "Firefox on Linux", or the User-Agent itself if the browser is unknown. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown device'
  const browser = browsers.find((name) => userAgent.includes(name))
  const system = systems.find((name) => userAgent.includes(name))
  if (browser === undefined) return userAgent
  const name = browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser
  return system === undefined ? name : `${name} on ${system}`
}
