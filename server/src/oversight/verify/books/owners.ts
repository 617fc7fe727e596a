/** Checks that a deposit belongs to the invoice to which its address was given. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/**
 * Checks that a deposit has the recipient and the owner of its address. If a deposit has no owner, only the
 * recipient is compared, because the owner of the address may have been deleted before the deposit came in.
 */
export const depositsAreOfTheirAddress: Invariant = slicedInvariant({
  id: 'M22-owners',
  title: 'each deposit names its address and belongs to the invoice to which the address was given',
  unit: 'deposits',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit'],
      since: 'deposits',
      examined: sql`select count(*) as examined from deposit where address_id is not null`,
      violations: () => sql`
    select format('transaction %s is of invoice %s of merchant %s and was paid to %s; its address %s was given to invoice %s of merchant %s',
      deposit.id, coalesce(deposit.invoice_id::text, 'none'), coalesce(deposit.merchant_id::text, 'none'), recipient,
      address.address, coalesce(address.invoice_id::text, 'none'), coalesce(address.merchant_id::text, 'none')) as finding
    from deposit left join address on address.id = deposit.address_id
    where deposit.address_id is not null
      and (recipient is distinct from address.address
        or deposit.merchant_id is not null
          and (deposit.merchant_id, deposit.invoice_id) is distinct from (address.merchant_id, address.invoice_id))`,
    },
  ],
})
