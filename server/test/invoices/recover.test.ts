/** Tests that a restored database watches the addresses again that were assigned since its backup. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { findWatched } from '../../src/payments/deposits/recording/watched-store.ts'
import { addressMac, addressMacKey, branchAt } from '../../src/payments/invoices/addresses/address.ts'
import { insertAddresses } from '../../src/payments/invoices/addresses/address-store.ts'
import {
  type LostWindow,
  possibleCount,
  recoverAddresses,
} from '../../src/payments/invoices/addresses/recover-addresses.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { journalRecords } from '../support/books/records.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { addressBranchRecords, addressRecords, depositRecords } from '../support/payments/records.ts'
import { beginning, fromNow, longAgo } from '../support/records/values.ts'
import { testMnemonic, useShop } from '../support/shop.ts'

const database = useDatabase()
const shop = useShop(database)
const { depositXpub: xpub } = new KeyTree(testMnemonic, 1)
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

const hourMs = 3_600_000
/** Returns a window of five seconds in the past. */
function windowAt(hoursAgo: number): LostWindow & { readonly until: Date } {
  const since = new Date(Date.now() - hoursAgo * hourMs)
  return { since, until: new Date(since.getTime() + 5_000), usedRows: 30, possibleRows: 3 }
}

const recover = (window: LostWindow) =>
  recoverAddresses({ db: shop.db, codec: evmAddresses, xpub, macKey: shop.macKey }, window)

async function isWatched(address: string): Promise<boolean> {
  const found = await findWatched(shop.db, { family: 'evm', network: 'ethereum' }, [address])
  return found.length === 1
}

async function pay(address: string) {
  const payment = blocks.pay(address, 7_000_000n)
  await blocks.mine([payment])
  await blocks.mine()
  const deposit = await depositRecords.one(shop.db, { transferKey: payment.key }, 'id', 'state', 'merchantId')
  const booked = await journalRecords.all(shop.db, { subject: beginning(`deposit:${deposit.id}:`) }, 'kind')
  return booked.map(({ kind }) => ({ state: deposit.state, merchant: deposit.merchantId, kind }))
}

/** Inserts a branch that was in use when the backup was taken, in an earlier life of the server. */
async function openFormer(
  branch: number,
  nextIndex: number,
  usedAt = new Date(),
  startedDaysAgo = 9,
): Promise<void> {
  const branches = await addressBranchRecords.all(database.owner, { family: 'evm' }, 'xpubFingerprint')
  await addressBranchRecords.add(database.owner, {
    family: 'evm',
    branch,
    xpubFingerprint: required(branches.at(-1), 'a branch').xpubFingerprint,
    databaseId: newId(),
    serverStartedAt: fromNow(`${-startedDaysAgo} days`),
    nextIndex,
    usedAt,
  })
  const known = evmAddresses.derive(xpub, branch, 0, 1).map((address, index) => {
    const at = { family: 'evm', address, branch, index }
    return { ...at, mac: addressMac(shop.macKey, at) }
  })
  await insertAddresses(shop.db, known)
}

