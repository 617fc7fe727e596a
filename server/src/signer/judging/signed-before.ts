import { createHash } from 'node:crypto'
import type { Signed, SignRequest } from '../../signing/signer-port.ts'
import { canonicalText } from './canonical-text.ts'
import type { JudgedRequest } from './judge.ts'
import { Refusal } from './refusal.ts'

interface Known {
  readonly network: string
  /** What all its attempts take. */
  readonly place: string
  readonly intentDigest: string
  /** The log's sequences by the digest of what was asked. */
  readonly attempts: Map<string, number>
}

type Takes = JudgedRequest['takes']

/** What the log says of earlier signatures, by all by which it is asked. */
export class SignedBefore {
  readonly #payouts = new Map<string, Known>()
  /** Payouts by withdrawal, and by what they take. */
  readonly #withdrawals = new Map<string, string>()
  readonly #places = new Map<string, string>()

  add(entry: SignRequest & Pick<Signed, 'sequence'>, takes: Takes): void {
    const { payoutId, network, intent } = entry
    const known = this.#payouts.get(payoutId) ?? {
      network,
      place: takes[0],
      intentDigest: digestOf(intent),
      attempts: new Map(),
    }
    known.attempts.set(requestDigest(entry), entry.sequence)
    this.#payouts.set(payoutId, known)
    for (const place of takes) this.#places.set(`${network} ${place}`, payoutId)
    for (const withdrawalId of withdrawalsOf(entry)) this.#withdrawals.set(withdrawalId, payoutId)
  }

  /** Whether bytes were ever signed for a payout. */
  has(payoutId: string): boolean {
    return this.#payouts.has(payoutId)
  }

  /** The log's sequence of the very same request; undefined where it was never asked. */
  sequenceOf(request: SignRequest): number | undefined {
    return this.#payouts.get(request.payoutId)?.attempts.get(requestDigest(request))
  }

  /** @throws Refusal unless what is asked conflicts with all that was ever signed for the same, and with nothing else */
  requireConflict(request: SignRequest, takes: Takes): void {
    const { payoutId, network, intent } = request
    const known = this.#payouts.get(payoutId)
    const isSame = known?.network === network && known.place === takes[0]
    if (known !== undefined && !(isSame && known.intentDigest === digestOf(intent))) {
      throw new Refusal(
        'already-signed',
        `Payout ${payoutId} was signed with ${known.place}, or for something else`,
      )
    }
    const former = intent.kind === 'reclaim' ? intent.payoutId : undefined
    for (const place of takes) {
      const holder = this.#places.get(`${network} ${place}`)
      // Of a payout that a lost log knew, coins are nobody's here: they may be taken back as any may be made few of.
      if (former !== undefined && holder === undefined && !this.#payouts.has(former)) continue
      if (former !== undefined && holder !== former && holder !== payoutId)
        throw new Refusal('not-as-intended', `The ${place} was not signed for payout ${former}`)
      if (holder !== undefined && holder !== payoutId && holder !== former)
        throw new Refusal('already-signed', `The ${place} belongs to payout ${holder}`)
    }
    for (const withdrawalId of withdrawalsOf(request)) {
      const earlier = this.#withdrawals.get(withdrawalId)
      if (earlier !== undefined && earlier !== payoutId) {
        throw new Refusal('already-signed', `Withdrawal ${withdrawalId} was signed in payout ${earlier}`)
      }
    }
  }
}

function withdrawalsOf({ network, intent }: SignRequest): readonly string[] {
  return intent.kind === 'withdrawal'
    ? intent.payments.map(({ withdrawalId }) => `${network}/${withdrawalId}`)
    : []
}

function requestDigest(request: SignRequest): string {
  const { payoutId, network, intent } = request
  if ('psbt' in request) {
    const { anchor, psbt } = request
    return digestOf({ payoutId, network, intent, anchor, psbt })
  }
  const { chainId, from, nonce, unsigned } = request
  return digestOf({ payoutId, network, chainId, from, nonce, intent, unsigned })
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalText(value)).digest('base64')
}
