import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddressHoldings, proveDeposit, type SeenTransfer, type UnprovenDeposit } from './proof.ts'

const contract = `0x${'11'.repeat(20)}`
const seen: SeenTransfer = { txHash: '0xaa', contract, recipient: '0xours', amountMinor: 5n }
const deposit: UnprovenDeposit = {
  id: 'deposit',
  inclusion: 1,
  transferKey: '0xaa:log:0',
  txHash: '0xaa',
  asset: 'ethereum/USDT',
  recipient: '0xours',
  amountMinor: 5n,
  addressId: 1,
  isTaken: false,
  height: 7,
  blockHash: '0xb',
}
const minor = fc.bigInt({ min: 0n, max: 10n ** 30n })

describe('proveDeposit', () => {
  it('proves nothing whose address holds less than the books say, unless a sweep has taken it', () => {
    fc.assert(
      fc.property(
        minor,
        minor,
        fc.boolean(),
        fc.boolean(),
        (expectedMinor, heldMinor, isBeingSwept, isTaken) => {
          const holdings: AddressHoldings = { expectedMinor, heldMinor, isBeingSwept }
          const { type } = proveDeposit({ ...deposit, isTaken }, seen, contract, holdings)
          if (isTaken || heldMinor >= expectedMinor) expect(type).toBe('proven')
          else expect(type).toBe(isBeingSwept ? 'unread' : 'false')
        },
      ),
    )
  })

  it.each([
    ['is not in the block', undefined],
    ['is of another transaction', { ...seen, txHash: '0xbb' }],
    ['is of another token', { ...seen, contract: `0x${'22'.repeat(20)}` }],
    ['is of the coin', { ...seen, contract: undefined }],
    ['went to somebody else', { ...seen, recipient: '0xtheirs' }],
    ['is of less', { ...seen, amountMinor: 4n }],
  ])('calls a deposit false whose transfer %s, whatever its address holds', (_, transfer) => {
    const holdings = { expectedMinor: 0n, heldMinor: 10n, isBeingSwept: true }
    expect(proveDeposit({ ...deposit, isTaken: true }, transfer, contract, holdings).type).toBe('false')
  })
})
