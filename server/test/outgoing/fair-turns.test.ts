/** A4: one merchant's order, whatever it waits for, keeps no other merchant's from leaving. */

import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { collectDeposits } from '../../src/outgoing/sweeps/collect-deposits.ts'
import { sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import type { Machine } from '../support/payout-flow.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow({ lanes: 1 })

/** Pays withdrawals, and brings deposits in. */
function machineThatSweeps(): Promise<Machine> {
  const chain = { reader: flow.reader, sender: flow.sender, codec: spendCodecs.evm }
  const { methods } = flow.shop
  const policy = sweepPolicies.sandbox
  const sweeping = collectDeposits({ methods, policy, chainOf: () => chain, log: silentLog })
  return flow.machine({ purposes: [flow.purpose, sweeping] })
}

/** Dust of a listed sender on the address where a merchant's money lies. */
async function soil(merchantId: string): Promise<void> {
  const { address } = await flow.shop.row<{ address: string }>(
    sql`select recipient as address from transaction where merchant_id = ${merchantId}`,
  )
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

it('A4 pays 20 of 50 that lie there while another merchant orders 95 that a listed sender keeps from being swept', async () => {
  await flow.setTokens(50_000_000n)
  const hostile = await flow.openFunded(100_000_000n)
  const victim = await flow.openFunded(40_000_000n)
  await soil(hostile)
  const large = await flow.order(hostile, { amount: '95' })
  const small = await flow.order(victim, { amount: '20' })
  const machine = await machineThatSweeps()
  await machine.finish(3)
  expect(await flow.row(large.id)).toMatchObject({ state: 'pending', stage: 'queued' })
  expect(await flow.shop.row(sql`select waits_for from withdrawal where id = ${large.id}`)).toEqual({
    waits_for: 'funds',
  })
  expect(await flow.held(small.address, flow.usdt)).toBe(19_700_000n)
  expect(await flow.held(large.address, flow.usdt)).toBe(0n)
})

it('A4 pays 20 of 50 though the 950 was approved before the listed sender came', async () => {
  await flow.setTokens(50_000_000n)
  const hostile = await flow.openFunded(1_000_000_000n)
  const victim = await flow.openFunded(40_000_000n)
  const large = await flow.order(hostile, { amount: '950' })
  const small = await flow.order(victim, { amount: '20' })
  const machine = await machineThatSweeps()
  await required(flow.purpose.prepare, 'approval')(
    machine.memory.lease,
    'ethereum',
    new AbortController().signal,
    flow.reader,
  )
  await soil(hostile)
  await machine.finish(3)
  expect(await flow.row(large.id)).toMatchObject({ stage: 'approved' })
  expect(await flow.held(small.address, flow.usdt)).toBe(19_700_000n)
})
