/**
 * Tests a payment that was never recorded, although the cursor moved past its block and the hashes of the
 * block are right.
 */
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { verify } from '../../src/oversight/verify/verify.ts'
import { blindReader } from '../support/blind-reader.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()

async function findingsOf(id: string): Promise<readonly string[]> {
  const { db, methods } = flow.shop
  const chains = [{ reader: flow.reader, sender: flow.sender }]
  const { entries } = await verify({ db, methods, chains })
  return entries.flatMap((entry) => (entry.id === id ? entry.findings : []))
}

async function openInvoice(methodId: number): Promise<string> {
  const { shop } = flow
  return (await shop.addressFor(await shop.openInvoice(await shop.openMerchant(), { methodId }), methodId))
    .address
}

it('finds a missed payment in a block that is read again', async () => {
  await (await flow.payer()).settle()
  await flow.openFunded(20_000_000n)
  expect(await findingsOf('M7-chain')).toEqual([])
  const address = await openInvoice(3)
  const txHash = await flow.anvil.sendCoin({ to: address, amountMinor: 10n ** 17n })
  await flow.anvil.mine()
  await flow.follow({ chain: blindReader(flow.reader) })
  await flow.mine(3)
  expect(await findingsOf('M7-chain')).toEqual([
    expect.stringContaining(`holds ${10n ** 17n} ethereum/ETH to ${address.toLowerCase()} by ${txHash}`),
  ])
})

it('finds a missed payment in a block far below those that are read again', async () => {
  const address = await openInvoice(1)
  const txHash = await flow.anvil.sendToken({ contract: flow.usdt, to: address, amountMinor: 5_000_000n })
  await flow.anvil.mine()
  await flow.follow({ chain: blindReader(flow.reader) })
  await flow.mine(120)
  const [height] = await flow.shop.db.query<{ height: number }>(sql`select height from chain_cursor`)
  expect(height?.height).toBeGreaterThan(120)
  expect(await findingsOf('M7-chain')).toContainEqual(
    expect.stringContaining(`by ${txHash}, which was never recorded`),
  )
})
