/** History is the one that the signer countersigned: whoever rewrites it cannot sign its heads anew. */
import sql from 'sql-template-tag'
import { required } from '../core/assert.ts'
import { limits } from '../core/limits.ts'
import { one, type Queryable } from '../db/pool.ts'
import { isSigned, sealHeadStatement } from '../intents/statement.ts'
import { readStatementKey } from '../payouts/attest-store.ts'
import { findingsMax, type Invariant, type Snapshot } from './invariant.ts'

export const historyIsCountersigned: Invariant = {
  id: 'M17-heads',
  title: 'history holds each head that the signer countersigned',
  unit: 'heads',
  check: async ({ on, attested }) => {
    const counted = await one<{ heads: number }>(on, sql`select count(*) as heads from seal_countersignature`)
    const findings = [
      ...(await findRewritten(on)),
      ...(await findForeign(on)),
      ...(await findForgotten(on, attested)),
    ]
    return { examined: required(counted, 'a count').heads, findings: findings.slice(0, findingsMax) }
  },
}

/** Heads that the books do not hold as they were. */
async function findRewritten(on: Queryable): Promise<readonly string[]> {
  const rows = await on.query<{ finding: string }>(sql`
    select format('seal %s is not the one that was countersigned at %s', signed.sequence, signed.signed_at) as finding
    from seal_countersignature signed left join journal_seal seal on seal.sequence = signed.sequence
    where seal.hash is distinct from signed.hash
    order by signed.signed_at limit ${findingsMax}`)
  return rows.map(({ finding }) => finding)
}

interface HeadRow {
  readonly incarnation: string
  readonly sequence: number
  readonly hash: Buffer
  readonly signature: string
}

/** Heads that the signer's key did not sign. */
async function findForeign(on: Queryable): Promise<readonly string[]> {
  const key = await readStatementKey(on)
  const findings: string[] = []
  let after: Pick<HeadRow, 'incarnation' | 'sequence'> | undefined
  do {
    const rows: readonly HeadRow[] = await readHeads(on, after)
    for (const { hash, signature, ...place } of rows) {
      const statement = sealHeadStatement({ ...place, hash: hash.toString('hex') })
      if (key === undefined || !isSigned(key, statement, signature))
        findings.push(`the countersignature of seal ${place.sequence} is not the signer's`)
    }
    after = rows.at(-1)
  } while (after !== undefined && findings.length < findingsMax)
  return findings
}

function readHeads(
  on: Queryable,
  after: Pick<HeadRow, 'incarnation' | 'sequence'> | undefined,
): Promise<readonly HeadRow[]> {
  const { incarnation, sequence } = after ?? {
    incarnation: '00000000-0000-0000-0000-000000000000',
    sequence: 0,
  }
  return on.query<HeadRow>(sql`
    select incarnation_id as incarnation, sequence, hash, signature from seal_countersignature
    where (incarnation_id, sequence) > (${incarnation}::uuid, ${sequence}::bigint)
    order by incarnation_id, sequence limit ${limits.sealRows}`)
}

/** Where the signer can be asked: its key is the stored one, and the books hold the head that it signed last. */
async function findForgotten(on: Queryable, attested: Snapshot['attested']): Promise<readonly string[]> {
  if (attested === undefined) return []
  const findings: string[] = []
  const { statementKey, sealHead } = attested
  const key = await readStatementKey(on)
  if (key !== undefined && key !== statementKey)
    findings.push('the key of statements is not that of the signer')
  if (sealHead === undefined) return findings
  const { sequence, hash } = sealHead
  const row = await one<{ hash: Buffer }>(on, sql`select hash from journal_seal where sequence = ${sequence}`)
  if (row?.hash.toString('hex') === hash) return findings
  return [
    ...findings,
    `the signer countersigned seal ${sequence} with hash ${hash}, which history does not hold`,
  ]
}
