/**
 * Tests the fault case A4: an order of one merchant does not stop the orders of other merchants from leaving,
 * whatever it waits for.
 */

import { expect, it } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { sweepDeposits } from '../../src/outgoing/sweeps/sweep-deposits.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import type { Engine } from '../support/outgoing-flow.ts'
import { depositRecords } from '../support/payments/records.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow({ hotWallets: 1 })

/** Returns an engine that pays withdrawals and sweeps deposits. */
function engineThatSweeps(): Promise<Engine> {
  const chain = { reader: flow.reader, sender: flow.sender, codec: spendCodecs.evm }
  const { methods } = flow.shop
  const policy = sweepPolicies.sandbox
  const sweeping = sweepDeposits({ methods, policy, chainOf: () => chain, log: silentLog })
  return flow.engine({ outgoingSources: [flow.outgoingSource, sweeping] })
}

/**
 * Pays a small amount from a listed sender to the deposit address that holds a merchant's money. The address
 * then cannot be swept.
 */
async function soil(merchantId: string): Promise<void> {
  const { recipient: address } = await depositRecords.one(flow.shop.db, { merchantId }, 'recipient')
  const listed = required(flow.anvil.accounts[3], 'an account').toLowerCase()
  await flow.anvil.rpc('anvil_dealERC20', [listed, flow.usdt, '0x927c0'])
  await flow.anvil.sendToken({ contract: flow.usdt, from: listed, to: address, amountMinor: 600_000n })
  await flow.anvil.mine(5)
  await flow.follow({
    screening: {
      screenAll: async (_, __, addresses) =>
        new Map(addresses.map((one) => [one, one === listed ? ('listed' as const) : ('passed' as const)])),
    },
  })
}

it('A4 pays 20 of the 50 in a hot wallet while another merchant orders 95 that cannot be swept because of a listed sender', async () => {
  await flow.setTokens(50_000_000n)
  const hostile = await flow.openFunded(100_000_000n)
  const victim = await flow.openFunded(40_000_000n)
  await soil(hostile)
  const large = await flow.order(hostile, { amount: '95' })
  const small = await flow.order(victim, { amount: '20' })
  const engine = await engineThatSweeps()
  await engine.finish(3)
  expect(await flow.row(large.id)).toMatchObject({ state: 'pending', stage: 'queued' })
  expect(await withdrawalRecords.one(flow.shop.db, { id: large.id }, 'waitsFor')).toEqual({
    waitsFor: 'funds',
  })
  expect(await flow.held(small.address, flow.usdt)).toBe(19_700_000n)
  expect(await flow.held(large.address, flow.usdt)).toBe(0n)
})

it('A4 pays 20 of 50 although an order of 950 was approved before the listed sender paid', async () => {
  await flow.setTokens(50_000_000n)
  const hostile = await flow.openFunded(1_000_000_000n)
  const victim = await flow.openFunded(40_000_000n)
  const large = await flow.order(hostile, { amount: '950' })
  const small = await flow.order(victim, { amount: '20' })
  const engine = await engineThatSweeps()
  await required(flow.outgoingSource.prepare, 'approval')(
    engine.memory.lease,
    'ethereum',
    new AbortController().signal,
    flow.reader,
  )
  await soil(hostile)
  await engine.finish(3)
  expect(await flow.row(large.id)).toMatchObject({ stage: 'approved' })
  expect(await flow.held(small.address, flow.usdt)).toBe(19_700_000n)
})
