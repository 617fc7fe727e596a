import type { ProblemCode } from './errors.ts'

/** What a problem means and what its receiver can do, for the page that its `type` names. */
export interface ProblemExplanation {
  readonly meaning: string
  readonly remedy: string
}

/** One for each code of the catalogue: a code without one does not compile. */
export const problemExplanations: Readonly<Record<ProblemCode, ProblemExplanation>> = {
  'invalid-request': {
    meaning:
      'A parameter or a field of the body is missing, unknown, of the wrong kind or out of its bounds.',
    remedy:
      'Each entry of "errors" names a place by its pointer and says what belongs there. Change that and send it again.',
  },
  'malformed-json': {
    meaning: 'The body could not be read as JSON in UTF-8.',
    remedy: 'Send what your JSON library writes, and nothing around it.',
  },
  unauthenticated: {
    meaning: 'There was no credential, or it is unknown, expired or revoked.',
    remedy:
      'Send Authorization: Bearer with a fresh token, or X-Api-Key with the merchant’s present key. Making a new key ends the one before.',
  },
  'invalid-login': {
    meaning: 'There is no account with this email and this password.',
    remedy: 'Check both. An operator can make a token without a password by "coffer token".',
  },
  'two-factor-required': {
    meaning: 'The password is right, and the account has a second factor.',
    remedy: 'Ask for the code that the app shows, or for a recovery code, and send it beside the password.',
  },
  'invalid-code': {
    meaning: 'The code is not the one the app shows now, or it was used before.',
    remedy:
      'Type the next one the app shows; check that the phone’s clock is right. A recovery code works once, without the app.',
  },
  forbidden: {
    meaning:
      'The credential is good, but not for this: another merchant, an operation that needs a Bearer token, a role that may only read, or an address outside the merchant’s IP list.',
    remedy:
      'Use a credential of this merchant with the needed role, or have an owner change the role or the IP list.',
  },
  'proof-required': {
    meaning:
      'A browser’s session asked for something that sends money, or gives somebody the means to. The cookie alone is too little for that.',
    remedy:
      'Send the password, or a code of the second factor where one is on, to POST /dashboard/session/proof, and the request again with the proof as X-Session-Proof. Programs send a Bearer token or an API key, which need none.',
  },
  'registration-closed': {
    meaning: 'This server makes no accounts for whoever asks.',
    remedy: 'Ask its operator for an account.',
  },
  'not-found': {
    meaning: 'There is no such path, or nothing with this id that the credential may see.',
    remedy: 'Check path and ids. Something that was deleted, or belongs to another merchant, looks the same.',
  },
  'method-not-offered': {
    meaning: 'The invoice exists, but it cannot be paid in this payment method.',
    remedy: 'Use one of the methods it was created with, or create it with more paymentMethodIDs.',
  },
  'method-not-allowed': {
    meaning: 'The path exists, but not for this HTTP method.',
    remedy: 'The Allow header lists the methods that it answers.',
  },
  'request-timeout': {
    meaning: 'The request began but did not arrive in full within its time.',
    remedy: 'Send it again, on a new connection.',
  },
  'email-taken': {
    meaning: 'An account with this email was made before.',
    remedy: 'Log in with it, or use another email.',
  },
  'second-factor-on': {
    meaning: 'Another second factor is in use already.',
    remedy: 'Take it away by one of its codes, then set up the new one.',
  },
  'second-factor-off': {
    meaning: 'The account has no second factor that codes could be of.',
    remedy: 'Begin with POST /auth/second-factor, and confirm by a code.',
  },
  'too-many-tokens': {
    meaning: 'The account has reached its number of API access tokens.',
    remedy: 'End tokens that are no longer used, then make the new one.',
  },
  'reference-taken': {
    meaning: 'The merchant has an invoice with this reference, which was made from another body.',
    remedy: 'Find that invoice by its reference, or use a new reference for a new order.',
  },
  'invoice-not-payable': {
    meaning: 'The invoice is paid, expired or closed, and no payment address was ever given for it.',
    remedy: 'Create a new invoice.',
  },
  'invoice-not-closable': {
    meaning: 'Only a collect or reusable invoice that is still open can be closed.',
    remedy: 'Read the invoice: it may have ended already. A onetime or withdraw invoice ends by itself.',
  },
  'invoice-not-acceptable': {
    meaning: 'Nothing was paid to the invoice that came in short or late, so there is nothing to accept.',
    remedy: 'Read its transactions; accept it once a payment that is short or late is among them.',
  },
  'payment-under-way': {
    meaning: 'Money was seen on its way to this invoice, so it cannot be removed now.',
    remedy: 'Wait until the payment is confirmed or gone, then try again; or archive the invoice.',
  },
  'withdrawal-under-way': {
    meaning: 'The withdrawal’s transaction is planned or sent, so it can no longer be stopped.',
    remedy: 'Follow its state until it is completed or failed.',
  },
  'withdrawal-ended': {
    meaning: 'The withdrawal is completed, failed or cancelled already.',
    remedy: 'Read it again. Nothing has to be decided any more.',
  },
  'too-many-withdrawals': {
    meaning: 'The merchant has as many pending withdrawals as it may.',
    remedy: 'Wait until some are completed, or cancel some that are still queued.',
  },
  'payouts-frozen': {
    meaning: 'The merchant owes money, for example since a credited payment was taken back by its chain.',
    remedy: 'Later credits repay it; payouts are free again after that. Ask the operator for details.',
  },
  'quarantine-ended': {
    meaning: 'The payment was released before it could be seized, or seized before it could be released.',
    remedy: 'Look at the audit log for who decided, and at the merchant’s books for where the money is.',
  },
  'merchant-has-funds': {
    meaning: 'The merchant still holds money and was to be deleted only if it held none.',
    remedy: 'Withdraw everything first, or delete it without "ifEmpty".',
  },
  'webhook-disabled': {
    meaning:
      'Something was to be sent to a webhook that is switched off, since it answered 410 or nothing but failures for days.',
    remedy: 'Set the webhook again (POST /weebhook/{merchantID}), then send once more.',
  },
  'already-attributed': {
    meaning: 'An operator has said before whose the money of this transaction is, and said otherwise.',
    remedy: 'Read who it was given to; settle with that merchant what was given by mistake.',
  },
  'nothing-owed': {
    meaning: 'The merchant owes nothing in this asset, so there is nothing to write off.',
    remedy: 'Read what it owes; it may have been repaid by a later payment.',
  },
  'owes-more': {
    meaning: 'The merchant owes more than the amount that you were shown; nothing was written off.',
    remedy: 'Read what it owes now, and decide again.',
  },
  'cold-address-missing': {
    meaning: 'Profit leaves to a cold address only, and none is set for this network.',
    remedy: 'Set COLD_ADDRESS_<NETWORK> here and at the signer, restart both, and order it again.',
  },
  'merchant-gone': {
    meaning: 'The merchant was deleted, and the time in which it can be restored is over.',
    remedy: 'Create a new merchant. Its money is still in the books; the operator can assign it.',
  },
  'already-member': {
    meaning: 'The account works for this merchant already.',
    remedy: 'Change its role in place of adding it.',
  },
  'too-many-members': {
    meaning: 'The merchant has as many members as it may.',
    remedy: 'Remove members who no longer need access.',
  },
  'last-owner': {
    meaning: 'The change would leave the merchant without an owner.',
    remedy: 'Make another member an owner first.',
  },
  'idempotency-conflict': {
    meaning: 'This Idempotency-Key was sent before with another request.',
    remedy: 'Use a new key for a new thing to do; repeat a request unchanged.',
  },
  'idempotency-in-progress': {
    meaning: 'A request with this Idempotency-Key is still being worked on.',
    remedy:
      'Wait as long as Retry-After says and send the same request again: it will get the first one’s answer.',
  },
  'payload-too-large': {
    meaning: 'The body is larger than any request of this API needs.',
    remedy: 'Send at most 64 KiB; split long lists.',
  },
  'uri-too-long': {
    meaning: 'Path and query together are longer than this server reads.',
    remedy: 'Use fewer or shorter filters.',
  },
  'unsupported-media-type': {
    meaning: 'The body was sent as something else than JSON, or compressed.',
    remedy: 'Send Content-Type: application/json, in UTF-8, without Content-Encoding.',
  },
  'unknown-account': {
    meaning: 'Nobody with this email has an account on this server.',
    remedy: 'Have the person register first.',
  },
  'below-minimum': {
    meaning: 'The amount is smaller than what this payment method or this merchant’s limits allow.',
    remedy: 'Read the minimum from GET /payment-methods or GET /merchants/{merchantID}/limits and use more.',
  },
  'insufficient-balance': {
    meaning: 'More was asked for than is available. Money on hold for other withdrawals does not count.',
    remedy: 'Read what is available from GET /merchants/{merchantID}/funds and ask for that or less.',
  },
  'invalid-address': {
    meaning: 'The address is not one of the payment method’s network, is misspelled, or must not be paid to.',
    remedy: 'Copy it again from the wallet that will receive, on the same network.',
  },
  'listed-address': {
    meaning: 'The address is named by a sanctions list that this server must heed. Nothing was sent or held.',
    remedy: 'Money cannot go there. Where the list is wrong about it, only its publisher can change it.',
  },
  'lookalike-address': {
    meaning:
      'The address begins and ends like one that this merchant has paid before, and is another. Such addresses are made to be copied by mistake from a list of transactions.',
    remedy:
      'Compare every character with what the recipient gave you. If it is right, send the request again with "confirmLookalike": true.',
  },
  'fee-exceeds-amount': {
    meaning: 'After the fee nothing would arrive.',
    remedy: 'Send more; GET /merchants/{merchantID}/fees/amount computes fee and net beforehand.',
  },
  'too-many-requests': {
    meaning: 'This credential or address has made more requests than it may in this time.',
    remedy:
      'Wait as long as Retry-After says, then send fewer at once. RateLimit-Remaining tells what is left.',
  },
  'headers-too-large': {
    meaning: 'The request line and headers are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers; cookies are not needed here.',
  },
  'too-busy': {
    meaning: 'The server has as much work as it can hold.',
    remedy: 'Wait as long as Retry-After says, then longer each time.',
  },
  'not-ready': {
    meaning: 'The server runs, but a payment made now might not be seen at once.',
    remedy: 'The detail says what is missing. For operators: look at the database and the nodes it names.',
  },
  'rate-unavailable': {
    meaning: 'There is no price fresh enough to say how much is to be paid.',
    remedy: 'Try again shortly. For operators: look at the sources named in RATE_SOURCES.',
  },
  'query-too-slow': {
    meaning: 'Answering would have taken the database longer than a request may take.',
    remedy: 'Ask for less: narrower dates, fewer records, fewer filters at once.',
  },
  'database-unavailable': {
    meaning: 'The database could not be reached. What was asked for may or may not have been done.',
    remedy: 'Send it again after Retry-After, with the same Idempotency-Key where you sent one.',
  },
  internal: {
    meaning: 'A fault of this server. What was asked for may or may not have been done.',
    remedy:
      'Give the requestID to the operator, in whose log the cause is. Repeat with the same Idempotency-Key.',
  },
}
