/** Which wallet sends what: decided without a clock, a chain or a database. */
import { limits } from '../../core/limits.ts'
import { max, min } from '../../core/money.ts'
import type { WalletPlace } from '../../signing/intent.ts'
import { LineBook, type Lines, noLines } from '../engine/controls/lines.ts'
import { type Fees, maxCostMinor } from '../engine/payout.ts'
import type { Wait } from '../engine/placing.ts'
import type { Proposal } from '../engine/purpose.ts'
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
  /** What is on its way to it from other lanes and is not held yet; nothing where absent. */
  readonly comingMinor?: ReadonlyMap<string, bigint>
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
 * reserves it for a while (`outgoing/engine/controls/lines.ts`). It never takes what one before it waits for to be moved between lanes: that
 * one needs several rounds, and would find less each time. All else that spends the asset stays behind whoever waits for it, but not what
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
      .filter((draft) => [...needs].every(([of, minor]) => usableMinor(draft, of, proposal) >= minor))
      .toSorted((a, b) => a.inFlight - b.inFlight)
    if (best !== undefined) {
      for (const [of, minor] of needs) best.free.set(of, (best.free.get(of) ?? 0n) - minor)
      best.inFlight += 1
      chosen.push({ proposal, wallet: best.wallet })
      continue
    }
    const possible = proposal.from === undefined ? shiftFor(proposal, needs, coin, open) : []
    if (isPayment(proposal)) {
      book.wait(asset, proposal.id, possible.length > 0)
      const full = able.filter((draft) => !open.includes(draft))
      keepFor(proposal, needs, coin, { open, full })
    }
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

interface Draft {
  readonly free: Map<string, bigint>
  /** What of it is kept for payments that wait for the rest of their money to be moved. */
  readonly kept: Map<string, bigint>
  readonly coming: ReadonlyMap<string, bigint>
  inFlight: number
}

function draftOf({ freeMinor, comingMinor, inFlight }: Wallet): Draft {
  return { free: new Map(freeMinor), kept: new Map(), coming: comingMinor ?? new Map(), inFlight }
}

/** What a proposal may use there of an asset. What is kept stops nobody who needs the coin for gas alone. */
function usableMinor({ free, kept }: Draft, of: string, { spends }: Proposal): bigint {
  return (free.get(of) ?? 0n) - (of === spends?.asset ? (kept.get(of) ?? 0n) : 0n)
}

/** The same, with what is on its way there and is kept for nobody. */
function expectedMinor(draft: Draft, of: string, proposal: Proposal): bigint {
  return max(0n, usableMinor(draft, of, proposal) + (draft.coming.get(of) ?? 0n))
}

/**
 * Reserves money for a payment that several lanes can cover together, but none alone, so that later payments do not take it:
 * first the money in the lane to which `shiftFor` moves the rest, then the money that is moved. Where all lanes together hold
 * too little, nothing is reserved, since it would only lie idle.
 * @param lanes apart by whether they can send more just now; what lies in full ones is moved once they are not
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
  proposal: Proposal,
  needs: ReadonlyMap<string, bigint>,
  coin: string,
  drafts: readonly (Draft & { wallet: Wallet })[],
): readonly Shift[] {
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
  // Where nothing lacks, the rest is on its way there.
  if (from === undefined || lackMinor === 0n || together < lackMinor) return []
  const amountMinor = min(lackMinor, spare(from))
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
