/**
 * Tests the fault case E16: the limits of the policy apply to every request, even if the request is otherwise
 * valid.
 */
import { describe, expect, it } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import type { Policy } from '../../src/signer/authorization/policy.ts'
import type { Intent } from '../../src/signing/intent.ts'
import type { SignAnswer } from '../../src/signing/signer-port.ts'
import {
  type AskOptions,
  approvedPayment,
  askToPay,
  askToSign,
  type TestSigner,
  testChainId,
  useTestSigner,
} from '../support/signer.ts'

const hourMs = 60 * 60 * 1000

const coin = { symbol: 'ETH', decimals: 18 }
const ethereum = { chainId: testChainId, coin }
const policy: Policy = {
  assets: [
    {
      network: 'ethereum',
      contract: null,
      ...coin,
      perTransactionMinor: 10n,
      per24HoursMinor: 50n,
      totalMinor: 120n,
    },
  ],
  networks: {
    ethereum: {
      ...ethereum,
      feePerTransactionMinor: 1_000n,
      feesPer24HoursMinor: 20_000n,
      topUpsPer24HoursMinor: 7n,
    },
  },
}

/** A clock that the test sets. */
function testClock() {
  let nowMs = Date.UTC(2026, 0, 1)
  return {
    now: () => new Date(nowMs),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

let nonce = 0
const cheap = { gas: 10n, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }

async function pay(opened: TestSigner, netMinor: bigint, options: AskOptions = {}): Promise<string> {
  nonce += 1
  const payment = approvedPayment(opened.intentKey, { netMinor })
  const [answer] = await opened.signer.sign([askToPay(payment, { nonce, ...cheap, ...options })])
  return said(answer)
}

function said(answer: SignAnswer | undefined): string {
  return answer?.type === 'refused' ? `${answer.code}: ${answer.detail}` : 'signed'
}

describe('E16 a payment that was approved', () => {
  it('E16 is refused above the limit of one transaction', async () => {
    const opened = await useTestSigner({ policy })
    expect(await pay(opened, 10n)).toBe('signed')
    expect(await pay(opened, 11n)).toBe('over-limit: ethereum/ETH: 11 in one transaction, 10 are allowed')
  })

  it('E16 is refused above the rolling limit of 24 hours, also after a restart of the signer', async () => {
    const clock = testClock()
    const opened = await useTestSigner({ policy, clock })
    for (let count = 0; count < 5; count++) {
      expect(await pay(opened, 10n)).toBe('signed')
      clock.pass(hourMs)
    }
    expect(await pay(opened, 1n)).toContain('51 within 24 hours, 50 are allowed')
    const again = await opened.reopen()
    expect(await pay(again, 1n)).toContain('51 within 24 hours, 50 are allowed')
    clock.pass(19 * hourMs)
    expect(await pay(again, 10n)).toBe('signed')
    expect(await pay(again, 1n)).toContain('within 24 hours')
  })

  it('E16 is refused above the absolute limit, however much time passes', async () => {
    const clock = testClock()
    const opened = await useTestSigner({ policy, clock })
    for (let count = 0; count < 12; count++) {
      expect(await pay(opened, 10n)).toBe('signed')
      clock.pass(24 * hourMs)
    }
    expect(await pay(opened, 1n)).toContain('121 in all, 120 are allowed')
    expect(await pay(await opened.reopen(), 1n)).toContain('121 in all, 120 are allowed')
  })

  it('E16 is refused if the policy does not name its asset', async () => {
    const opened = await useTestSigner({ policy })
    const contract = `0x${'d1'.repeat(20)}`
    const payment = approvedPayment(opened.intentKey, { asset: 'ethereum/USDT', contract, netMinor: 1n })
    const [answer] = await opened.signer.sign([askToPay(payment, cheap)])
    expect(said(answer)).toBe(
      `not-allowed: The policy has no asset ethereum/USDT with the contract ${contract}`,
    )
  })
})

it('E16 counts many small payments of one batch together', async () => {
  const opened = await useTestSigner({ policy })
  const requests = Array.from({ length: 8 }, (_, index) =>
    askToPay(approvedPayment(opened.intentKey, { netMinor: 10n }), { nonce: index, ...cheap }),
  )
  const answers = await opened.signer.sign(requests)
  expect(answers.filter(({ type }) => type === 'signed')).toHaveLength(5)
})

it('E16 counts all attempts of one transaction once, at the highest fee of them', async () => {
  const limits = { feePerTransactionMinor: 1_000n, feesPer24HoursMinor: 1_000n, topUpsPer24HoursMinor: 0n }
  const fees = { ...ethereum, ...limits }
  const opened = await useTestSigner({ policy: { ...policy, networks: { ethereum: fees } } })
  const payment = approvedPayment(opened.intentKey, { netMinor: 10n })
  const attempt = async (maxFeePerGas: bigint) =>
    said(
      (
        await opened.signer.sign([askToPay(payment, { outgoingTransactionId: 'p', ...cheap, maxFeePerGas })])
      )[0],
    )
  for (const maxFeePerGas of [50n, 60n, 70n, 80n, 90n, 100n])
    expect(await attempt(maxFeePerGas)).toBe('signed')
  expect(await attempt(101n)).toContain('1010 in one transaction, 1000 are allowed')
  expect(await pay(opened, 10n, { gas: 1n, maxFeePerGas: 1n })).toContain('1001 within 24 hours')
})

it('E16 limits the fee of every transaction separately', async () => {
  const opened = await useTestSigner({ policy })
  const options = { gas: 101n, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
  const intent: Intent = {
    kind: 'rebalance',
    hotWallet: 1,
    asset: 'ethereum/ETH',
    contract: null,
    amountMinor: 10n ** 20n,
  }
  const recipient = opened.keys.hotWallets[1] ?? ''
  const spend = { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor: 10n ** 20n } as const
  expect(said((await opened.signer.sign([askToSign(intent, spend, options)]))[0])).toContain(
    'fees of ethereum',
  )
  const cheaper = askToSign(intent, spend, { ...options, gas: 100n })
  expect(said((await opened.signer.sign([cheaper]))[0])).toBe('signed')
})

it('E16 counts the data fee of an OP-stack network by the bytes of the signed transaction', async () => {
  const base = {
    ...ethereum,
    feesPer24HoursMinor: 10_000n,
    topUpsPer24HoursMinor: 0n,
    dataFeePerByteMinor: 7n,
  }
  const rebalance = async (feePerTransactionMinor: bigint) => {
    const networks = { base: { ...base, feePerTransactionMinor } }
    const asset = { ...policy.assets[0], network: 'base' } as Policy['assets'][number]
    const opened = await useTestSigner({ policy: { networks, assets: [asset] } })
    const intent: Intent = {
      kind: 'rebalance',
      hotWallet: 1,
      asset: 'base/ETH',
      contract: null,
      amountMinor: 1n,
    }
    const recipient = opened.keys.hotWallets[1] ?? ''
    const spend = { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor: 1n } as const
    const request = { ...askToSign(intent, spend, cheap), network: 'base' }
    const bytes = spendCodecs.evm.signedBytesMax(spendCodecs.evm.parse(request.unsigned))
    return { answer: said((await opened.signer.sign([request]))[0]), costMinor: 100n + 7n * BigInt(bytes) }
  }
  const { costMinor } = await rebalance(1n)
  expect((await rebalance(costMinor)).answer).toBe('signed')
  expect((await rebalance(costMinor - 1n)).answer).toContain(
    `${costMinor} in one transaction, ${costMinor - 1n} are allowed`,
  )
})

it('E23 tops up a deposit address with limited gas a day', async () => {
  const opened = await useTestSigner({ policy })
  const topUp = async (index: number, amountMinor: bigint, nonce: number) => {
    const deposit = { type: 'deposit', branch: 1, index } as const
    const recipient = opened.keys.walletAt(deposit)?.address ?? ''
    const spend = { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor } as const
    const request = askToSign({ kind: 'top_up', deposit, amountMinor }, spend, { nonce, ...cheap })
    return said((await opened.signer.sign([request]))[0])
  }
  expect(await topUp(1, 4n, 0)).toBe('signed')
  expect(await topUp(1, 4n, 1)).toContain('8 within 24 hours, 7 are allowed')
  expect(await topUp(2, 4n, 1)).toBe('signed')
})
