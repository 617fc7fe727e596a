/** Chooses which wallet sends which proposal. Pure: no clock, chain or database. */
import type { EvmFees } from '../../chains/port.ts'
import { limits } from '../../core/limits.ts'
import { max, min } from '../../core/money.ts'
import type { EvmKeyPath } from '../../signing/intent.ts'
import { noQueues, type PaymentQueues, QueueBook } from '../engine/controls/payment-queues.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { maxCostMinor } from '../engine/outgoing-transaction.ts'
import type { Wait } from '../engine/plan-outcome.ts'
import { type GasRules, gasMax } from './price-gas.ts'

/**
 * A wallet that can send. `freeMinor` is its balance of each asset, less the amounts that its outgoing
 * transactions in progress spend.
 */
export interface Wallet {
  readonly keyPath: EvmKeyPath
  readonly address: string
  /** The number of the wallet's transactions that are not yet in a block. */
  readonly inFlight: number
  /** The highest nonce ever assigned to the wallet, plus one. */
  readonly nonceEnd: number
  readonly freeMinor: ReadonlyMap<string, bigint>
  /**
   * The amounts, by asset, that other hot wallets have sent to this wallet and that have not arrived yet.
   * Undefined means that there are none.
   */
  readonly comingMinor?: ReadonlyMap<string, bigint>
}

export interface WalletPlanContext {
  /** The network's coin as the ledger names it. */
  readonly coin: string
  readonly wallets: readonly Wallet[]
  readonly price: Omit<EvmFees, 'gasLimit'>
  readonly inFlightMax: number
  /** The queues of payments that waited in earlier rounds; undefined means that none waited. */
  readonly queues?: PaymentQueues
  readonly gasRules?: GasRules | undefined
  /**
   * The data fee to set aside for each proposal, by its id. Absent on networks that charge for gas alone.
   */
  readonly dataFeesMinor?: ReadonlyMap<string, bigint> | undefined
  /**
   * The maximum cost of one transaction in the signer's policy. At most this amount is reserved for the gas
   * of a transaction. The data fee is reserved in addition.
   */
  readonly feeMaxMinor?: bigint | undefined
}

export interface WalletChoice {
  readonly proposal: Proposal
  readonly wallet: Wallet
  /** The data fee that the wallet can pay in addition to the gas; undefined if the network charges none. */
  readonly dataFeeMinor: bigint | undefined
}

/** A transfer of an asset between hot wallets that is needed before a proposal can be sent. */
export interface Rebalance {
  readonly asset: string
  readonly contract: string | null
  readonly from: Wallet
  readonly to: Wallet
  readonly amountMinor: bigint
}

export interface WalletChoices {
  readonly chosen: readonly WalletChoice[]
  readonly waits: readonly Wait[]
  readonly rebalances: readonly Rebalance[]
  /** The queues of payments that wait after this round. */
  readonly queues: PaymentQueues
}

/**
 * Chooses a wallet for each proposal, in the order of the proposals. A hot wallet must hold the amount and
 * the maximum cost of the gas. If several hot wallets do, the one with the fewest open transactions is
 * chosen.
 *
 * If a withdrawal waits for an asset, later withdrawals of the asset may be sent before it, unless the
 * waiting withdrawal has reserved the asset (`outgoing/engine/controls/payment-queues.ts`). The money that a
 * rebalance is to move for the waiting withdrawal is kept in any case. A rebalance takes several rounds, and
 * without this rule the money could be spent before the rebalance is complete.
 *
 * All other proposals that spend the asset wait until no withdrawal waits for it. Proposals that need the
 * asset only for gas do not wait, because they may bring the asset to a hot wallet.
 */
