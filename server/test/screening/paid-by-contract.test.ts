/**
 * Tests the fault case A11: a listed sender who pays through a contract is found by the signer of the
 * transaction.
 */
import { expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { rescreenDeposits } from '../../src/payments/deposits/quarantine/rescreen-deposits.ts'
import type { Verdict } from '../../src/payments/screening/verdict.ts'
import { quantity } from '../support/anvil.ts'
import { depositRecords } from '../support/payments/records.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()
const forwarder = `0x${'f0'.repeat(20)}`
/** Forwards the value of a call to the address in its call data. */
const forwarderCode = '0x6000808080346000355af100'

async function payThrough(from: string, to: string): Promise<void> {
  await flow.anvil.rpc('anvil_setCode', [forwarder, forwarderCode])
  const data = `0x${to.slice(2).toLowerCase().padStart(64, '0')}`
  const value = quantity(10n ** 17n)
  await flow.anvil.rpc('eth_sendTransaction', [{ from, to: forwarder, data, value, gas: '0x30000' }])
  await flow.anvil.mine(5)
}

function screeningOf(verdictOf: (address: string) => Verdict) {
  return {
    screenAll: async (_: unknown, __: string, addresses: readonly string[]) =>
      new Map(addresses.map((address) => [address, verdictOf(address)])),
  }
}

async function invoiceAddress(): Promise<string> {
  const merchantId = await flow.shop.openMerchant()
  return (await flow.shop.addressFor(await flow.shop.openInvoice(merchantId, { methodId: 3 }), 3)).address
}

function depositOf(address: string) {
  return depositRecords.one(
    flow.shop.db,
    { recipient: address.toLowerCase() },
    'sender',
    'origin',
    'listedAddress',
    'amlVerdict',
    'quarantine',
  )
}

it('A11 holds a payment of a listed sender through a contract, and names the listed address', async () => {
  const listed = required(flow.anvil.accounts[3], 'an account').toLowerCase()
  const to = await invoiceAddress()
  await payThrough(listed, to)
  await flow.follow({ screening: screeningOf((address) => (address === listed ? 'listed' : 'passed')) })
  expect(await depositOf(to)).toEqual({
    sender: forwarder,
    origin: listed,
    listedAddress: listed,
    amlVerdict: 'listed',
    quarantine: 'held',
  })
})

it('A11 screens both addresses again, and releases only payments that both passed', async () => {
  const origin = required(flow.anvil.accounts[4], 'an account').toLowerCase()
  const to = await invoiceAddress()
  await payThrough(origin, to)
  await flow.follow({ screening: screeningOf(() => 'unknown') })
  const again = async (verdict: Verdict) => {
    const screening = screeningOf((address) => (address === origin ? verdict : 'passed'))
    const { db, methods } = flow.shop
    await rescreenDeposits({ db, methods, screening }).runBatch(new AbortController().signal)
    return depositOf(to)
  }
  expect(await again('unknown')).toMatchObject({
    amlVerdict: 'unknown',
    quarantine: 'held',
    listedAddress: null,
  })
  expect(await again('listed')).toMatchObject({
    amlVerdict: 'listed',
    quarantine: 'held',
    listedAddress: origin,
  })
})
