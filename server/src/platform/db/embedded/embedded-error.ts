/** The embedded server cannot start or run. The message says what to do. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError'
}

/** A remedy for every EmbeddedServerError, used in its message. */
export const externalRemedy = 'set DATABASE_URL to a PostgreSQL 15 to 18 server of your own'
