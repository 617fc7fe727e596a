import type { ProblemCode } from './errors.ts'

/** The meaning of a problem and its remedy. Both are shown on the page at the URL in the problem's `type`. */
export interface ProblemExplanation {
  readonly meaning: string
  readonly remedy: string
}

/** The explanation of every problem code. A missing explanation is a compile error. */
export const problemExplanations: Readonly<Record<ProblemCode, ProblemExplanation>> = {
  'invalid-request': {
    meaning: 'A parameter or a field of the body is missing, unknown, of the wrong type or out of range.',
    remedy:
      'Each entry of "errors" names a field by its JSON pointer and says what is expected. Correct it and send the request again.',
  },
  'malformed-json': {
    meaning: 'The body could not be read as JSON in UTF-8.',
    remedy: 'Send the output of a JSON library in UTF-8, with nothing before or after it.',
  },
  unauthenticated: {
    meaning: 'The request has no credential, or the credential is unknown, expired or revoked.',
    remedy:
      'Send Authorization: Bearer with a valid token, or X-Api-Key with the merchant’s current key. Generating a key revokes the previous one.',
  },
  'invalid-login': {
    meaning: 'No account has this email and this password.',
    remedy: 'Check both. An operator can create a token without a password with "coffer token".',
  },
  'two-factor-required': {
    meaning: 'The password is right, but two-factor authentication is enabled for the account.',
    remedy:
      'Ask the user for the code that the authenticator app shows, or for a recovery code, and send it with the password.',
  },
  'invalid-code': {
    meaning: 'The code is not the one that the authenticator app shows now, or it was used before.',
    remedy:
      'Enter the next code that the app shows, and check that the phone’s clock is right. A recovery code works once, without the app.',
  },
  forbidden: {
    meaning:
      'The credential is valid but does not permit the request: it is for another merchant, the operation needs a Bearer token, the role is not sufficient, or the client’s address is not on the merchant’s IP list.',
    remedy:
      'Use a credential of this merchant with the required role, or ask an owner to change the role or the IP list.',
  },
  'proof-required': {
    meaning:
      'A browser session requested an operation that sends money or lets somebody send it. The session cookie alone does not authorise that.',
    remedy:
      'Send the password, or a two-factor code if 2FA is enabled, to POST /dashboard/session/proof, then repeat the request with the proof as X-Session-Proof. Programs send a Bearer token or an API key, which need no proof.',
  },
  'registration-closed': {
    meaning: 'This server does not allow open registration.',
    remedy: 'Ask its operator for an account.',
  },
  'not-found': {
    meaning: 'The path does not exist, or the credential has access to nothing with this id.',
    remedy:
      'Check the path and the ids. The answer is the same for something that was deleted or belongs to another merchant.',
  },
  'method-not-offered': {
    meaning: 'The invoice exists, but it cannot be paid in this payment method.',
    remedy:
      'Use one of the methods that the invoice was created with, or create an invoice with more paymentMethodIDs.',
  },
  'method-not-allowed': {
    meaning: 'The path exists, but does not support this HTTP method.',
    remedy: 'The Allow header lists the methods that it supports.',
  },
  'request-timeout': {
    meaning: 'The request did not arrive in full in time.',
    remedy: 'Send it again on a new connection.',
  },
  'email-taken': {
    meaning: 'An account with this email already exists.',
    remedy: 'Log in with it, or use another email.',
  },
  'second-factor-on': {
    meaning: 'Two-factor authentication is already enabled for the account.',
    remedy: 'Disable it with one of its codes, then set up the new one.',
  },
  'second-factor-off': {
    meaning: 'Two-factor authentication is not enabled for the account, so it has no codes.',
    remedy: 'Start with POST /auth/second-factor, then confirm with a code.',
  },
  'too-many-tokens': {
    meaning: 'The account has reached its maximum number of API access tokens.',
    remedy: 'Revoke tokens that are no longer used, then create the new one.',
  },
  'reference-taken': {
    meaning: 'The merchant has an invoice with this reference that was created from a different body.',
    remedy: 'Find that invoice by its reference, or use a new reference for a new order.',
  },
  'invoice-not-payable': {
    meaning: 'The invoice is paid, expired or closed, and it never had a payment address.',
    remedy: 'Create a new invoice.',
  },
  'invoice-not-closable': {
    meaning: 'Only a collect or reusable invoice that is still open can be closed.',
    remedy: 'Read the invoice: it may have ended already. A onetime or withdraw invoice ends by itself.',
  },
  'invoice-not-acceptable': {
    meaning: 'The invoice received no short or late payment, so there is nothing to accept.',
    remedy: 'Read its transactions; accept the invoice once a short or late payment is among them.',
  },
  'transaction-not-creditable': {
    meaning:
      'Only a confirmed payment on a network that its invoice does not offer can be credited, and only once. The detail names the reason.',
    remedy:
      'Read the transaction: `isCreditable` says whether it can be credited now. Ask the operator if it is below the minimum or in an asset that merchants cannot credit.',
  },
  'payment-under-way': {
    meaning: 'A payment to this invoice or its payout is pending, so the invoice cannot be deleted now.',
    remedy: 'Wait until it is confirmed or has failed, then try again; or archive the invoice.',
  },
  'withdrawal-under-way': {
    meaning: 'The withdrawal’s transaction is planned or sent, so it can no longer be stopped.',
    remedy: 'Follow its state until it is completed or failed.',
  },
  'withdrawal-ended': {
    meaning: 'The withdrawal is already completed, failed or cancelled.',
    remedy: 'Read it again. No decision is needed any more.',
  },
  'too-many-withdrawals': {
    meaning: 'The merchant has reached its maximum number of pending withdrawals.',
    remedy: 'Wait until some are completed, or cancel some that are still queued.',
  },
  'payouts-frozen': {
    meaning:
      'The merchant owes money, for example because a chain reorganisation reversed a credited payment.',
    remedy: 'Later credits repay it, and payouts resume after that. Ask the operator for details.',
  },
  'quarantine-ended': {
    meaning: 'The payment was released before it could be seized, or seized before it could be released.',
    remedy: 'Check the audit log for who decided, and the merchant’s books for where the money is.',
  },
  'merchant-has-funds': {
    meaning: 'The merchant still holds money, and the request asked to delete it only if it holds none.',
    remedy: 'Withdraw everything first, or delete the merchant without "ifEmpty".',
  },
  'webhook-disabled': {
    meaning:
      'Nothing can be sent to the webhook: it was disabled because it answered 410, or every attempt failed for days.',
    remedy: 'Set the webhook again (POST /weebhook/{merchantID}), then repeat the request.',
  },
  'already-attributed': {
    meaning: 'An operator has already attributed the money of this transaction, to another owner.',
    remedy: 'Check whom it was attributed to. If that was a mistake, settle it with that merchant.',
  },
  'nothing-owed': {
    meaning: 'The merchant owes nothing in this asset, so there is nothing to write off.',
    remedy: 'Check what it owes; a later payment may have repaid it.',
  },
  'owes-more': {
    meaning: 'The merchant owes more than the amount in the request; nothing was written off.',
    remedy: 'Check what it owes now, then decide again.',
  },
  'cold-address-missing': {
    meaning: 'Treasury withdrawals go to a cold address only, and none is set for this network.',
    remedy:
      'Set COLD_ADDRESS_<NETWORK> here and at the signer, restart both, and order the withdrawal again.',
  },
  'merchant-gone': {
    meaning: 'The merchant was deleted, and the period in which it can be restored is over.',
    remedy: 'Create a new merchant. Its money is still in the books; the operator can assign it.',
  },
  'already-member': {
    meaning: 'The account is already a member of this merchant.',
    remedy: 'Change its role instead of adding it.',
  },
  'too-many-members': {
    meaning: 'The merchant has reached its maximum number of members.',
    remedy: 'Remove members who no longer need access.',
  },
  'last-owner': {
    meaning: 'The change would leave the merchant without an owner.',
    remedy: 'Make another member an owner first.',
  },
  'idempotency-conflict': {
    meaning: 'This Idempotency-Key was already used with another request.',
    remedy: 'Use a new key for a new operation; repeat a request unchanged.',
  },
  'idempotency-in-progress': {
    meaning: 'A request with this Idempotency-Key is still being processed.',
    remedy:
      'Wait as long as Retry-After says, then send the same request again: it gets the answer of the first one.',
  },
  'payload-too-large': {
    meaning: 'The body is larger than any request of this API needs.',
    remedy: 'Send at most 64 KiB; split long lists.',
  },
  'uri-too-long': {
    meaning: 'The path and query together are longer than this server accepts.',
    remedy: 'Use fewer or shorter filters.',
  },
  'unsupported-media-type': {
    meaning: 'The body was not sent as JSON, or it was compressed.',
    remedy: 'Send Content-Type: application/json, in UTF-8, without Content-Encoding.',
  },
  'unknown-account': {
    meaning: 'No account on this server has this email.',
    remedy: 'Ask the person to register first.',
  },
  'below-minimum': {
    meaning: 'The amount is smaller than what this payment method or this merchant’s limits allow.',
    remedy: 'Read the minimum from GET /payment-methods or GET /merchants/{merchantID}/limits and use more.',
  },
  'insufficient-balance': {
    meaning:
      'The amount is greater than the available balance. Money on hold for other withdrawals is not available.',
    remedy:
      'Read the available balance from GET /merchants/{merchantID}/funds and request that amount or less.',
  },
  'invalid-address': {
    meaning: 'The address is not valid on the payment method’s network, or money must not be sent to it.',
    remedy: 'Copy it again from the receiving wallet, on the same network.',
  },
  'listed-address': {
    meaning: 'The address is on a sanctions list that this server applies. Nothing was sent or held.',
    remedy: 'Money cannot be sent to it. If the list is wrong, only its publisher can correct it.',
  },
  'lookalike-address': {
    meaning:
      'The address begins and ends like one that this merchant has paid before, but is a different address. Such addresses are created so that they are copied by mistake from a list of transactions.',
    remedy:
      'Compare every character with what the recipient gave you. If it is right, send the request again with "confirmLookalike": true.',
  },
  'contract-elsewhere': {
    meaning:
      'The address is a contract on another network, usually a contract wallet, but not on the network of the payment method. There it may belong to somebody else, and money that is sent to it may be lost.',
    remedy:
      'Ask the recipient for an address on this network. If the recipient controls the address on this network too, send the request again with "confirmNetwork": true.',
  },
  'fee-exceeds-amount': {
    meaning: 'The fee would take the whole amount, so the recipient would receive nothing.',
    remedy:
      'Withdraw more; GET /merchants/{merchantID}/fees/amount computes the fee and the net amount beforehand.',
  },
  'too-many-requests': {
    meaning: 'This credential or address has exceeded its rate limit.',
    remedy:
      'Wait as long as Retry-After says, then send fewer requests at once. RateLimit-Remaining is the number of requests left.',
  },
  'headers-too-large': {
    meaning: 'The request line and headers are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers; cookies are not needed here.',
  },
  'too-busy': {
    meaning: 'The server has as many requests as it can handle.',
    remedy: 'Wait as long as Retry-After says, then longer after each further failure.',
  },
  'not-ready': {
    meaning: 'The server is running, but might not detect a payment made now at once.',
    remedy: 'The detail says what is missing. For operators: check the database and the nodes that it names.',
  },
  'rate-unavailable': {
    meaning: 'No exchange rate is recent enough to compute the amount to pay.',
    remedy: 'Try again shortly. For operators: check the sources in RATE_SOURCES.',
  },
  'query-too-slow': {
    meaning: 'The database query takes longer than a request may take.',
    remedy: 'Request less: a shorter period, fewer records or fewer filters at once.',
  },
  'database-unavailable': {
    meaning: 'The database could not be reached. The operation may or may not have been carried out.',
    remedy: 'Send the request again after Retry-After, with the same Idempotency-Key if you sent one.',
  },
  internal: {
    meaning: 'The server failed. The operation may or may not have been carried out.',
    remedy:
      'Give the requestID to the operator, whose log has the cause. Repeat the request with the same Idempotency-Key.',
  },
}
