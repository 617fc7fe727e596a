/**
 * Journals of before get their MACs, and their seals cover them from then on. The chain of hashes that was there is recomputed
 * by its own rule at the same time, so that nothing gets a MAC that is not what was sealed.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../core/limits.ts'
import { journalMac } from '../../ledger/journal-mac.ts'
import { canonicalText, genesisHash, sealHash } from '../../ledger/seal.ts'
import {
  findLastSeal,
  findSealed,
  findUnsealed,
  insertSeals,
  type StoredJournal,
} from '../../ledger/store.ts'
import { macsOf } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { saveJournalMacs, saveSealHashes } from './mac-store.ts'

/** What history ended with before and after, in hex. */
export interface Resealed {
  readonly journals: number
  readonly formerHead: string
  readonly head: string
}

/** History is not what was sealed. */
export class BrokenHistoryError extends Error {
  override readonly name = 'BrokenHistoryError'
}

/**
 * Seals what waits for its seal too: the sealer rests while no process runs.
 * @throws BrokenHistoryError
 */
export async function macAndReseal(tx: Tx): Promise<Resealed> {
  const last = (await findLastSeal(tx))?.sequence ?? 0
  let former = genesisHash
  let hash = genesisHash
  let sequence = 0
  for (let from = 1; from <= last; from += limits.sealRows) {
    const sealed = await findSealed(tx, from, from + limits.sealRows - 1)
    const maced = withMacs(
      tx,
      sealed.map(({ journal }) => journal),
    )
    const hashes: Buffer[] = []
    for (const [place, { seal, journal }] of sealed.entries()) {
      sequence += 1
      former = formerSealHash(former, sequence, journal)
      if (seal.sequence !== sequence || !former.equals(seal.hash))
        throw new BrokenHistoryError(`seal ${sequence} does not fit the journal that it is for`)
      hash = sealHash(hash, sequence, maced[place] ?? journal)
      hashes.push(hash)
    }
    await saveJournalMacs(tx, maced)
    await saveSealHashes(tx, from, hashes)
  }
  if (sequence !== last) throw new BrokenHistoryError(`of ${last} seals only ${sequence} are there`)
  const added = await sealWaiting(tx, sequence, hash)
  const journals = added.sequence
  return { journals, formerHead: former.toString('hex'), head: added.hash.toString('hex') }
}

async function sealWaiting(tx: Tx, last: number, lastHash: Buffer) {
  let sequence = last
  let hash = lastHash
  for (;;) {
    const waiting = withMacs(tx, await findUnsealed(tx, limits.sealRows))
    if (waiting.length === 0) return { sequence, hash }
    const seals = waiting.map((journal) => {
      sequence += 1
      hash = sealHash(hash, sequence, journal)
      return { sequence, journalId: journal.id, hash }
    })
    await saveJournalMacs(tx, waiting)
    await insertSeals(tx, seals)
  }
}

function withMacs(tx: Tx, journals: readonly StoredJournal[]): readonly StoredJournal[] {
  const macs = macsOf(tx)
  return journals.map((journal) => ({ ...journal, mac: journalMac(macs, journal) }))
}

/** As seals were computed before journals carried MACs: the same text without one. */
export function formerSealHash(previousHash: Buffer, sequence: number, journal: StoredJournal): Buffer {
  const withMac = JSON.parse(canonicalText(sequence, journal)) as unknown[]
  const macPlace = 6
  const text = JSON.stringify(withMac.filter((_, place) => place !== macPlace))
  return createHash('sha256').update(previousHash).update(text).digest()
}
