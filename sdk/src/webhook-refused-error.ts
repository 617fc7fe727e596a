/** The reason why a request is not accepted as an event. */
export type WebhookRejection =
  /** The body is missing, or it was parsed before it was verified. */
  | 'body-not-raw'
  /** A header that proves the origin of the request is missing. */
  | 'header-missing'
  /** Such a header is present but malformed. */
  | 'header-malformed'
  /** A different secret, a different sender, or an altered body. */
  | 'signature-wrong'
  /** Genuine, but sent too long ago: replayed, or the two clocks differ. */
  | 'too-old'
  /** Genuine, but sent in the future: the two clocks differ. */
  | 'too-new'
  /** Genuine, but not an event. */
  | 'not-an-event'

/**
 * Thrown for a request that is not genuine. Answer such a request with 400. The message says what to check.
 */
export class WebhookRefusedError extends Error {
  override readonly name = 'WebhookRefusedError'
  readonly reason: WebhookRejection

  constructor(reason: WebhookRejection, message: string) {
    super(message)
    this.reason = reason
  }
}
