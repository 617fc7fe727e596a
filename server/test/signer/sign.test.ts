/** Tests what the signer signs on EVM chains, and what it never signs. */
import { parseTransaction, recoverTransactionAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Spend } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import type { Intent } from '../../src/signing/intent.ts'
import type { AccountRequest, SignRequest } from '../../src/signing/signer-port.ts'
import { approvedPayment, ask, askToPay, askToSign, codeOf, useTestSigner } from '../support/signer.ts'

const usdt = `0x${'d1'.repeat(20)}`
const coldAddress = `0x${'c0'.repeat(20)}`
const stranger = `0x${'66'.repeat(20)}`

describe('an approved payment', () => {
  it('is signed by its hot wallet, as it was approved', async () => {
    const opened = await useTestSigner()
    const payment = approvedPayment(opened.intentKey)
    const from = { type: 'hotWallet', hotWallet: 2 } as const
    const answer = await ask(opened, askToPay(payment, { from, nonce: 7 }))
    if (answer.type !== 'signed') throw new Error(answer.detail)
    const raw = `0x02${answer.raw.slice(2)}` as const
    expect((await recoverTransactionAddress({ serializedTransaction: raw })).toLowerCase()).toBe(
      opened.keys.hotWallets[2],
    )
    expect(parseTransaction(raw)).toMatchObject({ nonce: 7, to: payment.address, value: payment.netMinor })
  })

  it('E17 is refused if address, amount or asset were altered after the approval', async () => {
    const opened = await useTestSigner()
    const payment = approvedPayment(opened.intentKey)
    const altered = [
      { ...payment, address: stranger },
      { ...payment, netMinor: payment.netMinor + 1n },
      { ...payment, feeMinor: 1n },
      { ...payment, asset: 'ethereum/USDT', contract: usdt },
      { ...payment, merchantId: 'another' },
      { ...payment, withdrawalId: 'another' },
      { ...payment, mac: '00'.repeat(32) },
      { ...payment, mac: 'zz' },
    ]
    for (const one of altered) expect(codeOf(await ask(opened, askToPay(one)))).toBe('not-approved')
    expect((await opened.signer.attest()).logEntries).toBe(0)
  })

  it('E17 is refused if the bytes do something else than was approved', async () => {
    const opened = await useTestSigner()
    const payment = approvedPayment(opened.intentKey)
    const intent: Intent = { kind: 'withdrawal', payments: [payment] }
    const right: Spend = {
      type: 'pay',
      asset: { type: 'coin' },
      recipient: payment.address,
      amountMinor: payment.netMinor,
    }
    const others: Spend[] = [
      { ...right, recipient: stranger },
      { ...right, amountMinor: right.amountMinor + 1n },
      { ...right, asset: { type: 'token', contract: usdt } },
      { type: 'deploy', hotWallets: opened.keys.hotWallets },
    ]
    for (const spend of others)
      expect(codeOf(await ask(opened, askToSign(intent, spend)))).toBe('not-as-intended')
    const request = askToSign(intent, right)
    expect(codeOf(await ask(opened, { ...request, nonce: 1 }))).toBe('not-as-intended')
    expect(codeOf(await ask(opened, { ...request, chainId: 1337 }))).toBe('not-as-intended')
    expect(codeOf(await ask(opened, { ...request, unsigned: `${request.unsigned}00` }))).toBe(
      'not-as-intended',
    )
    expect(codeOf(await ask(opened, { ...request, unsigned: request.unsigned.slice(0, -2) }))).toBe(
      'not-as-intended',
    )
    expect(
      codeOf(
        await ask(opened, {
          ...request,
          chainId: 1,
          unsigned: askToSign(intent, right, { chainId: 1 }).unsigned,
        }),
      ),
    ).toBe('not-allowed')
    expect(codeOf(await ask(opened, request))).toBe('signed')
  })

  it('does not allow two payments, or a payment from a deposit address', async () => {
    const opened = await useTestSigner()
    const one = approvedPayment(opened.intentKey)
    const two = approvedPayment(opened.intentKey)
    const request = askToPay(one)
    const both = { ...request, intent: { kind: 'withdrawal', payments: [one, two] } }
    expect(codeOf(await ask(opened, both))).toBe('not-allowed')
    const from = { type: 'deposit', branch: 1, index: 1 } as const
    expect(codeOf(await ask(opened, askToPay(one, { from })))).toBe('not-allowed')
    expect(codeOf(await ask(opened, askToPay(one, { from: { type: 'hotWallet', hotWallet: 4 } })))).toBe(
      'not-allowed',
    )
  })

  it('cannot name a token as the coin to get its limits', async () => {
    const opened = await useTestSigner()
    const payment = approvedPayment(opened.intentKey, { contract: usdt })
    expect(codeOf(await ask(opened, askToPay(payment)))).toBe('not-as-intended')
  })
})

