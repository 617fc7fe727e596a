import type { Role } from '../jobs.ts'

/** Decides whether one of the roles posts journals, credits deposits or shows addresses. */
export function needsBooksKey(roles: readonly Role[]): boolean {
  return roles.some((role) => role === 'api' || role === 'watcher' || role === 'payouts')
}
