/**
 * Tests Litecoin's extension block (MWEB) on litecoind: its peg-outs, and blocks whose last transaction is
 * that of the extension block.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { callLitecoin, walletUrl } from '../../src/sandbox/litecoin-call.ts'
import { litecoinMethodId, useLitecoinShop } from '../support/litecoin-shop.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { balanceOf, depositsOf, eventsOf, invoiceStatusOf, paidOnce } from '../support/shop-readers.ts'

/**
 * The height from which regtest has the extension block. No block can be mined there before somebody has
 * pegged in.
 */
const extensionHeight = 432
const { pegOutConfirmations } = litecoinRegtest.chain

describe.skipIf(!hasLitecoind)('while Litecoin’s extension block is in use', () => {
  const flow = useLitecoinShop(10, ['-fallbackfee=0.0001'])
  const { shop, node } = flow
  const ask = (wallet: string, method: string, ...params: readonly unknown[]) =>
    callLitecoin(walletUrl(node.url, wallet), method, params) as Promise<string>

  beforeAll(async () => {
    for (const wallet of ['payer', 'hidden']) await node.rpc('createwallet', wallet)
    await flow.wallet.pay(await ask('payer', 'getnewaddress', '', 'bech32'), 2_000_000_000n)
    await node.rpc('generatetodescriptor', extensionHeight - 1 - (await node.rpc('getblockcount')), 'raw(51)')
    await ask('payer', 'sendtoaddress', await ask('hidden', 'getnewaddress', '', 'mweb'), '10')
    await flow.mineAndFollow(2)
  })

  it('B12 credits a peg-out of any amount after the confirmations that peg-outs need, and reads whole blocks', async () => {
    const out = await flow.openInvoice()
    const usual = await flow.openInvoice()
    const [block] = (await node.rpc('getblock', await node.rpc('getbestblockhash'), 2)).tx.slice(-1)
    expect(block.hex.slice(8, 12), 'the sign of the extension in the last transaction').toBe('0008')
    await ask('hidden', 'sendtoaddress', out.address, '0.125')
    await flow.wallet.pay(usual.address, usual.amountMinor)
    // A peg-out is only shown by its block, never in the mempool.
    await flow.pollMempool()
    expect(await depositsOf(shop, out)).toEqual([])
    await flow.mineAndFollow(2)
    expect(await depositsOf(shop, usual)).toMatchObject([{ state: 'confirmed' }])
    expect(await invoiceStatusOf(shop, out)).toMatchObject({ state: 'paid' })
    await flow.mineAndFollow(pegOutConfirmations - 3)
    expect(await depositsOf(shop, out)).toMatchObject([{ state: 'pending', amountMinor: 12_500_000n }])
    expect(await balanceOf(shop, out, litecoinMethodId)).toBe('0')
    await flow.mineAndFollow()
    expect(await eventsOf(shop, out)).toEqual(paidOnce)
    expect(await balanceOf(shop, out, litecoinMethodId)).toBe('0.12375')
    expect(await flow.findViolations()).toEqual([])
  })
})