describe('moves between our own wallets', () => {
  const deposit = { type: 'deposit', branch: 5, index: 9 } as const

  it('go only to addresses that the signer derives', async () => {
    const opened = await useTestSigner({ coldAddress })
    const { keys } = opened
    const depositAddress = keys.walletAt(deposit)?.address ?? ''
    const coin = { asset: 'ethereum/ETH', contract: null, amountMinor: 5n }
    const pay = (recipient: string): Spend => ({
      type: 'pay',
      asset: { type: 'coin' },
      recipient,
      amountMinor: 5n,
    })
    const cases: [Intent, string, AccountRequest['from']?][] = [
      [{ kind: 'top_up', deposit, amountMinor: 5n }, depositAddress],
      [{ kind: 'direct_sweep', hotWallet: 1, ...coin }, keys.hotWallets[1] ?? '', deposit],
      [{ kind: 'rebalance', hotWallet: 3, ...coin }, keys.hotWallets[3] ?? ''],
      [{ kind: 'treasury_withdrawal', ...coin }, coldAddress],
    ]
    for (const [nonce, [intent, recipient, from]] of cases.entries()) {
      const options = { nonce, ...(from && { from }) }
      expect(codeOf(await ask(opened, askToSign(intent, pay(stranger), options)))).toBe('not-as-intended')
      expect(codeOf(await ask(opened, askToSign(intent, pay(recipient), options)))).toBe('signed')
    }
  })

  it('go from no hot wallet to itself, except one unit to fill a gap in the nonces of the only one', async () => {
    const sent = async (hotWallets: number, amountMinor: bigint) => {
      const opened = await useTestSigner({ hotWallets })
      const intent: Intent = {
        kind: 'rebalance',
        hotWallet: 0,
        asset: 'ethereum/ETH',
        contract: null,
        amountMinor,
      }
      const recipient = opened.keys.hotWallets[0] ?? ''
      return codeOf(
        await ask(
          opened,
          askToSign(intent, { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor }),
        ),
      )
    }
    expect([await sent(2, 1n), await sent(1, 2n), await sent(1, 1n)]).toEqual([
      'not-allowed',
      'not-allowed',
      'signed',
    ])
  })

  it('withdraw nothing to the treasury if the signer has no cold address', async () => {
    const opened = await useTestSigner()
    const intent: Intent = {
      kind: 'treasury_withdrawal',
      asset: 'ethereum/ETH',
      contract: null,
      amountMinor: 5n,
    }
    const spend: Spend = { type: 'pay', asset: { type: 'coin' }, recipient: coldAddress, amountMinor: 5n }
    expect(codeOf(await ask(opened, askToSign(intent, spend)))).toBe('not-allowed')
  })

  it('delegate deposit addresses only to the contract of these hot wallets, signed by the address itself', async () => {
    const opened = await useTestSigner()
    const { keys } = opened
    const delegate = spendCodecs.evm.delegateOf(keys.hotWallets)
    const address = keys.walletAt(deposit)?.address ?? ''
    const intent: Intent = {
      kind: 'sweep',
      deposits: [{ ...deposit, delegationNonce: 3 }],
      assets: [{ asset: 'ethereum/USDT', contract: usdt }],
    }
    const right: Spend = {
      type: 'sweep',
      delegate,
      addresses: [address],
      assets: [{ type: 'token', contract: usdt }],
      delegations: [{ address, delegate, nonce: 3 }],
    }
    const wrong: Spend[] = [
      { ...right, delegate: stranger },
      { ...right, delegations: [{ address, delegate: stranger, nonce: 3 }] },
      { ...right, delegations: [{ address, delegate, nonce: 4 }] },
      { ...right, delegations: [{ address: stranger, delegate, nonce: 3 }] },
      { ...right, delegations: [...right.delegations, { address, delegate, nonce: 4 }] },
      { ...right, delegations: [] },
      { ...right, addresses: [stranger] },
      { ...right, assets: [{ type: 'coin' }] },
    ]
    for (const spend of wrong)
      expect(codeOf(await ask(opened, askToSign(intent, spend)))).toBe('not-as-intended')
    const answer = await ask(opened, askToSign(intent, right))
    if (answer.type !== 'signed') throw new Error(answer.detail)
    const { authorizationList } = parseTransaction(`0x04${answer.raw.slice(2)}`)
    expect(authorizationList).toMatchObject([{ address: delegate, nonce: 3, chainId: 31_337 }])
  })

  it('deploy the contract of these hot wallets and no other', async () => {
    const opened = await useTestSigner()
    const foreign: Spend = { type: 'deploy', hotWallets: [stranger] }
    expect(codeOf(await ask(opened, askToSign({ kind: 'deploy' }, foreign)))).toBe('not-as-intended')
    const own: Spend = { type: 'deploy', hotWallets: opened.keys.hotWallets }
    expect(codeOf(await ask(opened, askToSign({ kind: 'deploy' }, own)))).toBe('signed')
  })
})

