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
    ['is there', { expectedMinor: 5n, heldMinor: 5n, isBeingSwept: false }, false, 'proven'],
    ['is missing', { expectedMinor: 5n, heldMinor: 4n, isBeingSwept: false }, false, 'false'],
    ['may have been swept', { expectedMinor: 5n, heldMinor: 4n, isBeingSwept: true }, false, 'unread'],
    ['was taken by a final sweep', undefined, true, 'proven'],
    ['was not compared', undefined, false, 'unread'],
  ])('decides by the balance alone where no transfer can be seen: the coin %s', (_, held, isTaken, type) => {
    expect(proveDeposit({ ...deposit, isTaken }, 'unseen', undefined, held).type).toBe(type)
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
