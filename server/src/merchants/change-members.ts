import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction, type Tx } from '../platform/db/transaction.ts'
import type { Role } from '../platform/http/auth.ts'
import { type Account, foldEmail } from './accounts/account.ts'
import { limitGuesses } from './accounts/guesses/limit-guesses.ts'
import { findLogin } from './accounts/store.ts'
import { type Member, mayChange } from './member.ts'
import { deleteMember, insertMember, lockMembers, updateMember } from './member-store.ts'

/** Who acts, and at which merchant. */
export interface MemberActor {
  readonly accountId: string
  readonly merchantId: string
}

/** @throws Problem unknown-account, forbidden, already-member, too-many-members, too-many-requests */
export async function addMember(
  db: Db,
  actor: MemberActor,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<Member> {
  const folded = foldEmail(email)
  // The answer tells whether the email has an account, which makes each try a guess.
  const guess = { source: `account ${actor.accountId}`, subject: folded }
  const added = await limitGuesses(db, guess, async () =>
    insert(db, actor, await findLogin(db, folded), role),
  )
  if (added === undefined)
    throw fail('unknown-account', 'No account has this email. Let them register first, then add them.')
  return added
}

/** Undefined when there is no such account. */
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

/** @throws Problem not-found, forbidden, last-owner */
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

/** @throws Problem not-found, forbidden, last-owner */
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

/** By the role the actor has under the lock: it may have been taken since the request was let in. */
function refuseUnlessAllowed(
  members: readonly Member[],
  { accountId: actorId }: MemberActor,
  change: { accountId: string; before: Role | undefined; after: Role | undefined },
): void {
  const actor = members.find(({ accountId }) => accountId === actorId)
  if (actor === undefined) throw fail('forbidden', 'This credential has no access here.')
  if (!mayChange({ actorId, actorRole: actor.role, ...change }))
    throw fail('forbidden', `Your role at this merchant is ${actor.role}; owners and admins need an owner.`)
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
