import type { Role } from '../jobs.ts'

/** The roles that post, credit, or show an address. */
export function needsBooksKey(roles: readonly Role[]): boolean {
  return roles.some((role) => role === 'api' || role === 'watcher' || role === 'payouts')
}
