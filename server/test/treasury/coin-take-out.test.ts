/** Profit on its way out where money lies in coins, on litecoind with the real signer. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/standing-halts.ts'
import { readBooks } from '../../src/outgoing/treasury/books-store.ts'
import { orderTakeOut } from '../../src/outgoing/treasury/order-take-out.ts'
import type { TakeOutSource } from '../../src/outgoing/treasury/own-money.ts'
import { takeOutPurpose } from '../../src/outgoing/treasury/take-out-purpose.ts'
import { findTakeOut } from '../../src/outgoing/treasury/take-out-store.ts'
import type { CoinParts } from '../../src/outgoing/utxo/coin-parts.ts'
import { useCoinFlow } from '../support/coin-flow.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { unsignedOrder } from '../support/payouts.ts'
import { restoreDatabase, restoreSigner, snapshotDatabase, snapshotSigner } from '../support/snapshot.ts'

const ltc = 10n ** 8n
const coldAddress = newAddress()
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('profit taken out of litecoin, on litecoind', () => {
  const flow = useCoinFlow(20, { coldAddress, coldNetwork: 'litecoin' })
  const { database } = flow

  afterEach(() => flow.endLeases())

  async function machine(over: Partial<CoinParts> = {}) {
    const { purposes } = (await flow.machine()).parts
    await flow.endLeases()
    const withdrawals = purposes.filter(({ kinds }) => kinds.includes('withdrawal'))
    const wanted = [...withdrawals, takeOutPurpose(flow.shop.methods)]
    return flow.machine({ purposes: wanted, coldAddress, ...over })
  }

  async function order(source: TakeOutSource, amount: string): Promise<string> {
    const parts = {
      db: database.db,
      methods: flow.shop.methods,
      coldAddresses: new Map([['litecoin', 'a cold address']]),
    }
    return (await orderTakeOut(parts, undefined, { id: newId(), paymentMethodId: 5, source, amount })).id
  }

  async function books() {
    const [own] = await readBooks(flow.shop.methods, database.db, [
      required(flow.shop.methods.byId(5), 'litecoin'),
    ])
    return required(own, 'books')
  }

  const takeOut = (id: string) => findTakeOut(database.db, id)

  it('leaves in a transaction of its own to the cold address, and is booked once, when it is final, to the last unit', async () => {
    const merchantId = await flow.openFunded(30n * ltc)
    const { id } = await flow.order(merchantId, '3')
    const out = await order('fees', '0.2')
    const before = await books()
    const running = await machine()
    await running.settle()
    const { txHash } = required(await takeOut(out), 'the order')
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'broadcast' })
    // Its coins are those that the withdrawal left: the change of that one, once it is mined.
    expect(txHash).toBeUndefined()
    await flow.playOut(running)
    expect(await takeOut(out)).toMatchObject({ state: 'completed' })
    expect(await flow.received(coldAddress)).toBe(ltc / 5n)
    const sent = (await flow.payouts()).at(-1)
    expect(sent).toMatchObject({ kind: 'take_out', state: 'final', txHash: (await takeOut(out))?.txHash })
    const [{ raw } = { raw: '' }] = await database.db.query<{ raw: string }>(
      sql`select raw from payout_attempt where payout_id = ${sent?.id}`,
    )
    const [paid, change, ...others] = readRawTransaction(raw).outputs
    expect([paid?.amountMinor, others]).toEqual([ltc / 5n, []])
    expect((await flow.coins()).at(-1)).toMatchObject({ minor: change?.amountMinor, isSpent: false })
    const after = await books()
    // One percent of the withdrawal was earned meanwhile.
    expect(after.feesMinor).toBe(before.feesMinor - ltc / 5n + (3n * ltc) / 100n)
    expect(after.takingOutMinor.fees).toBe(0n)
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  })

  it('waits for a cold address that is set, and overtakes no withdrawal that waits for coins', async () => {
    const out = await order('fees', '0.02')
    const without = await machine({ coldAddress: undefined })
    await without.settle()
    expect(await waits()).toEqual(['cold-address'])
    await flow.endLeases()
    const { parts, memory } = await machine()
    await parts.way.attest(memory)
    const asset = { asset: 'litecoin/LTC', contract: null }
    const spends = { ...asset, amountMinor: ltc / 50n }
    const profit = { id: out, network: 'litecoin', intent: { kind: 'take_out' as const, ...spends }, spends }
    const payment = { ...asset, withdrawalId: newId(), merchantId: newId(), address: newAddress() }
    const more = { ...payment, netMinor: 1_000n * ltc, feeMinor: 0n, ...unsignedOrder }
    const intent = { kind: 'withdrawal' as const, payments: [more] }
    const owed = { id: more.withdrawalId, network: 'litecoin', intent, spends: undefined }
    const both = await parts.way.place(memory, [profit, owed], never)
    expect(both).toMatchObject({ planned: [], waits: [{ cause: 'funds:litecoin/LTC' }] })
    expect(await parts.way.place(memory, [profit], never)).toMatchObject({
      planned: [{ id: out }],
      waits: [],
    })
    await flow.endLeases()
    await flow.playOut(await machine(), 4)
    expect(await takeOut(out)).toMatchObject({ state: 'completed' })
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  })

  async function waits(): Promise<readonly string[]> {
    const rows = await database.db.query<{ cause: string }>(sql`select cause from payout_wait`)
    return rows.map(({ cause }) => cause)
  }

  it('fails where it is less than nodes pass on, and is free again', async () => {
    const before = await books()
    const out = await order('fees', '0.00001')
    await (await machine()).settle()
    expect(await takeOut(out)).toMatchObject({ state: 'failed', txHash: undefined })
    expect(await books()).toEqual(before)
  })

  it('goes to no address of ours: payouts are halted', async () => {
    const { address } = await flow.openInvoice()
    await (await machine({ coldAddress: address })).round()
    const halts = await readShownHalts(database.db)
    expect(halts).toMatchObject([{ cause: 'cold-address', detail: expect.stringContaining(address) }])
    await resumeHalts(database.db, flow.signer.keys, 'cold-address')
  })

  it('goes nowhere that the signer was not told, whatever the service says', async () => {
    const out = await order('fees', '0.01')
    await (await machine({ coldAddress: newAddress() })).settle()
    expect(flow.alerts).toContain('signer-refused')
    const halts = (await readShownHalts(database.db)).map(({ cause }) => cause)
    expect(halts).toEqual(['tampering'])
    await resumeHalts(database.db, flow.signer.keys, 'tampering')
    await flow.endLeases()
    await flow.playOut(await machine(), 4)
    expect(await takeOut(out)).toMatchObject({ state: 'completed' })
  })

  it('whose order a restored database has lost is known again from what the signer signed', async () => {
    const out = await order('fees', '0.01')
    const mark = await flow.shop.row<{ mark: number }>(sql`select last_sequence as mark from signer_log_mark`)
    await (await machine()).settle()
    await flow.endLeases()
    for (const statement of [
      sql`delete from payout_attempt where payout_id = ${out}`,
      sql`delete from payout where id = ${out}`,
      sql`delete from take_out where id = ${out}`,
      sql`update signer_log_mark set last_sequence = ${mark.mark}`,
    ])
      await database.owner.query(statement)
    await flow.playOut(await machine())
    expect(await takeOut(out)).toMatchObject({
      state: 'completed',
      source: 'capital',
      amountMinor: ltc / 100n,
    })
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  })

  it('is not sent again where database and log went back, once the chain shows it', async () => {
    await flow.openFunded(30n * ltc)
    await flow.playOut(await machine())
    await flow.endLeases()
    const out = await order('fees', '0.07')
    const before = await flow.received(coldAddress)
    const rows = await snapshotDatabase(database)
    const files = await snapshotSigner(flow.signer)
    await (await machine()).settle()
    expect(await takeOut(out)).toMatchObject({ state: 'pending', txHash: expect.any(String) })
    await flow.mineAndFollow()
    await flow.endLeases()
    await restoreDatabase(database, rows)
    const signer = await restoreSigner(flow.signer, files)
    onTestFinished(() => signer.signer.close())
    await flow.follow()
    const restored = await machine({ signer: signer.signer })
    await restored.settle()
    expect(await readShownHalts(database.db)).toMatchObject([{ cause: 'log-unknown' }])
    await resumeHalts(database.db, signer.keys)
    await flow.playOut(restored, 8)
    expect(await takeOut(out)).toMatchObject({ state: 'completed' })
    expect(await flow.received(coldAddress)).toBe(before + (7n * ltc) / 100n)
    expect(await readShownHalts(database.db)).toEqual([])
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  })
})
