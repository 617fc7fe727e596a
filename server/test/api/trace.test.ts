/** Tests the trace route, which says why a payment was credited or not. */
import { afterEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { moved, present } from '../support/records/values.ts'
import { depositsOf } from '../support/shop-readers.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const someHash = `0x${'ab'.repeat(32)}`

afterEach(() => {
  api.chain.faults.away = false
})

async function addressOf(seller: Seller, over = {}) {
  const invoiceId = await seller.createInvoice(over)
  return { invoiceId, address: (await api.addressOf(invoiceId)).body.address.toLowerCase() as string }
}

/** Mines a transaction that transfers this amount to `recipient`. Only the node has it, not the books. */
function mineOnNode(recipient: string, amountMinor: bigint, contract: string | undefined): string {
  const asset = contract === undefined ? ({ type: 'coin' } as const) : ({ type: 'token', contract } as const)
  const transaction = api.chain.transaction([{ asset, sender: '0xpayer', recipient, amountMinor }])
  api.chain.mine([transaction])
  return transaction.hash
}

const traceOf = (seller: Seller, hash: string) => seller.call('GET', `/trace/${hash}`)
const codeOf = async (seller: Seller, hash: string) => (await traceOf(seller, hash)).body.verdict?.code

describe('the answer of the node', () => {
  it('reports that a hash is unknown, in any form of the hash', async () => {
    const seller = await api.openSeller()
    const { status, body } = await traceOf(seller, someHash)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      txHash: someHash,
      network: 'ethereum',
      verdict: { code: 'unknown-transaction' },
    })
    expect(body.steps).toEqual([{ step: 'node', ok: false, detail: expect.any(String), at: null }])
    for (const written of [someHash.toUpperCase().replace('0X', '0x'), someHash.slice(2)]) {
      expect((await traceOf(seller, written)).body).toEqual(body)
    }
  })

  it('reports a transaction in the mempool, a failed one, one without a transfer, and a look-alike token', async () => {
    const seller = await api.openSeller()
    const { address } = await addressOf(seller)
    const failed = api.chain.transaction([], { failed: true })
    api.chain.mine([failed])
    const waiting = api.chain.transaction([])
    api.chain.mempool.add(waiting.hash)
    const lookAlike = api.chain.newAddress()
    expect(await codeOf(seller, failed.hash)).toBe('failed-on-chain')
    expect(await codeOf(seller, waiting.hash)).toBe('in-mempool')
    expect(await codeOf(seller, mineOnNode(address, 0n, undefined))).toBe('nothing-moved')
    const fake = await traceOf(seller, mineOnNode(address, 10_000_000n, lookAlike))
    expect(fake.body.verdict.code).toBe('unlisted-asset')
    expect(fake.body.verdict.detail).toContain(lookAlike)
  })

  it('reveals nothing of what was paid to another merchant', async () => {
    const seller = await api.openSeller()
    const other = await api.openSeller()
    const { address } = await addressOf(other)
    const contract = api.shop.methods.byId(1)?.contract
    const toOther = await traceOf(seller, mineOnNode(address, 10_000_000n, contract))
    const toUnknownAddress = await traceOf(seller, mineOnNode(api.chain.newAddress(), 10_000_000n, contract))
    expect(toOther.body.verdict.code).toBe('not-to-this-merchant')
    expect(toOther.body.verdict).toEqual(toUnknownAddress.body.verdict)
    expect(toOther.text).not.toContain(address)
  })

  it('is not awaited: if the node is unavailable, the trace shows what the books contain', async () => {
    const seller = await api.openSeller()
    api.chain.faults.away = true
    const { status, body } = await traceOf(seller, someHash)
    expect([status, body.verdict.code]).toEqual([200, 'node-silent'])
  })
})

