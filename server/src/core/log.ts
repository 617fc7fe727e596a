/** What the service needs of a logger; `app/` supplies pino. Messages never carry secrets or bodies. */
export interface Log {
  /** What is said of every request, or as often; a log that keeps no such details lacks it. */
  debug?(fields: Record<string, unknown>, message: string): void
  /** What happens seldom and an operator may need later, as after a loss: production writes it by default. */
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }
