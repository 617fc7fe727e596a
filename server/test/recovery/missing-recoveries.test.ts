/**
 * Tests a loss for which no process opened a recovery. It is recovered nevertheless, because no block is
 * booked before it is recovered.
 */
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import type { AddressFamily } from '../../src/chains/networks.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { CommittedFacts } from '../../src/core/committed-facts.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { insertIncarnation, readIncarnation } from '../../src/platform/incarnation/store.ts'
import { readFence } from '../../src/recovery/lost-history/fence-store.ts'
import { recoveryWorker } from '../../src/recovery/lost-history/recover-lost.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { useDatabase } from '../support/database.ts'
import { loseBeats, openProcess } from '../support/going-back.ts'
import { ageLosses } from '../support/lose-records.ts'
import { testMnemonic, useShop } from '../support/shop.ts'

const database = useDatabase()
const shop = useShop(database)
const { depositXpub: xpub } = new KeyTree(testMnemonic, 1)

/** Runs one batch of a process that knows some address families, and another one a minute later. */
async function recoverAs(families: readonly AddressFamily[]): Promise<number> {
  const { db, macKey } = shop
  const known = families.map((family) => [family, { codec: { ...evmAddresses, family }, xpub }] as const)
  const memory = { facts: new CommittedFacts(systemClock), processId: newId(), clock: systemClock }
  const worker = recoveryWorker({
    db,
    macKey,
    families: new Map(known),
    settling: shop,
    ...memory,
    log: silentLog,
  })
  const done = await worker.runBatch(new AbortController().signal)
  await ageLosses(database)
  return done
}

const mayRead = async (family: string) => (await readFence(shop.db, family)) !== undefined

/** Makes a process notice a loss and die before it opens the recovery. */
async function noticeAndDie(): Promise<void> {
  const { history, losses } = openProcess(database, 'api')
  await history.beat()
  await history.beat()
  await loseBeats(database)
  await history.beat()
  expect(losses).toHaveLength(1)
}

it('a restarted process recovers a loss that a dead process noticed', async () => {
  await noticeAndDie()
  await ageLosses(database)
  expect(await mayRead('evm')).toBe(false)
  await openProcess(database, 'api').history.beat()
  expect(await recoverAs(['evm'])).toBe(1)
  expect(await mayRead('evm')).toBe(true)
  const { number } = required(await readIncarnation(shop.db), 'the incarnation')
  const [recovery] = await shop.db.query<{ isWhole: boolean }>(sql`
    select since <= last_seen_at and until = began_at as "isWhole"
    from loss_recovery join incarnation on number = incarnation where number = ${number}`)
  expect(recovery).toEqual({ isWhole: true })
  expect(await recoverAs(['evm'])).toBe(0)
})

it('a family that is first used after a loss is recovered as well', async () => {
  expect(await mayRead('litecoin')).toBe(false)
  expect(await recoverAs(['evm', 'litecoin'])).toBe(1)
  expect(await mayRead('litecoin')).toBe(true)
})

it('a later incarnation without a loss does not hide an earlier loss that was not recovered', async () => {
  await noticeAndDie()
  const { number, ...server } = required(await readIncarnation(shop.db), 'the incarnation')
  const planned = { ...server, number: number + 1, cause: 'planned' as const }
  await inTransaction(shop.db, (tx) => insertIncarnation(tx, planned))
  expect(await mayRead('evm')).toBe(false)
  expect(await recoverAs(['evm'])).toBe(1)
  expect(await mayRead('evm')).toBe(true)
})
