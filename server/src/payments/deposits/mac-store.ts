/** Renews the MACs of deposits that were stored before a block included them. */
import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import type { BooksMacs } from '../../core/books-macs.ts'
import { macsOf, named } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Deposit } from './deposit.ts'
import { type DepositFacts, depositMac, hasDepositMac } from './deposit-mac.ts'

/** A deposit as it is passed to the database, with its amounts as text. */
type GivenDeposit = Omit<
  DepositFacts,
  'inclusion' | 'amountMinor' | 'fullMinor' | 'priceUsd' | 'feeFlatMinor'
> & {
  readonly amountMinor: string
  readonly fullMinor: string | undefined
  readonly price: string | undefined
  readonly feeFlatMinor: string
}

export function factsOf(row: GivenDeposit, inclusion: number): DepositFacts {
  return {
    ...row,
    inclusion,
    amountMinor: BigInt(row.amountMinor),
    fullMinor: row.fullMinor === undefined ? undefined : BigInt(row.fullMinor),
    priceUsd: row.price === undefined ? undefined : BigInt(row.price),
    feeFlatMinor: BigInt(row.feeFlatMinor),
  }
}

/**
 * Renews the MACs of deposits that a block just included, and returns these deposits. A new deposit already
 * has the right MAC. A deposit that was stored before keeps its id and its agreed terms, and gets a MAC for
 * the new inclusion. If its previous MAC does not match its terms, the deposit gets the terms of a new
 * deposit.
 * @param given The same deposits with the values that they would have if they were new.
 */
export async function vouchForIncluded(
  tx: Tx,
  included: readonly Deposit[],
  given: readonly GivenDeposit[],
): Promise<readonly Deposit[]> {
  const macs = macsOf(tx)
  const givenByKey = new Map(given.map((row) => [row.transferKey, row]))
  const vouched = included.map((deposit) => {
    const fresh = required(givenByKey.get(deposit.transferKey), 'the row of an included deposit')
    return fresh.id === deposit.id ? deposit : vouchForKnown(macs, deposit, fresh)
  })
  const changed = vouched.filter((deposit, index) => deposit !== included[index])
  if (changed.length > 0) await saveMacs(tx, changed)
  return vouched
}

function vouchForKnown(macs: BooksMacs, deposit: Deposit, fresh: GivenDeposit): Deposit {
  const before = { ...deposit, inclusion: deposit.inclusion - 1 }
  const kept = hasDepositMac(macs, before) ? deposit : { ...deposit, ...termsOf(factsOf(fresh, 1)) }
  return { ...kept, mac: depositMac(macs, kept) }
}

function termsOf({ fullMinor, priceUsd, feePercentBasisPoints, feeFlatMinor }: DepositFacts) {
  return { fullMinor, priceUsd, feePercentBasisPoints, feeFlatMinor }
}

async function saveMacs(tx: Tx, deposits: readonly Deposit[]): Promise<void> {
  const rows = deposits.map((deposit) => ({
    id: deposit.id,
    mac: deposit.mac,
    fullMinor: deposit.fullMinor?.toString(),
    price: deposit.priceUsd?.toString(),
    feePercentBasisPoints: deposit.feePercentBasisPoints,
    feeFlatMinor: deposit.feeFlatMinor.toString(),
  }))
  await tx.query(
    named(
      'save-deposit-macs',
      sql`
      update deposit
      set mac = row.mac, full_minor = row."fullMinor", price = row.price,
          fee_percent_basis_points = row."feePercentBasisPoints", fee_flat_minor = row."feeFlatMinor"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (id uuid, mac text, "fullMinor" numeric, price numeric, "feePercentBasisPoints" integer,
          "feeFlatMinor" numeric)
      where deposit.id = row.id`,
    ),
  )
}
