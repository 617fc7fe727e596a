/**
 * Tests that a token which reports impossible transfers blocks nobody. Amounts above the token's supply are
 * put into quarantine.
 */
import { beforeAll, expect, it } from 'vitest'
import { verify } from '../../src/oversight/verify/verify.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { type HostileToken, makeHostile } from '../outgoing/hostile-token.ts'
import { balancesIn } from '../support/books.ts'
import { depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()
const most = 2n ** 256n - 1n
let token: HostileToken

beforeAll(async () => {
  token = await makeHostile(flow)
  // The engine makes the signer attest the addresses of the hot wallets. Only then does Coffer treat them as
  // its own.
  await (await flow.payer()).settle()
})

async function openPretended(...amountsMinor: readonly bigint[]): Promise<string> {
  const merchantId = await flow.shop.openMerchant()
  const { address } = await flow.shop.addressFor(await flow.shop.openInvoice(merchantId, { amount: '10' }))
  for (const amountMinor of amountsMinor) await token.pretend(address, amountMinor)
  await flow.mine(5)
  return merchantId
}

/** Returns a merchant's deposits, the largest first. */
async function depositsOf(merchantId: string) {
  const { db } = flow.shop
  const deposits = await depositRecords.all(db, { merchantId }, 'amountMinor', 'amlVerdict', 'quarantine')
  return deposits
    .map(({ amountMinor, amlVerdict, quarantine }) => ({
      amount: amountMinor,
      verdict: amlVerdict,
      quarantine,
    }))
    .sort((one, other) => (BigInt(one.amount) < BigInt(other.amount) ? 1 : -1))
}

it('an amount above the supply of a token is put into quarantine, and pays nothing', async () => {
  const supply = BigInt(await flow.anvil.rpc('eth_call', [{ to: flow.usdt, data: '0x18160ddd' }, 'latest']))
  const merchantId = await openPretended(most, supply + 1n)
  expect(await depositsOf(merchantId)).toEqual([
    { amount: `${most}`, verdict: 'implausible', quarantine: 'held' },
    { amount: `${supply + 1n}`, verdict: 'implausible', quarantine: 'held' },
  ])
  expect(await balancesIn(flow.shop, merchantId)).toMatchObject({ available: 0n, held: 0n })
  const { state } = await invoiceRecords.one(flow.shop.db, { merchantId }, 'state')
  expect(state).toBe('pending')
})

it('an amount within the supply is credited', async () => {
  const merchantId = await flow.openFunded(200_000_000_000n)
  expect(await depositsOf(merchantId)).toEqual([{ amount: '200000000000', verdict: null, quarantine: null }])
})

it('any number of the largest possible transfers stop neither the watcher nor the books', async () => {
  const attacker = await openPretended(...Array.from({ length: 12 }, () => most))
  expect(await depositsOf(attacker)).toHaveLength(12)
  const honest = await flow.openFunded(100_000_000n)
  expect(await balancesIn(flow.shop, honest)).toMatchObject({ available: 98_900_000n })
  const [held] = await depositRecords.all(flow.shop.db, { merchantId: attacker }, 'id')
  const { db, methods } = flow.shop
  await endQuarantine({ db, methods }, { depositId: held?.id ?? '', outcome: 'seized', reason: 'a test' })
  const chains = [{ reader: flow.reader, sender: flow.sender }]
  const report = await verify({ db, methods, chains })
  expect(report.entries.flatMap(({ id, findings }) => findings.map((finding) => `${id} ${finding}`))).toEqual(
    [],
  )
})
