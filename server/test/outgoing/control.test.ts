/** Halts and history, held by the signer against whoever writes the database. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterEach, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { insertHalt, readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { resumePayouts } from '../../src/outgoing/engine/controls/halts.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/standing-halts.ts'
import { readStatementKey } from '../../src/outgoing/engine/signer-client/attest-store.ts'
import { countersignHead } from '../../src/outgoing/engine/signer-client/countersign-head.ts'
import { historyIsCountersigned } from '../../src/oversight/verify/books/countersigned.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { resumeHalts, signedLift } from '../support/lifts.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'
import { rewriteHistory } from '../support/rewrite-history.ts'
import { tamper } from '../verify/tampering.ts'

const flow = usePayoutFlow({ lanes: 2 })
const { database } = flow

afterEach(async () => {
  await flow.endLeases()
  await (await flow.machine()).settle()
  await flow.endLeases()
  await resumeHalts(database.db, flow.signer.keys)
  await (await flow.machine()).settle()
  expect((await flow.signer.signer.attest()).halts).toEqual([])
  await flow.endLeases()
})

function countersign(): Promise<number> {
  return countersignHead({ db: database.db, log: silentLog, signer: flow.signer.signer })
}

/** Another journal, with its seal. */
async function growHistory(): Promise<void> {
  await inTransaction(database.db, (tx) =>
    post(tx, [
      journal({
        kind: 'capital.funded',
        subject: `test:${newId()}`,
        lines: [
          debit({ name: 'custody', asset: 'ethereum/USDT' }, 1n),
          credit({ name: 'capital', asset: 'ethereum/USDT' }, 1n),
        ],
      }),
    ]),
  )
  await flow.mine()
}

async function causes(): Promise<readonly string[]> {
  return (await readShownHalts(database.db)).map(({ cause }) => cause)
}

/** What verify says of heads; nothing where it finds nothing. */
async function verified(): Promise<readonly string[]> {
  const attested = await flow.signer.signer.attest()
  const { findings } = await historyIsCountersigned.check({
    on: database.db,
    methods: flow.shop.methods,
    attested,
  })
  return findings
}

it('the role that the service works as puts halts and lifts, and can neither delete nor change one', async () => {
  const { db } = database
  expect(await insertHalt(db, 'books', 'a test')).toBe(true)
  expect(await insertHalt(db, 'books', 'again')).toBe(false)
  for (const statement of [
    sql`delete from payout_halt`,
    sql`update payout_halt set cause = 'none'`,
    sql`truncate payout_halt cascade`,
    sql`delete from payout_halt_lift`,
    sql`delete from seal_countersignature`,
  ])
    await expect(db.query(statement)).rejects.toThrow('permission denied')
  expect(await resumeHalts(db, flow.signer.keys, 'books')).toBe(true)
  expect(await insertHalt(db, 'books', 'once more')).toBe(true)
  expect(await readHalts(db)).toMatchObject([{ cause: 'books', detail: 'once more' }])
})

