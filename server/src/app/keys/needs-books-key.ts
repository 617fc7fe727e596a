import type { Role } from '../jobs.ts'

/**
 * Returns true if a process with these roles needs the key of the books, because one of them posts journals,
 * credits deposits or shows addresses.
 */
export function needsBooksKey(roles: readonly Role[]): boolean {
  return roles.some((role) => role === 'api' || role === 'watcher' || role === 'payouts')
}
