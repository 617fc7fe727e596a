/** The countersigned heads of the sealed history, and the id of the database's incarnation. */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { SealHead } from '../../../signing/statement.ts'

/** A head that is stored as countersigned, and the hash of the present seal with the same sequence. */
export interface Countersigned extends SealHead {
  readonly signature: string
  /** The hash of the seal with this sequence, in hex; undefined if the seal no longer exists. */
  readonly sealedHash: string | undefined
}

/** The number of heads that one query reads. */
const headsAtOnce = 100

/** Reading starts below this position. No real history reaches it, so every row above it is forged. */
const aboveAll = { sequence: Number.MAX_SAFE_INTEGER, signature: '' }

/**
 * Yields the heads that are stored as countersigned in the database's current incarnation, the newest first.
 * Their signatures are not verified here, and anybody who can write to the database can add rows.
 */
export async function* readCountersigned(on: Queryable): AsyncGenerator<Countersigned, void, void> {
  let before = aboveAll
  for (;;) {
    const rows = await readHeadsBefore(on, before)
    for (const { databaseId, sequence, hash, signature, sealed } of rows) {
      yield {
        databaseId,
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
  readonly databaseId: string
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
      select signed.database_id as "databaseId", signed.sequence, signed.hash, signed.signature, seal.hash as sealed
      from seal_countersignature signed
      left join journal_seal seal on seal.sequence = signed.sequence
      where signed.database_id = (select id from database_identity)
        and (signed.sequence < ${sequence}::bigint
          or (signed.sequence = ${sequence}::bigint and signed.signature > ${signature}))
      order by signed.sequence desc, signed.signature limit ${headsAtOnce}`,
    ),
  )
}

export async function insertCountersignature(
  on: Queryable,
  { databaseId, sequence, hash, signature }: SealHead & { readonly signature: string },
): Promise<void> {
  await on.query(sql`
    insert into seal_countersignature (database_id, sequence, hash, signature)
    values (${databaseId}, ${sequence}, ${Buffer.from(hash, 'hex')}, ${signature})
    on conflict do nothing`)
}

/** Returns the id of the database's current incarnation. */
export async function readDatabaseId(on: Queryable): Promise<string> {
  const row = await one<{ id: string }>(on, sql`select id from database_identity`)
  return required(row, 'the incarnation').id
}

/**
 * Opens a new incarnation of the database. New deposit addresses are then derived on new branches, and the
 * history is countersigned again from its current head.
 */
export async function openDatabaseIdentity(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update database_identity set id = ${id}`)
}

/**
 * Returns the stored statements that lifted a halt and thereby opened the current incarnation. Their
 * signatures are not verified here.
 */
export async function readOpenings(
  on: Queryable,
): Promise<readonly { readonly statement: string; readonly signature: string }[]> {
  return on.query(sql`
    select statement, signature from outgoing_halt_lift
    where strpos(statement, (select id::text from database_identity)) > 0
    order by lifted_at, halt_id, signature`)
}
