/**
 * Tests production with money going in and out. API, workers, payouts and signer are processes of their own,
 * the signer under a user of its own. One of four nodes lies, and one lags on a slow connection. The
 * connection of a third node stalls, alters bytes and breaks, in turns. Afterwards rows are tampered with.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { decimal } from '../../src/core/money.ts'
import { saveCapitalSource } from '../../src/payments/deposits/unattributed/attribution-store.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { type AlteredNode, startAlteredNode } from '../chains/altered-node.ts'
import { quantity, useAnvil } from '../support/anvil.ts'
import { call, type MerchantClient, openMerchant, payFrom } from '../support/coffer-client.ts'
import {
  type CofferProcess,
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'
import { type Fault, type FaultProxy, startFaultProxy, troubled } from '../support/fault-proxy.ts'
import { deployMainTokens, firstLogin, productionSettings, useMarket } from '../support/production.ts'
import { makeSigner, signersId } from '../support/production-signer.ts'
import { isReadableByOthers } from '../support/readable-by-others.ts'

const dataDirs = useDataDirs()
const database = useDatabase({ migrated: false })
const anvil = useAnvil({ isMain: true, blockTimeS: 0.2 })
const source = useAnvil()
const market = useMarket({ ETH: '2500', USDT: '1', USDC: '1' })

const patience = { timeout: 120_000, interval: 250 }
const usdt = required(mainPaymentMethods().find(({ id }) => id === 1)?.contract, 'the contract of USDT')
const recipient = `0x${'c0ffee'.padStart(40, '4')}`

/**
 * Starts a node that reports ten times each amount under the true hashes, and reports every transaction as
 * failed.
 */
function startLyingNode(): Promise<AlteredNode> {
  return startAlteredNode(anvil.url, ({ method }, answer) => {
    const changed = structuredClone(answer)
    if (method === 'trace_block')
      for (const { action } of changed['result'] as { action: { value?: string } }[])
        if (action.value !== undefined) action.value = quantity(BigInt(action.value) * 10n)
    if (method === 'eth_getTransactionReceipt' && changed['result'] !== null)
      (changed['result'] as { status: string }).status = '0x0'
    return changed
  })
}

/** Starts a node that does not know the last five blocks. */
function startLaggingNode(): Promise<AlteredNode> {
  const headOf = async () => Number(await anvil.rpc('eth_blockNumber')) - 5
  return startAlteredNode(anvil.url, async ({ method, params }, answer) => {
    if (method !== 'eth_getBlockByNumber') return answer
    const head = await headOf()
    if (params[0] === 'latest')
      return { ...answer, result: await anvil.rpc(method, [quantity(head), params[1]]) }
    return Number(params[0]) > head ? { ...answer, result: null } : answer
  })
}

