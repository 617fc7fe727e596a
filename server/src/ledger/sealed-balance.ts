/**
 * Computes an owner's balance from sealed journals with a valid MAC only. Whoever can write to the database
 * can raise the totals of account rows, but cannot raise these sums without a books key. The functions here
 * are pure.
 */
import type { BooksMacs } from '../core/books-macs.ts'
import { min } from '../core/money.ts'
import type { AccountName } from './journal.ts'
import { hasJournalMac } from './journal-mac.ts'
import type { StoredJournal, StoredLine } from './store.ts'

/** An owner's credits minus debits in one asset, in its smallest unit. */
export interface SealedSum {
  /** Balance of the `available` account, from sealed journals only. */
  readonly availableMinor: bigint
  /** Sum of the balances of the `available` and `held` accounts. */
  readonly moneyMinor: bigint
  /** Balance of the `receivable` account; below zero if the owner has a debt. */
  readonly receivableMinor: bigint
}

export const nothingSealed: SealedSum = { availableMinor: 0n, moneyMinor: 0n, receivableMinor: 0n }

/** An owner's sums, by asset. */
export type SealedSums = ReadonlyMap<string, SealedSum>

/** The sums of an owner's journals up to and including a seal. */
export interface SealedBalance {
  readonly ownerId: string
  readonly sequence: number
  readonly sums: SealedSums
}

/** A journal with the sequence of its seal. */
export interface SealedJournal {
  readonly journal: StoredJournal
  /** Undefined if the journal is not sealed yet. */
  readonly sequence: number | undefined
}

/** Names of the accounts that a `SealedSum` covers. */
export const summedNames: readonly AccountName[] = ['available', 'held', 'receivable']

/**
 * Adds later journals to an owner's sums, and returns the new sums. A journal that is unsealed, or sealed
 * after `upTo`, can only reduce the sums. Its credits are ignored, because anyone who can write to the
 * database could have written them.
 * @param journals must contain every journal on the owner's accounts that is unsealed or was sealed after
 *   `balance` was computed. Other journals are ignored.
 */
export function addJournals(
  balance: SealedBalance,
  journals: readonly SealedJournal[],
  upTo: number,
): SealedSums {
  const sums = new Map(balance.sums)
  for (const { journal, sequence } of journals) {
    if (sequence !== undefined && sequence <= balance.sequence) continue
    const isSealed = sequence !== undefined && sequence <= upTo
    for (const [asset, moved] of movedFor(balance.ownerId, journal)) {
      sums.set(asset, plus(sums.get(asset) ?? nothingSealed, isSealed ? moved : onlyTaken(moved)))
    }
  }
  return sums
}

/**
 * Returns the sealed journals without a valid MAC. Their seals prove nothing: whoever can write a journal
 * into the database can also write its seal.
 */
export function findForged(macs: BooksMacs, journals: readonly SealedJournal[]): readonly StoredJournal[] {
  return journals.flatMap(({ journal, sequence }) =>
    sequence === undefined || hasJournalMac(macs, journal) ? [] : [journal],
  )
}

export function sealedBalanceMac(macs: BooksMacs, balance: SealedBalance, hash: Buffer): string {
  return macs.sealedBalance.mac(macText(balance, hash))
}

export function hasSealedBalanceMac(
  macs: BooksMacs,
  balance: SealedBalance,
  { hash, mac }: { readonly hash: Buffer; readonly mac: string },
): boolean {
  return macs.sealedBalance.verify(macText(balance, hash), mac)
}

function macText({ ownerId, sequence, sums }: SealedBalance, hash: Buffer): string {
  return JSON.stringify([
    'coffer/sealed-balance/1',
    ownerId.toLowerCase(),
    String(sequence),
    hash.toString('hex'),
    ...sumsText(sums),
  ])
}

/**
 * Returns sums as they are stored: sorted by asset, with amounts as decimal texts. Equal sums give equal
 * results.
 */
export function sumsText(sums: SealedSums): readonly (readonly [string, string, string, string])[] {
  return [...sums]
    .map(([asset, { availableMinor, moneyMinor, receivableMinor }]): [string, string, string, string] => [
      asset,
      String(availableMinor),
      String(moneyMinor),
      String(receivableMinor),
    ])
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

export function sumsOf(text: ReturnType<typeof sumsText>): SealedSums {
  return new Map(
    text.map(([asset, available, money, receivable]) => [
      asset,
      { availableMinor: BigInt(available), moneyMinor: BigInt(money), receivableMinor: BigInt(receivable) },
    ]),
  )
}

function movedFor(ownerId: string, { lines }: StoredJournal): SealedSums {
  const moved = new Map<string, SealedSum>()
  for (const { account, creditMinor, debitMinor } of lines) {
    if (account.ownerId !== ownerId || !summedNames.includes(account.name)) continue
    const sum = moved.get(account.asset) ?? nothingSealed
    moved.set(account.asset, plus(sum, sumOf(account.name, creditMinor - debitMinor)))
  }
  return moved
}

function sumOf(name: StoredLine['account']['name'], minor: bigint): SealedSum {
  if (name === 'receivable') return { ...nothingSealed, receivableMinor: minor }
  return { ...nothingSealed, moneyMinor: minor, availableMinor: name === 'available' ? minor : 0n }
}

function plus(one: SealedSum, other: SealedSum): SealedSum {
  return {
    availableMinor: one.availableMinor + other.availableMinor,
    moneyMinor: one.moneyMinor + other.moneyMinor,
    receivableMinor: one.receivableMinor + other.receivableMinor,
  }
}

/**
 * Returns only those changes of an unsealed journal that decrease a sum. Increases are ignored, because an
 * unsealed journal must not justify a payment. Decreases of `available` are ignored too. Otherwise
 * `available` could become too low: an unsealed journal may move money from `available` to `held` that
 * another unsealed journal credited, and that credit is ignored.
 */
function onlyTaken({ moneyMinor, receivableMinor }: SealedSum): SealedSum {
  return {
    availableMinor: 0n,
    moneyMinor: min(moneyMinor, 0n),
    receivableMinor: min(receivableMinor, 0n),
  }
}
