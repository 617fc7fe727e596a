/** History is what it was when it was sealed. */
import sql from 'sql-template-tag'
import { required } from '../core/assert.ts'
import { limits } from '../core/limits.ts'
import { one, type Queryable } from '../db/pool.ts'
import { genesisHash, sealHash } from '../ledger/seal.ts'
import { findLastSeal, findSealed } from '../ledger/store.ts'
import { findingsMax, type Invariant } from './invariant.ts'

/** How long a journal may wait for its seal; the sealer takes about a second. */
const unsealedSecondsMax = 60

export const historyIsSealed: Invariant = {
  id: 'M17',
  title: 'history is append-only: the hash chain holds from the first journal on',
  unit: 'seals',
  check: async ({ on }) => {
    const last = (await findLastSeal(on))?.sequence ?? 0
    const findings = [...(await recomputeChain(on, last)), ...(await findUnordered(on))]
    const counted = await one<{ seals: number }>(on, sql`select count(*) as seals from journal_seal`)
    return {
      examined: required(counted, 'a count').seals,
      findings: findings.slice(0, findingsMax),
    }
  },
}

/** Goes on from what is stored after a breach, so that each one is told and not all that follow from it. */
async function recomputeChain(on: Queryable, last: number): Promise<readonly string[]> {
  const findings: string[] = []
  let previousHash = genesisHash
  let expected = 1
  for (let from = 1; from <= last && findings.length < findingsMax; from += limits.sealRows) {
    for (const { seal, journal } of await findSealed(on, from, from + limits.sealRows - 1)) {
      if (seal.sequence !== expected) findings.push(gap(expected, seal.sequence - 1))
      else if (!sealHash(previousHash, seal.sequence, journal).equals(seal.hash)) {
        findings.push(`seal ${seal.sequence} does not fit journal ${journal.id} (${journal.subject})`)
      }
      previousHash = seal.hash
      expected = seal.sequence + 1
    }
  }
  if (expected <= last && findings.length < findingsMax) findings.push(gap(expected, last))
  return findings
}

function gap(from: number, to: number): string {
  return `the seals or journals of places ${from} to ${to} are gone`
}

/** Journals that the sealer has forgotten, or has not come to for too long. */
async function findUnordered(on: Queryable): Promise<readonly string[]> {
  const rows = await on.query<{ finding: string }>(sql`
    select format('journal %s (%s) of %s is not sealed', journal.id, journal.subject, journal.posted_at) as finding
    from journal
    left join journal_seal seal on seal.journal_id = journal.id
    left join journal_unsealed waiting on waiting.journal_id = journal.id
    where seal.journal_id is null
      and (waiting.journal_id is null or posted_at < now() - ${unsealedSecondsMax} * interval '1 second')
    union all
    select format('journal %s is sealed and waits for its seal', seal.journal_id)
    from journal_seal seal join journal_unsealed waiting on waiting.journal_id = seal.journal_id
    limit ${findingsMax}`)
  return rows.map(({ finding }) => finding)
}
