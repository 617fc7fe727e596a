/**
 * Tests the search for missed payments on a UTXO chain: an output that no block showed is found in the node's
 * own UTXO set, and booked.
 */
import { expect, it } from 'vitest'
import { openLitecoin } from '../chains/litecoin-harness.ts'
import { blindReader } from '../support/blind-reader.ts'
import { useLitecoinFlow } from '../support/litecoin-flow.ts'
import { readFindings, searchMissed } from '../support/search-missed.ts'
import { invoiceStatusOf } from '../support/shop-readers.ts'
import { watchManually } from '../support/watch-manually.ts'

const flow = useLitecoinFlow()

it('finds a payment in a coin without a hint where to search, and books it to its invoice', async () => {
  const reader = openLitecoin(flow.node.url)
  const search = searchMissed(flow.shop, reader)
  try {
    const seen = await flow.openInvoice()
    await flow.mineAndFollow([flow.wallet.sign([{ to: seen.address, amountMinor: seen.amountMinor }]).raw], 6)
    expect(await search.find()).toEqual([])

    const invoice = await flow.openInvoice()
    const { address, amountMinor } = invoice
    const { raw, txid } = flow.wallet.sign([{ to: address, amountMinor }])
    await flow.node.mineOnly([raw])
    await watchManually(flow.shop, () => blindReader(reader)).follow()
    await flow.mineAndFollow([], 6)
    const missed = { address, asset: 'litecoin/LTC', amountMinor, txHash: txid, foundBy: 'output' }
    expect(await search.find()).toMatchObject([missed])
    expect(await search.find(), 'is told once').toEqual([])
    expect(await search.recover()).toMatchObject([
      { type: 'booked', payments: [{ txHash: txid, invoiceId: invoice.invoiceId }] },
    ])
    expect(await invoiceStatusOf(flow.shop, invoice)).toMatchObject({ state: 'paid' })
    expect(await search.recover()).toEqual([])
    expect(await search.find()).toEqual([])
    expect(await readFindings(flow.shop.db)).toMatchObject([{ address, state: 'booked' }])
  } finally {
    await reader.close()
  }
})

it('finds a payment in a block of the sample that is read again', async () => {
  const reader = openLitecoin(flow.node.url)
  try {
    const { address, amountMinor } = await flow.openInvoice()
    await flow.node.mineOnly([flow.wallet.sign([{ to: address, amountMinor }]).raw])
    const { height } = await reader.readHead(new AbortController().signal)
    await watchManually(flow.shop, () => blindReader(reader)).follow()
    await flow.mineAndFollow([], 6)
    const search = searchMissed(flow.shop, reader)
    expect(await search.reread(height)).toMatchObject([{ address, amountMinor, foundBy: 'block' }])
    expect(await search.recover()).toMatchObject([{ type: 'booked' }])
  } finally {
    await reader.close()
  }
})
