import { groupBy } from '../../core/group-by.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import type { CostedProposal, CostVerdict } from '../engine/outgoing-source.ts'
import type { EvmOutgoingFees } from '../engine/outgoing-transaction.ts'
import type { RefusedProposal, Wait } from '../engine/plan-outcome.ts'
import type { AccountParts } from './account-parts.ts'
import type { WalletChoice } from './choose-wallets.ts'
import { isNativePayment } from './price-gas.ts'

export interface Priced extends WalletChoice {
  readonly fees: EvmOutgoingFees
  /**
   * The highest fee per unit of gas that this transaction may ever offer; undefined means the general
   * maximum.
   */
  readonly maxFeePerGasLimit: bigint | undefined
  /** The amount that the signer counts for the bytes of the transaction; undefined if it counts none. */
  readonly countedDataMinor: bigint | undefined
}

export interface Estimated {
  readonly priced: readonly Priced[]
  readonly refused: readonly RefusedProposal[]
}

export interface WeighedCosts extends Estimated {
  /** Why some proposals may not be planned now. */
  readonly kept: readonly Wait[]
}

/**
 * Asks each outgoing source for a verdict on the estimated costs of its proposals.
 * @throws NodeError if a node does not answer
 */
export async function weighCosts(
  parts: AccountParts,
  memory: EngineMemory,
  { priced, refused }: Estimated,
  signal: AbortSignal,
): Promise<WeighedCosts> {
  const costed = await Promise.all(priced.map((one) => withCode(parts, one, signal)))
  const verdicts = new Map<string, CostVerdict>()
  for (const { kinds, weighCosts: weigh } of parts.outgoingSources) {
    const own = costed.filter(({ proposal }) => kinds.includes(proposal.intent.kind))
    if (weigh === undefined || own.length === 0) continue
    for (const [id, verdict] of await weigh(memory.lease, parts.network.name, own)) verdicts.set(id, verdict)
  }
  return apply(priced, refused, verdicts)
}

/**
 * Adds to a proposal whether its payment runs code. Only a payment of the coin to a contract runs code. A
 * contract that is deployed at the recipient's address after this check is not noticed. Its code can use no
 * more gas than the limit that was estimated for the payment before.
 */
async function withCode(
  { sender }: AccountParts,
  { proposal, fees }: Priced,
  signal: AbortSignal,
): Promise<CostedProposal> {
  const { intent } = proposal
  const recipient =
    intent.kind === 'withdrawal' && isNativePayment(proposal) ? intent.payments[0]?.address : undefined
  const runsCode = recipient !== undefined && (await sender.hasCode(recipient, signal))
  return { proposal, fees, runsCode }
}

function apply(
  priced: readonly Priced[],
  refused: readonly RefusedProposal[],
  verdicts: ReadonlyMap<string, CostVerdict>,
): WeighedCosts {
  const accepted: Priced[] = []
  const rejected: RefusedProposal[] = []
  const waiting: Wait[] = []
  for (const one of priced) {
    const verdict = verdicts.get(one.proposal.id)
    if (verdict === undefined) accepted.push(one)
    else if (verdict.type === 'accept')
      accepted.push({ ...one, maxFeePerGasLimit: verdict.maxFeePerGasLimit })
    else if (verdict.type === 'wait') waiting.push({ cause: verdict.cause, detail: verdict.detail })
    else rejected.push({ proposal: one.proposal, reason: verdict.reason, isOwnRule: true })
  }
  const kept = [...groupBy(waiting, ({ cause }) => cause).values()].flatMap((same) => same.slice(0, 1))
  return { priced: accepted, refused: [...refused, ...rejected], kept }
}
