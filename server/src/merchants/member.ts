/** The members of a merchant, and the rules for changing them. */
import { isAtLeast, type Role } from '../platform/http/auth.ts'

export const roles = ['owner', 'admin', 'viewer'] as const satisfies readonly Role[]

export interface Member {
  readonly accountId: string
  readonly email: string
  readonly role: Role
  /** Time at which the account became a member. */
  readonly createdAt: Date
}

export interface MemberChange {
  readonly actorId: string
  /** The present role of the account that makes the change. */
  readonly actorRole: Role
  readonly accountId: string
  /** The role before the change; undefined if the account is not a member yet. */
  readonly before: Role | undefined
  /** The role after the change; undefined if the account is removed. */
  readonly after: Role | undefined
}

/**
 * Decides whether a member may make a change. An owner may make any change, an admin may add and remove
 * viewers, and every member may leave. The function does not check that at least one owner remains.
 */
export function mayChange({ actorId, actorRole, accountId, before, after }: MemberChange): boolean {
  if (actorId === accountId && after === undefined) return true
  if (actorRole === 'owner') return true
  return (
    isAtLeast(actorRole, 'admin') && [before, after].every((role) => role === undefined || role === 'viewer')
  )
}
