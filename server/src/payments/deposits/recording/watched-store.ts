import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'

/**
 * An address of ours that appears in a block, with its owner. The address is either derived for payers or a
 * hot wallet.
 */
export interface WatchedAddress {
  /** Undefined for a hot wallet. */
  readonly addressId: number | undefined
  readonly address: string
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
  /** The assignment with the MAC that proves the owner; undefined for a hot wallet. */
  readonly assignment?: WatchedAssignment | undefined
}

/** The assignment of an address to an invoice, as the row of the address stores it. */
export interface WatchedAssignment {
  readonly family: string
  readonly branch: number
  readonly index: number
  /** `network`, `paymentMethodId` and `mac` are undefined if the address is not assigned. */
  readonly network: string | undefined
  readonly paymentMethodId: number | undefined
  readonly mac: string | undefined
}

/**
 * Returns those of the given addresses that are ours. The cost depends on the number of given addresses, and
 * not on the number of our addresses.
 */
export async function findWatched(
  on: Queryable,
  { family, network }: { readonly family: string; readonly network: string },
  touched: readonly string[],
): Promise<readonly WatchedAddress[]> {
  if (touched.length === 0) return []
  const rows = await on.query<{
    id: number | null
    address: string
    merchant_id: string | null
    invoice_id: string | null
    branch: number | null
    index: number | null
    network: string | null
    payment_method_id: number | null
    assignment_mac: string | null
  }>(
    named(
      'find-watched',
      sql`select id, address, merchant_id, invoice_id, branch, index, network, payment_method_id, assignment_mac
          from address
          where family = ${family} and address = any(${[...touched]})
          union all
          select null, address, null, null, null, null, null, null, null from hot_wallet
          where network = ${network} and address = any(${[...touched]})
          union all
          select null, address, null, null, null, null, null, null, null from hot_wallet_address
          where network = ${network} and address = any(${[...touched]})`,
    ),
  )
  return rows.map((row) => ({
    addressId: row.id ?? undefined,
    address: row.address,
    merchantId: row.merchant_id ?? undefined,
    invoiceId: row.invoice_id ?? undefined,
    assignment:
      row.branch === null || row.index === null
        ? undefined
        : {
            family,
            branch: row.branch,
            index: row.index,
            network: row.network ?? undefined,
            paymentMethodId: row.payment_method_id ?? undefined,
            mac: row.assignment_mac ?? undefined,
          },
  }))
}

/** An address with its derivation path below the account key. */
export interface DerivedAddress {
  readonly id: number
  readonly address: string
  readonly branch: number
  readonly index: number
  /** `merchantId` and `invoiceId` are undefined until the address is assigned. */
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
}

/**
 * Returns at most `limit` addresses of a family, the newest first. If `below` is defined, returns only
 * addresses with a smaller id.
 */
export async function readDerived(
  on: Queryable,
  family: string,
  below: number | undefined,
  limit: number,
): Promise<readonly DerivedAddress[]> {
  const rows = await on.query<
    Pick<DerivedAddress, 'id' | 'address' | 'branch' | 'index'> & {
      merchant_id: string | null
      invoice_id: string | null
    }
  >(sql`
    select id, address, branch, index, merchant_id, invoice_id from address
    where family = ${family} and (${below ?? null}::bigint is null or id < ${below ?? null})
    order by id desc limit ${limit}`)
  return rows.map(({ merchant_id, invoice_id, ...row }) => ({
    ...row,
    merchantId: merchant_id ?? undefined,
    invoiceId: invoice_id ?? undefined,
  }))
}
