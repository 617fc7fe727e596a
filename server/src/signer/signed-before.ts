import { createHash } from 'node:crypto'
import type { AccountRequest, Signed } from '../intents/signer-port.ts'
import { canonicalText } from './canonical-text.ts'
import { Refusal } from './refusal.ts'

interface Known {
  readonly network: string
  readonly wallet: string
  readonly nonce: number
  readonly intentDigest: string
  /** The log's sequences by the digest of what was asked. */
  readonly attempts: Map<string, number>
}

/** What the log says of earlier signatures, by all by which it is asked. */
export class SignedBefore {
  readonly #payouts = new Map<string, Known>()
  /** Payouts by withdrawal, and by wallet and nonce. */
  readonly #withdrawals = new Map<string, string>()
  readonly #places = new Map<string, string>()

  add(entry: AccountRequest & Signed, wallet: string): void {
    const { payoutId, network, nonce, intent } = entry
    const known = this.#payouts.get(payoutId) ?? {
      ...{ network, wallet, nonce },
      intentDigest: digestOf(intent),
      attempts: new Map(),
    }
    known.attempts.set(requestDigest(entry), entry.sequence)
    this.#payouts.set(payoutId, known)
    this.#places.set(placeOf(entry, wallet), payoutId)
    for (const withdrawalId of withdrawalsOf(entry)) this.#withdrawals.set(withdrawalId, payoutId)
  }

  /** Whether bytes were ever signed for a payout. */
  has(payoutId: string): boolean {
    return this.#payouts.has(payoutId)
  }

  /** The log's sequence of the very same request; undefined where it was never asked. */
  sequenceOf(request: AccountRequest): number | undefined {
    return this.#payouts.get(request.payoutId)?.attempts.get(requestDigest(request))
  }

  /** @throws Refusal unless what is asked conflicts with all that was ever signed for the same, and with nothing else */
  requireConflict(request: AccountRequest, wallet: string): void {
    const { payoutId, network, nonce, intent } = request
    const known = this.#payouts.get(payoutId)
    const isSame = known?.network === network && known.wallet === wallet && known.nonce === nonce
    if (known !== undefined && !(isSame && known.intentDigest === digestOf(intent))) {
      throw new Refusal(
        'already-signed',
        `Payout ${payoutId} was signed from ${known.wallet} with nonce ${known.nonce}, or for something else`,
      )
    }
    const holder = this.#places.get(placeOf(request, wallet))
    if (holder !== undefined && holder !== payoutId) {
      throw new Refusal('already-signed', `Nonce ${nonce} of ${wallet} belongs to payout ${holder}`)
    }
    for (const withdrawalId of withdrawalsOf(request)) {
      const earlier = this.#withdrawals.get(withdrawalId)
      if (earlier !== undefined && earlier !== payoutId) {
        throw new Refusal('already-signed', `Withdrawal ${withdrawalId} was signed in payout ${earlier}`)
      }
    }
  }
}

function withdrawalsOf({ network, intent }: AccountRequest): readonly string[] {
  return intent.kind === 'withdrawal'
    ? intent.payments.map(({ withdrawalId }) => `${network}/${withdrawalId}`)
    : []
}

function placeOf({ network, nonce }: AccountRequest, wallet: string): string {
  return `${network}/${wallet}/${nonce}`
}

function requestDigest({
  payoutId,
  network,
  chainId,
  from,
  nonce,
  intent,
  unsigned,
}: AccountRequest): string {
  return digestOf({ payoutId, network, chainId, from, nonce, intent, unsigned })
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalText(value)).digest('base64')
}
