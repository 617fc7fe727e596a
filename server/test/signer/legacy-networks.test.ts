/**
 * Tests networks without base fees: the signer signs transactions of type 0 for them and for no others, and only its
 * own policy says which networks these are.
 */
import { parseTransaction, recoverTransactionAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { attestedLimits, type Policy, sandboxPolicy } from '../../src/signer/authorization/policy.ts'
import { readPolicy } from '../../src/signer/authorization/read-policy.ts'
import type { AccountRequest } from '../../src/signing/signer-port.ts'
import { approved } from '../support/order-keys.ts'
import { ask, codeOf, type TestSigner, useTestSigner } from '../support/signer.ts'

const chainId = 6_131_337
const coin = { symbol: 'OLD', decimals: 18 }
const gwei = 10n ** 9n
const network = {
  chainId,
  coin,
  feePerTransactionMinor: `${21_000n * 10n * gwei}`,
  feesPer24HoursMinor: `${10n ** 18n}`,
  topUpsPer24HoursMinor: '0',
}
const limits = {
  perTransactionMinor: `${10n ** 18n}`,
  per24HoursMinor: `${10n ** 18n}`,
  totalMinor: `${10n ** 18n}`,
}

function policyOf(over: object): Policy {
  const assets = [{ network: 'oldnet', contract: null, ...coin, ...limits }]
  const file = { networks: { oldnet: { ...network, ...over } }, assets }
  return readPolicy(JSON.stringify(file), 'policy.json', 'sandbox')
}

const legacy = policyOf({ feeModel: 'legacy' })
const priced = policyOf({})

let made = 0

interface Asked {
  readonly type: 'evm' | 'legacy'
  readonly priceMinor?: bigint
  /** The chain id in the bytes. */
  readonly signedId?: number
  readonly name?: string
}

function askFor(
  { intentKey }: TestSigner,
  { type, priceMinor = 10n * gwei, signedId = chainId, name = 'oldnet' }: Asked,
): AccountRequest {
  made += 1
  const payment = approved(intentKey, name, {
    withdrawalId: `withdrawal-${made}`,
    merchantId: 'merchant',
    asset: `${name}/${name === 'oldnet' ? 'OLD' : 'ETH'}`,
    contract: null,
    address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
    netMinor: 10n ** 15n,
    feeMinor: 0n,
  })
  return {
    outgoingTransactionId: `payout-${made}`,
    network: name,
    chainId,
    from: { type: 'hotWallet', hotWallet: 0 },
    nonce: made,
    intent: { kind: 'withdrawal', payments: [payment] },
    unsigned: spendCodecs[type].serialize({
      chainId: signedId,
      nonce: made,
      gasLimit: 21_000n,
      maxFeePerGas: priceMinor,
      maxPriorityFeePerGas: priceMinor,
      spend: {
        type: 'pay',
        asset: { type: 'coin' },
        recipient: payment.address,
        amountMinor: payment.netMinor,
      },
    }),
  }
}

const detailOf = async (opened: TestSigner, request: AccountRequest) => {
  const answer = await ask(opened, request)
  return answer.type === 'refused' ? `${answer.code}: ${answer.detail}` : 'signed'
}

describe('for a network without base fees', () => {
  it('the signer signs type 0 with the chain id of its policy in the signature', async () => {
    const opened = await useTestSigner({ policy: legacy })
    const request = askFor(opened, { type: 'legacy' })
    const answer = await ask(opened, request)
    if (answer.type !== 'signed') throw new Error(answer.detail)
    const raw = `0x${answer.raw}` as const
    expect(parseTransaction(raw)).toMatchObject({ type: 'legacy', chainId, gasPrice: 10n * gwei })
    const [hotWallet = ''] = opened.keys.hotWallets
    const signer = await recoverTransactionAddress({ serializedTransaction: raw as never })
    expect(signer.toLowerCase()).toBe(hotWallet)
    expect(spendCodecs.legacy.readSigned(answer.raw, hotWallet)).toEqual({
      txHash: answer.txHash,
      unsigned: request.unsigned,
    })
  })

  it('it signs no other type, and type 0 for no network with base fees', async () => {
    const opened = await useTestSigner({ policy: legacy })
    expect(await detailOf(opened, askFor(opened, { type: 'evm' }))).toMatch(
      /^not-allowed: .* remove "feeModel"/,
    )
    const other = await useTestSigner({ policy: priced })
    expect(await detailOf(other, askFor(other, { type: 'legacy' }))).toMatch(
      /^not-allowed: .* set "feeModel": "legacy"/,
    )
    expect(await detailOf(other, askFor(other, { type: 'evm' }))).toBe('signed')
    const sandbox = await useTestSigner({ policy: sandboxPolicy })
    expect(await detailOf(sandbox, askFor(sandbox, { type: 'legacy', name: 'ethereum' }))).toMatch(
      /^not-allowed/,
    )
    for (const { signer } of [opened, sandbox]) expect((await signer.attest()).logEntries).toBe(0)
    expect(await other.signer.readLog(0, 10)).toMatchObject([{ unsigned: expect.stringMatching(/^02/) }])
  })

  it('in a sandbox without a policy it signs both types for an unknown development chain', async () => {
    const opened = await useTestSigner()
    for (const type of ['legacy', 'evm'] as const)
      expect(codeOf(await ask(opened, askFor(opened, { type })))).toBe('signed')
  })

  it('it signs for no other chain, and never without a chain id', async () => {
    const opened = await useTestSigner({ policy: legacy })
    expect(codeOf(await ask(opened, askFor(opened, { type: 'legacy', signedId: 1 })))).toBe('not-as-intended')
    const request = askFor(opened, { type: 'legacy' })
    // The same fields in a list that ends before the chain id, as they were signed before EIP-155.
    const fields = request.unsigned.slice(2, -12)
    const unsigned = `${(0xc0 + fields.length / 2).toString(16)}${fields}`
    expect(parseTransaction(`0x${unsigned}`)).toMatchObject({ type: 'legacy', gas: 21_000n })
    expect(parseTransaction(`0x${unsigned}`).chainId).toBeUndefined()
    expect(codeOf(await ask(opened, { ...request, unsigned }))).toBe('not-as-intended')
    expect((await opened.signer.attest()).logEntries).toBe(0)
  })

  it('the whole price counts towards the limits', async () => {
    const opened = await useTestSigner({ policy: legacy })
    const dear = { type: 'legacy', priceMinor: 10n * gwei + 1n } as const
    expect(await detailOf(opened, askFor(opened, dear))).toMatch(/^over-limit: fees of oldnet/)
  })

  it('a log stays readable if the policy changes, and its transactions still count', async () => {
    const opened = await useTestSigner({ policy: legacy })
    const request = askFor(opened, { type: 'legacy' })
    expect(codeOf(await ask(opened, request))).toBe('signed')
    const changed = await opened.reopen({ policy: priced })
    expect((await changed.signer.attest()).logEntries).toBe(1)
    // What was signed is answered again; a replacement of another type is not signed.
    expect(codeOf(await ask(changed, request))).toBe('signed')
    const more = { ...askFor(opened, { type: 'legacy', priceMinor: 9n * gwei }) }
    expect(codeOf(await ask(changed, more))).toBe('not-allowed')
    const gone = await changed.reopen({ policy: { networks: {}, assets: [] } })
    expect((await gone.signer.attest()).logEntries).toBe(1)
  })
})

describe('the field feeModel of the policy', () => {
  const problemOf = (networks: object): string => {
    try {
      readPolicy(JSON.stringify({ networks, assets: [] }), 'policy.json')
      return 'none'
    } catch (error) {
      return (error as Error).message
    }
  }
  const own = { ...network, chainId: 61 }

  it('is "legacy" or absent, and is for own networks alone', () => {
    expect(problemOf({ classic: { ...own, feeModel: 'legacy' } })).toBe('none')
    for (const feeModel of ['eip1559', 'Legacy', true, null])
      expect(problemOf({ classic: { ...own, feeModel } })).toContain(
        'networks."classic".feeModel must be "legacy"',
      )
    const ethereum = { ...own, chainId: 1, coin: { symbol: 'ETH', decimals: 18 }, feeModel: 'legacy' }
    expect(problemOf({ ethereum })).toContain('networks."ethereum".feeModel must be omitted')
    const { chainId: _, ...rest } = own
    const bitcoin = { ...rest, coin: { symbol: 'BTC', decimals: 8 }, feeModel: 'legacy' }
    expect(problemOf({ bitcoin })).toContain('networks."bitcoin".feeModel must be omitted')
    expect(problemOf({ classic: { ...own, feeModel: 'legacy', dataFeePerByteMinor: '1' } })).toContain(
      'dataFeePerByteMinor must be omitted',
    )
  })

  it('is attested, so that the planner can compare it', () => {
    expect(attestedLimits(legacy).networks).toMatchObject([{ name: 'oldnet', feeModel: 'legacy' }])
    expect(attestedLimits(priced).networks[0]).not.toHaveProperty('feeModel')
  })
})
