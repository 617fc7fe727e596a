/** Tests what operators see of a Litecoin chain that has stopped, or that was reorganised deeply. */
import { describe, expect, it } from 'vitest'
import { findObstacles, findRestrictions } from '../../src/oversight/health/readiness.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { litecoinMethodId, useLitecoinShop } from '../support/litecoin-shop.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { fieldPlus } from '../support/records/values.ts'
import { balanceOf, depositsOf } from '../support/shop-readers.ts'

const nowS = () => Math.floor(Date.now() / 1000)

describe.skipIf(!hasLitecoind)('with litecoind', () => {
  // Blocks have times three hours ago until a test sets the node's time.
  const flow = useLitecoinShop(10, ['-vbparams=mweb:-2:0', `-mocktime=${nowS() - 3 * 3_600}`])
  const { shop, node } = flow
  const networks = ['litecoin']
  const readiness = () => ({ db: shop.db, networks, isPaced: true })

  it('B14 is not ready after three hours without a block, and is ready again with the next block', async () => {
    const invoice = await flow.openInvoice()
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow()
    await node.rpc('setmocktime', nowS())
    await flow.follow()
    expect(await findObstacles(readiness())).toEqual([
      expect.stringMatching(/^litecoin had no block for 1(79|80) minutes: its node is disconnected/),
    ])
    expect(await depositsOf(shop, invoice)).toMatchObject([{ state: 'pending' }])
    expect(await findObstacles({ ...readiness(), isPaced: false }), 'blocks come when told').toEqual([])
    await flow.mineAndFollow()
    expect(await findObstacles(readiness())).toEqual([])
    expect(await depositsOf(shop, invoice)).toMatchObject([{ state: 'confirmed' }])
  })

  it('B14 is not ready when it lags by more than two slow blocks', async () => {
    await cursorRecords.change(shop.db, {}, { headHeight: fieldPlus('height', 3) })
    expect(await findObstacles(readiness())).toEqual(['litecoin is 3 blocks behind'])
    await flow.follow()
    expect(await findObstacles(readiness())).toEqual([])
  })

  it('B14 reports a pause of deposits while it is ready, until the pause ends', async () => {
    const invoice = await flow.openInvoice()
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow(3)
    await node.rollBack(3)
    await flow.mineAndFollow(4)
    expect(await balanceOf(shop, invoice, litecoinMethodId)).toBe('0')
    expect(await findObstacles(readiness())).toEqual([])
    const until = (await node.rpc('getblockcount')) - 4 + 6
    expect(await findRestrictions(readiness())).toEqual([
      `deposits on litecoin are paused until block ${until}, because 3 blocks were replaced`,
    ])
    await flow.mineAndFollow(3)
    expect(await findRestrictions(readiness())).toEqual([])
    expect(await balanceOf(shop, invoice, litecoinMethodId)).not.toBe('0')
    expect(await flow.findViolations()).toEqual([])
  })
})
