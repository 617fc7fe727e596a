/** The embedded server cannot be had or cannot go on. The message says what to do about it. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError'
}

/** The way out that always works. */
export const externalRemedy = 'set DATABASE_URL to a PostgreSQL 15 to 18 server of your own'
