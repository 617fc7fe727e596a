import { expect, it } from 'vitest'
import { deployTestTokens } from '../../src/sandbox/test-tokens.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { useAnvil } from '../support/anvil.ts'

const anvil = useAnvil({ blockTimeS: 0.2 })
const never = new AbortController().signal

it('gives accounts 0 and 1 a million of each token', async () => {
  const tokens = await deployTestTokens(anvil.url, never)
  const reader = openDevChain(anvil.url)
  const { height } = await reader.readHead(never)
  const holders = anvil.accounts.slice(0, 3)
  for (const contract of [tokens.USDT, tokens.USDC]) {
    const balances = await reader.readBalances({ type: 'token', contract }, holders, height, never)
    expect(balances).toEqual([1_000_000_000_000n, 1_000_000_000_000n, 0n])
    expect(Number(await anvil.rpc('eth_call', [{ to: contract, data: '0x313ce567' }, 'latest']))).toBe(6)
  }
  await reader.close()
})

it('has a USDT whose transfer returns nothing, as the real one, and a USDC whose transfer returns true', async () => {
  const { USDT, USDC } = await deployTestTokens(anvil.url, never)
  const data = `0xa9059cbb${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`
  const answer = (to: string) => anvil.rpc('eth_call', [{ from: anvil.accounts[0], to, data }, 'latest'])
  expect(await answer(USDT)).toBe('0x')
  expect(Number(await answer(USDC))).toBe(1)
})

it('keeps tokens that the chain has and deploys those that it lacks', async () => {
  const tokens = await deployTestTokens(anvil.url, never)
  expect(await deployTestTokens(anvil.url, never, tokens)).toEqual(tokens)
  const again = await deployTestTokens(anvil.url, never, { USDT: tokens.USDT, USDC: `0x${'11'.repeat(20)}` })
  expect(again.USDT).toBe(tokens.USDT)
  expect(again.USDC).not.toBe(tokens.USDC)
  const swapped = await deployTestTokens(anvil.url, never, { USDT: tokens.USDC })
  expect(swapped.USDT).not.toBe(tokens.USDC)
})
