/** A database whose books carry no MACs is left alone, so that the older Coffer can go on with it. */
import sql from 'sql-template-tag'
import { beforeEach, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { macMigration } from '../../src/platform/db/books-of-before.ts'
import { migrate, pendingMigrations } from '../../src/platform/db/migrate.ts'
import { readMigrations } from '../../src/platform/db/migration.ts'
import { printSchema } from '../../src/platform/db/print-schema.ts'
import { useDatabase } from '../support/database.ts'
import { tamper } from '../verify/tampering.ts'

const database = useDatabase({ migrated: false })
const options = { ownerUrl: '', appRole: 'coffer_app', log: silentLog }

/** As the version before MACs left it. */
beforeEach(async () => {
  options.ownerUrl = database.urls.owner
  await database.owner.query(sql`drop schema public cascade`)
  await database.owner.query(sql`create schema public`)
  const names = (await readMigrations()).map(({ name }) => name)
  await migrate({ ...options, count: names.indexOf(macMigration) })
})

async function giveAddress(): Promise<void> {
  const merchantId = newId()
  await database.owner.query(sql`insert into merchant (id, name) values (${merchantId}, 'Anna')`)
  await database.owner.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, incarnation_id, server_started_at)
    values ('evm', 1, 'f', ${newId()}, now())`)
  const invoiceId = newId()
  await database.owner.query(sql`
    insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids)
    values (${invoiceId}, ${merchantId}, 'onetime', '100', 10000000000, 1, '{1}')`)
  await database.owner.query(sql`
    insert into address (family, address, branch, index, mac, network, merchant_id, invoice_id, payment_method_id, assigned_at)
    values ('evm', '0xa', 1, 0, '', 'ethereum', ${merchantId}, ${invoiceId}, 1, now())`)
}

it('is migrated where nothing in it would have to carry a MAC', async () => {
  await database.owner.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, incarnation_id, server_started_at)
    values ('evm', 1, 'f', ${newId()}, now())`)
  await database.owner.query(
    sql`insert into address (family, address, branch, index, mac) values ('evm', '0xa', 1, 0, '')`,
  )
  await migrate(options)
  expect(await pendingMigrations(database.db)).toEqual([])
})

const someJournal = sql`insert into journal (id, kind, subject) values (${newId()}, 'capital', 'test')`
it.each([
  ['journals', () => tamper(database, [someJournal])],
  ['addresses that were given away', giveAddress],
])('is refused before anything changes where it has %s, and says what to do', async (_what, fill) => {
  await fill()
  const before = await printSchema(database.owner)
  await expect(migrate(options)).rejects.toThrow(/Nothing was changed.*--books-of-before/)
  expect(await printSchema(database.owner)).toBe(before)
  expect((await pendingMigrations(database.db))[0]).toBe(macMigration)
})

it('is migrated where an operator means to have its books adopted, unless orders are pending', async () => {
  await giveAddress()
  const [owned] = await database.owner.query<{ merchant_id: string }>(sql`select merchant_id from address`)
  await database.owner.query(sql`
    insert into withdrawal (id, merchant_id, payment_method_id, asset, address, amount_minor, amount, fee_minor)
    values (${newId()}, ${owned?.merchant_id}, 1, 'ethereum/USDT', '0xb', 5, 5, 1)`)
  const adopting = { ...options, mayAdoptBooks: true }
  await expect(migrate(adopting)).rejects.toThrow('1 withdrawals are pending')
  expect((await pendingMigrations(database.db))[0]).toBe(macMigration)
  await database.owner.query(sql`delete from withdrawal`)
  await migrate(adopting)
  expect(await pendingMigrations(database.db)).toEqual([])
})
