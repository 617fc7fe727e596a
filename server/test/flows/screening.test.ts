import { beforeAll, expect, it } from 'vitest'
import { addressFamilies, screeningOf } from '../../src/app/screening.ts'
import { readConfig } from '../../src/app/settings/config.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { rescreenDeposits } from '../../src/payments/deposits/quarantine/rescreen-deposits.ts'
import { loadList, unloadList } from '../../src/payments/screening/load-list.ts'
import type { SanctionsOracle } from '../../src/payments/screening/screen.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { balancesOf } from '../support/books/balances.ts'
import { type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { chunks, screeningBy } from '../support/screening.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

/** The address of the public oracle on most networks. */
const oracleAddress = '0x40C57923924B5c5c5455c48D93317139ADDaC8fb'
/** The code of `isSanctioned(a)`: it returns the storage slot `a` (calldataload(4), sload, return). */
const oracleCode = '0x600435546000526020'.concat('6000f3')

/** Screens with the oracle through the node, as a Coffer with SANCTIONS_ORACLE_ETHEREUM does. */
const throughNode = () =>
  screeningOf(readConfig({ SANCTIONS_ORACLE_ETHEREUM: oracleAddress }), [flow.reader], silentLog)

beforeAll(async () => {
  await anvil.rpc('anvil_setCode', [oracleAddress, oracleCode])
})

const sanction = (address: string, isListed = true) =>
  anvil.rpc('anvil_setStorageAt', [oracleAddress, word(address), word(isListed ? '0x1' : '0x0')])

const word = (hex: string) => `0x${hex.slice(2).padStart(64, '0')}`

/** Pays from a development account, and follows the chain until the payment is confirmed. */
async function payFrom(account: number, invoice: OpenInvoice, screening = throughNode()): Promise<void> {
  const from = anvil.accounts[account] ?? ''
  await anvil.sendCoin({ from, to: invoice.address, amountMinor: invoice.amountMinor })
  await anvil.mine(2)
  await flow.followToHead({ screening })
}

const openInvoice = () => flow.openInvoice({ methodId: 3 })

async function statusOfInvoice({ merchantId, invoiceId }: OpenInvoice) {
  const deposit = await depositRecords.one(shop.db, { invoiceId }, 'id', 'amlVerdict', 'quarantine')
  const accounts = Object.keys(await balancesOf(shop.db, merchantId))
  const { amlOk } = await invoiceRecords.one(shop.db, { id: invoiceId }, 'amlOk')
  return { ...deposit, amlOk, accounts }
}

const credited = ['available', 'custody', 'fees']
const apart = ['custody', 'quarantine']

it('H01 holds payments of a listed address, by the list and by the oracle, and credits other payments', async () => {
  const source = { name: 'a test', freshAt: new Date(), chunks: chunks(anvil.accounts[3] ?? '') }
  await loadList({ db: shop.db, families: addressFamilies }, source)
  await sanction(anvil.accounts[4] ?? '')
  const byList = await openInvoice()
  const byOracle = await openInvoice()
  const clean = await openInvoice()
  await payFrom(3, byList)
  await payFrom(4, byOracle)
  await payFrom(5, clean)
  for (const invoice of [byList, byOracle]) {
    expect(await statusOfInvoice(invoice)).toMatchObject({
      amlVerdict: 'listed',
      quarantine: 'held',
      amlOk: false,
      accounts: apart,
    })
  }
  expect(await statusOfInvoice(clean)).toMatchObject({
    amlVerdict: 'passed',
    amlOk: true,
    accounts: credited,
  })
  await unloadList({ db: shop.db })
})

it('H02 continues to follow the chain while the oracle is unavailable, and releases payments after its answer', async () => {
  const away = openDevChain('http://127.0.0.1:9')
  const oracles = required(away.sanctions, 'the oracles of a chain with contracts')
  const oracle: SanctionsOracle = {
    areListed: (addresses, signal) => oracles.isListed(oracleAddress, addresses, signal),
  }
  const invoice = await openInvoice()
  await payFrom(6, invoice, screeningBy({ oracle }))
  await away.close()
  expect(await statusOfInvoice(invoice)).toMatchObject({
    amlVerdict: 'unknown',
    amlOk: false,
    accounts: apart,
  })
  const parts = { db: shop.db, methods: shop.methods, screening: throughNode() }
  await rescreenDeposits(parts).runBatch(new AbortController().signal)
  expect(await statusOfInvoice(invoice)).toMatchObject({
    amlVerdict: 'passed',
    quarantine: 'released',
    amlOk: true,
    accounts: credited,
  })
})

it("H02 holds all payments while the list is too old, and while the oracle's address has no contract", async () => {
  const source = { name: 'a test', freshAt: new Date(Date.now() - 49 * 3_600_000), chunks: chunks('0xabc') }
  await loadList({ db: shop.db, families: addressFamilies }, source)
  const invoice = await openInvoice()
  await payFrom(7, invoice)
  expect(await statusOfInvoice(invoice)).toMatchObject({ amlVerdict: 'unknown', accounts: apart })
  await unloadList({ db: shop.db })
  const config = readConfig({ SANCTIONS_ORACLE_ETHEREUM: `0x${'77'.repeat(20)}` })
  const other = await openInvoice()
  await payFrom(8, other, screeningOf(config, [flow.reader], silentLog))
  expect(await statusOfInvoice(other)).toMatchObject({ amlVerdict: 'unknown', accounts: apart })
})

it.each(['held', 'released', 'seized'] as const)(
  'H01 reverses a payment that was %s with its block, and holds it again when it is mined again',
  async (fate) => {
    await sanction(anvil.accounts[4] ?? '')
    const invoice = await openInvoice()
    await payFrom(4, invoice)
    const { id } = await statusOfInvoice(invoice)
    if (fate !== 'held') {
      await endQuarantine({ db: shop.db, methods: shop.methods }, { depositId: id, outcome: fate })
    }
    await flow.rollBack(2)
    await anvil.mine(1)
    await flow.followToHead({ screening: throughNode() })
    expect(await statusOfInvoice(invoice)).toMatchObject({ amlOk: true, quarantine: null, accounts: [] })
    await payFrom(4, invoice)
    expect((await statusesOf(invoice)).at(-1)).toMatchObject({ quarantine: 'held' })
  },
)

function statusesOf({ invoiceId }: OpenInvoice) {
  return depositRecords.all(shop.db, { invoiceId }, 'quarantine')
}
