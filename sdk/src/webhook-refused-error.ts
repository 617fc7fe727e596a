/** Why a request is not taken for an event. */
export type WebhookRefusal =
  /** It was parsed before it was verified, or there is none. */
  | 'body-not-raw'
  /** A header that proves where the request is from is absent. */
  | 'header-missing'
  /** Such a header is there, and holds something else. */
  | 'header-malformed'
  /** Another secret, another sender, or a body that is no longer what was sent. */
  | 'signature-wrong'
  /** Genuine, and sent too long ago: replayed, or the two clocks differ. */
  | 'too-old'
  /** Genuine, and sent in the future: the two clocks differ. */
  | 'too-new'
  /** Genuine, and no event. */
  | 'not-an-event'

/** Thrown for a request that is not to be believed: answer 400. The message says what to look at. */
export class WebhookRefusedError extends Error {
  override readonly name = 'WebhookRefusedError'
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.reason = reason
  }
}