describe.skipIf(process.getuid?.() !== 0 || !isReadableByOthers())('production, as root', () => {
  let shared: Settings
  let paying: Settings
  let url: string
  let shop: MerchantClient
  let signer: CofferProcess
  let payouts: RunningCoffer
  let api: RunningCoffer
  const nodes: AlteredNode[] = []
  const wires: FaultProxy[] = []
  const processes: RunningCoffer[] = []

  beforeAll(async () => {
    await deployMainTokens(anvil, anvil.accounts[0] ?? '', source)
    nodes.push(await startLyingNode(), await startLaggingNode())
    for (const node of [...nodes.map((one) => one.url), anvil.url, anvil.url])
      wires.push(await startFaultProxy(node))
    wires[1]?.set({ type: 'delayed', ms: 40 })
    const orderKey = join(await dataDirs.fresh(), 'order.key')
    const made = await makeSigner(await dataDirs.fresh(), orderKey)
    signer = made.signer
    shared = {
      ...(await productionSettings({
        database,
        nodes: wires.map((wire) => wire.url),
        rateSource: market.source,
      })),
      XPUB_EVM: made.xpub,
    }
    const keysOfPayments = { INTENT_KEY_FILE: made.intentKey, ORDER_PUBLIC_KEYS_FILE: made.orderPublicKeys }
    paying = { ...shared, SIGNER_SOCKET: made.socket, ...keysOfPayments }
    url = `http://127.0.0.1:${shared['PORT']}`
    const owner = { MIGRATION_DATABASE_URL: database.urls.owner }
    expect((await runCoffer(['migrate'], { ...shared, ...owner })).code).toBe(0)
    const account = { ADMIN_EMAIL: firstLogin.email, ADMIN_PASSWORD: firstLogin.password }
    const start = (which: string, settings: Settings) =>
      startCoffer(settings, { words: ['start', '--roles', which] })
    processes.push(await start('watcher,dispatcher', shared))
    api = await start('api', { ...shared, ...account, ORDER_KEY_FILE: orderKey })
    processes.push(api)
    payouts = await start('payouts', paying)
    processes.push(payouts)
    shop = await openMerchant(url, firstLogin)
  }, 180_000)

  afterAll(async () => {
    for (const one of [...wires, ...nodes]) await one.close()
  })

  it('credits what two nodes report alike, and pays each withdrawal once', {
    timeout: 240_000,
  }, async () => {
    await fundHotWallets()
    const heal = trouble()
    const invoiceId = await shop.createInvoice({ amount: '250' })
    await payFrom(anvil.url, 2, await shop.addressOf(invoiceId))
    await vi.waitFor(async () => expect((await shop.transactions())[0]?.state).toBe('confirmed'), patience)
    expect((await shop.transactions())[0]?.amount, 'ten times as much was told by one node').toBe('0.1')
    const { id } = await withdraw('0.05')
    await vi.waitFor(async () => expect((await withdrawalOf(id)).state).toBe('completed'), patience)
    expect(BigInt(await anvil.rpc('eth_getBalance', [recipient, 'latest']))).toBe(5n * 10n ** 16n)
    await heal()
    const { code, stdout, stderr } = await runCoffer(['verify'], shared)
    expect(code, stdout + stderr).toBe(0)
    expect((await call(`${url}/readyz`, 'GET', {})).status).toBe(200)
    expect(await signersUid()).toMatch(new RegExp(`^Uid:\\t${signersId}\\t${signersId}`, 'm'))
  })

  it('sweeps the tokens that a withdrawal waits for, and pays them out', { timeout: 300_000 }, async () => {
    const heal = trouble()
    const invoiceId = await shop.createInvoice({ amount: '40', paymentMethodID: 1 })
    const path = `/public/invoices/${invoiceId}/method/1/address`
    const { address } = (await shop.call('GET', path)).body
    await anvil.sendToken({ contract: usdt, to: address, amountMinor: 40_000_000n })
    await shop.becomes(invoiceId, 'paid')
    await vi.waitFor(
      async () => expect((await shop.transactions()).map(({ state }) => state)).not.toContain('pending'),
      patience,
    )
    const { id } = await withdraw('30', 1)
    await vi.waitFor(async () => expect((await withdrawalOf(id)).state).toBe('completed'), {
      ...patience,
      timeout: 240_000,
    })
    const { fee } = await withdrawalOf(id)
    expect(await tokensOf(recipient)).toBe(30_000_000n - decimal(fee, 6))
    expect(await tokensOf(address)).toBe(0n)
    await heal()
    await vi.waitFor(async () => {
      const { body } = await shop.call('GET', `/merchants/${shop.merchantId}/sweeps`)
      expect(body.data).toMatchObject([{ state: 'completed', amount: '40' }])
    }, patience)
    const { code, stdout, stderr } = await runCoffer(['verify'], shared)
    expect(code, stdout + stderr).toBe(0)
  })

  it('E17 refuses an approved withdrawal whose address was changed, and halts with an alert', {
    timeout: 240_000,
  }, async () => {
    const before = BigInt(await anvil.rpc('eth_getBalance', [recipient, 'latest']))
    const thief = `0x${'bad'.padStart(40, '6')}`
    await redirectApproved(thief)
    const { id } = await withdraw('0.01')
    await vi.waitFor(async () => {
      const halts = await database.db.query<{ cause: string }>(sql`select cause from outgoing_halt`)
      expect(halts.map(({ cause }) => cause)).toContain('tampering')
    }, patience)
    await expect.poll(() => payouts.stderr, patience).toMatch(/"level":(50|"error")/)
    expect((await withdrawalOf(id)).state).toBe('pending')
    expect(BigInt(await anvil.rpc('eth_getBalance', [thief, 'latest']))).toBe(0n)
    expect(BigInt(await anvil.rpc('eth_getBalance', [recipient, 'latest']))).toBe(before)
  })

  it('refuses to show an address whose row was changed, and alerts', async () => {
    const invoiceId = await shop.createInvoice()
    await shop.addressOf(invoiceId)
    await database.owner.query(sql`
      update address set address = ${`0x${'bad'.padStart(40, '7')}`} where invoice_id = ${invoiceId}`)
    const { status, body } = await shop.call('GET', `/public/invoices/${invoiceId}/method/3/address`)
    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toContain('bad')
    await expect.poll(() => api.stderr, { timeout: 10_000 }).toMatch(/"alert":"address-tampered"/)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/^coffer_alerts_total\{alert="address-tampered"\} [1-9]/m)
  })

  it('pays nothing with the keys of another account than XPUB_EVM, and says so', {
    timeout: 120_000,
  }, async () => {
    expect(await payouts.stop()).toEqual({ code: 0, signal: null })
    const other = {
      ...paying,
      XPUB_EVM: (await productionSettings({ database, nodes: [], rateSource: '' }))['XPUB_EVM'] ?? '',
    }
    payouts = await startCoffer(other, { words: ['start', '--roles', 'payouts'] })
    await vi.waitFor(async () => {
      const halts = await database.db.query<{ cause: string }>(sql`select cause from outgoing_halt`)
      expect(halts.map(({ cause }) => cause)).toContain('xpub-foreign')
    }, patience)
  })

  /**
   * Makes the connection of the third node fail in every way, in turns.
   * @returns a function that ends the failures, once bytes were altered
   */
  function trouble(): () => Promise<void> {
    const wire = required(wires[2], 'the wire of the third node')
    const healing = new AbortController()
    const faults: readonly Fault[] = [
      { type: 'altered', everyBytes: 61 },
      { type: 'half-open' },
      { type: 'cut' },
      { type: 'none' },
    ]
    const before = wire.counts.alteredBytes
    const over = troubled(wire, { faults, eachMs: 1_500, signal: healing.signal })
    return async () => {
      expect(wire.counts.alteredBytes, 'the wire altered nothing').toBeGreaterThan(before)
      healing.abort()
      await over
    }
  }

  /**
   * Changes an order's address at the moment of its approval, as somebody could who controls the database.
   */
  async function redirectApproved(thief: string): Promise<void> {
    const statements = [
      `create function redirect() returns trigger language plpgsql as
         $$ begin new.address = '${thief}'; return new; end $$`,
      'create trigger redirect before update of approval_mac on withdrawal for each row execute function redirect()',
    ]
    for (const text of statements) await database.owner.query({ text, values: [] })
  }

  async function fundHotWallets(): Promise<void> {
    const operator = required(anvil.accounts[7], 'the operator').toLowerCase()
    await saveCapitalSource(database.db, 'ethereum', operator)
    const hotWallets = await vi.waitFor(async () => {
      const rows = await database.db.query<{ address: string }>(sql`select address from hot_wallet`)
      expect(rows.length).toBeGreaterThan(0)
      return rows
    }, patience)
    for (const { address } of hotWallets) await payFrom(anvil.url, 7, { address, amount: '2' })
  }

  async function tokensOf(address: string): Promise<bigint> {
    const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
    return BigInt(await anvil.rpc('eth_call', [{ to: usdt, data }, 'latest']))
  }

  async function withdraw(amount: string, paymentMethodID = 3): Promise<{ id: string }> {
    const path = `/merchants/${shop.merchantId}/withdrawals`
    const { status, body } = await shop.call('POST', path, { address: recipient, amount, paymentMethodID })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }

  async function withdrawalOf(id: string): Promise<{ state: string; fee: string }> {
    return (await shop.call('GET', `/merchants/${shop.merchantId}/withdrawals/${id}`)).body
  }

  async function signersUid(): Promise<string> {
    return readFile(`/proc/${signer.pid}/status`, 'utf8')
  }
})
