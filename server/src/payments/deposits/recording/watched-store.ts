import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'

/** An address of ours that blocks touched, and whose it is: one that was derived for customers, or a hot wallet. */
export interface WatchedAddress {
  /** Undefined for a hot wallet. */
  readonly addressId: number | undefined
  readonly address: string
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
  /** The assignment with its MAC, which proves whose address it is; undefined for a hot wallet. */
  readonly assignment?: WatchedAssignment | undefined
}

/** How an address was given away, as its row has it. */
export interface WatchedAssignment {
  readonly family: string
  readonly branch: number
  readonly index: number
  /** These three are undefined where it was given to nobody. */
  readonly network: string | undefined
  readonly paymentMethodId: number | undefined
  readonly mac: string | undefined
}

/** Which of the addresses that some blocks touched are ours. The cost follows the blocks, not our addresses. */
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
          select null, address, null, null, null, null, null, null, null from hot_place
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

/** An address with its place below the account key. */
export interface DerivedAddress {
  readonly id: number
  readonly address: string
  readonly branch: number
  readonly index: number
  /** Both undefined before it was given to anybody. */
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
}

/** The addresses of a family that were derived before the one with the id `below`, or of all, the newest first. */
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
