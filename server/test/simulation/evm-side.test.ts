/** Tests the EVM networks of the simulation. */
import { expect, it } from 'vitest'
import { Dice } from '../../simulation/dice.ts'
import { drawFeatures } from '../../simulation/features.ts'
import { EvmSide } from '../../simulation/world/evm-side.ts'
import { evm, methodsOn } from '../../simulation/world/fixed.ts'
import { required } from '../../src/core/assert.ts'

const never = new AbortController().signal
const now = new Date(0)

function openBoth(): readonly [EvmSide, EvmSide] {
  const conducts = new Map()
  return [
    new EvmSide({ seed: 1, genesisAt: now, network: evm.ethereum, conducts }),
    new EvmSide({ seed: 1, genesisAt: now, network: evm.base, conducts }),
  ]
}

it('have different chains, and mine one transaction with the same hash on both', async () => {
  const [ethereum, base] = openBoth()
  expect(ethereum.chain.head.hash).not.toBe(base.chain.head.hash)
  expect([ethereum.reader.network, base.reader.network]).toEqual(['ethereum', 'base'])
  expect([ethereum.sender.network, base.sender.network]).toEqual(['ethereum', 'base'])
  const move = { asset: { type: 'coin' }, sender: 'payer', recipient: 'address', amountMinor: 5n } as const
  const transaction = ethereum.chain.transaction([move])
  for (const side of [ethereum, base]) {
    side.submit(transaction)
    side.mine(new Dice(1), now)
    const facts = await side.reader.readBlock(1, never)
    expect(facts?.transfers).toMatchObject([{ txHash: transaction.hash, amountMinor: 5n }])
  }
  const depth = await base.reorganise(new Dice(1), 1, 1, now)
  expect([depth, base.lost, ethereum.lost]).toEqual([1, [transaction], []])
})

it('charges a data fee on Base alone, whose price changes apart from that of gas', async () => {
  const [ethereum, base] = openBoth()
  const { dataFeeMinor, gasMinor } = base.pace
  expect(await ethereum.sender.readDataFees([], never)).toEqual([])
  expect([ethereum.sender.dataFeeMinor, base.sender.dataFeeMinor]).toEqual([0n, dataFeeMinor])
  base.setPrices({ gasPercent: 10n, dataPercent: 400n })
  expect(base.sender.fees.baseFeePerGas).toBe(gasMinor / 10n)
  expect(base.sender.dataFeeMinor).toBe(4n * dataFeeMinor)
  base.calm()
  expect([base.sender.fees.baseFeePerGas, base.sender.dataFeeMinor]).toEqual([gasMinor, dataFeeMinor])
})

it('uses one address for the contracts of different tokens', () => {
  const { byTransferred } = methodsOn(['ethereum', 'base'])
  const contract = required(
    byTransferred('base', undefined) && methodsOn(['base']).byAsset('base/USDC'),
    'USDC',
  )
  expect(byTransferred('base', contract.contract)?.asset).toBe('base/USDC')
  expect(byTransferred('ethereum', contract.contract)?.asset).toBe('ethereum/USDT')
})

it('draws both networks for most of the seeds with EVM networks, and payments on the wrong one for most of these', () => {
  const drawn = Array.from({ length: 400 }, (_, index) => drawFeatures(index + 1))
  const withEvm = drawn.filter(({ networks }) => networks.evm.length > 0)
  const withBoth = withEvm.filter(({ networks }) => networks.evm.length > 1)
  expect(withBoth.length).toBeGreaterThan(withEvm.length / 2)
  const wrong = drawn.filter(({ hasWrongNetworks }) => hasWrongNetworks)
  expect(wrong.length).toBeGreaterThan(withBoth.length / 2)
  expect(wrong.every(({ networks }) => networks.evm.length > 1)).toBe(true)
})
