/** A Litecoin chain that stands still, or that took much back, as operators see it. */
import { describe, expect, it } from 'vitest'
import { findObstacles, findRestrictions } from '../../src/oversight/health/readiness.ts'
import { litecoinMethodId, useLitecoinShop } from '../support/litecoin-shop.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { balanceOf, transactionsOf } from '../support/shop-sight.ts'

const nowS = () => Math.floor(Date.now() / 1000)

describe.skipIf(!hasLitecoind)('with litecoind', () => {
  // All that is mined before a test sets its time was mined three hours ago.
  const flow = useLitecoinShop(10, ['-vbparams=mweb:-2:0', `-mocktime=${nowS() - 3 * 3_600}`])
  const { shop, node } = flow
  const networks = ['litecoin']
  const readiness = () => ({ db: shop.db, networks, isPaced: true })

  it('B14 a chain without a block for three hours is not ready, and is again with the next', async () => {
    const invoice = await flow.openInvoice()
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow()
    await node.rpc('setmocktime', nowS())
    await flow.follow()
    expect(await findObstacles(readiness())).toEqual([
      expect.stringMatching(/^litecoin had no block for 1(79|80) minutes: its node is cut off/),
    ])
    expect(await transactionsOf(shop, invoice)).toMatchObject([{ state: 'pending' }])
    expect(await findObstacles({ ...readiness(), isPaced: false }), 'blocks come when told').toEqual([])
    await flow.mineAndFollow()
    expect(await findObstacles(readiness())).toEqual([])
    expect(await transactionsOf(shop, invoice)).toMatchObject([{ state: 'confirmed' }])
  })

  it('B14 a chain of slow blocks that lags by more than two of them is not ready', async () => {
    await shop.db.query({ text: 'update chain_cursor set head_height = height + 3', values: [] })
    expect(await findObstacles(readiness())).toEqual(['litecoin is 3 blocks behind'])
    await flow.follow()
    expect(await findObstacles(readiness())).toEqual([])
  })

  it('B14 a pause of deposits is told beside being ready, until it is over', async () => {
    const invoice = await flow.openInvoice()
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow(3)
    await node.rollBack(3)
    await flow.mineAndFollow(4)
    expect(await balanceOf(shop, invoice, litecoinMethodId)).toBe('0')
    expect(await findObstacles(readiness())).toEqual([])
    const until = (await node.rpc('getblockcount')) - 4 + 6
    expect(await findRestrictions(readiness())).toEqual([
      `litecoin credits nothing until block ${until}, as 3 blocks were taken back`,
    ])
    await flow.mineAndFollow(3)
    expect(await findRestrictions(readiness())).toEqual([])
    expect(await balanceOf(shop, invoice, litecoinMethodId)).not.toBe('0')
    expect(await flow.findBreaches()).toEqual([])
  })
})
