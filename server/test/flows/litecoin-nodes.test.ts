/**
 * Tests several nodes of Litecoin, one of which lies, lags or is unavailable, and nodes that require a
 * cookie.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readProgress } from '../../src/chains/blocks/store.ts'
import { NodeError } from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { openLitecoin } from '../chains/litecoin-harness.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { useLitecoinShop } from '../support/litecoin-shop.ts'
import { copyBlocks, hasLitecoind, type Litecoind, startLitecoind } from '../support/litecoind.ts'
import { depositsOf, eventsOf, paidOnce } from '../support/shop-readers.ts'
import { watchManually } from '../support/watch-manually.ts'

describe.skipIf(!hasLitecoind)('with litecoind', () => {
  const flow = useLitecoinShop(20)
  const { shop, node } = flow
  /** An honest node that lags behind the first until the test copies blocks to it. */
  let second: Litecoind
  /** A node on a longer branch of its own. */
  let liar: Litecoind
  /** A connection with faults to the first node. */
  let wire: FaultProxy
  const height = () => node.rpc('getblockcount') as Promise<number>

  beforeAll(async () => {
    ;[second, liar] = [await startLitecoind(), await startLitecoind()]
    for (const other of [second, liar]) await copyBlocks(node, other, 1, await height())
    wire = await startFaultProxy(node.url)
  })
  afterAll(async () => {
    await wire.close()
    await Promise.all([second.stop(), liar.stop()])
  })

  /** Returns the URL of the first node through the connection with faults, with its credentials. */
  const wired = () => wire.url.replace('http://', 'http://coffer:coffer@')

  function watching() {
    const chain = openLitecoin(liar.url, wired(), second.url)
    onTestFinished(() => chain.close())
    return watchManually(shop, () => chain)
  }

  it('B17 ignores the one of three nodes that has a longer branch with its own payment, and continues', async () => {
    const paid = await flow.openInvoice()
    const invented = await flow.openInvoice()
    const forged = flow.wallet.sign([{ to: invented.address, amountMinor: invented.amountMinor }])
    await liar.mineOnly([forged.raw])
    await liar.mine(9)
    await flow.wallet.pay(paid.address, paid.amountMinor)
    const from = await height()
    await node.mine(3)
    await copyBlocks(node, second, from + 1, from + 3)
    wire.set({ type: 'delayed', ms: 30 })
    await watching().follow()
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
    expect(await eventsOf(shop, invented)).toEqual([])
    expect(await flow.findViolations()).toEqual([])
  })

  it('B17 books nothing while one lies and another lags, reports the lag, and continues once two agree', async () => {
    wire.set({ type: 'none' })
    const paid = await flow.openInvoice()
    await flow.wallet.pay(paid.address, paid.amountMinor)
    const from = await height()
    await node.mine(3)
    await watching().follow()
    expect(await depositsOf(shop, paid)).toEqual([])
    const progress = (await readProgress(shop.db)).find(({ network }) => network === 'litecoin')
    expect(progress?.height).toBe(from)
    expect(progress?.headHeight).toBeGreaterThanOrEqual(from + 3)
    await copyBlocks(node, second, from + 1, from + 3)
    await watching().follow()
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
  })

  it('believes neither of two nodes that contradict each other while the third is unavailable', async () => {
    const paid = await flow.openInvoice()
    await flow.wallet.pay(paid.address, paid.amountMinor)
    const from = await height()
    await node.mine(3)
    await copyBlocks(node, second, from + 1, from + 3)
    wire.set({ type: 'cut' })
    await watching()
      .follow()
      .catch((error: unknown) => expect(error).toBeInstanceOf(NodeError))
    expect(await depositsOf(shop, paid)).toEqual([])
    wire.set({ type: 'none' })
    await watching().follow()
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
  })

  it('reads the cookie again, which a node writes at each start, and never shows its content', async () => {
    const file = path.join(tmpdir(), `${newId()}.cookie`)
    const at = new URL(node.url)
    const chain = openLitecoin(`${at.protocol}//${at.host}/?cookiefile=${encodeURIComponent(file)}`)
    onTestFinished(() => chain.close())
    const signal = AbortSignal.timeout(10_000)
    await expect(chain.readHead(signal)).rejects.toThrow(NodeError)
    await writeFile(file, '__cookie__:of-an-earlier-start')
    const refused = chain.readHead(signal)
    await expect(refused).rejects.toThrow(/401/)
    await expect(refused).rejects.not.toThrow(/earlier|cookie/)
    await writeFile(file, `${at.username}:${at.password}\n`)
    expect((await chain.readHead(signal)).height).toBe(await height())
  })
})
