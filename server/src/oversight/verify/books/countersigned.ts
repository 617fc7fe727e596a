/** History is the one that the signer countersigned: whoever rewrites it cannot sign its heads anew. */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import { limits } from '../../../core/limits.ts'
import { readStatementKey } from '../../../outgoing/engine/signer-client/attest-store.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import { isSigned, sealHeadStatement } from '../../../signing/statement.ts'
import { findingsMax, type Invariant, type Snapshot } from '../invariant.ts'
import { inOneLook } from '../look.ts'

export const historyIsCountersigned: Invariant = inOneLook({
  id: 'M17-heads',
  title: 'history holds each head that the signer countersigned',
  unit: 'heads',
  check: async ({ on, attested }) => {
    const counted = await one<{ heads: number }>(on, sql`select count(*) as heads from seal_countersignature`)
    const findings = [...(await findFalse(on)), ...(await findForgotten(on, attested))]
    return { examined: required(counted, 'a count').heads, findings: findings.slice(0, findingsMax) }
  },
})

interface HeadRow {
  readonly incarnation: string
  /** As text: what somebody made up may be larger than a number holds. */
  readonly sequence: string
  readonly hash: Buffer
  readonly signature: string
  readonly signedAt: Date
  readonly sealed: Buffer | null
}

type HeadPlace = Pick<HeadRow, 'incarnation' | 'sequence' | 'signature'>

/** Heads that the signer's key did not sign, and those that the books do not hold as they were. */
async function findFalse(on: Queryable): Promise<readonly string[]> {
  const key = await readStatementKey(on)
  const findings: string[] = []
  let after: HeadPlace | undefined = beforeAll
  do {
    const rows: readonly HeadRow[] = await readHeads(on, after)
    findings.push(...rows.flatMap((row) => faultOf(row, key) ?? []))
    after = rows.at(-1)
  } while (after !== undefined && findings.length < findingsMax)
  return findings
}

function faultOf(
  { incarnation, sequence, hash, signature, signedAt, sealed }: HeadRow,
  key: string | undefined,
): string | undefined {
  const statement = sealHeadStatement({ incarnation, sequence: Number(sequence), hash: hash.toString('hex') })
  if (key === undefined || !isSigned(key, statement, signature))
    return `the countersignature of seal ${sequence} is not the signer's`
  if (sealed?.equals(hash) === true) return undefined
  return `seal ${sequence} is not the one that was countersigned at ${signedAt.toISOString()}`
}

const beforeAll: HeadPlace = {
  incarnation: '00000000-0000-0000-0000-000000000000',
  sequence: '0',
  signature: '',
}

function readHeads(
  on: Queryable,
  { incarnation, sequence, signature }: HeadPlace,
): Promise<readonly HeadRow[]> {
  return on.query<HeadRow>(sql`
    select incarnation_id as incarnation, signed.sequence::text as sequence, signed.hash, signature, signed_at as "signedAt",
      seal.hash as sealed
    from seal_countersignature signed left join journal_seal seal on seal.sequence = signed.sequence
    where (incarnation_id, signed.sequence, signature) > (${incarnation}::uuid, ${sequence}::bigint, ${signature}::text)
    order by incarnation_id, signed.sequence, signature limit ${limits.sealRows}`)
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
