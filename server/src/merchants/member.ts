/** Who works for a merchant, and who may change that. */
import { isAtLeast, type Role } from '../platform/http/auth.ts'

export const roles = ['owner', 'admin', 'viewer'] as const satisfies readonly Role[]

export interface Member {
  readonly accountId: string
  readonly email: string
  readonly role: Role
  /** Since when. */
  readonly createdAt: Date
}

export interface MemberChange {
  readonly actorId: string
  /** The role the actor has now. */
  readonly actorRole: Role
  readonly accountId: string
  /** Undefined for someone who is no member yet. */
  readonly before: Role | undefined
  /** Undefined for someone who leaves. */
  readonly after: Role | undefined
}

/**
 * Whether a member may make a change: an owner any, an admin those that make and end viewers, and everyone may leave.
 * That one owner stays is a rule of its own.
 */
export function mayChange({ actorId, actorRole, accountId, before, after }: MemberChange): boolean {
  if (actorId === accountId && after === undefined) return true
  if (actorRole === 'owner') return true
  return (
    isAtLeast(actorRole, 'admin') && [before, after].every((role) => role === undefined || role === 'viewer')
  )
}
