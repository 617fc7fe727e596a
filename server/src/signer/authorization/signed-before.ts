import { createHash } from 'node:crypto'
import type { Signed, SignRequest } from '../../signing/signer-port.ts'
import type { AuthorizedRequest } from './authorize.ts'
import { canonicalText } from './canonical-text.ts'
import { Refusal } from './refusal.ts'

interface Known {
  readonly network: string
  /** The nonce or the pinned outpoint that all attempts of the outgoing transaction use. */
  readonly input: string
  readonly intentDigest: string
  /** Sequences of the attempts in the log, by the digest of their requests. */
  readonly attempts: Map<string, number>
}

type Takes = AuthorizedRequest['takes']

/**
 * Index of the signatures in the signer's log. It contains all facts about earlier requests against which new
 * requests are checked.
 */
export class SignedBefore {
  readonly #outgoingTransactions = new Map<string, Known>()
  /** Ids of outgoing transactions by withdrawal. `#inputs` has the ids by nonce or UTXO. */
  readonly #withdrawals = new Map<string, string>()
  readonly #inputs = new Map<string, string>()

  add(entry: SignRequest & Pick<Signed, 'sequence'>, takes: Takes): void {
    const { outgoingTransactionId, network, intent } = entry
    const known = this.#outgoingTransactions.get(outgoingTransactionId) ?? {
      network,
      input: takes[0],
      intentDigest: digestOf(intent),
      attempts: new Map(),
    }
    known.attempts.set(requestDigest(entry), entry.sequence)
    this.#outgoingTransactions.set(outgoingTransactionId, known)
    for (const input of takes) this.#inputs.set(`${network} ${input}`, outgoingTransactionId)
    for (const withdrawalId of withdrawalsOf(entry))
      this.#withdrawals.set(withdrawalId, outgoingTransactionId)
  }

  /** Decides whether any attempt of an outgoing transaction was signed. */
  has(outgoingTransactionId: string): boolean {
    return this.#outgoingTransactions.has(outgoingTransactionId)
  }

  /** Returns the sequence of an identical request in the log; undefined if none was signed. */
  sequenceOf(request: SignRequest): number | undefined {
    return this.#outgoingTransactions.get(request.outgoingTransactionId)?.attempts.get(requestDigest(request))
  }

  /**
   * Checks that a request conflicts with every earlier attempt of its outgoing transaction, and with no other
   * outgoing transaction. A reclaim, which returns outputs of an earlier outgoing transaction to us, may also
   * conflict with that transaction.
   * @throws Refusal if the request does not meet these conditions.
   */
  requireConflict(request: SignRequest, takes: Takes): void {
    const { outgoingTransactionId, network, intent } = request
    const known = this.#outgoingTransactions.get(outgoingTransactionId)
    const isSame = known?.network === network && known.input === takes[0]
    if (known !== undefined && !(isSame && known.intentDigest === digestOf(intent))) {
      throw new Refusal(
        'already-signed',
        `Transaction ${outgoingTransactionId} was signed with ${known.input}, or for another intent`,
      )
    }
    const former = intent.kind === 'reclaim' ? intent.outgoingTransactionId : undefined
    for (const input of takes) {
      const holder = this.#inputs.get(`${network} ${input}`)
      // If the log has lost the entry of the outgoing transaction `former`, it is unknown who holds its
      // UTXOs. They may then be reclaimed, just as any UTXOs of ours may be consolidated.
      if (former !== undefined && holder === undefined && !this.#outgoingTransactions.has(former)) continue
      if (former !== undefined && holder !== former && holder !== outgoingTransactionId)
        throw new Refusal('not-as-intended', `The ${input} was not signed for transaction ${former}`)
      if (holder !== undefined && holder !== outgoingTransactionId && holder !== former)
        throw new Refusal('already-signed', `The ${input} belongs to transaction ${holder}`)
    }
    for (const withdrawalId of withdrawalsOf(request)) {
      const earlier = this.#withdrawals.get(withdrawalId)
      if (earlier !== undefined && earlier !== outgoingTransactionId) {
        throw new Refusal('already-signed', `Withdrawal ${withdrawalId} was signed in transaction ${earlier}`)
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
  const { outgoingTransactionId, network, intent } = request
  if ('psbt' in request) {
    const { pinnedOutpoint, psbt } = request
    return digestOf({ outgoingTransactionId, network, intent, pinnedOutpoint, psbt })
  }
  const { chainId, from, nonce, unsigned } = request
  return digestOf({ outgoingTransactionId, network, chainId, from, nonce, intent, unsigned })
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalText(value)).digest('base64')
}
