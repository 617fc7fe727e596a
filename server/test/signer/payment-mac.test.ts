import { createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { intentText, type Payment, readIntentText } from '../../src/signing/intent.ts'
import { isApproved, paymentMac } from '../../src/signing/payment-mac.ts'
import type { SignRequest } from '../../src/signing/signer-port.ts'

const key = createSecretKey(randomBytes(32))
const text = fc.string({ unit: 'binary', maxLength: 40 })
const terms = fc.record({
  withdrawalId: text,
  merchantId: text,
  asset: text,
  contract: fc.option(text, { nil: null }),
  address: text,
  netMinor: fc.bigInt({ min: 0n }),
  feeMinor: fc.bigInt({ min: 0n }),
  invoiceId: fc.option(text, { nil: null }),
  orderSignature: text,
})

describe('the MAC of a payment', () => {
  it('is valid only for exactly its payment', () => {
    fc.assert(
      fc.property(terms, terms, text, text, (approved, asked, network, otherNetwork) => {
        const payment = { ...approved, mac: paymentMac(key, network, approved) }
        expect(isApproved(key, network, payment)).toBe(true)
        expect(isApproved(key, otherNetwork, payment)).toBe(network === otherNetwork)
        const altered = { ...asked, mac: payment.mac }
        expect(isApproved(key, network, altered)).toBe(intentText(asked) === intentText(approved))
      }),
    )
  })

  it('is valid only under its own key', () => {
    const payment = {
      withdrawalId: 'w',
      merchantId: 'm',
      asset: 'ethereum/ETH',
      contract: null,
      address: '0xaa',
      netMinor: 1n,
      feeMinor: 0n,
      invoiceId: null,
      orderSignature: 'a signature',
    }
    const signed: Payment = { ...payment, mac: paymentMac(key, 'ethereum', payment) }
    expect(isApproved(createSecretKey(randomBytes(32)), 'ethereum', signed)).toBe(false)
    expect(isApproved(key, 'ethereum', { ...signed, mac: '' })).toBe(false)
  })
})

it('reads back what is sent to the signer, with every digit of the amounts', () => {
  fc.assert(
    fc.property(terms, fc.nat(), (payment, nonce) => {
      const request: SignRequest = {
        outgoingTransactionId: 'p',
        network: 'ethereum',
        chainId: 1,
        from: { type: 'hotWallet', hotWallet: 0 },
        nonce,
        intent: { kind: 'withdrawal', payments: [{ ...payment, mac: '00' }] },
        unsigned: '02',
      }
      fc.pre(!Object.values(payment).some((one) => typeof one === 'string' && /^\d+n$/.test(one)))
      expect(readIntentText(intentText(request))).toEqual(request)
    }),
  )
})
