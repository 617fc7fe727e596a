/**
 * Compares the coin of addresses on an EVM chain with the books, at a final block, and books what they hold beyond
 * the books. Nodes report no transfer for coin that a contract sends in a block without call traces, for withdrawals
 * of validators, and for block rewards. If anything is uncertain, nothing is booked, and the address is compared
 * again.
 */
import { addressFamilyOf } from '../../chains/networks.ts'
import { asBadAnswer, isBadAnswer, NodeError } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { chunksOf } from '../../core/chunks.ts'
import { groupBy } from '../../core/group-by.ts'
import { askCheck, readAsked, saveChecked } from '../../outgoing/sweeps/coin-check-store.ts'
import { assertLease, type Lease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readFence } from '../lost-history/fence-store.ts'
import { type ComparedBlock, readComparedBlock } from '../missed/comparison.ts'
import { isCoinLate } from '../missed/late-coin-store.ts'
import { type BalancePassParts, bookFound, coinOf, type PassLocks } from './book-found.ts'
import { readCoinBooks, readSweptSurpluses } from './coin-books-store.ts'
import type { FoundAmount } from './excess.ts'
import {
  type FoundAddress,
  type PassAddress,
  type PassProgress,
  readFindings,
  readNext,
  readOpen,
  readProgress,
  saveProgress,
} from './pass-store.ts'
import { type WeighedAddress, type WeighParts, weighAddress } from './weigh-address.ts'

/** Maximum numbers of addresses in a pass, by the reason for which they are compared. */
const most = { asked: 500, open: 500, rotation: 600, findings: 50 }
/** Maximum number of balances in one question. */
const balancesAtOnce = 500

/** What a pass booked at one address. */
export interface FoundCoin {
  readonly address: string
  readonly found: readonly FoundAmount[]
}

/**
 * Runs one pass.
 * @returns what was booked. Empty if nothing is final yet, nothing is to be compared, or the nodes follow another
 * fork than the books.
 */
export async function passOnce(
  parts: BalancePassParts,
  lease: Lease,
  signal: AbortSignal,
): Promise<readonly FoundCoin[]> {
  const { db, chain } = parts
  const fence = await readFence(db, addressFamilyOf(chain.network))
  const at = await readComparedBlock(parts)
  const method = coinOf(parts)
  if (fence === undefined || at === undefined || method === undefined) return []
  const chosen = await chooseAddresses(parts, { asset: method.asset, height: at.height }, signal)
  if (chosen === undefined) return []
  const coin = { network: chain.network, asset: method.asset }
  const weighing = { db, chain, coin, firstHeight: at.firstHeight }
  const weighed = await readAll(weighing, chosen.addresses, at, signal).catch((error: unknown) => {
    if (isBadAnswer(error))
      parts.log.warn(
        { network: chain.network, height: at.height, err: error },
        'the nodes have no state of the final block, so coin is not found by balance: use nodes that keep the state of more blocks, or nodes with call traces',
      )
    throw error
  })
  if (weighed === undefined) return []
  const booked: FoundCoin[] = []
  const open: number[] = []
  for (const address of weighed) {
    const outcome = await settle(parts, weighing, { lease, fence }, { address, at }, signal)
    if (outcome === 'again') open.push(address.own.id)
    else if (outcome.length > 0) booked.push({ address: address.own.address, found: outcome })
  }
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    // This also moves the open addresses to the end of the queue, so that they do not block other addresses.
    await askCheck(tx, chain.network, open, at.height)
    const done = chosen.addresses.filter(({ id }) => !open.includes(id))
    await saveChecked(
      tx,
      chain.network,
      done.map(({ id }) => id),
      at.height,
    )
    await saveProgress(tx, chain.network, chosen.progress)
  })
  return booked
}

interface Chosen {
  readonly addresses: readonly PassAddress[]
  /** The progress after the pass. */
  readonly progress: PassProgress
}

/**
 * Returns the addresses to compare: those of requests, and, while blocks are read without call traces, those of
 * open invoices and the next of all addresses. On a chain with traces, the search for missed
 * payments compares all addresses, and what it found without an explanation is compared here. Returns undefined
 * if there is nothing to compare.
 */
