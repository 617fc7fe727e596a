/**
 * Gives accounts more rights than the API would, and writes the audit entries that the service would have
 * written.
 */
import sql from 'sql-template-tag'
import { required } from '../../src/core/assert.ts'
import { recordAudit } from '../../src/platform/audit/store.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Role } from '../../src/platform/http/auth.ts'

/** Makes the account an operator, as if it had been the first account. */
export async function makeOperator(db: Db, email: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [row] = await tx.query<{ id: string }>(
      sql`update account set is_operator = true where email = ${email} returning id`,
    )
    const { id } = required(row, 'the account')
    await recordAudit(tx, { action: 'account.created', subject: id, details: { isOperator: true } })
  })
}

export async function makeMember(
  db: Db,
  { email, merchantId, role }: { readonly email: string; readonly merchantId: string; readonly role: Role },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [row] = await tx.query<{ id: string }>(sql`
      insert into member (account_id, merchant_id, role)
      select id, ${merchantId}, ${role} from account where email = ${email} returning account_id as id`)
    const subject = required(row, 'the member').id
    await recordAudit(tx, { merchantId, action: 'member.added', subject, details: { role } })
  })
}
