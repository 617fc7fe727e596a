import { addressFamilyOf } from '../../../chains/networks.ts'
import type { BlockFacts, ChainReader, Transfer } from '../../../chains/port.ts'
import { settled } from '../../../core/concurrency/read-ahead.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Verdicts } from '../../screening/screen.ts'
import type { Verdict } from '../../screening/verdict.ts'
import { externalTransfers, isOwn } from './external-transfers.ts'
import { markImplausible } from './mark-implausible.ts'
import type { OwnTransfer } from './own-transfer-store.ts'
import type { BlockDeposits, DepositTransfer } from './value-deposits.ts'
import { findWatched, type WatchedAddress } from './watched-store.ts'

/** The deposits of a block, and the block's transfers to us that cannot be booked. */
export interface Matched extends BlockDeposits {
  /**
   * Transfers to our addresses in assets that no payment method lists, such as look-alike tokens and air
   * drops.
   */
  readonly unlisted: readonly Transfer[]
  /** Transfers of coin from our addresses to deposit addresses, on chains with accounts. */
  readonly own?: readonly OwnTransfer[]
  /** How the calls of the block were read; absent where there is nothing to report. */
  readonly tracedBy?: BlockFacts['tracedBy']
}

/**
 * Finds the deposits of some blocks. One indexed query looks up the senders and recipients of all transfers.
 * The receipts of payments to us are then read as a second, independent check. If a receipt does not match,
 * the blocks before that block are yielded, and then the error is thrown. The caller later reads the failed
 * block again, so that no block is skipped.
 * @throws NodeError if a receipt does not match
 */
export async function* matchBlocks(
  on: Queryable,
  chain: ChainReader,
  methods: PaymentMethods,
  blocks: readonly BlockFacts[],
  signal: AbortSignal,
  screenSenders: ScreenSenders = screenNone,
): AsyncGenerator<Matched> {
  const touched = new Set(blocks.flatMap(({ transfers }) => transfers.flatMap(sidesOf)))
  const { network } = chain
  const incoming = await findWatched(on, { family: addressFamilyOf(network), network }, [...touched])
  const watched = new Map(incoming.map((found) => [found.address, found]))
  const matches = blocks.map((facts) => settled(matchBlock({ chain, methods, watched }, facts, signal)))
  const paid = blocks.flatMap(({ transfers }) =>
    transfers.filter((transfer) => watched.has(transfer.recipient) && !isOwn(chain, transfer, watched)),
  )
  // All outputs of a transaction share one list of payers, so the set contains each list once. A transaction
  // may have thousands of outputs and thousands of payers.
  const payers = [...new Set(paid.map(payersOf))].flat()
  const verdicts = paid.length === 0 ? undefined : await screenSenders(payers)
  for (const match of matches) {
    const outcome = await match
    if ('error' in outcome) throw outcome.error
    yield screened(outcome.value, verdicts)
  }
}

/** Returns the verdicts by sender; undefined if screening is off. May send requests to a node. */
export type ScreenSenders = (senders: readonly string[]) => Promise<Verdicts | undefined>

const screenNone: ScreenSenders = async () => undefined

/**
 * Returns the payers of a transfer: its sender or senders, and also the transaction's signer if the sender is
 * a contract.
 */
function payersOf({ sender, senders, origin }: Transfer): readonly string[] {
  const payers = senders ?? (sender === undefined ? [] : [sender])
  return origin === undefined ? payers : [...payers, origin]
}

/**
 * Returns the verdict for a transfer. `listed`: a payer is listed. `unknown`: no payer is listed, but a payer
 * did not pass or no sender is known. `passed`: all payers passed.
 */
function verdictOf({ sender, senders }: Transfer, payers: readonly string[], verdicts: Verdicts): Verdict {
  const all = payers.map((payer) => verdicts.get(payer) ?? 'unknown')
  if (all.includes('listed')) return 'listed'
  const hasSender = sender !== undefined || (senders?.length ?? 0) > 0
  return !hasSender || all.includes('unknown') ? 'unknown' : 'passed'
}

function screened(matched: Matched, verdicts: Verdicts | undefined): Matched {
  if (verdicts === undefined) return matched
  const deposits = matched.deposits.map((deposit): DepositTransfer => {
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
  { block, transfers, spent = [], tracedBy }: BlockFacts,
  signal: AbortSignal,
): Promise<Matched> {
  const received = transfers.filter(({ recipient }) => watched.has(recipient))
  const incoming = await externalTransfers(chain, received, watched, signal)
  const own = ownTransfers(received, incoming, watched)
  const read = { block, spent, own, ...(tracedBy && { tracedBy }) }
  if (incoming.length === 0) return { ...read, deposits: [], unlisted: [] }
  await chain.requireSuccess(block, [...new Set(incoming.map(({ txHash }) => txHash))], signal)
  const { deposits, unlisted } = listedOf(chain.network, methods, incoming, watched)
  return { ...read, unlisted, deposits: await markImplausible(chain, block, deposits, signal) }
}

/** Returns those of `received` that our own addresses sent to deposit addresses in coin. */
function ownTransfers(
  received: readonly Transfer[],
  incoming: readonly Transfer[],
  watched: ReadonlyMap<string, WatchedAddress>,
): readonly OwnTransfer[] {
  const others = new Set(incoming)
  return received.flatMap((transfer) => {
    const addressId = watched.get(transfer.recipient)?.addressId
    if (others.has(transfer) || addressId === undefined || transfer.asset.type !== 'coin') return []
    return [{ transferKey: transfer.key, addressId, amountMinor: transfer.amountMinor }]
  })
}

/**
 * Separates the transfers to our addresses into two groups. Deposits are transfers in an asset that a payment
 * method lists. All other transfers are unlisted.
 */
export function listedOf(
  network: string,
  methods: PaymentMethods,
  incoming: readonly Transfer[],
  watched: ReadonlyMap<string, WatchedAddress>,
): Pick<Matched, 'deposits' | 'unlisted'> {
  const deposits: DepositTransfer[] = []
  const unlisted: Transfer[] = []
  for (const transfer of incoming) {
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
