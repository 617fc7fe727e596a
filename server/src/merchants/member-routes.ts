import { Type } from 'typebox'
import type { Db } from '../platform/db/pool.ts'
import { type Route, route } from '../platform/http/route.ts'
import { oneOf, timestamp, timestampOut, uuid } from '../platform/http/wire.ts'
import { emailCharsMax } from './accounts/account.ts'
import { addMember, changeMember, removeMember } from './change-members.ts'
import { type Member, roles } from './member.ts'
import { listMembers } from './member-store.ts'

const path = '/merchants/:merchantID/members'

export interface MemberRouteParts {
  readonly db: Db
}

export function memberRoutes(parts: MemberRouteParts): readonly Route[] {
  return [listRoute(parts), addRoute(parts), changeRoute(parts), removeRoute(parts)]
}

const roleView = oneOf(roles, { title: 'Role' })
const memberView = Type.Object(
  {
    accountID: uuid,
    email: Type.String(),
    role: roleView,
    createdAt: timestampOut,
  },
  { title: 'Member' },
)

function viewMember({ accountId, email, role, createdAt }: Member) {
  return { accountID: accountId, email, role, createdAt: timestamp(createdAt) }
}

function listRoute({ db }: MemberRouteParts): Route {
  return route({
    method: 'GET',
    path,
    auth: 'bearer',
    summary: 'List the members of the merchant and their roles',
    replies: { 200: Type.Array(memberView) },
    handle: async ({ merchant }) => ({
      status: 200,
      body: (await listMembers(db, merchant.id)).map(viewMember),
    }),
  })
}

function addRoute({ db }: MemberRouteParts): Route {
  return route({
    method: 'POST',
    path,
    auth: 'bearer',
    needsProof: ({ role }) => role !== 'viewer',
    summary: 'Add an account as a member',
    body: Type.Object({ email: Type.String({ minLength: 1, maxLength: emailCharsMax }), role: roleView }),
    replies: { 201: memberView },
    errors: ['already-member', 'too-many-members', 'unknown-account', 'too-many-requests'],
    handle: async ({ caller, merchant, body }) => {
      const actor = { accountId: caller.accountId, merchantId: merchant.id }
      return { status: 201, body: viewMember(await addMember(db, actor, body)) }
    },
  })
}

function changeRoute({ db }: MemberRouteParts): Route {
  return route({
    method: 'PUT',
    path: `${path}/:accountID`,
    auth: 'bearer',
    needsProof: ({ role }) => role !== 'viewer',
    summary: 'Change the role of a member',
    body: Type.Object({ role: roleView }),
    replies: { 200: memberView },
    errors: ['not-found', 'last-owner'],
    handle: async ({ caller, merchant, params, body }) => {
      const actor = { accountId: caller.accountId, merchantId: merchant.id }
      const change = { accountId: params.accountID, role: body.role }
      return { status: 200, body: viewMember(await changeMember(db, actor, change)) }
    },
  })
}

function removeRoute({ db }: MemberRouteParts): Route {
  return route({
    method: 'DELETE',
    path: `${path}/:accountID`,
    auth: 'bearer',
    // Every member may leave. `removeMember` rejects a viewer who tries to remove another member.
    role: 'viewer',
    summary: 'Remove a member, or leave',
    replies: { 204: null },
    errors: ['not-found', 'last-owner'],
    handle: async ({ caller, merchant, params }) => {
      await removeMember(db, { accountId: caller.accountId, merchantId: merchant.id }, params.accountID)
      return { status: 204 }
    },
  })
}
