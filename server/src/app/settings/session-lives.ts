const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** In a sandbox a token lives as long as a developer's day, and a login can be refreshed for a month. */
export const sessionLives = {
  sandbox: { tokenLifeMs: 12 * hourMs, sessionLifeMs: 30 * dayMs, sessionIdleMs: 7 * dayMs },
  production: { tokenLifeMs: 15 * minuteMs, sessionLifeMs: 12 * hourMs, sessionIdleMs: 30 * minuteMs },
} as const