describe('a signed transaction', () => {
  it('gets the same bytes for a repeated request, before and after a restart', async () => {
    const opened = await useTestSigner()
    const request = askToPay(approvedPayment(opened.intentKey))
    const first = await ask(opened, request)
    expect(await ask(opened, request)).toEqual(first)
    const again = await opened.reopen()
    const asked = await ask(again, {
      ...request,
      intent: Object.fromEntries(Object.entries(request.intent).reverse()),
    })
    expect(asked).toEqual(first)
    expect((await again.signer.attest()).logEntries).toBe(1)
  })

  it('is bumped with its own wallet and nonce, and with no other', async () => {
    const opened = await useTestSigner()
    const payment = approvedPayment(opened.intentKey)
    const outgoingTransactionId = 'bumped'
    const first = await ask(opened, askToPay(payment, { outgoingTransactionId, nonce: 4 }))
    const bumped = await ask(
      opened,
      askToPay(payment, { outgoingTransactionId, nonce: 4, maxFeePerGas: 2n * 10n ** 10n }),
    )
    expect([codeOf(first), codeOf(bumped)]).toEqual(['signed', 'signed'])
    const elsewhere = [
      askToPay(payment, { outgoingTransactionId, nonce: 5 }),
      askToPay(payment, { outgoingTransactionId, nonce: 4, from: { type: 'hotWallet', hotWallet: 1 } }),
      askToPay(payment, { outgoingTransactionId: 'another', nonce: 5 }),
      askToPay(approvedPayment(opened.intentKey), { outgoingTransactionId, nonce: 4 }),
      askToPay(approvedPayment(opened.intentKey), { outgoingTransactionId: 'another', nonce: 4 }),
    ]
    const again = await opened.reopen()
    for (const request of elsewhere) expect(codeOf(await ask(again, request))).toBe('already-signed')
  })

  it('is refused a second time within one batch as well', async () => {
    const opened = await useTestSigner()
    const payment = approvedPayment(opened.intentKey)
    const request = askToPay(payment, { nonce: 1 })
    const answers = await opened.signer.sign([request, askToPay(payment, { nonce: 2 }), request])
    expect(answers.map(codeOf)).toEqual(['signed', 'already-signed', 'signed'])
    expect(answers[2]).toEqual(answers[0])
  })

  it('is read from the log, complete and in order', async () => {
    const opened = await useTestSigner()
    const requests = Array.from({ length: 5 }, (_, nonce) =>
      askToPay(approvedPayment(opened.intentKey), { nonce }),
    )
    const answers = await opened.signer.sign(requests)
    const entries = await opened.signer.readLog(1, 3)
    expect(entries.map(({ sequence }) => sequence)).toEqual([2, 3, 4])
    for (const { sequence, signedAt, txHash, raw, ...request } of entries) {
      expect(request).toEqual(requests[sequence - 1])
      expect(answers[sequence - 1]).toEqual({ type: 'signed', txHash, raw, sequence })
      expect(signedAt).toBeInstanceOf(Date)
    }
    expect(await opened.signer.readLog(5, 3)).toEqual([])
  })
})

it('the signer answers any invalid input, and signs nothing for it', async () => {
  const opened = await useTestSigner()
  const request = askToPay(approvedPayment(opened.intentKey))
  const nonsense = [
    null,
    7,
    'x',
    [],
    {},
    { ...request, nonce: -1 },
    { ...request, nonce: 1.5 },
    { ...request, nonce: '0' },
    { ...request, network: 'bitcoin' },
    { ...request, network: '__proto__' },
    { ...request, from: { type: 'hotWallet', hotWallet: -1 } },
    { ...request, from: { type: 'hotWallet', hotWallet: '0' } },
    { ...request, from: { type: 'deposit', branch: 2 ** 31, index: 0 } },
    { ...request, intent: { kind: 'constructor' } },
    { ...request, intent: { kind: 'withdrawal', payments: [] } },
    { ...request, intent: { kind: 'withdrawal', payments: [null] } },
    { ...request, unsigned: '' },
    { ...request, unsigned: 'zz' },
    { ...request, unsigned: '0x02' },
    { ...request, unsigned: `02${'c0'.repeat(9)}` },
    { ...request, unsigned: 'ff'.repeat(100) },
  ]
  const answers = await opened.signer.sign(nonsense as unknown as SignRequest[])
  expect(answers.map(({ type }) => type)).toEqual(nonsense.map(() => 'refused'))
  expect((await opened.signer.attest()).logEntries).toBe(0)
})
