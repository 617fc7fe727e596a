import { describe, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { genesisHash, runSealer, sealBatch, sealHash } from '../../src/ledger/seal.ts'
import { findSealed } from '../../src/ledger/store.ts'
import { acquireLease, type Lease, LeaseLostError, releaseLease } from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { unsealedRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { account } from './ledger-table.ts'

const database = useDatabase()

describe('the sealer', () => {
  it('seals in limited batches, gives each journal one position, and chains each to the previous one', async () => {
    const lease = await takeSealer()
    const ids = await postSome(25)
    const batches = [0, 0, 0, 0].map(() => () => sealBatch(database.db, lease, 10))
    const sizes = []
    for (const batch of batches) sizes.push(await batch())
    expect(sizes).toEqual([10, 10, 5, 0])
    const sealed = await findSealed(database.db, 1, 100)
    expect(sealed.map(({ seal }) => seal.sequence)).toEqual(sealed.map((_, index) => index + 1))
    expect(new Set(sealed.map(({ journal }) => journal.id))).toEqual(new Set(ids))
    let hash = genesisHash
    for (const { seal, journal } of sealed) {
      hash = sealHash(hash, seal.sequence, journal)
      expect(seal.hash).toEqual(hash)
    }
    await releaseLease(database.db, lease)
  })

  it('seals nothing after its lease is lost', async () => {
    const lease = await takeSealer()
    await postSome(1)
    await releaseLease(database.db, lease)
    const before = await lastSequence()
    await expect(sealBatch(database.db, lease)).rejects.toThrow(LeaseLostError)
    expect(await lastSequence()).toBe(before)
  })

  it('seals new journals after one pause of less than a second while it runs', async () => {
    const stop = new AbortController()
    const rests: (() => void)[] = []
    const clock: Clock = {
      now: () => new Date(),
      sleep: (ms, signal) =>
        ms < 1_000
          ? new Promise((resolve) => {
              rests.push(resolve)
              signal?.addEventListener('abort', () => resolve())
            })
          : systemClock.sleep(ms, signal),
    }
    const running = runSealer({ db: database.db, clock, log: silentLog, signal: stop.signal })
    await vi.waitUntil(() => rests.length === 1, { timeout: 20_000 })
    expect(await unsealed()).toBe(0)
    const last = await lastSequence()
    await postSome(3)
    rests[0]?.()
    await vi.waitUntil(() => rests.length === 2, { timeout: 20_000 })
    expect(await lastSequence()).toBe(last + 3)
    stop.abort()
    await running
  })
})

async function takeSealer(): Promise<Lease> {
  const lease = await acquireLease(database.db, { name: 'sealer', holderId: newId(), ttlMs: 60_000 })
  if (lease === undefined) throw new Error('the sealer is held')
  return lease
}

async function postSome(count: number): Promise<readonly string[]> {
  const journals = Array.from({ length: count }, () =>
    journal({
      kind: 'test',
      subject: newId(),
      lines: [debit(account('custody:anna'), 5n), credit(account('available:anna'), 5n)],
    }),
  )
  await inTransaction(database.db, (tx) => post(tx, journals))
  return journals.map(({ id }) => id)
}

async function lastSequence(): Promise<number> {
  const sealed = await findSealed(database.db, 1, 1_000)
  return sealed.length
}

const unsealed = () => unsealedRecords.count(database.db)
