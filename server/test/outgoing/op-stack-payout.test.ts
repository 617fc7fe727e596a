/**
 * Payouts of the engine on an OP-stack chain whose data fee is most of the cost. A proxy states the fee in
 * receipts, as the nodes of these networks do, because anvil charges it without stating it.
 */
import { beforeEach, expect, it } from 'vitest'
import { gasPriceOracle } from '../../src/chains/evm/op-stack-fees.ts'
import { readWaits } from '../../src/outgoing/engine/controls/wait-store.ts'
import { type OpStackFees, setOpStackFees } from '../../src/sandbox/op-stack.ts'
import { dearData, expensiveData } from '../support/op-stack.ts'
import { outgoingEvmRecords, outgoingRecords, withdrawalRecords } from '../support/outgoing/records.ts'
import { type StoryAsset, type StoryWithdrawal, useStoryFlow } from '../support/stories/story-flow.ts'
import { startOpStack } from '../support/stories/story-node.ts'

const flow = useStoryFlow(startOpStack)
const cheapGasMinor = 10_000_000n

beforeEach(() => setFees(dearData))

async function setFees(fees: OpStackFees): Promise<void> {
  await setOpStackFees(flow.node.dev.url, fees)
  await flow.mine()
}

/** Pays an invoice and orders a withdrawal of a part of the payment. */
async function order(asset: StoryAsset, amount: string): Promise<StoryWithdrawal> {
  const { merchantId, address, amountMinor } = await flow.openInvoice(asset)
  await flow.node.dev.pay({ to: address, amountMinor, contract: asset.contract })
  await flow.mine(5)
  return flow.withdraw(merchantId, asset, amount)
}

async function complete(withdrawal: StoryWithdrawal): Promise<void> {
  // Gas is cheap on rollups, so that the data fee is most of the cost. Anvil suggests the priority fees of Ethereum.
  const { maxPriorityFeePerGasMin: tip, ...bounds } = flow.node.network.priceBounds
  const policy = { ...bounds, maxPriorityFeePerGasMin: tip, maxPriorityFeePerGasMax: tip }
  const engine = await flow.engine({ policy })
  await engine.playUntil(async () => {
    await flow.node.dev.rpc('anvil_setNextBlockBaseFeePerGas', `0x${cheapGasMinor.toString(16)}`)
    return (await flow.stateOf(withdrawal)) !== 'pending'
  })
  expect(await flow.stateOf(withdrawal)).toBe('completed')
}

/** Settles a few times, and expects that nothing is sent. */
async function expectWaiting(withdrawal: StoryWithdrawal): Promise<void> {
  const engine = await flow.engine()
  for (let blocks = 0; blocks < 3; blocks += 1) {
    await engine.settle().catch(() => {})
    await flow.mine()
  }
  expect(await withdrawalRecords.one(flow.shop.db, { id: withdrawal.id }, 'state', 'txHash')).toEqual({
    state: 'pending',
    txHash: null,
  })
}

interface Cost {
  /** The data fee as estimated when the transaction was planned. Twice as much was set aside. */
  readonly estimatedMinor: bigint
  readonly chargedMinor: bigint
  readonly bookedMinor: bigint
}

/** Returns the estimate of a withdrawal's data fee, and what was booked and charged. */
async function costOf({ id }: StoryWithdrawal): Promise<Cost> {
  const { db } = flow.shop
  const { txHash } = await withdrawalRecords.one(db, { id }, 'txHash')
  const sent = await outgoingRecords.one(db, { includedTxHash: txHash }, 'id', 'maxCostMinor', 'feeMinor')
  const terms = await outgoingEvmRecords.one(
    db,
    { outgoingTransactionId: sent.id },
    'gasLimit',
    'maxFeePerGas',
  )
  const setAsideMinor = BigInt(sent.maxCostMinor) - BigInt(terms.gasLimit) * BigInt(terms.maxFeePerGas)
  const receipt = (await flow.node.dev.rpc('eth_getTransactionReceipt', txHash)) as {
    readonly gasUsed: string
    readonly effectiveGasPrice: string
  }
  const bookedMinor = BigInt(sent.feeMinor ?? 0)
  const gasMinor = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  return { estimatedMinor: setAsideMinor / 2n, chargedMinor: bookedMinor - gasMinor, bookedMinor }
}

it.each([
  ['coin', '0.002'],
  ['token', '5'],
] as const)('a payout of the %s is charged what was estimated, within 5 %', async (asset, amount) => {
  const withdrawal = await order(flow.assets[asset], amount)
  await complete(withdrawal)
  const { estimatedMinor, chargedMinor, bookedMinor } = await costOf(withdrawal)
  expect(chargedMinor * 2n).toBeGreaterThanOrEqual(bookedMinor)
  expect(estimatedMinor * 100n).toBeGreaterThanOrEqual(chargedMinor * 95n)
  expect(estimatedMinor * 100n).toBeLessThanOrEqual(chargedMinor * 105n)
  // The books contain the fee that the chain took from the wallet.
  await flow.expectRightBooks()
})

it('a payout whose data fee is above what the signer counts waits, and is sent when the fee has fallen', async () => {
  await setFees(expensiveData)
  const withdrawal = await order(flow.assets.coin, '0.002')
  await expectWaiting(withdrawal)
  expect((await readWaits(flow.shop.db)).map(({ cause }) => cause)).toContain('data-fee')
  await setFees(dearData)
  await complete(withdrawal)
  expect((await readWaits(flow.shop.db)).map(({ cause }) => cause)).not.toContain('data-fee')
})

it('a payout is not sent while the data fee cannot be read', async () => {
  const { dev } = flow.node
  const code = await dev.rpc('eth_getCode', gasPriceOracle, 'latest')
  const withdrawal = await order(flow.assets.coin, '0.002')
  await dev.rpc('anvil_setCode', gasPriceOracle, '0x')
  await expectWaiting(withdrawal)
  await dev.rpc('anvil_setCode', gasPriceOracle, code)
  await complete(withdrawal)
})
