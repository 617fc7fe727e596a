/**
 * Sums each owner's balances from the sealed journals, and stores the sums so that later calls read only
 * newer journals.
 */
import { firstId } from '../core/ids.ts'
import { noteTamperings } from '../platform/audit/tampering-store.ts'
import { type Db, macsOf, type Queryable } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import {
  addJournals,
  findForged,
  type SealedBalance,
  type SealedJournal,
  type SealedSums,
} from './sealed-balance.ts'
import {
  readOwnJournalIds,
  readRecentJournals,
  readSealedBalances,
  readSealedBetween,
  saveSealedBalances,
} from './sealed-balance-store.ts'
import { findLastSeal, type Seal } from './store.ts'

/** Limits for reading sealed history, as numbers of seals or journals. */
export interface Reach {
  /**
   * A stored balance that is behind the last seal must be updated. If it is behind by more than this number
   * of seals, only its owner's journals are read. If not, the latest journals of all owners are read.
   */
  readonly recentSeals: number
  /**
   * A balance is stored again when it is `keptAfterSeals` seals behind the last seal. It is also stored again
   * when `keptAfterJournals` later journals of its owner are sealed.
   */
  readonly keptAfterSeals: number
  readonly keptAfterJournals: number
  readonly journalsAtOnce: number
}

const usualReach: Reach = {
  recentSeals: 10_000,
  keptAfterSeals: 1_000,
  keptAfterJournals: 16,
  journalsAtOnce: 2_000,
}

/**
 * Returns the balances of owners by owner and asset: the sums of sealed journals, minus the amounts that
 * unsealed journals take. An owner is left out if one of the owner's sealed journals has no valid MAC. Such a
 * journal is recorded as tampering, which halts outgoing transactions.
 */
export async function sumSealed(
  on: Queryable,
  ownerIds: readonly string[],
  reach: Reach = usualReach,
): Promise<ReadonlyMap<string, SealedSums>> {
  const head = await findLastSeal(on)
  if (head === undefined || ownerIds.length === 0) return new Map()
  const owners = await readOwnerSums(on, ownerIds, head, reach)
  return new Map(owners.map(({ atHead, sums }) => [atHead.ownerId, sums]))
}

/** Stores the balances of owners whose history has grown, so that the next sum reads only new journals. */
export async function keepSealedBalances(
  db: Db,
  ownerIds: readonly string[],
  reach: Reach = usualReach,
): Promise<void> {
  const head = await findLastSeal(db)
  if (head === undefined || ownerIds.length === 0) return
  const owners = await readOwnerSums(db, ownerIds, head, reach)
  const grown = owners.filter(({ isGrown }) => isGrown).map(({ atHead }) => atHead)
  if (grown.length > 0) await inTransaction(db, (tx) => saveSealedBalances(tx, grown, head))
}

interface OwnerSums {
  /** Sums of the owner's sealed journals up to the last seal. */
  readonly atHead: SealedBalance
  /** Sums of the owner's sealed journals, minus the amounts that newer journals take, sealed or not. */
  readonly sums: SealedSums
  readonly isGrown: boolean
}

async function readOwnerSums(
  on: Queryable,
  ownerIds: readonly string[],
  head: Seal,
  reach: Reach,
): Promise<readonly OwnerSums[]> {
  const kept = new Map((await readSealedBalances(on, ownerIds)).map((one) => [one.ownerId, one]))
  const balances: SealedBalance[] = []
  for (const ownerId of ownerIds) {
    const balance = kept.get(ownerId) ?? { ownerId, sequence: 0, sums: new Map() }
    const isNear = head.sequence - balance.sequence <= reach.recentSeals
    const near = isNear ? balance : await readHistory(on, balance, head, reach)
    if (near !== undefined) balances.push(near)
  }
  const oldest = Math.min(head.sequence, ...balances.map(({ sequence }) => sequence))
  const recent = byOwner(await readRecentJournals(on, ownerIds, oldest))
  const owners: OwnerSums[] = []
  for (const balance of balances) {
    const own = recent.get(balance.ownerId) ?? []
    if (await noteForged(on, own)) continue
    owners.push({
      ...ownerSumsOf(balance, own, head),
      isGrown: isGrown(kept.get(balance.ownerId), own, head, reach),
    })
  }
  return owners
}

function ownerSumsOf(
  balance: SealedBalance,
  own: readonly SealedJournal[],
  head: Seal,
): Pick<OwnerSums, 'atHead' | 'sums'> {
  const sealed = own.filter((journal) => isSealedBy(journal, head))
  const atHead = { ...balance, sequence: head.sequence, sums: addJournals(balance, sealed, head.sequence) }
  return { atHead, sums: addJournals(atHead, own, head.sequence) }
}

function isSealedBy({ sequence }: SealedJournal, head: Seal): boolean {
  return sequence !== undefined && sequence <= head.sequence
}

function isGrown(
  kept: SealedBalance | undefined,
  own: readonly SealedJournal[],
  head: Seal,
  { keptAfterSeals, keptAfterJournals }: Reach,
): boolean {
  const { sequence: keptAt = 0 } = kept ?? {}
  const added = own.filter((journal) => isSealedBy(journal, head) && (journal.sequence ?? 0) > keptAt)
  return head.sequence - keptAt >= keptAfterSeals || added.length >= keptAfterJournals
}

/**
 * Brings a stored balance up to the last seal. Reads all sealed journals of its owner that are not in the
 * balance yet. Reading is slow only if the owner has a long history and no recent stored balance.
 * @returns the new balance, or undefined if one of the journals has no valid MAC.
 */
async function readHistory(
  on: Queryable,
  balance: SealedBalance,
  head: Seal,
  { journalsAtOnce }: Reach,
): Promise<SealedBalance | undefined> {
  let { sums } = balance
  for (let after = firstId; ; ) {
    const ids = await readOwnJournalIds(on, balance.ownerId, after, journalsAtOnce)
    const last = ids.at(-1)
    if (last === undefined) return { ...balance, sequence: head.sequence, sums }
    const journals = await readSealedBetween(on, ids, balance.sequence, head.sequence)
    if (await noteForged(on, journals)) return undefined
    sums = addJournals({ ...balance, sums }, journals, head.sequence)
    after = last
  }
}

/**
 * Records sealed journals without a valid MAC as tampering.
 * @returns whether there is such a journal.
 */
async function noteForged(on: Queryable, journals: readonly SealedJournal[]): Promise<boolean> {
  const forged = findForged(macsOf(on), journals)
  await noteTamperings(
    on,
    forged.map(({ id, subject }) => ({
      subject: `journal ${id}`,
      detail: `the sealed journal ${id} (${subject}) has no valid MAC of BOOKS_KEY_FILE`,
    })),
  )
  return forged.length > 0
}

function byOwner(journals: readonly SealedJournal[]): ReadonlyMap<string, readonly SealedJournal[]> {
  const owned = new Map<string, SealedJournal[]>()
  for (const journal of journals) {
    for (const ownerId of new Set(journal.journal.lines.flatMap(({ account }) => account.ownerId ?? []))) {
      const own = owned.get(ownerId)
      if (own === undefined) owned.set(ownerId, [journal])
      else own.push(journal)
    }
  }
  return owned
}