describe('the content of the books', () => {
  async function paid(seller: Seller, amountMinor = 10_000_000n, { blocks = 2, methodId = 1 } = {}) {
    const { invoiceId, address } = await addressOf(seller)
    const transfer = api.blocks.pay(address, amountMinor, methodId)
    await api.blocks.mine([transfer])
    for (let more = 1; more < blocks; more += 1) await api.blocks.mine()
    return { invoiceId, txHash: transfer.txHash }
  }

  it('reports a credit, step by step, to Bearer and key alike, while the node is unavailable', async () => {
    const seller = await api.openSeller()
    const { invoiceId, txHash } = await paid(seller)
    const [transaction] = await depositsOf(api.shop, { ...seller, invoiceId })
    api.chain.faults.away = true
    const { body } = await traceOf(seller, txHash)
    expect(body.verdict).toEqual({
      code: 'credited',
      detail: '9.8 USDT of 10 USDT was credited, the fee was 0.2 USDT.',
    })
    expect(body.steps.map(({ step, ok }: { step: string; ok: boolean }) => [step, ok])).toEqual([
      ['node', false],
      ['recorded', true],
      ['confirmations', true],
      ['credited', true],
      ['invoice', true],
    ])
    expect(body.steps[1].detail).toContain(transaction?.id)
    expect(body.steps[2].at).toBe(transaction?.confirmedAt?.toISOString())
    const path = `/merchants/${seller.merchantId}/trace/${txHash}`
    expect((await api.call('GET', path, { token: seller.token })).body).toEqual(body)
  })

  it('reports a payment that waits, is too small, came late, or is of a method that the invoice does not offer', async () => {
    const seller = await api.openSeller()
    const waiting = await paid(seller, 10_000_000n, { blocks: 1 })
    // Blocks that are booked by hand do not move the cursor, so the test moves it.
    const heights = await depositRecords.all(database.owner, { blockHeight: present }, 'blockHeight')
    const height = Math.max(...heights.map(({ blockHeight }) => Number(blockHeight)))
    await cursorRecords.change(database.owner, {}, { height })
    const answer = await traceOf(seller, waiting.txHash)
    expect(answer.body.verdict).toMatchObject({
      code: 'waiting-for-confirmations',
      detail: expect.stringContaining('1 of 2 confirmations'),
    })
    const small = await paid(seller, 400_000n)
    expect(await codeOf(seller, small.txHash)).toBe('below-minimum')
    const other = await paid(seller, 10_000_000n, { methodId: 2 })
    expect(await codeOf(seller, other.txHash)).toBe('other-asset')
    const late = await paid(seller)
    await invoiceRecords.change(
      database.owner,
      { id: late.invoiceId },
      { createdAt: moved('-1 day'), expiresAt: moved('-1 day') },
    )
    expect(await codeOf(seller, late.txHash)).toBe('late')
  })

  it('reports nothing to another merchant', async () => {
    const seller = await api.openSeller()
    const other = await api.openSeller()
    const { txHash } = await paid(seller)
    expect(await codeOf(other, txHash)).toBe('unknown-transaction')
  })
})

it.each(['junk', '0x', 'ab'.repeat(31), `0x${'ab'.repeat(33)}`, `${'zz'.repeat(32)}`])(
  'a malformed hash is 404: %s',
  async (hash) => {
    const seller = await api.openSeller()
    expect((await traceOf(seller, hash)).status).toBe(404)
    expect((await api.call('GET', `/merchants/${newId()}/trace/${hash}`, { key: seller.key })).status).toBe(
      403,
    )
  },
)

it('answers a limited number of requests a minute for each merchant, because each costs the node a whole block', async () => {
  const seller = await api.openSeller()
  const other = await api.openSeller()
  for (let count = 0; count < limits.tracesPerMinute; count++) {
    expect((await traceOf(seller, someHash)).status).toBe(200)
  }
  const refused = await traceOf(seller, someHash)
  expect([refused.status, refused.body.code]).toEqual([429, 'too-many-requests'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1)
  expect((await traceOf(other, someHash)).status).toBe(200)
})

it('answers a limited number of requests at once', async () => {
  const seller = await api.openSeller()
  const answers = await Promise.all(Array.from({ length: 40 }, () => traceOf(seller, someHash)))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.every(({ status, body }) => status === 503 && body.code === 'too-busy')).toBe(true)
  expect((await traceOf(seller, someHash)).status).toBe(200)
})
