/** Tests a network on which tokens alone are accepted, whose blocks are read from logs. */
import { beforeAll, expect, it } from 'vitest'
import { openChain } from '../../src/chains/open-chain.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { silentLog } from '../../src/core/log.ts'
import { devNetwork } from '../chains/evm-harness.ts'
import { useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, depositsOf, eventsOf, paidOnce } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop } = flow
let fromLogs: ChainReader

beforeAll(() => {
  fromLogs = openChain({ network: devNetwork, urls: [flow.anvil.url], tokensOnly: true, log: silentLog })
  return () => fromLogs.close()
})

async function mineAndFollow(blocks: number, chain = fromLogs) {
  await flow.anvil.mine(blocks)
  await flow.followToHead({ chain })
}

it('credits a payment of a token once', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineAndFollow(2)
  await mineAndFollow(2)
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  expect(await balanceOf(shop, invoice)).not.toBe('0')
})

it('catches up with many blocks, of which few have payments', async () => {
  const invoices = [await flow.openInvoice(), await flow.openInvoice(), await flow.openInvoice()]
  for (const invoice of invoices) {
    await flow.anvil.mine(120)
    await flow.pay(invoice)
  }
  await mineAndFollow(2)
  for (const invoice of invoices) expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
})

it('takes back a payment that the chain drops, and books it again', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineAndFollow(1)
  expect(await depositsOf(shop, invoice)).toMatchObject([{ inclusion: 1, includedAt: expect.any(Date) }])
  await flow.rollBack(1)
  await flow.anvil.rpc('anvil_dropAllTransactions')
  await mineAndFollow(1)
  expect(await depositsOf(shop, invoice)).toMatchObject([{ blockHeight: undefined }])
  await flow.pay(invoice)
  await mineAndFollow(2)
  expect(await balanceOf(shop, invoice)).not.toBe('0')
})

it('recognises a payment that was booked from its whole block before', async () => {
  const invoice = await flow.openInvoice()
  const txHash = await flow.pay(invoice)
  const raw = await flow.anvil.rpc('eth_getRawTransactionByHash', [txHash])
  await mineAndFollow(1, flow.reader)
  const booked = await depositsOf(shop, invoice)
  await flow.rollBack(1)
  if ((await flow.anvil.rpc('eth_getTransactionByHash', [txHash])) === null)
    await flow.anvil.rpc('eth_sendRawTransaction', [raw])
  await mineAndFollow(2)
  const again = await depositsOf(shop, invoice)
  expect(again.map(({ id }) => id)).toEqual(booked.map(({ id }) => id))
  expect(again).toHaveLength(1)
  expect(await balanceOf(shop, invoice)).not.toBe('0')
})
