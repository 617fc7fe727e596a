/**
 * What an owner has by history alone: by journals that are sealed and carry a MAC of ours. Totals of accounts are rows that
 * whoever writes the database can raise; these cannot be raised without a key of the books. Pure.
 */
import type { BooksMacs } from '../core/books-macs.ts'
import { min } from '../core/money.ts'
import type { AccountName } from './journal.ts'
import { hasJournalMac } from './journal-mac.ts'
import type { StoredJournal, StoredLine } from './store.ts'

/** Credits less debits, in the asset's smallest unit. */
export interface SealedSum {
  /** By sealed journals alone. */
  readonly availableMinor: bigint
  /** Available and held. */
  readonly moneyMinor: bigint
  /** Below zero where the owner owes. */
  readonly suspenseMinor: bigint
}

export const nothingSealed: SealedSum = { availableMinor: 0n, moneyMinor: 0n, suspenseMinor: 0n }

/** By asset. */
export type SealedSums = ReadonlyMap<string, SealedSum>

/** The sums of an owner's journals up to a seal, that one included. */
export interface SealedBalance {
  readonly ownerId: string
  readonly sequence: number
  readonly sums: SealedSums
}

/** A journal with its place in history. */
export interface PlacedJournal {
  readonly journal: StoredJournal
  /** Undefined where it has none yet. */
  readonly sequence: number | undefined
}

/** The accounts that are summed. */
export const summedNames: readonly AccountName[] = ['available', 'held', 'suspense']

/**
 * Adds to an owner's balance what journals after it moved. Of those without a seal at most `upTo` only what they take counts:
 * what they bring may come from anybody.
 * @param journals all that touch the owner's accounts and whose seal comes after the balance's, or is not there; others may be
 *   among them
 */
export function addJournals(
  balance: SealedBalance,
  journals: readonly PlacedJournal[],
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

/** Sealed journals that no process of ours posted. They have a seal because whoever wrote them made one. */
export function findForged(macs: BooksMacs, journals: readonly PlacedJournal[]): readonly StoredJournal[] {
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

/** Sums as they are stored, the same for the same sums: assets in their order, amounts as decimal numbers. */
export function sumsText(sums: SealedSums): readonly (readonly [string, string, string, string])[] {
  return [...sums]
    .map(([asset, { availableMinor, moneyMinor, suspenseMinor }]): [string, string, string, string] => [
      asset,
      String(availableMinor),
      String(moneyMinor),
      String(suspenseMinor),
    ])
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

export function sumsOf(text: ReturnType<typeof sumsText>): SealedSums {
  return new Map(
    text.map(([asset, available, money, suspense]) => [
      asset,
      { availableMinor: BigInt(available), moneyMinor: BigInt(money), suspenseMinor: BigInt(suspense) },
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
  if (name === 'suspense') return { ...nothingSealed, suspenseMinor: minor }
  return { ...nothingSealed, moneyMinor: minor, availableMinor: name === 'available' ? minor : 0n }
}

function plus(one: SealedSum, other: SealedSum): SealedSum {
  return {
    availableMinor: one.availableMinor + other.availableMinor,
    moneyMinor: one.moneyMinor + other.moneyMinor,
    suspenseMinor: one.suspenseMinor + other.suspenseMinor,
  }
}

/** Available is what seals alone say: a hold that is not sealed yet approves nothing, and may be of money that is not yet either. */
function onlyTaken({ moneyMinor, suspenseMinor }: SealedSum): SealedSum {
  return {
    availableMinor: 0n,
    moneyMinor: min(moneyMinor, 0n),
    suspenseMinor: min(suspenseMinor, 0n),
  }
}
