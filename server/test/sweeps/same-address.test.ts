/** Tests that the money of an address on one EVM network is swept whatever happens to it on another. */
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { countTopUps, readDeposited } from '../../src/outgoing/sweeps/deposited-store.ts'
import { readTokenShares } from '../../src/outgoing/sweeps/swept-store.ts'
import { readUnsweptAddresses } from '../../src/oversight/verify/chain/find-surpluses.ts'
import { type Blocks, type ScreenedTransfer, startBlocks } from '../support/blocks.ts'
import { useDatabase } from '../support/database.ts'
import { sweepRecords, sweptAddressRecords } from '../support/outgoing/records.ts'
import { depositRecords } from '../support/payments/records.ts'
import { takePrices, useShop } from '../support/shop.ts'

const shop = useShop(useDatabase(), () => ({ networks: ['ethereum', 'base'] }))
const usdcOnBase = 21
let ethereum: Blocks
let base: Blocks

beforeAll(async () => {
  ethereum = await startBlocks(shop, true)
  base = await startBlocks(shop, true, 'base')
})

/** Returns the address of an invoice on Base to which USDC was paid on Base and USDT on Ethereum. */
async function openPaidTwice(onEthereum: Pick<ScreenedTransfer, 'verdict'> = {}) {
  await takePrices(shop)
  const merchantId = await shop.openMerchant()
  const invoiceId = await shop.openInvoice(merchantId, { methodId: usdcOnBase })
  const { address } = await shop.addressFor(invoiceId, usdcOnBase)
  await base.mine([base.pay(address, 10_000_000n, usdcOnBase)])
  await base.mine()
  await ethereum.mine([{ ...ethereum.pay(address, 20_000_000n), ...onEthereum }])
  await ethereum.mine()
  const { addressId } = await depositRecords.one(shop.db, { merchantId, network: 'base' }, 'addressId')
  const sweptOn = async (network: string) =>
    (await readDeposited(shop.db, network, 1000)).flatMap((one) =>
      one.addressId === Number(addressId) ? [one.asset] : [],
    )
  return { address, addressId: Number(addressId), sweptOn }
}

async function planOn(network: string, kind: 'sweep' | 'top_up', addressId: number): Promise<void> {
  const id = newId()
  await sweepRecords.add(shop.db, { id, network, kind, assets: [], state: 'planned' })
  await sweptAddressRecords.add(shop.db, { sweepId: id, addressId })
}

describe('the money of an address on one network', () => {
  it('is swept although a payment on another network did not pass screening', async () => {
    const { sweptOn } = await openPaidTwice({ verdict: 'unknown' })
    expect(await sweptOn('base')).toEqual(['base/USDC'])
    expect(await sweptOn('ethereum')).toEqual([])
  })

  it('is swept while a sweep of the address on another network is open', async () => {
    const { sweptOn, addressId, address } = await openPaidTwice()
    expect(await sweptOn('ethereum')).toEqual(['ethereum/USDT'])
    await planOn('ethereum', 'sweep', addressId)
    expect(await sweptOn('base')).toEqual(['base/USDC'])
    expect(await sweptOn('ethereum')).toEqual([])
    const unswept = await readUnsweptAddresses(shop.db, 'base')
    expect(unswept.map((one) => one.address)).toContain(address.toLowerCase())
  })

  it('is topped up as often as if it were the only one, and counts as its own share alone', async () => {
    const { addressId } = await openPaidTwice()
    await planOn('ethereum', 'top_up', addressId)
    expect(await countTopUps(shop.db, 'ethereum', [addressId])).toEqual(new Map([[addressId, 1]]))
    expect(await countTopUps(shop.db, 'base', [addressId])).toEqual(new Map())
    const shares = await readTokenShares(shop.db, [addressId], { network: 'base', asset: 'base/ETH' })
    expect(shares).toMatchObject([{ asset: 'base/USDC', amountMinor: 10_000_000n }])
  })
})
