/** Treasury withdrawals on a UTXO chain, on litecoind with the real signer. */
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readBooks } from '../../src/outgoing/treasury/books-store.ts'
import { orderTreasuryWithdrawal } from '../../src/outgoing/treasury/order-treasury-withdrawal.ts'
import type { TreasuryWithdrawalSource } from '../../src/outgoing/treasury/own-money.ts'
import { treasuryOutgoingSource } from '../../src/outgoing/treasury/treasury-outgoing-source.ts'
import { findTreasuryWithdrawal } from '../../src/outgoing/treasury/treasury-withdrawal-store.ts'
import type { UtxoParts } from '../../src/outgoing/utxo/utxo-parts.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import {
  attemptRecords,
  outgoingRecords,
  signerLogRecords,
  treasuryWithdrawalRecords,
  waitRecords,
} from '../support/outgoing/records.ts'
import { unsignedOrder } from '../support/outgoing-transactions.ts'
import { restoreDatabase, restoreSigner, snapshotDatabase, snapshotSigner } from '../support/snapshot.ts'
import { useUtxoFlow } from '../support/utxo-flow.ts'

const ltc = 10n ** 8n
const coldAddress = newAddress()
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('treasury withdrawals in litecoin, on litecoind', () => {
  const flow = useUtxoFlow(20, { coldAddress, coldNetwork: 'litecoin' })
  const { database } = flow

  afterEach(() => flow.endLeases())

  async function engine(over: Partial<UtxoParts> = {}) {
    const { outgoingSources } = (await flow.engine()).parts
    await flow.endLeases()
    const withdrawals = outgoingSources.filter(({ kinds }) => kinds.includes('withdrawal'))
    const wanted = [...withdrawals, treasuryOutgoingSource(flow.shop.methods)]
    return flow.engine({ outgoingSources: wanted, coldAddress, ...over })
  }

  async function order(source: TreasuryWithdrawalSource, amount: string): Promise<string> {
    const parts = {
      db: database.db,
      methods: flow.shop.methods,
      coldAddresses: new Map([['litecoin', 'a cold address']]),
    }
    return (
      await orderTreasuryWithdrawal(parts, undefined, { id: newId(), paymentMethodId: 5, source, amount })
    ).id
  }

  async function books() {
    const [own] = await readBooks(flow.shop.methods, database.db, [
      required(flow.shop.methods.byId(5), 'litecoin'),
    ])
    return required(own, 'books')
  }

  const treasuryWithdrawal = (id: string) => findTreasuryWithdrawal(database.db, id)

  it('leaves in a transaction of its own to the cold address, and is booked exactly once, when it is final', async () => {
    const merchantId = await flow.openFunded(30n * ltc)
    const { id } = await flow.order(merchantId, '3')
    const out = await order('fees', '0.2')
    const before = await books()
    const running = await engine()
    await running.settle()
    const { txHash } = required(await treasuryWithdrawal(out), 'the order')
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'broadcast' })
    // The treasury withdrawal needs outputs that the withdrawal leaves: its change, once that is mined.
    expect(txHash).toBeUndefined()
    await flow.playOut(running)
    expect(await treasuryWithdrawal(out)).toMatchObject({ state: 'completed' })
    expect(await flow.received(coldAddress)).toBe(ltc / 5n)
    const sent = (await flow.outgoingTransactions()).at(-1)
    expect(sent).toMatchObject({
      kind: 'treasury_withdrawal',
      state: 'final',
      txHash: (await treasuryWithdrawal(out))?.txHash,
    })
    const [{ raw } = { raw: '' }] = await attemptRecords.all(
      database.db,
      { outgoingTransactionId: sent?.id },
      'raw',
    )
    const [paid, change, ...others] = readRawTransaction(raw).outputs
    expect([paid?.amountMinor, others]).toEqual([ltc / 5n, []])
    expect((await flow.utxos()).at(-1)).toMatchObject({ minor: change?.amountMinor, isSpent: false })
    const after = await books()
    // One percent of the withdrawal was earned meanwhile.
    expect(after.feesMinor).toBe(before.feesMinor - ltc / 5n + (3n * ltc) / 100n)
    expect(after.withdrawingMinor.fees).toBe(0n)
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  })

  it('waits until a cold address is set, and does not overtake a withdrawal that waits for coins', async () => {
    const out = await order('fees', '0.02')
    const without = await engine({ coldAddress: undefined })
    await without.settle()
    expect(await waits()).toEqual(['cold-address'])
    await flow.endLeases()
    const { parts, memory } = await engine()
    await parts.strategy.attest(memory)
    const asset = { asset: 'litecoin/LTC', contract: null }
    const spends = { ...asset, amountMinor: ltc / 50n }
    const profit = {
      id: out,
      network: 'litecoin',
      intent: { kind: 'treasury_withdrawal' as const, ...spends },
      spends,
    }
    const payment = { ...asset, withdrawalId: newId(), merchantId: newId(), address: newAddress() }
    const more = { ...payment, netMinor: 1_000n * ltc, feeMinor: 0n, ...unsignedOrder }
    const intent = { kind: 'withdrawal' as const, payments: [more] }
    const owed = { id: more.withdrawalId, network: 'litecoin', intent, spends: undefined }
    const both = await parts.strategy.prepare(memory, [profit, owed], never)
    expect(both).toMatchObject({ planned: [], waits: [{ cause: 'funds:litecoin/LTC' }] })
    expect(await parts.strategy.prepare(memory, [profit], never)).toMatchObject({
      planned: [{ id: out }],
      waits: [],
    })
    await flow.endLeases()
    await flow.playOut(await engine(), 4)
    expect(await treasuryWithdrawal(out)).toMatchObject({ state: 'completed' })
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  })

  async function waits(): Promise<readonly string[]> {
    const rows = await waitRecords.all(database.db, {}, 'cause')
    return rows.map(({ cause }) => cause)
  }

  it('fails if it is less than nodes relay, and its amount is free again', async () => {
    const before = await books()
    const out = await order('fees', '0.00001')
    await (await engine()).settle()
    expect(await treasuryWithdrawal(out)).toMatchObject({ state: 'failed', txHash: undefined })
    expect(await books()).toEqual(before)
  })

  it('to an address of our own halts payouts', async () => {
    const { address } = await flow.openInvoice()
    await (await engine({ coldAddress: address })).round()
    const halts = await readShownHalts(database.db)
    expect(halts).toMatchObject([{ cause: 'cold-address', detail: expect.stringContaining(address) }])
    await resumeHalts(database.db, flow.signer.keys, 'cold-address')
  })

  it('to an address that the signer does not know is refused, whatever the service requests', async () => {
    const out = await order('fees', '0.01')
    await (await engine({ coldAddress: newAddress() })).settle()
    expect(flow.alerts).toContain('signer-refused')
    const halts = (await readShownHalts(database.db)).map(({ cause }) => cause)
    expect(halts).toEqual(['tampering'])
    await resumeHalts(database.db, flow.signer.keys, 'tampering')
    await flow.endLeases()
    await flow.playOut(await engine(), 4)
    expect(await treasuryWithdrawal(out)).toMatchObject({ state: 'completed' })
  })

  it('whose order a restored database lost is restored from the signer’s log', async () => {
    const out = await order('fees', '0.01')
    const position = await signerLogRecords.one(flow.shop.db, {}, 'lastSequence')
    await (await engine()).settle()
    await flow.endLeases()
    await attemptRecords.remove(database.owner, { outgoingTransactionId: out })
    await outgoingRecords.remove(database.owner, { id: out })
    await treasuryWithdrawalRecords.remove(database.owner, { id: out })
    await signerLogRecords.change(database.owner, {}, { lastSequence: position.lastSequence })
    await flow.playOut(await engine())
    expect(await treasuryWithdrawal(out)).toMatchObject({
      state: 'completed',
      source: 'capital',
      amountMinor: ltc / 100n,
    })
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  })

  it('is not sent again after a restore of database and log, once the chain shows it', async () => {
    await flow.openFunded(30n * ltc)
    await flow.playOut(await engine())
    await flow.endLeases()
    const out = await order('fees', '0.07')
    const before = await flow.received(coldAddress)
    const rows = await snapshotDatabase(database)
    const files = await snapshotSigner(flow.signer)
    await (await engine()).settle()
    expect(await treasuryWithdrawal(out)).toMatchObject({ state: 'pending', txHash: expect.any(String) })
    await flow.mineAndFollow()
    await flow.endLeases()
    await restoreDatabase(database, rows)
    const signer = await restoreSigner(flow.signer, files)
    onTestFinished(() => signer.signer.close())
    await flow.follow()
    const restored = await engine({ signer: signer.signer })
    await restored.settle()
    expect(await readShownHalts(database.db)).toMatchObject([{ cause: 'log-unknown' }])
    await resumeHalts(database.db, signer.keys)
    await flow.playOut(restored, 8)
    expect(await treasuryWithdrawal(out)).toMatchObject({ state: 'completed' })
    expect(await flow.received(coldAddress)).toBe(before + (7n * ltc) / 100n)
    expect(await readShownHalts(database.db)).toEqual([])
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  })
})
