import type { ReplyOf } from 'coffer-sdk'
import { Stamp } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, errorText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'

type Token = ReplyOf<'listTokens'>[number]

export function ApiAccessPage() {
  const { data } = useApi('listTokens', {})
  const [ending, setEnding] = useState<Token>()
  return (
    <Page
      title="API access"
      description="Bearer tokens for programs that manage all merchants you are a member of, with your permissions. For payments, a merchant’s API key is enough."
    >
      <TokenForm />
      <Card title="Tokens" isFlush>
        <Table
          label="Tokens"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Name',
              cell: ({ name }) => <span className="font-medium [overflow-wrap:anywhere]">{name}</span>,
            },
            { head: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, isWide: true },
            { head: 'Expires', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
            {
              head: 'Actions',
              isFigure: true,
              cell: (token) => (
                <Button variant="ending" onClick={() => setEnding(token)}>
                  Revoke
                </Button>
              ),
            },
          ]}
          empty={
            <EmptyState icon={Stamp} title="No tokens">
              A token is sent as <code className="font-mono whitespace-nowrap">Authorization: Bearer …</code>{' '}
              and expires automatically.
            </EmptyState>
          }
        />
      </Card>
      {ending !== undefined && <RevokeDialog token={ending} onClose={() => setEnding(undefined)} />}
    </Page>
  )
}

function TokenForm() {
  const [name, setName] = useState('')
  const [days, setDays] = useState('30')
  const [fresh, setFresh] = useState<string>()
  const make = useAction(() => api.createToken({ body: { name: name.trim(), days: Number(days) } }), {
    showsError: true,
    onDone: ({ token }) => {
      setFresh(token)
      setName('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate(undefined)
  }
  return (
    <Card title="New token">
      <form className="grid items-end gap-4 sm:grid-cols-[1fr_9rem_auto]" onSubmit={submit}>
        <TextField
          label="Name"
          value={name}
          onValue={setName}
          placeholder="Bookkeeping"
          maxLength={100}
          required
        />
        <TextField
          label="Expires after"
          value={days}
          onValue={setDays}
          type="number"
          min={1}
          max={90}
          suffix="days"
          required
        />
        <Button type="submit" isBusy={make.isPending}>
          Create token
        </Button>
      </form>
      {make.error !== null && <Notice tone="bad">{errorText(make.error)}</Notice>}
      {fresh !== undefined && (
        <>
          <Notice tone="warn">
            Copy it now: it is shown only once. Anyone who has it can do everything that you can.
          </Notice>
          <Copyable value={fresh} what="token" isBlock />
        </>
      )}
    </Card>
  )
}

function RevokeDialog({ token, onClose }: { token: Token; onClose(): void }) {
  const revoke = useAction(() => api.deleteToken({ tokenID: token.id }), {
    done: 'The token is revoked.',
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Revoke the token?"
      description={`Requests with “${token.name}” are rejected from now on.`}
      word="revoke"
      action="Revoke token"
      {...confirmed(revoke)}
    />
  )
}
