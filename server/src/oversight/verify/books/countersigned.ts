/**
 * Checks that the signer countersigned this history of journals. Every few seconds the signer signs the
 * newest hash of the sealed journals, the head. Somebody who rewrites history cannot forge the signatures of
 * the new heads.
 */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import { limits } from '../../../core/limits.ts'
import { readStatementKey } from '../../../outgoing/engine/signer-client/attest-store.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import { isSigned, sealHeadStatement } from '../../../signing/statement.ts'
import { findingsMax, type Invariant, type Snapshot } from '../invariant.ts'
import { inOneScan } from '../scan.ts'

export const historyIsCountersigned: Invariant = inOneScan({
  id: 'M17-heads',
  title: 'history contains each head that the signer countersigned',
  unit: 'heads',
  check: async ({ on, attested }) => {
    const counted = await one<{ heads: number }>(on, sql`select count(*) as heads from seal_countersignature`)
    const findings = [...(await findFalse(on)), ...(await findForgotten(on, attested))]
    return { examined: required(counted, 'a count').heads, findings: findings.slice(0, findingsMax) }
  },
})

interface HeadRow {
  readonly databaseId: string
  /** Text, because a forged sequence may be too large for a JavaScript number. */
  readonly sequence: string
  readonly hash: Buffer
  readonly signature: string
  readonly signedAt: Date
  readonly sealed: Buffer | null
}

type HeadPosition = Pick<HeadRow, 'databaseId' | 'sequence' | 'signature'>

/**
 * Returns a finding for each stored head that the signer's key did not sign, and for each head that differs
 * from the seal with the same sequence.
 */
async function findFalse(on: Queryable): Promise<readonly string[]> {
  const key = await readStatementKey(on)
  const findings: string[] = []
  let after: HeadPosition | undefined = beforeAll
  do {
    const rows: readonly HeadRow[] = await readHeads(on, after)
    findings.push(...rows.flatMap((row) => errorOf(row, key) ?? []))
    after = rows.at(-1)
  } while (after !== undefined && findings.length < findingsMax)
  return findings
}

function errorOf(
  { databaseId, sequence, hash, signature, signedAt, sealed }: HeadRow,
  key: string | undefined,
): string | undefined {
  const statement = sealHeadStatement({ databaseId, sequence: Number(sequence), hash: hash.toString('hex') })
  if (key === undefined || !isSigned(key, statement, signature))
    return `the countersignature of seal ${sequence} is not the signer's`
  if (sealed?.equals(hash) === true) return undefined
  return `seal ${sequence} is not the one that was countersigned at ${signedAt.toISOString()}`
}

const beforeAll: HeadPosition = {
  databaseId: '00000000-0000-0000-0000-000000000000',
  sequence: '0',
  signature: '',
}

function readHeads(
  on: Queryable,
  { databaseId, sequence, signature }: HeadPosition,
): Promise<readonly HeadRow[]> {
  return on.query<HeadRow>(sql`
    select database_id as "databaseId", signed.sequence::text as sequence, signed.hash, signature, signed_at as "signedAt",
      seal.hash as sealed
    from seal_countersignature signed left join journal_seal seal on seal.sequence = signed.sequence
    where (database_id, signed.sequence, signature) > (${databaseId}::uuid, ${sequence}::bigint, ${signature}::text)
    order by database_id, signed.sequence, signature limit ${limits.sealRows}`)
}

/**
 * Compares the books with what the signer attests. There is a finding if the signer's key is not the stored
 * key. There is another if the books do not contain the head that the signer signed last. If the signer does
 * not answer, there is no finding.
 */
async function findForgotten(on: Queryable, attested: Snapshot['attested']): Promise<readonly string[]> {
  if (attested === undefined) return []
  const findings: string[] = []
  const { statementKey, sealHead } = attested
  const key = await readStatementKey(on)
  if (key !== undefined && key !== statementKey) findings.push('the statement key is not the signer’s')
  if (sealHead === undefined) return findings
  const { sequence, hash } = sealHead
  const row = await one<{ hash: Buffer }>(on, sql`select hash from journal_seal where sequence = ${sequence}`)
  if (row?.hash.toString('hex') === hash) return findings
  return [
    ...findings,
    `the signer countersigned seal ${sequence} with hash ${hash}, which history does not contain`,
  ]
}
