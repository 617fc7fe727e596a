/**
 * The signer keeps halts and the head (last hash) of the sealed history. Whoever can write the database can
 * therefore neither lift a halt nor rewrite history unnoticed.
 */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterEach, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { insertHalt, readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { resumeOutgoing } from '../../src/outgoing/engine/controls/halts.ts'
import { readStatementKey } from '../../src/outgoing/engine/signer-client/attest-store.ts'
import { countersignHead } from '../../src/outgoing/engine/signer-client/countersign-head.ts'
import { historyIsCountersigned } from '../../src/oversight/verify/books/countersigned.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { countersignatureRecords, incarnationRecords, sealRecords } from '../support/books/records.ts'
import { resumeHalts, signedLift } from '../support/lifts.ts'
import { haltRecords } from '../support/outgoing/records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { rewriteHistory } from '../support/rewrite-history.ts'
import { tamper } from '../verify/tampering.ts'

const flow = useOutgoingFlow({ hotWallets: 2 })
const { database } = flow

afterEach(async () => {
  await flow.endLeases()
  await (await flow.engine()).settle()
  await flow.endLeases()
  await resumeHalts(database.db, flow.signer.keys)
  await (await flow.engine()).settle()
  expect((await flow.signer.signer.attest()).halts).toEqual([])
  await flow.endLeases()
})

function countersign(): Promise<number> {
  return countersignHead({ db: database.db, log: silentLog, signer: flow.signer.signer })
}

/** Posts another journal and seals it. */
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

/** Returns what verify reports about the countersigned heads; empty if it reports nothing. */
async function verified(): Promise<readonly string[]> {
  const attested = await flow.signer.signer.attest()
  const { findings } = await historyIsCountersigned.check({
    on: database.db,
    methods: flow.shop.methods,
    attested,
  })
  return findings
}

it('the service role can insert halts and lifts, and can neither delete nor change one', async () => {
  const { db } = database
  expect(await insertHalt(db, 'books', 'a test')).toBe(true)
  expect(await insertHalt(db, 'books', 'again')).toBe(false)
  for (const statement of [
    sql`delete from outgoing_halt`,
    sql`update outgoing_halt set cause = 'none'`,
    sql`truncate outgoing_halt cascade`,
    sql`delete from outgoing_halt_lift`,
    sql`delete from seal_countersignature`,
  ])
    await expect(db.query(statement)).rejects.toThrow('permission denied')
  expect(await resumeHalts(db, flow.signer.keys, 'books')).toBe(true)
  expect(await insertHalt(db, 'books', 'once more')).toBe(true)
  expect(await readHalts(db)).toMatchObject([{ cause: 'books', detail: 'once more' }])
})

it('a lift without a signature, or signed by another signer, is ignored; the right one works once', async () => {
  const { db } = database
  const engine = await flow.engine()
  await engine.settle()
  await insertHalt(db, 'tampering', 'a test')
  const [halt] = await readHalts(db)
  const haltId = halt?.id ?? ''
  const payment = await flow.pay()
  const forged = [
    sql`insert into outgoing_halt_lift (halt_id, statement, signature) values (${haltId}, 'lifted', 'by me')`,
    sql`update attested_statement_key set public_key = ${'00'.repeat(32)}`,
  ]
  for (const statement of forged) await db.query(statement)
  const foreign = signedLift(new KeyTree(newMnemonic(12), 1), { haltId })
  await inTransaction(db, (tx) => resumeOutgoing(tx, foreign, { reason: 'a thief' }))
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  expect(flow.alerts).toContain('lift-forged')
  const line = signedLift(flow.signer.keys, { haltId })
  await inTransaction(db, async (tx) => {
    expect(await resumeOutgoing(tx, line, { reason: 'found' })).toBe(true)
    expect(await resumeOutgoing(tx, line, { reason: 'found' })).toBe(false)
  })
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('a halt that a superuser deletes stays at the signer, and is restored', async () => {
  const engine = await flow.engine()
  await insertHalt(database.db, 'books', 'a test')
  await engine.settle()
  const payment = await flow.pay()
  await tamper(database, [sql`delete from outgoing_halt where cause = 'books' and detail = 'a test'`])
  await engine.settle()
  expect(await causes()).toEqual(['books'])
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  await flow.endLeases()
  await tamper(database, [sql`delete from outgoing_halt`, sql`delete from outgoing_halt_lift`])
  await (await flow.engine()).settle()
  expect(await causes()).toEqual(['books'])
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
})

it('heads are countersigned as history grows, and verify checks them', async () => {
  await (await flow.engine()).settle()
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

it('rewritten history with new seals is not countersigned: payouts halt, and verify reports it', async () => {
  await growHistory()
  await countersign()
  expect(await verified()).toEqual([])
  await rewriteHistory(database, '~rewritten')
  await growHistory()
  await countersign()
  expect(await causes()).toEqual(['history'])
  expect((await verified()).join()).toContain('is not the one that was countersigned')
  // If the countersignatures are deleted too, the head that the signer holds still shows that history was
  // rewritten.
  const rows = await countersignatureRecords.all(
    database.db,
    {},
    'databaseId',
    'sequence',
    'hash',
    'signature',
  )
  await tamper(database, [sql`delete from seal_countersignature`])
  expect((await verified()).join()).toContain('which history does not contain')
  await growHistory()
  await countersign()
  expect(await countersignatureRecords.all(database.db)).toEqual([])
  await rewriteHistory(database, '')
  await countersignatureRecords.add(database.db, ...rows)
  await countersign()
  expect(await verified()).toEqual([])
})

it('nothing is planned on history that differs from the countersigned head, even before the signer is asked again', async () => {
  await growHistory()
  await countersign()
  const engine = await flow.engine()
  await engine.settle()
  await rewriteHistory(database, '~rewritten')
  const payment = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  expect(await causes()).toEqual(['history'])
  await rewriteHistory(database, '')
  await resumeHalts(database.db, flow.signer.keys)
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it("a database restored from a copy halts until its new incarnation is opened on the signer's host", async () => {
  const { db } = database
  await growHistory()
  await countersign()
  await incarnationRecords.change(db, {}, { id: randomUUID() })
  await growHistory()
  await countersign()
  expect(await readShownHalts(db)).toMatchObject([
    { cause: 'history', detail: expect.stringContaining('was not opened') },
  ])
  const [halt] = await readHalts(db)
  const databaseId = randomUUID()
  const line = signedLift(flow.signer.keys, { haltId: halt?.id ?? '', databaseId })
  await inTransaction(db, (tx) => resumeOutgoing(tx, line, { reason: 'restored' }))
  // No engine has forwarded the lift to the signer yet.
  await countersign()
  expect(await causes()).toEqual([])
  const head = await flow.signer.signer.attest()
  expect(head.sealHead?.databaseId).toBe(databaseId)
  const engine = await flow.engine()
  const payment = await flow.pay()
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
  expect(await verified()).toEqual([])
})

it("an invented head stops nothing, is reported, and does not replace the signer's own", async () => {
  const { db } = database
  await growHistory()
  await countersign()
  const { id: databaseId } = await incarnationRecords.one(db)
  const { sequence: last } = required((await sealRecords.all(db)).at(-1), 'a seal')
  const farthest = 9_223_372_036_854_775_807n
  for (const sequence of [last + 1, farthest])
    await countersignatureRecords.add(db, {
      databaseId,
      sequence,
      hash: Buffer.alloc(32, 7),
      signature: 'ab'.repeat(64),
    })
  const engine = await flow.engine()
  const payment = await flow.pay()
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
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
  // The signer's own head is found although invented heads come before it.
  await rewriteHistory(database, '~rewritten')
  const late = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(late.id)).moves).toEqual([])
  expect(await causes()).toEqual(['history'])
  await rewriteHistory(database, '')
  await tamper(database, [sql`delete from seal_countersignature where signature = ${'ab'.repeat(64)}`])
  expect(await verified()).toEqual([])
})

it('a halt with the greatest number prevents neither a new halt nor a lift', async () => {
  const { db } = database
  await haltRecords.add(db, { cause: 'books', detail: 'made up', ordinal: 2_147_483_647 })
  const engine = await flow.engine()
  await engine.settle()
  expect(await causes()).toEqual(['books'])
  await resumeHalts(db, flow.signer.keys, 'books')
  await engine.settle()
  expect(await causes()).toEqual([])
  expect(await insertHalt(db, 'books', 'a true one')).toBe(true)
  expect(await insertHalt(db, 'books', 'which stands')).toBe(false)
  await engine.settle()
  expect(await causes()).toEqual(['books'])
  await tamper(database, [sql`delete from outgoing_halt where detail = 'a true one'`])
  await engine.settle()
  expect(await causes()).toEqual(['books'])
})

it.each(['attest', 'countersign'] as const)(
  'a process that is paused before it calls %s halts nothing if another has a newer head countersigned',
  async (call) => {
    await (await flow.engine()).settle()
    await growHistory()
    const { signer } = flow.signer
    let isPaused = true
    const overtaken = async (at: typeof call) => {
      if (at !== call || !isPaused) return
      isPaused = false
      await growHistory()
      while ((await countersign()) > 0);
    }
    const paused: Signer = {
      sign: (requests) => signer.sign(requests),
      readLog: (after, max) => signer.readLog(after, max),
      attest: async () => {
        await overtaken('attest')
        return signer.attest()
      },
      control: {
        ...signer.control,
        countersign: async (head) => {
          await overtaken('countersign')
          return signer.control.countersign(head)
        },
      },
    }
    while ((await countersignHead({ db: database.db, log: silentLog, signer: paused })) > 0);
    expect(isPaused).toBe(false)
    expect(await causes()).toEqual([])
    expect(await verified()).toEqual([])
  },
)
