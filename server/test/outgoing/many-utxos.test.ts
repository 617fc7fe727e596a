/** Tests more UTXOs than one transaction can spend, on litecoind. */
import { describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { useUtxoFlow } from '../support/utxo-flow.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('two thousand small coins, on litecoind', () => {
  const flow = useUtxoFlow(20)

  it('E12 are consolidated by transactions that nodes accept, at a limited fee, before they pay an order that needs most of them', async () => {
    const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
    for (let payment = 0; payment < 4; payment += 1) {
      const outputs = Array.from({ length: 500 }, () => ({ to: address, amountMinor: ltc / 100n }))
      await flow.wallet.send(flow.wallet.sign(outputs))
    }
    await flow.mineAndFollow(2)
    const { id, address: recipient } = await flow.order(merchantId, '19.5')
    const engine = await flow.engine()
    await flow.playOut(engine, 6)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(await flow.received(recipient)).toBe((1_950_000_000n / 100n) * 99n)
    const outgoingTransactions = await flow.outgoingTransactions()
    expect(outgoingTransactions.map(({ kind }) => kind).slice(0, 2)).toEqual(['consolidate', 'withdrawal'])
    for (const { txHash, feeMinor, vbytes } of outgoingTransactions) {
      const weight = await weightOf(required(txHash, 'what was mined'))
      expect(weight).toBeLessThanOrEqual(400_000)
      expect(Number(vbytes) * 4).toBeGreaterThanOrEqual(weight)
      expect(feeMinor).toBeLessThanOrEqual(vbytes * 11n)
    }
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  }, 240_000)

  async function weightOf(txHash: string): Promise<number> {
    const height = (await flow.node.rpc('getblockcount')) as number
    for (let at = height; at > height - 10; at -= 1) {
      const { tx } = await flow.node.rpc('getblock', await flow.node.rpc('getblockhash', at), 2)
      const found = tx.find(({ txid }: { txid: string }) => txid === txHash)
      if (found !== undefined) return found.weight
    }
    throw new Error(`${txHash} is in none of the last blocks`)
  }
})

describe.skipIf(!hasLitecoind)('coins of large transactions without witnesses, on litecoind', () => {
  const flow = useUtxoFlow(20, { rows: [legacyLitecoin] })

  it('E12 are consolidated before they pay an order that needs most of them, if their previous transactions exceed one request to the signer', async () => {
    const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
    const outputs = Array.from({ length: 100 }, () => ({ to: address, amountMinor: ltc / 10n }))
    await flow.wallet.send(flow.wallet.sign(outputs))
    await flow.mineAndFollow(2)
    const { id, address: recipient } = await flow.order(merchantId, '9')
    const engine = await flow.engine()
    await flow.playOut(engine, 6)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(await flow.received(recipient)).toBe((9n * ltc * 99n) / 100n)
    const own = await flow.outgoingTransactions()
    expect(own.map(({ kind }) => kind).slice(0, 2)).toEqual(['consolidate', 'withdrawal'])
    expect(required(own[0], 'a payout').inputs).toBeGreaterThan(50)
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  }, 60_000)
})