describe('recovering the addresses of a lost time', () => {
  it('shows payments to a branch that was opened in that time as unattributed, but not those beyond it', async () => {
    const window = windowAt(100)
    const [lost = '', , , beyond = ''] = evmAddresses.derive(xpub, branchAt(window.since) + 2, 0, 4)
    expect(await isWatched(lost)).toBe(false)
    const { derived, added } = await recover(window)
    expect([derived, added]).toEqual([66 * 3, 66 * 3])
    expect(await pay(lost)).toEqual([{ state: 'confirmed', merchant: null, kind: 'deposit.unattributed' }])
    expect(await isWatched(beyond)).toBe(false)
    await expectSoundBooks(shop)
  })

  it('continues a branch that was in use when the backup was taken, from its last batch on', async () => {
    await shop.addressFor(await shop.openInvoice(await shop.openMerchant()))
    const window = windowAt(200)
    const branch = branchAt(window.since) - 5_000
    await openFormer(branch, 40)
    const [, among = '', after = '', last = '', beyond = ''] = [0, 39, 40, 69, 70].flatMap((index) =>
      evmAddresses.derive(xpub, branch, index, 1),
    )
    expect(await recover(window)).toEqual({ derived: 70 + 66 * 3, added: 69 + 66 * 3 })
    for (const address of [among, after, last])
      expect(await pay(address), address).toMatchObject([{ merchant: null, kind: 'deposit.unattributed' }])
    expect(await isWatched(beyond)).toBe(false)
  })

  it('gives them a MAC, assigns none of them, and changes nothing if it is repeated', async () => {
    const window = windowAt(300)
    await recover(window)
    expect(await recover(window)).toMatchObject({ added: 0 })
    const old = await addressBranchRecords.all(shop.db, { serverStartedAt: longAgo }, 'branch')
    const recovered = new Set(
      (await addressRecords.all(shop.db, { branch: old.map(({ branch }) => branch) }, 'address')).map(
        ({ address }) => address,
      ),
    )
    expect(recovered.size).toBeGreaterThanOrEqual(66 * 3)
    const merchantId = await shop.openMerchant()
    for (let count = 0; count < 3; count += 1) {
      const { address } = await shop.addressFor(await shop.openInvoice(merchantId))
      expect(recovered.has(address.toLowerCase())).toBe(false)
    }
    const branch = branchAt(window.since)
    const at = { family: 'evm', address: evmAddresses.derive(xpub, branch, 0, 1)[0] ?? '', branch, index: 0 }
    const { mac } = await addressRecords.one(shop.db, { address: at.address }, 'mac')
    expect(mac).toEqual(addressMac(shop.macKey, at))
    expect(mac).not.toEqual(addressMac(addressMacKey(randomBytes(32)), at))
  })

  it('records no branch that is numbered ahead of the clock', async () => {
    const window = { ...windowAt(0), until: new Date(Date.now() + hourMs) }
    await recover(window)
    // Branches are numbered by the second in which they were opened, from 2020 on.
    const nowBranch = (Date.now() - Date.UTC(2020, 0, 1)) / 1_000
    const branches = await addressBranchRecords.all(shop.db, {}, 'branch')
    const ahead = branches.filter(({ branch }) => branch > nowBranch).length
    expect(ahead).toBe(0)
  })

  it('searches only the branches that a process used in that time, in any incarnation of the server', async () => {
    const { since, ...window } = windowAt(60)
    const branch = branchAt(since) - 1_000
    const usedAgo = { long: 600, shortly: 30 }
    await openFormer(branch, 1, new Date(since.getTime() - usedAgo.long * 1_000), 2)
    await openFormer(branch + 1, 1, new Date(since.getTime() - usedAgo.shortly * 1_000))
    await openFormer(branchAt(window.until) + 500, 1)
    await recover({ since, ...window, usedAfter: new Date(since.getTime() - 300_000) })
    const watched = await Promise.all(
      [branch, branch + 1, branchAt(window.until) + 500].map((each) =>
        isWatched(evmAddresses.derive(xpub, each, 5, 1)[0] ?? ''),
      ),
    )
    expect(watched).toEqual([false, true, false])
  })

  it('refuses an account xpub from which the newest addresses are not derived', async () => {
    const other = new KeyTree(
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
      1,
    )
    const parts = { db: shop.db, codec: evmAddresses, xpub: other.depositXpub, macKey: shop.macKey }
    await expect(recoverAddresses(parts, windowAt(400))).rejects.toThrow(/another account xpub/)
  })

  it('estimates in advance how many addresses a window contains', () => {
    const window = windowAt(1)
    expect(possibleCount(window, new Date())).toBe(66 * 3)
    expect(possibleCount({ ...window, until: undefined }, window.until)).toBe(66 * 3)
    expect(limits.addressBatchRows).toBeGreaterThanOrEqual(70)
  })
})
