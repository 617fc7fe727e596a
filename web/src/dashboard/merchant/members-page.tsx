import type { components } from 'coffer-sdk'
import { Users } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, errorText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { type Role, useMerchant } from './merchant-area.tsx'

type Member = components['schemas']['Member']

const meaning: Readonly<Record<Role, string>> = {
  owner: 'everything, members and deletion included',
  admin: 'everything but other admins, owners and deletion',
  viewer: 'sees everything, changes nothing',
}

const roleOptions = (['viewer', 'admin', 'owner'] as const).map((value) => ({
  value,
  label: `${value}: ${meaning[value]}`,
}))

export function MembersPage() {
  const { id, canChange, isOwner, accountID } = useMerchant()
  const { data } = useApi('listMembers', { merchantID: id })
  const [leaving, setLeaving] = useState<Member>()
  const mayEnd = (member: Member) =>
    isOwner || member.accountID === accountID || (canChange && member.role === 'viewer')
  return (
    <Page title="Members" description="The accounts that may view or manage this merchant.">
      {canChange && <AddMember />}
      <Card isFlush>
        <Table
          label="Members"
          rows={data}
          keyOf={({ accountID: key }) => key}
          columns={[
            {
              head: 'Member',
              cell: (member) => (
                <span className="[overflow-wrap:anywhere]">
                  <Email address={member.email} /> {member.accountID === accountID && <Badge>you</Badge>}
                </span>
              ),
            },
            { head: 'Role', cell: (member) => <MemberRole member={member} /> },
            { head: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} />, isWide: true },
            {
              head: 'Actions',
              isFigure: true,
              cell: (member) =>
                mayEnd(member) && (
                  <Button variant="quiet" className="-mr-3" onClick={() => setLeaving(member)}>
                    {member.accountID === accountID ? 'Leave' : 'Remove'}
                  </Button>
                ),
            },
          ]}
          empty={
            <EmptyState icon={Users} title="No members">
              A merchant always has an owner.
            </EmptyState>
          }
        />
      </Card>
      {leaving !== undefined && <RemoveDialog member={leaving} onClose={() => setLeaving(undefined)} />}
    </Page>
  )
}

/** Shows an email address. In a narrow column, the line breaks before the @ and not within the name. */
function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@')
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  )
}

function MemberRole({ member }: { member: Member }) {
  const { id, isOwner } = useMerchant()
  const change = useAction(
    (role: Role) => api.updateMember({ merchantID: id, accountID: member.accountID, body: { role } }),
    { done: `The role of ${member.email} is changed.` },
  )
  if (!isOwner) return <span>{member.role}</span>
  return (
    <div className="w-28">
      <SelectField
        label={`Role of ${member.email}`}
        isLabelHidden
        value={member.role}
        disabled={change.isPending}
        onValue={(role) => change.mutate(role as Role)}
        options={(['viewer', 'admin', 'owner'] as const).map((value) => ({ value, label: value }))}
      />
    </div>
  )
}

function AddMember() {
  const { id, isOwner } = useMerchant()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('viewer')
  const add = useAction(
    () => api.createMember({ merchantID: id, body: { email: email.trim(), role: role as Role } }),
    { done: 'The member is added.', showsError: true, onDone: () => setEmail('') },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(undefined)
  }
  return (
    <Card title="New member" description="The person needs an account first. Anyone may sign up.">
      <form className="grid items-end gap-4 sm:grid-cols-[1fr_1fr_auto]" onSubmit={submit}>
        <TextField label="Email" type="email" value={email} onValue={setEmail} autoComplete="off" required />
        <SelectField
          label="Role"
          value={role}
          onValue={setRole}
          options={isOwner ? roleOptions : roleOptions.slice(0, 1)}
        />
        <Button type="submit" isBusy={add.isPending}>
          Add member
        </Button>
      </form>
      {add.error !== null && <Notice tone="bad">{errorText(add.error)}</Notice>}
    </Card>
  )
}

function RemoveDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const { id } = useMerchant()
  const remove = useAction(() => api.deleteMember({ merchantID: id, accountID: member.accountID }), {
    done: `${member.email} is no longer a member.`,
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Remove this member?"
      description={`${member.email} loses access to this merchant.`}
      word={member.email}
      action="Remove member"
      {...confirmed(remove)}
    />
  )
}
