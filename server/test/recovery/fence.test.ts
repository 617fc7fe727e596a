/**
 * Tests the state after the database lost addresses: no block is booked until these addresses are watched
 * again, so that no payment to them is missed.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { systemClock } from '../../src/core/clock.ts'
import { CommittedFacts } from '../../src/core/committed-facts.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { readState } from '../../src/oversight/health/read-state.ts'
import { branchAt } from '../../src/payments/invoices/addresses/address.ts'
import { AddressPool } from '../../src/payments/invoices/addresses/address-pool.ts'
import { endAllLeases, LeaseLostError } from '../../src/platform/db/lease.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { assertFence, readFence } from '../../src/recovery/lost-history/fence-store.ts'
import { beatPutBack, endPutBack, openRecoveries } from '../../src/recovery/lost-history/loss-store.ts'
import {
  recoverLost,
  recoverOpen,
  recoveryWorker,
  usedRowsIn,
} from '../../src/recovery/lost-history/recover-lost.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { holdReporter } from '../../src/watcher/watch-chain.ts'
import type { OpenInvoice } from '../support/chain-flow.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { useFakeFlow } from '../support/fake-flow.ts'
import {
  ageLosses,
  forgetLosses,
  loseFreeAddresses,
  loseInvoice,
  useBranch,
} from '../support/lose-records.ts'
import { addressRecords, depositRecords, lossRecoveryRecords } from '../support/payments/records.ts'
import { now } from '../support/records/values.ts'
import { testMnemonic } from '../support/shop.ts'
import { invoiceStatusOf } from '../support/shop-readers.ts'
import { watchManually } from '../support/watch-manually.ts'

const flow = useFakeFlow()
const { shop, chain } = flow
const { depositXpub: xpub } = new KeyTree(testMnemonic, 1)
const never = new AbortController().signal
let incarnation = 0

afterEach(() => forgetLosses(flow.database))

const lossNow = () => {
  incarnation += 1
  return { incarnation, noticedAt: new Date(), lastSeenAt: new Date(), isProven: true }
}

function parts(facts = new CommittedFacts(systemClock)) {
  const families = new Map([['evm', { codec: evmAddresses, xpub }]])
  const { db, macKey } = shop
  return {
    db,
    macKey,
    families,
    facts,
    settling: shop,
    processId: newId(),
    clock: systemClock,
    log: silentLog,
  }
}

async function noteLoss(): Promise<void> {
  const loss = lossNow()
  await openRecoveries(shop.db, loss, { families: ['evm'], since: loss.lastSeenAt })
}

const heightOf = async () => (await cursorRecords.one(shop.db, {}, 'height')).height
const ownersOf = ({ address }: OpenInvoice) =>
  depositRecords.all(shop.db, { recipient: address.toLowerCase() }, 'merchantId')

describe('after a loss', () => {
  it('no block is read before the addresses of the lost time are watched, and then no payment is missed', async () => {
    const invoice = await flow.openInvoice()
    await loseInvoice(flow.database, invoice.invoiceId)
    await loseFreeAddresses(flow.database)
    await noteLoss()
    const height = await heightOf()
    await flow.mineAndFollow([flow.payment(invoice)])
    expect(await heightOf()).toBe(height)
    await ageLosses(flow.database)
    await flow.mineAndFollow()
    expect(await heightOf()).toBe(height)
    // Runs as a process that was started after all others had died.
    expect(await recoveryWorker(parts()).runBatch(never)).toBe(1)
    await flow.mineAndFollow()
    expect(await heightOf()).toBe(height + 3)
    expect(await ownersOf(invoice)).toEqual([{ merchantId: null }])
    expect(await flow.findViolations()).toEqual([])
  })

  it('blocks wait for a process that puts back its acknowledged records, as long as it lives', async () => {
    await noteLoss()
    await lossRecoveryRecords.change(shop.db, {}, { endedAt: now, addedCount: 0 })
    expect(await readFence(shop.db, 'evm'), 'others may notice the loss as well').toBeUndefined()
    await ageLosses(flow.database)
    expect(await readFence(shop.db, 'evm')).toMatch(/^\d+[/]\d*[/]\d+$/)
    const process = newId()
    await beatPutBack(shop.db, incarnation, process)
    expect(await readFence(shop.db, 'evm')).toBeUndefined()
    await endPutBack(shop.db, incarnation, process)
    expect(await readFence(shop.db, 'evm')).toBeDefined()
    await beatPutBack(shop.db, incarnation, newId())
    await ageLosses(flow.database)
    expect(await readFence(shop.db, 'evm'), 'it died').toBeDefined()
  })

  it('a lookup of addresses from before the loss books nothing', async () => {
    const fence = (await readFence(shop.db, 'evm')) ?? ''
    await noteLoss()
    await lossRecoveryRecords.change(shop.db, {}, { endedAt: now, addedCount: 0 })
    await ageLosses(flow.database)
    await expect(inTransaction(shop.db, (tx) => assertFence(tx, 'evm', fence))).rejects.toThrow(
      /another history/,
    )
  })

  it('a step of the watcher in progress books nothing', async () => {
    const invoice = await flow.openInvoice()
    const height = await heightOf()
    chain.mine([flow.payment(invoice)], new Date())
    const reader: ChainReader = Object.assign(Object.create(flow.reader), {
      requireSuccess: async () => noteLoss(),
    })
    await expect(watchManually(shop, () => reader).follow()).rejects.toThrow(/another history/)
    expect(await heightOf()).toBe(height)
    await forgetLosses(flow.database)
    await flow.mineAndFollow()
    expect(await invoiceStatusOf(shop, invoice)).toMatchObject({ state: 'paid' })
  })

  it('no branch of addresses is opened before the assigned addresses of others are known', async () => {
    const { db, macKey } = shop
    const mayOpen = async () => (await readFence(db, 'evm')) !== undefined
    const pool = new AddressPool({
      db,
      macKey,
      codec: evmAddresses,
      xpub,
      clock: systemClock,
      log: silentLog,
      mayOpen,
    })
    await noteLoss()
    expect(await pool.refill()).toBe(0)
    await forgetLosses(flow.database)
    expect(await pool.refill()).toBeGreaterThan(0)
  })

  it('a process that remembers an earlier loss reopens the recovery for a longer time', async () => {
    const loss = lossNow()
    const openSince = (secondsAgo: number) => {
      const since = new Date(loss.lastSeenAt.getTime() - secondsAgo * 1_000)
      return openRecoveries(shop.db, loss, { families: [], since })
    }
    await openSince(0)
    await recoverOpen(parts(), never)
    const open = () => lossRecoveryRecords.all(shop.db, { endedAt: null })
    await openSince(20)
    expect(await open()).toHaveLength(0)
    await openSince(60)
    expect(await open()).toHaveLength(1)
  })

  it('a recovery stays open if its process ends, or if another process takes it over', async () => {
    await noteLoss()
    await expect(recoverOpen(parts(), AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
    const query = async (statement: Statement) => {
      if (statement.text.includes('insert into address (')) await endAllLeases(shop.db)
      return shop.db.query(statement)
    }
    const db: typeof shop.db = Object.assign(Object.create(shop.db), { query })
    await expect(recoverOpen({ ...parts(), db }, never)).rejects.toThrow(LeaseLostError)
    expect(await lossRecoveryRecords.all(shop.db, { endedAt: null })).toHaveLength(1)
  })

  it('the log says once that blocks wait and once that they are read again, and doctor says why', async () => {
    const reported: unknown[] = []
    const onReport = (_details: unknown, text: string) => reported.push(text)
    const onHold = holdReporter({
      chain: flow.reader,
      log: { info: onReport, warn: onReport, error: onReport },
    })
    const followTwice = async () => {
      for (const _ of [1, 2]) await watchManually(shop, () => flow.reader).follow({ onHold })
    }
    const causes = async () =>
      (await readState(shop.db)).holds.map(({ network, cause }) => `${network} ${cause}`)
    await followTwice()
    expect([reported, await causes()]).toEqual([[], []])
    await noteLoss()
    await followTwice()
    expect(reported).toEqual([expect.stringContaining('no block is read until')])
    expect(await causes()).toEqual(['ethereum recovery'])
    await lossRecoveryRecords.change(shop.db, {}, { endedAt: now, addedCount: 0 })
    await beatPutBack(shop.db, incarnation, newId())
    expect(await causes()).toContain('ethereum put-back')
    await ageLosses(flow.database)
    await followTwice()
    expect(reported).toEqual([expect.anything(), expect.stringContaining('reading blocks continues')])
    expect(await causes()).toEqual([])
  })

  it('a branch that a process has taken into use is left to it', async () => {
    const branch = branchAt(new Date()) - 30
    await useBranch(flow.database, branch)
    await recoverLost(parts(), lossNow(), never)
    const on = (index: number) => addressRecords.count(shop.db, { branch: index })
    expect(await on(branch)).toBe(0)
    expect(await on(branch - 1)).toBe(20)
  })

  it('the whole recovery can run again without changing anything', async () => {
    const loss = lossNow()
    await recoverLost(parts(), loss, never)
    const count = await addressRecords.count(shop.db)
    await recoverLost(parts(), loss, never)
    expect(await addressRecords.count(shop.db)).toBe(count)
  })
})

it('searches more addresses of each branch, the more time was lost', () => {
  const rows = (seconds: number) => usedRowsIn({ since: new Date(0), until: new Date(seconds * 1_000) })
  expect([rows(5), rows(600), rows(86_400)]).toEqual([2_000, 100_000, 100_000])
})
