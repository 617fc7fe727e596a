const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * The lifetimes of tokens and sessions. In a sandbox a token is valid for a developer's working day, and a
 * login can be refreshed for a month.
 */
export const sessionLifetimes = {
  sandbox: { tokenLifetimeMs: 12 * hourMs, sessionLifetimeMs: 30 * dayMs, sessionIdleMs: 7 * dayMs },
  production: {
    tokenLifetimeMs: 15 * minuteMs,
    sessionLifetimeMs: 12 * hourMs,
    sessionIdleMs: 30 * minuteMs,
  },
} as const