export function chooseWallets(context: WalletPlanContext, proposals: readonly Proposal[]): WalletChoices {
  const { coin } = context
  const book = new QueueBook(context.queues ?? noQueues, limits.reservedRounds)
  const state = new Map(context.wallets.map((wallet) => [wallet.address, { wallet, ...draftOf(wallet) }]))
  const chosen: WalletChoice[] = []
  const waits = new Map<string, Wait>()
  const rebalances: Rebalance[] = []
  for (const proposal of proposals) {
    const asset = proposal.spends?.asset ?? coin
    const cause = `funds:${asset}`
    const isBehind = waits.has(cause) && proposal.from === undefined
    if (isBehind && proposal.spends !== undefined && !mayPass(proposal, book)) continue
    const needs = needsOf(context, proposal)
    const able = [...state.values()].filter(({ wallet }) => isEligible(wallet, proposal))
    const open = able.filter(({ inFlight }) => inFlight < context.inFlightMax)
    if (able.length > 0 && open.length === 0) {
      waits.set('hot-wallets-full', {
        cause: 'hot-wallets-full',
        detail: 'every hot wallet has its maximum number of open transactions',
      })
      if (proposal.from === undefined) break
      continue
    }
    const [best] = open
      .filter((draft) => [...needs].every(([of, minor]) => usableMinor(draft, of, proposal) >= minor))
      .toSorted((a, b) => a.inFlight - b.inFlight)
    if (best !== undefined) {
      for (const [of, minor] of needs) best.free.set(of, (best.free.get(of) ?? 0n) - minor)
      best.inFlight += 1
      const dataFeeMinor = context.dataFeesMinor?.get(proposal.id)
      chosen.push({ proposal, wallet: best.wallet, dataFeeMinor })
      continue
    }
    const possible = proposal.from === undefined ? rebalanceFor(proposal, needs, coin, open) : []
    if (isPayment(proposal)) {
      book.wait(asset, proposal.id, possible.length > 0)
      const full = able.filter((draft) => !open.includes(draft))
      keepFor(proposal, needs, coin, { open, full })
    }
    if (isBehind && !isPayment(proposal)) continue
    rebalances.push(...possible)
    if (!isBehind) waits.set(cause, { cause, detail: shortfallOf(needs, open) })
  }
  return { chosen, waits: [...waits.values()], rebalances, queues: book.close() }
}

function isPayment({ intent, spends }: Proposal): boolean {
  return intent.kind === 'withdrawal' && spends !== undefined
}

function mayPass(proposal: Proposal, book: QueueBook): boolean {
  return isPayment(proposal) && !book.isReserved(proposal.spends?.asset ?? '')
}

interface Draft {
  readonly free: Map<string, bigint>
  /**
   * The amounts, by asset, that are reserved for waiting payments. Such a payment waits until rebalances have
   * brought enough money into one hot wallet.
   */
  readonly kept: Map<string, bigint>
  readonly coming: ReadonlyMap<string, bigint>
  inFlight: number
}

function draftOf({ freeMinor, comingMinor, inFlight }: Wallet): Draft {
  return { free: new Map(freeMinor), kept: new Map(), coming: comingMinor ?? new Map(), inFlight }
}

/**
 * Returns how much of an asset (`of`) a proposal may use in a wallet. If the proposal spends this asset, the
 * reserved amount is subtracted. If it spends another asset, reserved coin may still pay for its gas.
 */
function usableMinor({ free, kept }: Draft, of: string, { spends }: Proposal): bigint {
  return (free.get(of) ?? 0n) - (of === spends?.asset ? (kept.get(of) ?? 0n) : 0n)
}

/**
 * Returns the amount of an asset that a proposal may use in a wallet, including amounts that are on their way
 * to the wallet.
 */
function expectedMinor(draft: Draft, of: string, proposal: Proposal): bigint {
  return max(0n, usableMinor(draft, of, proposal) + (draft.coming.get(of) ?? 0n))
}

/**
 * Reserves money for a payment that no hot wallet can make alone, but that all of them can make together.
 * Later payments then cannot take this money. The money of the hot wallet that receives the rebalance
 * (`rebalanceFor`) is reserved first, then the money that is to be moved there. If all hot wallets together
 * hold too little, nothing is reserved, because the payment could not be made anyway.
 * @param open the hot wallets that can send now
 * @param full the hot wallets that have their maximum number of open transactions; their money is moved later
 */
function keepFor(
  proposal: Proposal,
  needs: ReadonlyMap<string, bigint>,
  coin: string,
  { open, full }: { readonly open: readonly Draft[]; readonly full: readonly Draft[] },
): void {
  const { spends } = proposal
  if (spends === undefined || proposal.from !== undefined) return
  const { asset } = spends
  const gasMinor = (needs.get(coin) ?? 0n) - (asset === coin ? spends.amountMinor : 0n)
  const expected = (draft: Draft) => expectedMinor(draft, asset, proposal)
  const usable = (draft: Draft) => usableMinor(draft, asset, proposal)
  const [to, ...others] = open.toSorted((a, b) => compare(expected(b), expected(a)))
  const canPay = ({ free }: Draft) => (free.get(coin) ?? 0n) >= gasMinor
  const givers = [...others.toSorted((a, b) => compare(usable(b), usable(a))), ...full].filter(canPay)
  const kept = new Map<Draft, bigint>()
  let lackMinor = needs.get(asset) ?? 0n
  for (const draft of to === undefined ? givers : [to, ...givers]) {
    const ownGasMinor = draft !== to && asset === coin ? gasMinor : 0n
    const minor = min(lackMinor, max(0n, expected(draft) - ownGasMinor))
    kept.set(draft, minor)
    lackMinor -= minor
  }
  if (lackMinor > 0n) return
  for (const [draft, minor] of kept) draft.kept.set(asset, (draft.kept.get(asset) ?? 0n) + minor)
}

function isEligible({ keyPath }: Wallet, { from, intent }: Proposal): boolean {
  if (from !== undefined) return sameKeyPath(keyPath, from)
  if (keyPath.type !== 'hotWallet') return false
  return intent.kind !== 'rebalance' || intent.hotWallet !== keyPath.hotWallet
}

export function sameKeyPath(a: EvmKeyPath, b: EvmKeyPath): boolean {
  if (a.type === 'hotWallet') return b.type === 'hotWallet' && a.hotWallet === b.hotWallet
  return b.type === 'deposit' && a.branch === b.branch && a.index === b.index
}

/**
 * Returns what a wallet must hold of each asset: the amount to send, and coin for the maximum gas and the data
 * fee.
 */
function needsOf(
  { coin, price, feeMaxMinor, gasRules, dataFeesMinor }: WalletPlanContext,
  proposal: Proposal,
): ReadonlyMap<string, bigint> {
  const gasMinor = maxCostMinor({ ...price, gasLimit: gasMax(proposal, gasRules) })
  const dataFeeMinor = dataFeesMinor?.get(proposal.id) ?? 0n
  const costMinor = (feeMaxMinor === undefined ? gasMinor : min(gasMinor, feeMaxMinor)) + dataFeeMinor
  const needs = new Map([[coin, costMinor]])
  const { spends } = proposal
  if (spends !== undefined) needs.set(spends.asset, (needs.get(spends.asset) ?? 0n) + spends.amountMinor)
  return needs
}

function shortfallOf(needs: ReadonlyMap<string, bigint>, drafts: readonly Draft[]): string {
  const words = [...needs].map(([asset, minor]) => {
    const most = drafts.reduce((best, { free }) => max(best, free.get(asset) ?? 0n), 0n)
    return `${minor} of ${asset}, the largest available balance of a hot wallet is ${most}`
  })
  return `required: ${words.join(' and ')}`
}

/**
 * Returns a rebalance if no hot wallet holds enough for a proposal, but all of them together do. The
 * rebalance moves the asset from the wallet that can spare the most to the wallet that lacks the least. The
 * sending wallet keeps enough coin for its own gas.
 */
function rebalanceFor(
  proposal: Proposal,
  needs: ReadonlyMap<string, bigint>,
  coin: string,
  drafts: readonly (Draft & { wallet: Wallet })[],
): readonly Rebalance[] {
  const { spends, intent } = proposal
  const gasMinor = (needs.get(coin) ?? 0n) - (spends?.asset === coin ? spends.amountMinor : 0n)
  const asset = spends?.asset ?? coin
  const lackOf = (of: string, draft: Draft) =>
    max(0n, (needs.get(of) ?? 0n) - expectedMinor(draft, of, proposal))
  const [to] = drafts.toSorted((a, b) => compare(lackOf(asset, a), lackOf(asset, b)))
  if (to === undefined || intent.kind === 'rebalance') return []
  const short = lackOf(asset, to) > 0n ? asset : coin
  const spare = (draft: Draft) => usableMinor(draft, short, proposal) - (short === coin ? gasMinor : 0n)
  const canPay = (draft: Draft) => spare(draft) > 0n && (draft.free.get(coin) ?? 0n) >= gasMinor
  const givers = drafts.filter((draft) => draft !== to && canPay(draft))
  const together = givers.reduce((sum, draft) => sum + spare(draft), 0n)
  const [from] = givers.toSorted((a, b) => compare(spare(b), spare(a)))
  const lackMinor = lackOf(short, to)
  // `lackMinor` is 0 if the missing amount is already on its way to the wallet `to`.
  if (from === undefined || lackMinor === 0n || together < lackMinor) return []
  const amountMinor = min(lackMinor, spare(from))
  const contract = short === spends?.asset ? spends.contract : null
  return [{ asset: short, contract, from: from.wallet, to: to.wallet, amountMinor }]
}

/**
 * Returns the lowest `count` nonces of a wallet that are not assigned. If an assigned nonce became free
 * again, it is used first, so that no gap remains.
 * @param chainNonce the first nonce that is not mined
 * @param taken the assigned nonces from `chainNonce` on
 */
export function nextNonces(chainNonce: number, taken: ReadonlySet<number>, count: number): readonly number[] {
  const nonces: number[] = []
  for (let nonce = chainNonce; nonces.length < count; nonce += 1) {
    if (!taken.has(nonce)) nonces.push(nonce)
  }
  return nonces
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
