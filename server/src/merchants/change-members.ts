import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction, type Tx } from '../platform/db/transaction.ts'
import type { Role } from '../platform/http/auth.ts'
import { type Account, normalizeEmail } from './accounts/account.ts'
import { limitLoginAttempts } from './accounts/login-attempts/limit-login-attempts.ts'
import { findLogin } from './accounts/store.ts'
import { type Member, mayChange } from './member.ts'
import { deleteMember, insertMember, lockMembers, updateMember } from './member-store.ts'

/** The account that makes a change, and the merchant whose members it changes. */
export interface MemberActor {
  readonly accountId: string
  readonly merchantId: string
}

/**
 * Adds an account as a member.
 * @throws Problem `unknown-account`, `forbidden`, `already-member`, `too-many-members` or
 *   `too-many-requests`.
 */
export async function addMember(
  db: Db,
  actor: MemberActor,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<Member> {
  const normalized = normalizeEmail(email)
  // The answer reveals whether the email has an account, so each call counts as a login attempt.
  const attempt = { source: `account ${actor.accountId}`, subject: normalized }
  const added = await limitLoginAttempts(db, attempt, async () =>
    insert(db, actor, await findLogin(db, normalized), role),
  )
  if (added === undefined)
    throw fail(
      'unknown-account',
      'No account has this email. Ask the person to register first, then add the account.',
    )
  return added
}

/** Stores a member. Returns undefined if the account does not exist. */
async function insert(
  db: Db,
  actor: MemberActor,
  found: { readonly account: Account } | undefined,
  role: Role,
): Promise<Member | undefined> {
  return inTransaction(db, async (tx) => {
    const members = await lockMembers(tx, actor.merchantId)
    refuseUnlessAllowed(members, actor, {
      accountId: found?.account.id ?? '',
      before: undefined,
      after: role,
    })
    if (found === undefined) return undefined
    const { id: accountId, email: storedEmail } = found.account
    if (members.some((member) => member.accountId === accountId))
      throw fail('already-member', 'Change the role with PUT /merchants/{merchantID}/members/{accountID}.')
    if (members.length >= limits.membersPerMerchant)
      throw fail('too-many-members', `Remove one of the ${limits.membersPerMerchant} members first.`)
    const createdAt = await insertMember(tx, { merchantId: actor.merchantId, accountId, role })
    await audit(tx, actor, accountId, { action: 'member.added', details: { role } })
    return { accountId, email: storedEmail, role, createdAt }
  })
}

/**
 * Changes a member's role.
 * @throws Problem `not-found`, `forbidden` or `last-owner`.
 */
export async function changeMember(
  db: Db,
  actor: MemberActor,
  { accountId, role }: { readonly accountId: string; readonly role: Role },
): Promise<Member> {
  return inTransaction(db, async (tx) => {
    const members = await lockMembers(tx, actor.merchantId)
    const member = findMember(members, accountId)
    refuseUnlessAllowed(members, actor, { accountId, before: member.role, after: role })
    refuseWithoutOwner(members, member, role)
    if (member.role === role) return member
    await updateMember(tx, { merchantId: actor.merchantId, accountId, role })
    const details = { before: member.role, after: role }
    await audit(tx, actor, accountId, { action: 'member.changed', details })
    return { ...member, role }
  })
}

/**
 * Removes a member.
 * @throws Problem `not-found`, `forbidden` or `last-owner`.
 */
export async function removeMember(db: Db, actor: MemberActor, accountId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const members = await lockMembers(tx, actor.merchantId)
    const member = findMember(members, accountId)
    refuseUnlessAllowed(members, actor, { accountId, before: member.role, after: undefined })
    refuseWithoutOwner(members, member, undefined)
    await deleteMember(tx, { merchantId: actor.merchantId, accountId })
    await audit(tx, actor, accountId, { action: 'member.removed', details: { role: member.role } })
  })
}

function findMember(members: readonly Member[], accountId: string): Member {
  const member = members.find((one) => one.accountId === accountId)
  if (member === undefined) throw fail('not-found', 'No such member.')
  return member
}

/**
 * Checks that the role of the actor allows the change. The role is read again under the lock, because it may
 * have changed since the request was authorised.
 */
function refuseUnlessAllowed(
  members: readonly Member[],
  { accountId: actorId }: MemberActor,
  change: { accountId: string; before: Role | undefined; after: Role | undefined },
): void {
  const actor = members.find(({ accountId }) => accountId === actorId)
  if (actor === undefined) throw fail('forbidden', 'This credential has no access to this merchant.')
  if (!mayChange({ actorId, actorRole: actor.role, ...change }))
    throw fail(
      'forbidden',
      `Your role at this merchant is ${actor.role}; only an owner can change owners and admins.`,
    )
}

function refuseWithoutOwner(members: readonly Member[], member: Member, after: Role | undefined): void {
  if (member.role !== 'owner' || after === 'owner') return
  if (members.filter(({ role }) => role === 'owner').length > 1) return
  throw fail('last-owner', 'Make another member an owner first, or delete the merchant.')
}

async function audit(
  tx: Tx,
  { accountId, merchantId }: MemberActor,
  subject: string,
  act: { action: 'member.added' | 'member.changed' | 'member.removed'; details: Record<string, unknown> },
): Promise<void> {
  await recordAudit(tx, { accountId, merchantId, subject, ...act })
}
