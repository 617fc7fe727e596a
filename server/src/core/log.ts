/** What the service needs of a logger; `app/` supplies pino. Messages never carry secrets or bodies. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }
