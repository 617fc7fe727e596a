import { groupBy } from '../../core/group-by.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import type { Fees } from '../engine/payout.ts'
import type { RefusedProposal, Wait } from '../engine/placing.ts'
import type { CostedProposal, CostVerdict } from '../engine/purpose.ts'
import type { AccountParts } from './account-parts.ts'
import type { WalletChoice } from './choose-wallets.ts'
import { isNativePayment } from './price-gas.ts'

export interface Priced extends WalletChoice {
  readonly fees: Fees
  /** The most per unit of gas that it may ever offer; undefined: the ceiling of all. */
  readonly feeLimitMinor: bigint | undefined
}

export interface Estimated {
  readonly priced: readonly Priced[]
  readonly refused: readonly RefusedProposal[]
}

export interface WeighedCosts extends Estimated {
  /** What keeps some from being planned now. */
  readonly kept: readonly Wait[]
}

/**
 * Has each purpose say what becomes of its proposals at what they may cost, now that a node has estimated it.
 * @throws NodeError
 */
export async function weighCosts(
  parts: AccountParts,
  memory: MachineMemory,
  { priced, refused }: Estimated,
  signal: AbortSignal,
): Promise<WeighedCosts> {
  const costed = await Promise.all(priced.map((one) => withCode(parts, one, signal)))
  const verdicts = new Map<string, CostVerdict>()
  for (const { kinds, weighCosts: weigh } of parts.purposes) {
    const own = costed.filter(({ proposal }) => kinds.includes(proposal.intent.kind))
    if (weigh === undefined || own.length === 0) continue
    for (const [id, verdict] of await weigh(memory.lease, parts.network.name, own)) verdicts.set(id, verdict)
  }
  return apply(priced, refused, verdicts)
}

/** Only a payment of the coin runs its recipient's code. What is put there later meets a gas limit made without it. */
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
    else if (verdict.type === 'accept') accepted.push({ ...one, feeLimitMinor: verdict.feeLimitMinor })
    else if (verdict.type === 'wait') waiting.push({ cause: verdict.cause, detail: verdict.detail })
    else rejected.push({ proposal: one.proposal, reason: verdict.reason, isOwnRule: true })
  }
  const kept = [...groupBy(waiting, ({ cause }) => cause).values()].flatMap((same) => same.slice(0, 1))
  return { priced: accepted, refused: [...refused, ...rejected], kept }
}
