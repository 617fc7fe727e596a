/** The logger of the service, implemented in `app/` with pino. It never gets secrets or request bodies. */
export interface Log {
  /**
   * Logs details that occur about as often as requests. A log that drops such details does not have this
   * method.
   */
  debug?(fields: Record<string, unknown>, message: string): void
  /**
   * Logs rare events that an operator may need later, such as a loss of history. Production logs this level
   * by default.
   */
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }
