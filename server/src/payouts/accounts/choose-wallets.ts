/** Which wallet sends what: decided without a clock, a chain or a database. */
import { limits } from '../../core/limits.ts'
import { max, min } from '../../core/money.ts'
import type { WalletPlace } from '../../intents/intent.ts'
import { LineBook, type Lines, noLines } from '../lines.ts'
import { type Fees, maxCostMinor } from '../payout.ts'
import type { Wait } from '../placing.ts'
import type { Proposal } from '../purpose.ts'
import { gasMax } from './price-gas.ts'

/** A wallet that can send, and what it has left of each asset once everything it sends already is taken off. */
export interface Wallet {
  readonly place: WalletPlace
  readonly address: string
  /** Transactions of it that are in no block yet. */
  readonly inFlight: number
  /** One above the highest place in its order that was ever given. */
  readonly nonceEnd: number
  readonly freeMinor: ReadonlyMap<string, bigint>
}

export interface WalletGround {
  /** The network's own coin, as the ledger calls it. */
  readonly coin: string
  readonly wallets: readonly Wallet[]
  readonly price: Omit<Fees, 'gas'>
  readonly inFlightMax: number
  /** Who waited in the rounds before; nobody where absent. */
  readonly lines?: Lines
  /** The most gas that a withdrawal of the coin may take. */
  readonly nativeGasMax?: bigint | undefined
  /** What one transaction may cost at most, by the signer's policy: nothing is set aside for more. */
  readonly feeMaxMinor?: bigint | undefined
}

export interface WalletChoice {
  readonly proposal: Proposal
  readonly wallet: Wallet
}

/** Moving an asset between lanes would let a proposal go. */
export interface Shift {
  readonly asset: string
  readonly contract: string | null
  readonly from: Wallet
  readonly to: Wallet
  readonly amountMinor: bigint
}

export interface WalletChoices {
  readonly chosen: readonly WalletChoice[]
  readonly waits: readonly Wait[]
  readonly shifts: readonly Shift[]
  /** With what this round found. */
  readonly lines: Lines
}

/**
 * Chooses a wallet for each proposal, in their order: the lane with the fewest transactions under way that holds what is
 * to be spent and the most that its gas can cost. A withdrawal passes one that waits for the same asset, unless that one
 * reserves it for a while (`payouts/lines.ts`). All else that spends the asset stays behind whoever waits for it, but not what
 * only takes gas: that may be what brings the asset in.
 */
export function chooseWallets(ground: WalletGround, proposals: readonly Proposal[]): WalletChoices {
  const { coin } = ground
  const book = new LineBook(ground.lines ?? noLines, limits.reservedRounds)
  const state = new Map(ground.wallets.map((wallet) => [wallet.address, { wallet, ...draftOf(wallet) }]))
  const chosen: WalletChoice[] = []
  const waits = new Map<string, Wait>()
  const shifts: Shift[] = []
  for (const proposal of proposals) {
    const asset = proposal.spends?.asset ?? coin
    const cause = `funds:${asset}`
    const isBehind = waits.has(cause) && proposal.from === undefined
    if (isBehind && proposal.spends !== undefined && !mayPass(proposal, book)) continue
    const needs = needsOf(ground, proposal)
    const able = [...state.values()].filter(({ wallet }) => isEligible(wallet, proposal))
    const open = able.filter(({ inFlight }) => inFlight < ground.inFlightMax)
    if (able.length > 0 && open.length === 0) {
      waits.set('lanes-full', { cause: 'lanes-full', detail: 'every lane has as much under way as it may' })
      if (proposal.from === undefined) break
      continue
    }
    const [best] = open
      .filter(({ free }) => [...needs].every(([of, minor]) => (free.get(of) ?? 0n) >= minor))
      .toSorted((a, b) => a.inFlight - b.inFlight)
    if (best !== undefined) {
      for (const [of, minor] of needs) best.free.set(of, (best.free.get(of) ?? 0n) - minor)
      best.inFlight += 1
      chosen.push({ proposal, wallet: best.wallet })
      continue
    }
    const possible = proposal.from === undefined ? shiftFor(proposal, needs, coin, open) : []
    if (isPayment(proposal)) book.wait(asset, proposal.id, possible.length > 0)
    if (isBehind && !isPayment(proposal)) continue
    shifts.push(...possible)
    if (!isBehind) waits.set(cause, { cause, detail: shortfallOf(needs, open) })
  }
  return { chosen, waits: [...waits.values()], shifts, lines: book.close() }
}

function isPayment({ intent, spends }: Proposal): boolean {
  return intent.kind === 'withdrawal' && spends !== undefined
}

function mayPass(proposal: Proposal, book: LineBook): boolean {
  return isPayment(proposal) && !book.isReserved(proposal.spends?.asset ?? '')
}

type Draft = { free: Map<string, bigint>; inFlight: number }

function draftOf({ freeMinor, inFlight }: Wallet): Draft {
  return { free: new Map(freeMinor), inFlight }
}

function isEligible({ place }: Wallet, { from, intent }: Proposal): boolean {
  if (from !== undefined) return samePlace(place, from)
  if (place.type !== 'lane') return false
  return intent.kind !== 'rebalance' || intent.lane !== place.lane
}

export function samePlace(a: WalletPlace, b: WalletPlace): boolean {
  if (a.type === 'lane') return b.type === 'lane' && a.lane === b.lane
  return a.type === b.type && a.branch === b.branch && a.index === b.index
}

/** What a wallet must have of each asset: what is moved, and coin for the most gas that may be taken. */
function needsOf(
  { coin, price, feeMaxMinor, nativeGasMax }: WalletGround,
  proposal: Proposal,
): ReadonlyMap<string, bigint> {
  const costMinor = maxCostMinor({ ...price, gas: gasMax(proposal, nativeGasMax) })
  const needs = new Map([[coin, feeMaxMinor === undefined ? costMinor : min(costMinor, feeMaxMinor)]])
  const { spends } = proposal
  if (spends !== undefined) needs.set(spends.asset, (needs.get(spends.asset) ?? 0n) + spends.amountMinor)
  return needs
}

function shortfallOf(needs: ReadonlyMap<string, bigint>, drafts: readonly Draft[]): string {
  const words = [...needs].map(([asset, minor]) => {
    const most = drafts.reduce((best, { free }) => max(best, free.get(asset) ?? 0n), 0n)
    return `${minor} of ${asset}, of which the fullest wallet has ${most}`
  })
  return `needed are ${words.join(' and ')}`
}

/**
 * Where the lanes together hold what none holds alone: from the one that has most to the one that lacks least. Of the
 * coin a lane keeps what its own gas may cost.
 */
function shiftFor(
  { spends, intent }: Proposal,
  needs: ReadonlyMap<string, bigint>,
  coin: string,
  drafts: readonly (Draft & { wallet: Wallet })[],
): readonly Shift[] {
  const gasMinor = (needs.get(coin) ?? 0n) - (spends?.asset === coin ? spends.amountMinor : 0n)
  const asset = spends?.asset ?? coin
  const lackOf = (of: string, { free }: Draft) => max(0n, (needs.get(of) ?? 0n) - (free.get(of) ?? 0n))
  const [to] = drafts.toSorted((a, b) => compare(lackOf(asset, a), lackOf(asset, b)))
  if (to === undefined || intent.kind === 'rebalance') return []
  const short = lackOf(asset, to) > 0n ? asset : coin
  const spare = ({ free }: Draft) => (free.get(short) ?? 0n) - (short === coin ? gasMinor : 0n)
  const canPay = (draft: Draft) => spare(draft) > 0n && (draft.free.get(coin) ?? 0n) >= gasMinor
  const givers = drafts.filter((draft) => draft !== to && canPay(draft))
  const together = givers.reduce((sum, draft) => sum + spare(draft), 0n)
  const [from] = givers.toSorted((a, b) => compare(spare(b), spare(a)))
  if (from === undefined || together < lackOf(short, to)) return []
  const amountMinor = min(lackOf(short, to), spare(from))
  const contract = short === spends?.asset ? spends.contract : null
  return [{ asset: short, contract, from: from.wallet, to: to.wallet, amountMinor }]
}

/**
 * The places in a wallet's order that are taken next: those that were given back first, so that the order has no gap.
 * @param taken those in use from `chainNonce` on, the first that the chain has not mined
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
