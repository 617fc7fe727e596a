/** The head of the sealed journal, and what the signer countersigned of it. */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { SealHead } from '../../../signing/statement.ts'

/** A head that was countersigned, and the books' own hash at its sequence now. */
export interface Countersigned extends SealHead {
  readonly signature: string
  /** In hex; undefined where the seal is gone. */
  readonly sealedHash: string | undefined
}

/** As many rows are looked at in one statement. */
const headsAtOnce = 100

/** The first page begins below this, which no history reaches: what is stored above it can only be made up. */
const aboveAll = { sequence: Number.MAX_SAFE_INTEGER, signature: '' }

/**
 * What is stored as countersigned in the incarnation that the database is in, the newest first; nothing of it is proven. Whoever
 * writes the database can add to it.
 */
export async function* readCountersigned(on: Queryable): AsyncGenerator<Countersigned, void, void> {
  let before = aboveAll
  for (;;) {
    const rows = await readHeadsBefore(on, before)
    for (const { incarnation, sequence, hash, signature, sealed } of rows) {
      yield {
        incarnation,
        sequence,
        hash: hash.toString('hex'),
        signature,
        sealedHash: sealed?.toString('hex'),
      }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < headsAtOnce) return
    before = { sequence: last.sequence, signature: last.signature }
  }
}

interface HeadRow {
  readonly incarnation: string
  readonly sequence: number
  readonly hash: Buffer
  readonly signature: string
  readonly sealed: Buffer | null
}

function readHeadsBefore(
  on: Queryable,
  { sequence, signature }: { readonly sequence: number; readonly signature: string },
): Promise<readonly HeadRow[]> {
  return on.query<HeadRow>(
    named(
      'read-countersigned',
      sql`
      select signed.incarnation_id as incarnation, signed.sequence, signed.hash, signed.signature, seal.hash as sealed
      from seal_countersignature signed
      left join journal_seal seal on seal.sequence = signed.sequence
      where signed.incarnation_id = (select id from database_incarnation)
        and (signed.sequence < ${sequence}::bigint
          or (signed.sequence = ${sequence}::bigint and signed.signature > ${signature}))
      order by signed.sequence desc, signed.signature limit ${headsAtOnce}`,
    ),
  )
}

export async function insertCountersignature(
  on: Queryable,
  { incarnation, sequence, hash, signature }: SealHead & { readonly signature: string },
): Promise<void> {
  await on.query(sql`
    insert into seal_countersignature (incarnation_id, sequence, hash, signature)
    values (${incarnation}, ${sequence}, ${Buffer.from(hash, 'hex')}, ${signature})
    on conflict do nothing`)
}

/** Which life of the database this is. */
export async function readIncarnation(on: Queryable): Promise<string> {
  const row = await one<{ id: string }>(on, sql`select id from database_incarnation`)
  return required(row, 'the incarnation').id
}

/** Begins another life: addresses get new branches, and history is countersigned anew from where it is. */
export async function openIncarnation(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update database_incarnation set id = ${id}`)
}

/** The lifts that opened an incarnation, as lines are made of them, whoever wrote them. */
export async function readOpenings(
  on: Queryable,
): Promise<readonly { readonly statement: string; readonly signature: string }[]> {
  return on.query(sql`
    select statement, signature from payout_halt_lift
    where strpos(statement, (select id::text from database_incarnation)) > 0`)
}
