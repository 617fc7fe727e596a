import { addressFamilyOf } from '../../../chains/networks.ts'
import type { BlockFacts, ChainReader, Transfer } from '../../../chains/port.ts'
import { settled } from '../../../core/concurrency/read-ahead.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Verdicts } from '../../screening/screen.ts'
import type { Verdict } from '../../screening/verdict.ts'
import { fromOthers, isOwn } from './from-others.ts'
import { markImplausible } from './mark-implausible.ts'
import type { BlockDeposits, Deposit } from './value-deposits.ts'
import { findWatched, type WatchedAddress } from './watched-store.ts'

/** What a block means to us, and what of it we could not take. */
export interface Matched extends BlockDeposits {
  /** Transfers to addresses of ours in assets that no payment method lists: look-alikes, air drops. */
  readonly unlisted: readonly Transfer[]
}

/**
 * Finds the deposits of some blocks: one indexed look-up of all addresses on either side of what they moved, then the receipts of what
 * matched, as a second look by another path before anything is booked. Nothing is dropped: where the second look does
 * not agree, the blocks before come first, then its error is thrown, and that block is read anew.
 * @throws NodeError when it does not agree
 */
export async function* matchBlocks(
  on: Queryable,
  chain: ChainReader,
  methods: PaymentMethods,
  blocks: readonly BlockFacts[],
  signal: AbortSignal,
  screenSenders: ScreenSenders = nobodyScreened,
): AsyncGenerator<Matched> {
  const touched = new Set(blocks.flatMap(({ transfers }) => transfers.flatMap(sidesOf)))
  const { network } = chain
  const ours = await findWatched(on, { family: addressFamilyOf(network), network }, [...touched])
  const watched = new Map(ours.map((found) => [found.address, found]))
  const looks = blocks.map((facts) => settled(matchBlock({ chain, methods, watched }, facts, signal)))
  const paid = blocks.flatMap(({ transfers }) =>
    transfers.filter((transfer) => watched.has(transfer.recipient) && !isOwn(chain, transfer, watched)),
  )
  // All outputs of a transaction share one list of its payers, which may be thousands to thousands of outputs.
  const payers = [...new Set(paid.map(payersOf))].flat()
  const verdicts = paid.length === 0 ? undefined : await screenSenders(payers)
  for (const look of looks) {
    const outcome = await look
    if ('error' in outcome) throw outcome.error
    yield screened(outcome.value, verdicts)
  }
}

/** Says of senders whether their money may be taken; undefined where nobody is screened. It may ask a node. */
export type ScreenSenders = (senders: readonly string[]) => Promise<Verdicts | undefined>

const nobodyScreened: ScreenSenders = async () => undefined

/** Who paid: the sender, or all of them, and whoever signed the transaction where a contract is the sender. */
function payersOf({ sender, senders, origin }: Transfer): readonly string[] {
  const payers = senders ?? (sender === undefined ? [] : [sender])
  return origin === undefined ? payers : [...payers, origin]
}

/** One listed payer is enough; where not all of them passed, or nobody can tell who they are, it is not known. */
function verdictOf({ sender, senders }: Transfer, payers: readonly string[], verdicts: Verdicts): Verdict {
  const all = payers.map((payer) => verdicts.get(payer) ?? 'unknown')
  if (all.includes('listed')) return 'listed'
  const isToldWho = sender !== undefined || (senders?.length ?? 0) > 0
  return !isToldWho || all.includes('unknown') ? 'unknown' : 'passed'
}

function screened(matched: Matched, verdicts: Verdicts | undefined): Matched {
  if (verdicts === undefined) return matched
  const deposits = matched.deposits.map((deposit): Deposit => {
    const payers = payersOf(deposit.transfer)
    const verdict = deposit.verdict ?? verdictOf(deposit.transfer, payers, verdicts)
    return { ...deposit, verdict, listedAddress: payers.find((payer) => verdicts.get(payer) === 'listed') }
  })
  return { ...matched, deposits }
}

interface Matching {
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly watched: ReadonlyMap<string, WatchedAddress>
}

async function matchBlock(
  { chain, methods, watched }: Matching,
  { block, transfers, spent = [] }: BlockFacts,
  signal: AbortSignal,
): Promise<Matched> {
  const received = transfers.filter(({ recipient }) => watched.has(recipient))
  const ours = await fromOthers(chain, received, watched, signal)
  if (ours.length === 0) return { block, spent, deposits: [], unlisted: [] }
  await chain.requireSuccess(block, [...new Set(ours.map(({ txHash }) => txHash))], signal)
  const { deposits, unlisted } = listedOf(chain.network, methods, ours, watched)
  return { block, spent, unlisted, deposits: await markImplausible(chain, block, deposits, signal) }
}

/** What of some transfers to our addresses is in a listed asset, and what is not. */
export function listedOf(
  network: string,
  methods: PaymentMethods,
  ours: readonly Transfer[],
  watched: ReadonlyMap<string, WatchedAddress>,
): Pick<Matched, 'deposits' | 'unlisted'> {
  const deposits: Deposit[] = []
  const unlisted: Transfer[] = []
  for (const transfer of ours) {
    const contract = transfer.asset.type === 'token' ? transfer.asset.contract : undefined
    const method = methods.byTransferred(network, contract)
    const address = watched.get(transfer.recipient)
    if (method === undefined || address === undefined) unlisted.push(transfer)
    else deposits.push({ transfer, method, watched: address })
  }
  return { deposits, unlisted }
}

function sidesOf({ sender, recipient }: Transfer): readonly string[] {
  return sender === undefined ? [recipient] : [sender, recipient]
}
