import { firstId } from '../core/ids.ts'
import { noteTamperings } from '../platform/audit/tampering-store.ts'
import { type Db, macsOf, type Queryable } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import {
  addJournals,
  findForged,
  type PlacedJournal,
  type SealedBalance,
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

/** How history is read. */
export interface Reach {
  /** A balance that lies further behind is brought up by its owner's own journals instead of by everybody's last ones. */
  readonly recentSeals: number
  /** A balance is kept again once so much of history lies behind it, or so many journals of its owner do. */
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
 * What owners have by sealed history, less what journals without a seal take from them, by owner and asset. An owner with a
 * sealed journal that no process of ours posted is left out, and what was found is noted, which halts payouts.
 */
export async function sumSealed(
  on: Queryable,
  ownerIds: readonly string[],
  reach: Reach = usualReach,
): Promise<ReadonlyMap<string, SealedSums>> {
  const head = await findLastSeal(on)
  if (head === undefined || ownerIds.length === 0) return new Map()
  const looks = await lookBack(on, ownerIds, head, reach)
  return new Map(looks.map(({ atHead, sums }) => [atHead.ownerId, sums]))
}

/** Keeps the balances of owners whose history has grown, so that summing them again reads only what is new. */
export async function keepSealedBalances(
  db: Db,
  ownerIds: readonly string[],
  reach: Reach = usualReach,
): Promise<void> {
  const head = await findLastSeal(db)
  if (head === undefined || ownerIds.length === 0) return
  const looks = await lookBack(db, ownerIds, head, reach)
  const grown = looks.filter(({ isGrown }) => isGrown).map(({ atHead }) => atHead)
  if (grown.length > 0) await inTransaction(db, (tx) => saveSealedBalances(tx, grown, head))
}

interface Look {
  /** The owner's sealed journals up to the last seal. */
  readonly atHead: SealedBalance
  /** The same, less what came after it takes. */
  readonly sums: SealedSums
  readonly isGrown: boolean
}

async function lookBack(
  on: Queryable,
  ownerIds: readonly string[],
  head: Seal,
  reach: Reach,
): Promise<readonly Look[]> {
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
  const looks: Look[] = []
  for (const balance of balances) {
    const own = recent.get(balance.ownerId) ?? []
    if (await noteForged(on, own)) continue
    looks.push({
      ...lookOf(balance, own, head),
      isGrown: isGrown(kept.get(balance.ownerId), own, head, reach),
    })
  }
  return looks
}

function lookOf(
  balance: SealedBalance,
  own: readonly PlacedJournal[],
  head: Seal,
): Pick<Look, 'atHead' | 'sums'> {
  const sealed = own.filter((placed) => isSealedBy(placed, head))
  const atHead = { ...balance, sequence: head.sequence, sums: addJournals(balance, sealed, head.sequence) }
  return { atHead, sums: addJournals(atHead, own, head.sequence) }
}

function isSealedBy({ sequence }: PlacedJournal, head: Seal): boolean {
  return sequence !== undefined && sequence <= head.sequence
}

function isGrown(
  kept: SealedBalance | undefined,
  own: readonly PlacedJournal[],
  head: Seal,
  { keptAfterSeals, keptAfterJournals }: Reach,
): boolean {
  const { sequence: keptAt = 0 } = kept ?? {}
  const added = own.filter((placed) => isSealedBy(placed, head) && (placed.sequence ?? 0) > keptAt)
  return head.sequence - keptAt >= keptAfterSeals || added.length >= keptAfterJournals
}

/**
 * A balance as it is at the last seal, by all of its owner's sealed journals behind it. That takes long only for who has a
 * long history and is asked about for the first time.
 * @returns undefined where one of them is forged
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

/** @returns whether there is one */
async function noteForged(on: Queryable, journals: readonly PlacedJournal[]): Promise<boolean> {
  const forged = findForged(macsOf(on), journals)
  await noteTamperings(
    on,
    forged.map(({ id, subject }) => ({
      subject: `journal ${id}`,
      detail: `the sealed journal ${id} (${subject}) carries no MAC of BOOKS_KEY_FILE`,
    })),
  )
  return forged.length > 0
}

function byOwner(journals: readonly PlacedJournal[]): ReadonlyMap<string, readonly PlacedJournal[]> {
  const owned = new Map<string, PlacedJournal[]>()
  for (const placed of journals) {
    for (const ownerId of new Set(placed.journal.lines.flatMap(({ account }) => account.ownerId ?? []))) {
      const own = owned.get(ownerId)
      if (own === undefined) owned.set(ownerId, [placed])
      else own.push(placed)
    }
  }
  return owned
}
