/**
 * Tests that the signer signs a payment only if two processes agree to it. The API signs the order, and
 * payouts make the MAC of the approval. Whoever has the key of only one of them gets no signature.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { diskFiles } from '../../src/core/durable-file.ts'
import { type NewEntry, SignLog } from '../../src/signer/log/sign-log.ts'
import type { Payment } from '../../src/signing/intent.ts'
import { orderPublicKey, orderSigner, orderVerifier } from '../../src/signing/order-signature.ts'
import { orderOf } from '../../src/signing/ordered.ts'
import { litecoinRegtest } from '../support/litecoind.ts'
import { approved, orderSeed } from '../support/order-keys.ts'
import { approvedPayment, ask, askToPay, codeOf, useTestSigner } from '../support/signer.ts'
import { validOutgoing } from '../support/utxo-requests.ts'

const stranger = `0x${'66'.repeat(20)}`

describe('a payment with a valid MAC, as the payouts role can compute it, is refused', () => {
  const changes: readonly [string, Partial<Payment>][] = [
    ['to somebody else', { address: stranger }],
    ['of more', { netMinor: 10n ** 16n }],
    ['of as much with less kept', { netMinor: 10n ** 15n + 1n, feeMinor: 10n ** 12n - 1n }],
    ['under another id', { withdrawalId: 'a copy' }],
    ['of another merchant', { merchantId: 'another' }],
    ['of another claim', { invoiceId: 'another' }],
    ['in another asset', { asset: 'ethereum/USDT', contract: `0x${'d1'.repeat(20)}` }],
    ['without a signature', { orderSignature: 'none' }],
    ['signed by a key of its own', { orderSignature: ownSignature() }],
  ]
  it.each(changes)('%s', async (_, change) => {
    const opened = await useTestSigner()
    const ordered = approvedPayment(opened.intentKey, { withdrawalId: 'ordered', feeMinor: 10n ** 12n })
    const { mac: _mac, ...draft } = { ...ordered, ...change }
    const forged = approved(opened.intentKey, 'ethereum', draft)
    expect(codeOf(await ask(opened, askToPay(forged)))).toBe('not-approved')
    expect((await opened.signer.attest()).logEntries).toBe(0)
    expect(codeOf(await ask(opened, askToPay(ordered)))).toBe('signed')
  })

  /** Returns a valid signature of the order by a key that the signer does not know. */
  function ownSignature(): string {
    const order = orderOf({
      withdrawalId: 'ordered',
      merchantId: 'merchant',
      asset: 'ethereum/ETH',
      contract: null,
      address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
      netMinor: 10n ** 15n,
      feeMinor: 10n ** 12n,
      invoiceId: null,
    })
    return orderSigner(randomBytes(32)).sign('ethereum', order)
  }

  it('if one of many payments in a UTXO transaction was not ordered', async () => {
    const opened = await useTestSigner()
    const { payment, ask: request } = validOutgoing(opened, litecoinRegtest)
    const { mac: _mac, ...draft } = payment
    const forged = approved(opened.intentKey, 'litecoin', { ...draft, withdrawalId: 'a copy' })
    const intent = { kind: 'withdrawal' as const, payments: [forged] }
    expect(codeOf(await ask(opened, request({}, { intent })))).toBe('not-approved')
    expect(codeOf(await ask(opened, request()))).toBe('signed')
  })
})

it('an order with a valid signature is refused without the MAC of the approving process', async () => {
  const opened = await useTestSigner()
  const payment = approvedPayment(opened.intentKey)
  expect(codeOf(await ask(opened, askToPay({ ...payment, mac: '00'.repeat(32) })))).toBe('not-approved')
})

it('an order counts while the public key of its former signing key is listed, and not after it is removed', async () => {
  const next = Buffer.alloc(32, 0x22)
  const both = orderVerifier([orderPublicKey(next), orderPublicKey(orderSeed)])
  const opened = await useTestSigner({ orders: both })
  const former = () => approvedPayment(opened.intentKey)
  expect(codeOf(await ask(opened, askToPay(former(), { nonce: 0 })))).toBe('signed')
  const { mac: _mac, orderSignature: _signature, ...draft } = former()
  const later = approved(opened.intentKey, 'ethereum', draft, orderSigner(next))
  expect(codeOf(await ask(opened, askToPay(later, { nonce: 1 })))).toBe('signed')
  const after = await opened.reopen({ orders: orderVerifier([orderPublicKey(next)]) })
  expect(codeOf(await ask(after, askToPay(former(), { nonce: 2 })))).toBe('not-approved')
})

it('a log from before orders were signed is read, and its payments are not signed again', async () => {
  const opened = await useTestSigner()
  const payment = approvedPayment(opened.intentKey)
  const request = askToPay(payment)
  const { invoiceId: _invoice, orderSignature: _signature, ...formerPayment } = payment
  const former = { ...request, intent: { kind: 'withdrawal', payments: [formerPayment] } }
  await opened.signer.close()
  const log = await SignLog.open(
    { files: diskFiles, path: opened.logPath, key: opened.keys.logKey },
    () => {},
  )
  const signed = { txHash: `0x${'aa'.repeat(32)}`, raw: '02', signedAt: systemClock.now() }
  await log.append([{ ...former, ...signed } as unknown as NewEntry])
  await log.close()
  const again = await opened.reopen()
  expect((await again.signer.attest()).logEntries).toBe(1)
  const another = askToPay(payment, { nonce: 1 })
  expect(codeOf(await ask(again, another))).toBe('already-signed')
})
