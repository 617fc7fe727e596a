/** Several nodes of Litecoin, of which one lies, lags or is away; and nodes that are asked with a cookie. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readProgress } from '../../src/chains/blocks/store.ts'
import { NodeError } from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { openLitecoin } from '../chains/litecoin-world.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { useLitecoinShop } from '../support/litecoin-shop.ts'
import { copyBlocks, hasLitecoind, type Litecoind, startLitecoind } from '../support/litecoind.ts'
import { eventsOf, paidOnce, transactionsOf } from '../support/shop-sight.ts'
import { watchByHand } from '../support/watch-by-hand.ts'

describe.skipIf(!hasLitecoind)('with litecoind', () => {
  const flow = useLitecoinShop(20)
  const { shop, node } = flow
  /** Honest, and behind the first until it is told. */
  let second: Litecoind
  /** On a branch of its own, which is longer. */
  let liar: Litecoind
  /** To the first, by a wire that fails. */
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

  /** The first by its wire, so that its credentials go along. */
  const wired = () => wire.url.replace('http://', 'http://coffer:coffer@')

  function watching() {
    const chain = openLitecoin(liar.url, wired(), second.url)
    onTestFinished(() => chain.close())
    return watchByHand(shop, () => chain)
  }

  it('B17 of three nodes one with a longer branch and a payment of its own makes nobody richer and stops nothing', async () => {
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
    expect(await flow.findBreaches()).toEqual([])
  })

  it('B17 books nothing while one lies and another lags, tells how far it is behind, and goes on once two agree', async () => {
    wire.set({ type: 'none' })
    const paid = await flow.openInvoice()
    await flow.wallet.pay(paid.address, paid.amountMinor)
    const from = await height()
    await node.mine(3)
    await watching().follow()
    expect(await transactionsOf(shop, paid)).toEqual([])
    const progress = (await readProgress(shop.db)).find(({ network }) => network === 'litecoin')
    expect(progress?.height).toBe(from)
    expect(progress?.headHeight).toBeGreaterThanOrEqual(from + 3)
    await copyBlocks(node, second, from + 1, from + 3)
    await watching().follow()
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
  })

  it('believes neither of two that contradict each other while the third is away', async () => {
    const paid = await flow.openInvoice()
    await flow.wallet.pay(paid.address, paid.amountMinor)
    const from = await height()
    await node.mine(3)
    await copyBlocks(node, second, from + 1, from + 3)
    wire.set({ type: 'cut' })
    await watching()
      .follow()
      .catch((error: unknown) => expect(error).toBeInstanceOf(NodeError))
    expect(await transactionsOf(shop, paid)).toEqual([])
    wire.set({ type: 'none' })
    await watching().follow()
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
  })

  it('reads the cookie anew, which a node writes each time it starts, and never tells what is in it', async () => {
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
