/** A deposit belongs to whom its address was given to. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/** Of a transaction that is nobody's, such as one for a merchant that was deleted then, only the recipient is compared. */
export const depositsAreOfTheirAddress: Invariant = slicedInvariant({
  id: 'M22-owners',
  title: 'each deposit came to the address it names and belongs to the invoice that the address was given to',
  unit: 'transactions',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction'],
      since: 'transactions',
      examined: sql`select count(*) as examined from transaction where address_id is not null`,
      breaches: () => sql`
    select format('transaction %s is of invoice %s of merchant %s and came to %s; its address %s was given to invoice %s of merchant %s',
      transaction.id, coalesce(transaction.invoice_id::text, 'none'), coalesce(transaction.merchant_id::text, 'none'), recipient,
      address.address, coalesce(address.invoice_id::text, 'none'), coalesce(address.merchant_id::text, 'none')) as finding
    from transaction left join address on address.id = transaction.address_id
    where transaction.address_id is not null
      and (recipient is distinct from address.address
        or transaction.merchant_id is not null
          and (transaction.merchant_id, transaction.invoice_id) is distinct from (address.merchant_id, address.invoice_id))`,
    },
  ],
})
