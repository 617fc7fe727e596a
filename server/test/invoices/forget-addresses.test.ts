/**
 * Tests that addresses which were derived ahead and never assigned are deleted after their process has ended,
 * and no other addresses.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { Problem } from '../../src/core/errors.ts'
import { deleteUnusedAddresses } from '../../src/payments/invoices/addresses/address-store.ts'
import { forgetAddresses } from '../../src/payments/invoices/addresses/forget-addresses.ts'
import { ageBranches, expireBranches } from '../support/aged-rows.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { addressRecords } from '../support/payments/records.ts'
import { present } from '../support/records/values.ts'
import { makeShop, type Shop, takePrices } from '../support/shop.ts'

const database = useDatabase()
const never = new AbortController().signal
/** A shop with address pools of its own, as each process has. */
let shop: Shop
let blocks: Blocks

beforeAll(async () => {
  shop = makeShop(database)
  blocks = await startBlocks(shop, true)
})
beforeEach(() => takePrices(shop))
afterEach(() => void vi.restoreAllMocks())

const forget = () => forgetAddresses({ db: database.db }).runBatch(never)

async function forgetAll(): Promise<number> {
  let forgotten = 0
  for (let rows = await forget(); rows > 0; rows = await forget()) forgotten += rows
  return forgotten
}

async function countAddresses(): Promise<{ given: number; free: number }> {
  return {
    given: await addressRecords.count(shop.db, { assignedAt: present }),
    free: await addressRecords.count(shop.db, { assignedAt: null }),
  }
}

async function giveOne(by: Shop): Promise<string> {
  const { address } = await by.addressFor(await by.openInvoice(await by.openMerchant()))
  return address.toLowerCase()
}

/** Requests an address like a payer, who tries again while none is ready. */
async function giveWhenReady(by: Shop): Promise<string> {
  for (;;) {
    try {
      return await giveOne(by)
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'too-busy')) throw error
    }
  }
}

describe('addresses that were derived ahead', () => {
  it('are kept while their process runs and deleted an hour after its end; assigned ones are kept', async () => {
    await giveOne(shop)
    const before = await countAddresses()
    expect(before.free).toBeGreaterThan(0)
    expect(await forgetAll()).toBe(0)
    await ageBranches(database.owner, 2)
    expect(await forgetAll()).toBe(before.free)
    expect(await countAddresses()).toEqual({ given: before.given, free: 0 })
    await expectSoundBooks(shop)
  })

  it('are derived again at later indexes by a process that was only suspended', async () => {
    const former = await giveOne(shop)
    await ageBranches(database.owner, 2)
    await forgetAll()
    const indexes = await addressRecords.all(database.db, {}, 'index')
    const next = await giveOne(shop)
    expect(next).not.toBe(former)
    const [found] = await addressRecords.all(database.db, { address: next }, 'index')
    expect(found?.index).toBeGreaterThan(Math.max(...indexes.map(({ index }) => index)))
  })

  it('are in use for as long as their process reports so, every minute', async () => {
    await giveOne(shop)
    await ageBranches(database.owner, 2)
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000)
    await shop.poolOf('ethereum').refill()
    expect(await forgetAll()).toBe(0)
  })

  it('are still watched if the database was restored since, because they may have been assigned in the lost time', async () => {
    await giveOne(shop)
    await ageBranches(database.owner, 1_000)
    await expireBranches(database.owner)
    const { free } = await countAddresses()
    expect(free).toBeGreaterThan(0)
    expect(await forgetAll()).toBe(0)
  })

  it('are kept if somebody paid to one of them', async () => {
    const process = makeShop(database)
    await giveOne(process)
    const free = await addressRecords.all(database.db, { assignedAt: null }, 'address')
    const unused = required(free.at(-1), 'an unused address')
    await blocks.mine([blocks.pay(unused.address, 5_000_000n)])
    await ageBranches(database.owner, 2)
    expect(await forgetAll()).toBeGreaterThan(0)
    const [kept] = await addressRecords.all(database.db, { address: unused?.address })
    expect(kept).toBeDefined()
    await expectSoundBooks(shop)
  })

  it('are never assigned twice, even if others delete while several processes assign', async () => {
    const processes = [shop, makeShop(database), makeShop(database)]
    let isOver = false
    const forgetting = (async () => {
      while (!isOver) {
        await ageBranches(database.owner, 2)
        // Only a few are deleted at a time, because otherwise no address would be left to assign.
        await deleteUnusedAddresses(database.db, 3)
      }
    })()
    const giving = processes.map(async (process) => {
      const given: string[] = []
      for (let round = 0; round < 15; round += 1) given.push(await giveWhenReady(process))
      return given
    })
    const settled = await Promise.allSettled(giving)
    isOver = true
    await forgetting
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
    const given = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    expect(new Set(given).size).toBe(given.length)
    const rows = await addressRecords.all(database.db, { address: given, assignedAt: present }, 'address')
    expect(rows).toHaveLength(given.length)
  })
})