async function chooseAddresses(
  parts: BalancePassParts,
  { asset, height }: { readonly asset: string; readonly height: number },
  signal: AbortSignal,
): Promise<Chosen | undefined> {
  const { db, chain } = parts
  const { network } = chain
  const progress = await readProgress(db, network)
  const asked = await readAsked(db, network, height, most.asked)
  if (!(await isCoinLate(db, chain))) {
    const findings = await readFindings(db, { network, asset, height }, most.findings)
    const found = await unexplainedOf(parts, findings, signal)
    const addresses = different([...asked, ...found])
    return addresses.length === 0 ? undefined : { addresses, progress: { ...progress, height } }
  }
  if (height <= progress.height) {
    return asked.length === 0 ? undefined : { addresses: different(asked), progress }
  }
  const open = await readOpen(db, network, most.open)
  const next = await readNext(db, network, progress.addressId, most.rotation)
  const rotationHeight = progress.addressId === 0 ? height : progress.rotationHeight
  const isLast = next.length < most.rotation
  return {
    addresses: different([...asked, ...open, ...next]),
    progress: {
      height,
      addressId: isLast ? 0 : required(next.at(-1), 'the last address of a part').id,
      rotationHeight,
      coveredHeight: isLast ? rotationHeight : progress.coveredHeight,
    },
  }
}

function different(addresses: readonly PassAddress[]): readonly PassAddress[] {
  return [...new Map(addresses.map(({ id, address }) => [id, { id, address }])).values()]
}

/**
 * Returns the findings whose block has no transfer to the address. If there is one, the finding is a missed payment,
 * and an operator books it with its transaction.
 */
async function unexplainedOf(
  { chain }: BalancePassParts,
  findings: readonly FoundAddress[],
  signal: AbortSignal,
): Promise<readonly PassAddress[]> {
  const unexplained: PassAddress[] = []
  for (const [height, some] of groupBy(findings, (one) => one.height)) {
    const facts = await chain.readBlock(height, signal).catch(asBadAnswer)
    if (facts instanceof NodeError || facts === undefined || facts.tracedBy === 'none') continue
    const paid = new Set(
      facts.transfers.flatMap(({ asset, recipient }) => (asset.type === 'coin' ? [recipient] : [])),
    )
    unexplained.push(...some.filter(({ address }) => !paid.has(address)))
  }
  return unexplained
}

/**
 * Reads the balances and the books of addresses at the block `at`. Returns undefined if the nodes do not have
 * that block, before or after, or if only one of several nodes answers.
 */
async function readAll(
  { db, chain, coin }: WeighParts,
  addresses: readonly PassAddress[],
  { height, hash }: ComparedBlock,
  signal: AbortSignal,
): Promise<readonly WeighedAddress[] | undefined> {
  const isThere = async () => (await chain.readHeader(height, signal))?.hash === hash
  const { hasSingleNode = false } = await chain.readHead(signal)
  if (hasSingleNode || !(await isThere())) return undefined
  const weighed: WeighedAddress[] = []
  for (const some of chunksOf(addresses, balancesAtOnce)) {
    const held = await chain.readBalances(
      { type: 'coin' },
      some.map(({ address }) => address),
      height,
      signal,
      { needsTwo: true },
    )
    const scope = { addressIds: some.map(({ id }) => id), height }
    const books = new Map((await readCoinBooks(db, coin, scope)).map((one) => [one.addressId, one]))
    const surpluses = groupBy(await readSweptSurpluses(db, coin, scope), ({ addressId }) => addressId)
    weighed.push(
      ...some.flatMap((own, index): WeighedAddress[] => {
        const found = books.get(own.id)
        const balanceMinor = held[index]
        if (found === undefined || balanceMinor === undefined) return []
        return [{ own, books: found, balanceMinor, surpluses: surpluses.get(own.id) ?? [] }]
      }),
    )
  }
  return (await isThere()) ? weighed : undefined
}

/**
 * Books what one address holds beyond the books.
 * @returns what was booked; `again` if the address must be compared again
 */
async function settle(
  parts: BalancePassParts,
  weighing: WeighParts,
  locks: PassLocks,
  { address, at }: { readonly address: WeighedAddress; readonly at: ComparedBlock },
  signal: AbortSignal,
): Promise<readonly FoundAmount[] | 'again'> {
  const { obstacle } = address.books
  if (obstacle !== undefined) return obstacle === 'for now' ? 'again' : []
  const weighed = await weighAddress(weighing, address, at.height, signal)
  if (weighed === undefined) return 'again'
  if (weighed.found.length === 0) return []
  // An address has at most one deposit found by balance in a block. If two amounts were found in one block, the
  // address is compared again at a later block.
  if (new Set(weighed.found.map(({ height }) => height)).size < weighed.found.length) return 'again'
  const { own } = address
  if (!(await bookFound(parts, weighing, locks, { own, weighed }, signal))) return 'again'
  const { network } = parts.chain
  for (const { amountMinor, height } of weighed.found)
    parts.log.info(
      { network, address: own.address, height, amountMinor: `${amountMinor}` },
      'coin was found by comparing balances, and booked',
    )
  return weighed.found
}
