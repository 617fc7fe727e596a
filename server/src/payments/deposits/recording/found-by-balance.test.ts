import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TransferAsset } from '../../../chains/port.ts'
import { sum } from '../../../core/money.ts'
import { balanceKey, explainTransfers, foundByOf, knownTxHash } from './found-by-balance.ts'

const coin = { type: 'coin' } as TransferAsset
const late = (key: string, height: number, amountMinor: bigint, recipient = '0x01', asset = coin) => ({
  height,
  transfer: { key, txHash: '0xaa', recipient, amountMinor, asset },
})
const found = (depositId: string, height: number, restMinor: bigint, recipient = '0x01') => ({
  depositId,
  recipient,
  height,
  restMinor,
})

describe('a deposit found by balance', () => {
  it('has a key of chain, address and block, and no transaction', () => {
    const transferKey = balanceKey(8453, '0x01', 77)
    expect(transferKey).toBe('balance:8453:0x01:77')
    expect(foundByOf({ transferKey })).toBe('balance')
    expect(knownTxHash({ transferKey, txHash: transferKey })).toBeNull()
    expect(foundByOf({ transferKey: '0xaa:call:' })).toBe('transfer')
    expect(knownTxHash({ transferKey: '0xaa:call:', txHash: '0xaa' })).toBe('0xaa')
  })

  it.each([
    ['at its own block', 10, 5n, 'explained'],
    ['below it', 3, 5n, 'explained'],
    ['below it, of more than it contains', 3, 6n, 'contested'],
    ['above it', 11, 5n, 'unexplained'],
  ] as const)('and a transfer %s', (_, height, amountMinor, expected) => {
    const explanation = explainTransfers([late('a', height, amountMinor)], [found('d', 10, 5n)])
    expect(explanation[expected]).toHaveLength(1)
  })

  it('does not explain tokens or what others received', () => {
    const token: TransferAsset = { type: 'token', contract: '0x0c' }
    const transfers = [late('a', 1, 1n, '0x01', token), late('b', 1, 1n, '0x02')]
    expect(explainTransfers(transfers, [found('d', 10, 5n)]).unexplained).toHaveLength(2)
  })

  it('explains each transfer at most once, and no more than it contains', () => {
    const transfers = fc.array(fc.record({ height: fc.nat(20), minor: fc.bigInt(1n, 9n) }), { maxLength: 8 })
    const deposits = fc.array(fc.record({ height: fc.nat(20), minor: fc.bigInt(1n, 20n) }), { maxLength: 4 })
    fc.assert(
      fc.property(transfers, deposits, (some, own) => {
        const all = some.map(({ height, minor }, index) => late(`${index}`, height, minor))
        const rows = own.map(({ height, minor }, index) => found(`d${index}`, height, minor))
        const { explained, contested, unexplained } = explainTransfers(all, rows)
        expect(explained.length + contested.length + unexplained.length).toBe(all.length)
        const last = Math.max(-1, ...rows.map(({ height }) => height))
        for (const { height } of unexplained) expect(height).toBeGreaterThan(last)
        for (const { height } of [...contested, ...explained.map((one) => one.late)])
          expect(height).toBeLessThanOrEqual(last)
        for (const { depositId, restMinor } of rows) {
          const contained = explained.filter((one) => one.depositId === depositId)
          expect(sum(contained.map((one) => one.late.transfer.amountMinor)) <= restMinor).toBe(true)
        }
      }),
    )
  })
})
