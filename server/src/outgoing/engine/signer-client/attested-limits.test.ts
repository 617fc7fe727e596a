import { expect, it } from 'vitest'
import type { AttestedLimits } from '../../../signing/signer-port.ts'
import { assetErrorOf, feeMaxMinor, feeModelErrorOf, unnamedAsset } from './attested-limits.ts'

const contract = `0x${'d1'.repeat(20)}`
const usdt = { network: 'ethereum', symbol: 'USDT', contract, decimals: 6, perTransactionMinor: 1n }
const limits: AttestedLimits = {
  networks: [{ name: 'ethereum', chainId: 1, feePerTransactionMinor: 7n }],
  assets: [usdt],
  unnamed: null,
}

it('A8 a fee is bounded by what the policy says of its network, and is nothing where it says nothing', () => {
  expect(feeMaxMinor(limits, 'ethereum')).toBe(7n)
  expect(feeMaxMinor(limits, 'polygon')).toBe(0n)
  expect(feeMaxMinor({ ...limits, unnamed: { feePerTransactionMinor: 9n } }, 'polygon')).toBe(9n)
  expect(feeMaxMinor(undefined, 'ethereum')).toBeUndefined()
})

it('A5 an asset of the policy that is another thing here is reported, whether by its name or its decimals', () => {
  const error = (asset: string, decimals: number) =>
    assetErrorOf(limits, 'ethereum', (of) => (of === contract ? { asset, decimals } : undefined))
  expect(error('ethereum/USDT', 6)).toBeUndefined()
  expect(error('ethereum/USDT', 18)).toContain('6 decimals, but it has 18 here')
  expect(error('ethereum/USDC', 6)).toContain('but its name here is ethereum/USDC')
  expect(assetErrorOf(limits, 'polygon', () => ({ asset: 'x', decimals: 1 }))).toBeUndefined()
})

it('A5 what the policy does not name is not asked for', () => {
  const moved = (of: string | null) => ({
    kind: 'treasury_withdrawal' as const,
    asset: 'a',
    contract: of,
    amountMinor: 1n,
  })
  expect(unnamedAsset(limits, 'ethereum', moved(contract))).toBeUndefined()
  expect(unnamedAsset(limits, 'ethereum', moved(null))).toBeUndefined()
  expect(unnamedAsset(limits, 'ethereum', moved(`0x${'d2'.repeat(20)}`))).toBe('a')
  expect(
    unnamedAsset({ ...limits, unnamed: { feePerTransactionMinor: 1n } }, 'ethereum', moved('0x')),
  ).toBeUndefined()
})

it('a policy that differs on base fees is reported, with what to change', () => {
  const attested = (feeModel?: 'legacy'): AttestedLimits => ({
    ...limits,
    networks: [{ name: 'oldnet', chainId: 61, feePerTransactionMinor: 7n, ...(feeModel && { feeModel }) }],
  })
  const error = (of: AttestedLimits | undefined, feeModel: string) =>
    feeModelErrorOf(of, { name: 'oldnet', feeModel })
  expect(error(attested('legacy'), 'legacy')).toBeUndefined()
  expect(error(attested(), 'eip1559')).toBeUndefined()
  expect(error(attested(), 'legacy')).toContain('add "feeModel": "legacy"')
  expect(error(attested('legacy'), 'eip1559')).toContain('remove "feeModel"')
  // A sandbox's signer names no networks and signs for both kinds.
  for (const of of [limits, undefined]) expect(error(of, 'legacy')).toBeUndefined()
})