it('a lift that nobody signed, or another signer did, lifts nothing; the right one does, once', async () => {
  const { db } = database
  const machine = await flow.machine()
  await machine.settle()
  await insertHalt(db, 'tampering', 'a test')
  const [halt] = await readHalts(db)
  const haltId = halt?.id ?? ''
  const payment = await flow.pay()
  const forged = [
    sql`insert into payout_halt_lift (halt_id, statement, signature) values (${haltId}, 'lifted', 'by me')`,
    sql`update attested_statement_key set public_key = ${'00'.repeat(32)}`,
  ]
  for (const statement of forged) await db.query(statement)
  const foreign = signedLift(new KeyTree(newMnemonic(12), 1), { haltId })
  await inTransaction(db, (tx) => resumePayouts(tx, foreign, { reason: 'a thief' }))
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  expect(flow.alerts).toContain('lift-forged')
  const line = signedLift(flow.signer.keys, { haltId })
  await inTransaction(db, async (tx) => {
    expect(await resumePayouts(tx, line, { reason: 'found' })).toBe(true)
    expect(await resumePayouts(tx, line, { reason: 'found' })).toBe(false)
  })
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('a halt that a superuser deletes stands at the signer, and comes back', async () => {
  const machine = await flow.machine()
  await insertHalt(database.db, 'books', 'a test')
  await machine.settle()
  const payment = await flow.pay()
  await tamper(database, [sql`delete from payout_halt where cause = 'books' and detail = 'a test'`])
  await machine.settle()
  expect(await causes()).toEqual(['books'])
  expect((await flow.wish(payment.id)).moves).toEqual([])
  await flow.endLeases()
  await tamper(database, [sql`delete from payout_halt`, sql`delete from payout_halt_lift`])
  await (await flow.machine()).settle()
  expect(await causes()).toEqual(['books'])
  expect((await flow.wish(payment.id)).moves).toEqual([])
})

it('heads are countersigned as history grows, and verify proves them', async () => {
  await (await flow.machine()).settle()
  for (const _ of [1, 2, 3]) {
    await growHistory()
    expect(await countersign()).toBe(0)
  }
  const [counted] = await database.db.query(sql`select count(*)::int as heads from seal_countersignature`)
  expect(counted).toEqual({ heads: 3 })
  expect(await countersign()).toBe(0)
  const attested = await flow.signer.signer.attest()
  expect(await readStatementKey(database.db)).toBe(attested.statementKey)
  expect(await verified()).toEqual([])
  expect(await causes()).toEqual([])
})

it('history that was rewritten, seals and all, is countersigned by no signer: payouts halt, and verify finds it', async () => {
  await growHistory()
  await countersign()
  expect(await verified()).toEqual([])
  await rewriteHistory(database, '~rewritten')
  await growHistory()
  await countersign()
  expect(await causes()).toEqual(['history'])
  expect((await verified()).join()).toContain('is not the one that was countersigned')
  // Whoever also throws the signatures away is found out by what the signer holds.
  const rows = await database.db.query(
    sql`select incarnation_id, sequence, hash, signature from seal_countersignature`,
  )
  await tamper(database, [sql`delete from seal_countersignature`])
  expect((await verified()).join()).toContain('which history does not hold')
  await growHistory()
  await countersign()
  expect(await database.db.query(sql`select from seal_countersignature`)).toEqual([])
  await rewriteHistory(database, '')
  for (const row of rows as readonly Record<string, string>[])
    await database.db.query(sql`
      insert into seal_countersignature (incarnation_id, sequence, hash, signature)
      values (${row['incarnation_id']}, ${row['sequence']}, ${row['hash']}, ${row['signature']})`)
  await countersign()
  expect(await verified()).toEqual([])
})

it('nothing is planned on history that is not the countersigned one, before the signer is asked again', async () => {
  await growHistory()
  await countersign()
  const machine = await flow.machine()
  await machine.settle()
  await rewriteHistory(database, '~rewritten')
  const payment = await flow.pay()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  expect(await causes()).toEqual(['history'])
  await rewriteHistory(database, '')
  await resumeHalts(database.db, flow.signer.keys)
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('a database that was put back from a copy halts until its new life is opened on the host of the signer', async () => {
  const { db } = database
  await growHistory()
  await countersign()
  await db.query(sql`update database_incarnation set id = ${randomUUID()}`)
  await growHistory()
  await countersign()
  expect(await readShownHalts(db)).toMatchObject([
    { cause: 'history', detail: expect.stringContaining('was not opened') },
  ])
  const [halt] = await readHalts(db)
  const incarnation = randomUUID()
  const line = signedLift(flow.signer.keys, { haltId: halt?.id ?? '', incarnation })
  await inTransaction(db, (tx) => resumePayouts(tx, line, { reason: 'restored' }))
  // Before any machine has told the signer of the lift.
  await countersign()
  expect(await causes()).toEqual([])
  const head = await flow.signer.signer.attest()
  expect(head.sealHead?.incarnation).toBe(incarnation)
  const machine = await flow.machine()
  const payment = await flow.pay()
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
  expect(await verified()).toEqual([])
})

it("a head that somebody made up stops nothing, is told, and takes no place of the signer's own", async () => {
  const { db } = database
  await growHistory()
  await countersign()
  const [incarnation] = await db.query<{ id: string }>(sql`select id from database_incarnation`)
  const next = sql`(select max(sequence) + 1 from journal_seal)`
  const far = sql`9223372036854775807`
  for (const sequence of [next, far])
    await db.query(sql`
      insert into seal_countersignature (incarnation_id, sequence, hash, signature)
      values (${incarnation?.id}, ${sequence}, ${Buffer.alloc(32, 7)}, ${'ab'.repeat(64)})`)
  const machine = await flow.machine()
  const payment = await flow.pay()
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
  expect(flow.alerts).toContain('head-forged')
  expect(await causes()).toEqual([])
  await growHistory()
  await countersign()
  const { sealHead } = await flow.signer.signer.attest()
  const own = sql`select from seal_countersignature where encode(hash, 'hex') = ${sealHead?.hash}`
  expect(await db.query(own)).toHaveLength(1)
  expect(await verified()).toEqual([
    expect.stringContaining("is not the signer's"),
    expect.stringContaining("is not the signer's"),
  ])
  // The signer's own head is looked for behind those that were made up.
  await rewriteHistory(database, '~rewritten')
  const late = await flow.pay()
  await machine.settle()
  expect((await flow.wish(late.id)).moves).toEqual([])
  expect(await causes()).toEqual(['history'])
  await rewriteHistory(database, '')
  await tamper(database, [sql`delete from seal_countersignature where signature = ${'ab'.repeat(64)}`])
  expect(await verified()).toEqual([])
})

it('a halt with the greatest number keeps no other from being made, and none from being lifted', async () => {
  const { db } = database
  await db.query(sql`
    insert into payout_halt (cause, detail, ordinal) values ('books', 'made up', 2147483647)`)
  const machine = await flow.machine()
  await machine.settle()
  expect(await causes()).toEqual(['books'])
  await resumeHalts(db, flow.signer.keys, 'books')
  await machine.settle()
  expect(await causes()).toEqual([])
  expect(await insertHalt(db, 'books', 'a true one')).toBe(true)
  expect(await insertHalt(db, 'books', 'which stands')).toBe(false)
  await machine.settle()
  expect(await causes()).toEqual(['books'])
  await tamper(database, [sql`delete from payout_halt where detail = 'a true one'`])
  await machine.settle()
  expect(await causes()).toEqual(['books'])
})
