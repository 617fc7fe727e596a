/** Payouts of the UTXO family on litecoind. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import type { UtxoSender } from '../../src/chains/utxo/utxo-port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { sum } from '../../src/core/money.ts'
import { bumpedMinor } from '../../src/outgoing/engine/outgoing-transaction.ts'
import { insertOutgoingTransactions, type NewOutgoingTransaction } from '../../src/outgoing/engine/store.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import {
  hotWalletTotalMinor,
  readTreasury,
  shortfallMinor,
} from '../../src/outgoing/treasury/read-treasury.ts'
import { readSpendable } from '../../src/outgoing/utxo/utxo-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import {
  attemptRecords,
  haltRecords,
  hotAddressRecords,
  outgoingInputRecords,
  outgoingRecords,
  outgoingUtxoRecords,
  signerLogRecords,
} from '../support/outgoing/records.ts'
import { depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { type UtxoFlow, useUtxoFlow } from '../support/utxo-flow.ts'

const ltc = 10n ** 8n
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('payouts in litecoin, on litecoind', () => {
  const flow = useUtxoFlow()
  const { database } = flow

  afterEach(async () => {
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  })

  /** Net amount after the operator's fee: one percent of each deposit and of each withdrawal. */
  const net = (orderedMinor: bigint) => (orderedMinor * 99n) / 100n

  async function rawOf(txHash: string | null) {
    const { raw } = await attemptRecords.one(flow.shop.db, { txHash: required(txHash, 'a hash') }, 'raw')
    return readRawTransaction(raw)
  }

  const lastOutgoingTransaction = async () => (await flow.outgoingTransactions()).at(-1)

  /** Returns what some transactions together pay for each virtual byte, rounded up. */
  function rateOf(some: readonly { readonly feeMinor: bigint; readonly vbytes: bigint }[]): bigint {
    const vbytes = sum(some.map((one) => one.vbytes))
    return (sum(some.map((one) => one.feeMinor)) + vbytes - 1n) / vbytes
  }

  it('pays a withdrawal from an output of a customer, returns the change, and completes it when it is final', async () => {
    const merchantId = await flow.openFunded(10n * ltc)
    const { id, address } = await flow.order(merchantId, '3')
    const engine = await flow.engine()
    await engine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
    await flow.pollMempool()
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(await flow.received(address)).toBe(net(3n * ltc))
    const outgoingTransaction = await lastOutgoingTransaction()
    expect(outgoingTransaction).toMatchObject({ kind: 'withdrawal', state: 'final', inputs: 1 })
    const back = 10n * ltc - net(3n * ltc) - (outgoingTransaction?.feeMinor ?? 0n)
    expect(await flow.utxos()).toMatchObject([{ isSpent: true }, { minor: back, isSpent: false }])
    expect(await deposits()).toBe(1)
    const figures = (await readTreasury(database.db, flow.shop.methods)).find(({ method }) => method.id === 5)
    expect(figures && hotWalletTotalMinor(figures)).toBe(back)
    expect(figures && shortfallMinor(figures)).toBe(0n)
  })

  /** Counts the deposits. Payments to ourselves are not deposits, whatever number of inputs they have. */
  async function deposits(): Promise<number> {
    const count = await depositRecords.count(flow.shop.db)
    return count
  }

  it('pays an order from small coins when the fee rate falls, even if nothing else is ordered', async () => {
    const at = (rateMinor: bigint): UtxoSender => ({
      ...flow.sender(),
      readFeeRate: async () => ({ rateMinor, leastMinor: 1n, source: 'usual' }),
    })
    const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
    const small = Array.from({ length: 20 }, () => ({ to: address, amountMinor: 100_000n }))
    await flow.wallet.send(flow.wallet.sign(small))
    const first = await flow.order(await flow.openFunded(ltc), '0.5')
    // At this rate, the fee for spending a coin of 100,000 is more than half of it.
    const dear = await flow.engine({ sender: at(800_000n) })
    await flow.playOut(dear)
    expect(await flow.withdrawal(first.id)).toMatchObject({ state: 'completed' })
    const second = await flow.order(merchantId, '0.019')
    await flow.playOut(dear)
    expect(await flow.withdrawal(second.id)).toMatchObject({ state: 'pending', stage: 'queued' })
    await flow.endLeases()
    await flow.playOut(await flow.engine({ sender: at(10_000n) }))
    expect(await flow.withdrawal(second.id)).toMatchObject({ state: 'completed' })
  })

  it('pays fifty withdrawals with one transaction', async () => {
    const before = await deposits()
    const merchantId = await flow.openFunded(4n * ltc, 4n * ltc, 4n * ltc)
    const orders = []
    for (let number = 0; number < 50; number += 1) orders.push(await flow.order(merchantId, '0.2'))
    const engine = await flow.engine()
    await flow.playOut(engine)
    const withdrawals = await Promise.all(orders.map(({ id }) => flow.withdrawal(id)))
    expect(new Set(withdrawals.map(({ state }) => state))).toEqual(new Set(['completed']))
    const [txHash = null, ...others] = [...new Set(withdrawals.map((observed) => observed.txHash))]
    expect(others).toEqual([])
    const { outputs, inputs } = await rawOf(txHash)
    expect(outputs).toHaveLength(51)
    expect(inputs.length).toBeGreaterThan(1)
    for (const { address } of [orders[0], orders[49]].flatMap((one) => one ?? []))
      expect(await flow.received(address)).toBe(net(ltc / 5n))
    expect(await deposits()).toBe(before + 3)
  })

  it('E09 of two planners that chose the same coin one gets it, the other waits, and both are paid', async () => {
    const merchantId = await flow.openFunded(2n * ltc, ltc)
    const first = await flow.order(merchantId, '0.3')
    const second = await flow.order(merchantId, '0.4')
    const engine = await flow.engine()
    const { parts, memory } = engine
    await parts.strategy.attest(memory)
    const [shared, ...others] = await spendableOf(flow)
    /** Two plans, each with its own pinned outpoint. Both also spend the same other output. */
    const plans = others.slice(0, 2).map((pinned): NewOutgoingTransaction => {
      const utxos = { inputs: [pinned, required(shared, 'a coin')], change: undefined }
      const id = newId()
      const fees = { vbytes: 1n, feeRate: 1n, fee: 1n }
      const intent = { kind: 'consolidate' as const }
      const slot = { pinnedOutpoint: pinned.outpoint, change: undefined }
      return { id, network: 'litecoin', intent, spends: undefined, utxos, family: 'utxo', slot, fees }
    })
    expect(plans).toHaveLength(2)
    const ended = await Promise.allSettled(
      plans.map((planned) =>
        inTransaction(database.db, async (tx) => {
          await insertOutgoingTransactions(tx, [planned])
          await parts.strategy.reserve(tx, [planned])
        }),
      ),
    )
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await outgoingRecords.remove(database.db, { state: 'planned' })
    await flow.playOut(engine)
    for (const { id } of [first, second])
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })

  it('E11 adds change that would be dust to the fee', async () => {
    const merchantId = await flow.openFunded(2n * ltc)
    // The surplus is the cost of one input and one output at 10 per virtual byte, plus an amount too small to
    // be relayed.
    await flow.openFunded(net(ltc) + 1_115n + 2_000n)
    const { id, address } = await flow.order(merchantId, '1')
    // A usual fee rate below the current one, so that no more outputs are spent than needed.
    const chain = { ...litecoinRegtest.chain, usualFeeRate: 5_000n }
    await flow.playOut(await flow.engine({ network: { ...litecoinRegtest, chain } }))
    const outgoingTransaction = await lastOutgoingTransaction()
    expect(outgoingTransaction?.inputs).toBe(1)
    expect(outgoingTransaction?.feeMinor).toBe(3_115n)
    const { outputs } = await rawOf((await flow.withdrawal(id)).txHash)
    expect(outputs.map(({ amountMinor }) => amountMinor)).toEqual([net(ltc)])
    expect(await flow.received(address)).toBe(net(ltc))
  })

  it('refuses a payment that no node relays, and returns the money', async () => {
    const merchantId = await flow.openFunded(2n * ltc)
    const { id } = await flow.order(merchantId, '0.02')
    const engine = await flow.engine({
      network: { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, dustMinor: ltc / 50n } },
    })
    await engine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'failed' })
  })

  it('E10 gets a stuck transaction mined by a CPFP that spends its change, if nodes replace no transaction', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const engine = await flow.engine()
    await engine.settle()
    const stuck = await lastOutgoingTransaction()
    await passBy(flow, engine.settle, 5)
    const [cpfp] = (await flow.outgoingTransactions()).filter(({ kind }) => kind === 'cpfp')
    expect(cpfp).toMatchObject({ state: 'broadcast', inputs: 1 })
    const { txHash } = await flow.withdrawal(id)
    const [{ raw } = { raw: '' }] = await attemptRecords.all(
      database.db,
      { outgoingTransactionId: cpfp?.id },
      'raw',
    )
    expect(readRawTransaction(raw).inputs.map(({ outpoint }) => outpoint.split(':')[0])).toEqual([txHash])
    const vbytes = (stuck?.vbytes ?? 0n) + (cpfp?.vbytes ?? 0n)
    const fee = (stuck?.feeMinor ?? 0n) + (cpfp?.feeMinor ?? 0n)
    expect(fee / vbytes).toBeGreaterThanOrEqual(11n)
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash })
    expect((await flow.outgoingTransactions()).find((one) => one.id === cpfp?.id)).toMatchObject({
      state: 'final',
    })
    expect(flow.alerts).toEqual([])
  })

  it("E10 a transaction that miners skip for its low fee is mined with its CPFP, by the node's own rules", async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const engine = await flow.engine()
    await engine.settle()
    const { txHash } = await flow.withdrawal(id)
    const stuck = required(await lastOutgoingTransaction(), 'a payout')
    // Makes the transaction count as almost free, so that the node's own rules for a block leave it out.
    await flow.node.rpc('prioritisetransaction', txHash, 0, -Number(stuck.feeMinor - 10n))
    const waiting = () => flow.node.rpc('getrawmempool') as Promise<readonly string[]>
    for (let block = 0; block < 3; block += 1) {
      await flow.mineAndFollow()
      await engine.settle()
      expect(await waiting()).toEqual([txHash])
    }
    await flow.mineAndFollow()
    await engine.settle()
    const [cpfp] = (await waiting()).filter((hash) => hash !== txHash)
    const entry = await flow.node.rpc('getmempoolentry', cpfp)
    expect(entry).toMatchObject({ depends: [txHash], ancestorcount: 2 })
    await flow.mineAndFollow()
    expect(await waiting()).toEqual([])
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash })
    expect(flow.alerts).toEqual([])
  })

  it('E10 sends a CPFP for a stuck CPFP', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    await flow.order(merchantId, '2')
    const engine = await flow.engine()
    const before = (await flow.outgoingTransactions()).length
    await engine.settle()
    await passBy(flow, engine.settle, 10)
    const own = (await flow.outgoingTransactions()).slice(before)
    expect(own.map(({ kind }) => kind)).toEqual(['withdrawal', 'cpfp', 'cpfp'])
    // Each CPFP raises the fee rate of the whole chain by one eighth, and is rounded up to a whole unit.
    const rates = [1, 2, 3].map((count) => rateOf(own.slice(0, count)))
    for (const [index, rate] of rates.entries()) {
      const before = rates[index - 1] ?? 0n
      expect(rate).toBeGreaterThan(before)
      expect(rate).toBeLessThanOrEqual(before === 0n ? rate : bumpedMinor(before) + 1n)
    }
    await flow.playOut(engine)
    const ended = (await flow.outgoingTransactions()).slice(before)
    expect(ended.map(({ state }) => state)).toEqual(['final', 'final', 'final'])
  })

  it('E10 E06 replaces a stuck transaction with the same coins if nodes allow it, and counts the one that is mined', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id, address } = await flow.order(merchantId, '2')
    const engine = await flow.engine({
      network: { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, canReplace: true } },
    })
    await engine.settle()
    const before = await lastOutgoingTransaction()
    const { txHash: first } = await flow.withdrawal(id)
    const firstRaw = await flow.node.rpc('getrawtransaction', first)
    await passBy(flow, engine.settle, 5)
    const bumped = await lastOutgoingTransaction()
    expect(bumped?.feeMinor).toBeGreaterThan(before?.feeMinor ?? 0n)
    const { txHash: second } = await flow.withdrawal(id)
    expect(second).not.toBe(first)
    expect(await flow.node.rpc('getrawmempool')).toEqual([second])
    const inputsOf = async (raw: string) => readRawTransaction(raw).inputs.map(({ outpoint }) => outpoint)
    expect(await inputsOf(await flow.node.rpc('getrawtransaction', second))).toEqual(await inputsOf(firstRaw))
    // A miner kept the first transaction and mines it now.
    await flow.node.mineOnly([firstRaw])
    await flow.follow()
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash: first })
    expect(await flow.received(address)).toBe(net(2n * ltc))
  })

  it('E08 sends the same bytes again when a reorganisation drops them, even if they were final', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const engine = await flow.engine()
    await flow.playOut(engine, 2)
    const { txHash } = await flow.withdrawal(id)
    const outgoingTransaction = await lastOutgoingTransaction()
    expect(outgoingTransaction?.state).toBe('final')
    await flow.node.rollBack(2)
    for (let block = 0; block < 3; block += 1) await flow.node.mineOnly([])
    await flow.follow()
    await engine.settle()
    expect(await lastOutgoingTransaction()).toMatchObject({ state: 'broadcast' })
    expect(await flow.node.rpc('getrawmempool')).toContain(txHash)
    await flow.playOut(engine)
    expect(await lastOutgoingTransaction()).toMatchObject({
      id: outgoingTransaction?.id,
      state: 'final',
      txHash,
    })
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash })
  })

  it('halves a batch that the signer refuses, so that the others are paid', async () => {
    const merchantId = await flow.openFunded(6n * ltc)
    const orders = []
    for (const amount of ['0.5', '0.6', '0.7']) orders.push(await flow.order(merchantId, amount))
    const engine = await flow.engine()
    flow.refusals.push({ type: 'refused', code: 'over-limit', detail: 'too much at once' })
    await flow.playOut(engine)
    const hashes = await Promise.all(orders.map(async ({ id }) => (await flow.withdrawal(id)).txHash))
    expect(new Set(hashes)).not.toContain(null)
    expect(new Set(hashes).size).toBe(2)
    for (const { id } of orders) expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })

  it('adopts transactions from the signer that a restored database lost, with their coins and change', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const position = await signerLogRecords.one(flow.shop.db, {}, 'lastSequence')
    const addresses = await flow.shop.row<{ count: number }>(
      sql`select count(*)::int as count from hot_wallet_address where is_given`,
    )
    const away = async () => {
      throw new NodeError('the node is away')
    }
    await (await flow.engine({ sender: { ...flow.sender(), broadcast: away } })).settle()
    await flow.endLeases()
    const signed = await lastOutgoingTransaction()
    expect(signed).toMatchObject({ state: 'needs_recheck' })
    for (const statement of [
      sql`delete from outgoing_transaction_attempt where outgoing_transaction_id = ${signed?.id}`,
      sql`delete from outgoing_transaction where id = ${signed?.id}`,
      sql`update hot_wallet_address set is_given = false where index = (select max(index) from hot_wallet_address where is_given)`,
      sql`update signer_log_position set last_sequence = ${position.lastSequence}`,
      sql`update withdrawal set stage = 'approved', tx_hash = null where id = ${id}`,
    ])
      await flow.database.owner.query(statement)
    const engine = await flow.engine()
    await engine.settle()
    expect(await lastOutgoingTransaction()).toMatchObject({
      id: signed?.id,
      inputs: signed?.inputs,
      feeMinor: signed?.feeMinor,
    })
    expect(
      await flow.shop.row(sql`select count(*)::int as count from hot_wallet_address where is_given`),
    ).toEqual({
      count: addresses.count + 1,
    })
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const attempts = await attemptRecords.all(database.db, { outgoingTransactionId: signed?.id })
    expect(attempts).toHaveLength(1)
  })

  /**
   * Signs an outgoing transaction without sending it. Small outputs are spent first, whatever the fee rate.
   * Returns the outgoing transaction and the position of the signer's log before the signing.
   */
  async function signedOnly() {
    const position = await signerLogRecords.one(flow.shop.db, {}, 'lastSequence')
    const away = async () => {
      throw new NodeError('the node is away')
    }
    const chain = { ...litecoinRegtest.chain, usualFeeRate: litecoinRegtest.chain.feeRateMax }
    const network = { ...litecoinRegtest, chain }
    await (await flow.engine({ network, sender: { ...flow.sender(), broadcast: away } })).settle()
    await flow.endLeases()
    return {
      outgoingTransaction: required(await lastOutgoingTransaction(), 'a payout'),
      position: position.lastSequence,
    }
  }

  const coinsOf = (outgoingTransactionId: string) =>
    database.db.query<{ outpoint: string; pinned: string }>(sql`
      select outpoint, pinned_outpoint as pinned from outgoing_transaction_input input join outgoing_utxo utxo using (outgoing_transaction_id)
      where outgoing_transaction_id = ${outgoingTransactionId} and not input.is_released order by ordinal`)

  it('adopts a signed transaction if the database has another plan with the same id', async () => {
    const merchantId = await flow.openFunded(2n * ltc, 2n * ltc, 40n * ltc)
    await flow.order(merchantId, '3')
    const { outgoingTransaction, position } = await signedOnly()
    const before = await coinsOf(outgoingTransaction.id)
    expect(before.length).toBeGreaterThan(1)
    const other = required((await spendableOf(flow))[0], 'another coin').outpoint
    const elsewhere = 900
    await attemptRecords.remove(database.owner, { outgoingTransactionId: outgoingTransaction.id })
    await outgoingInputRecords.change(
      database.owner,
      { outgoingTransactionId: outgoingTransaction.id, ordinal: 1 },
      { outpoint: other },
    )
    await outgoingRecords.change(database.owner, { id: outgoingTransaction.id }, { state: 'planned' })
    const own = { outgoingTransactionId: outgoingTransaction.id }
    await outgoingUtxoRecords.change(database.owner, own, { changeIndex: elsewhere })
    await signerLogRecords.change(database.owner, {}, { lastSequence: position })
    const engine = await flow.engine()
    await engine.settle()
    expect(await coinsOf(outgoingTransaction.id)).toEqual(before)
    expect((await outgoingUtxoRecords.one(flow.shop.db, own)).changeIndex).not.toBe(elsewhere)
    await flow.playOut(engine)
    expect((await flow.outgoingTransactions()).find(({ id }) => id === outgoingTransaction.id)).toMatchObject(
      { state: 'final' },
    )
  })

  it('halts if the signer signed other coins for a transaction than the database has, and reserves those too', async () => {
    const merchantId = await flow.openFunded(2n * ltc, 2n * ltc, 40n * ltc)
    await flow.order(merchantId, '3')
    const { outgoingTransaction, position } = await signedOnly()
    const before = await coinsOf(outgoingTransaction.id)
    const last = required(before.slice(1).at(-1), 'a second coin')
    await outgoingInputRecords.remove(database.owner, {
      outgoingTransactionId: outgoingTransaction.id,
      outpoint: last.outpoint,
    })
    await attemptRecords.remove(database.owner, { outgoingTransactionId: outgoingTransaction.id })
    await signerLogRecords.change(database.owner, {}, { lastSequence: position })
    const engine = await flow.engine()
    await engine.round()
    const halts = await haltRecords.all(database.db, {}, 'cause', 'detail')
    expect(halts).toMatchObject([{ cause: 'log-unknown', detail: expect.stringContaining(last.outpoint) }])
    const after = await coinsOf(outgoingTransaction.id)
    expect(after).toEqual(before)
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await flow.playOut(engine)
    expect((await flow.outgoingTransactions()).find(({ id }) => id === outgoingTransaction.id)).toMatchObject(
      { state: 'final' },
    )
  })

  it('B04 reclaims the other coins of a transaction whose payment a reorganisation replaced, and pays its withdrawal again', async () => {
    const merchantId = await flow.openFunded(6n * ltc)
    const { address } = await flow.openInvoice({ type: 'reusable' })
    const paid = await flow.wallet.pay(address, 2n * ltc)
    await flow.mineAndFollow(2)
    const lost = await flow.order(merchantId, '5')
    // A usual fee rate at the maximum, so that the smallest outputs are chosen first at any rate.
    const chain = { ...litecoinRegtest.chain, usualFeeRate: litecoinRegtest.chain.feeRateMax }
    const engine = await flow.engine({ network: { ...litecoinRegtest, chain } })
    await engine.settle()
    const outgoingTransaction = required(await lastOutgoingTransaction(), 'a payout')
    expect(outgoingTransaction.state).toBe('broadcast')
    expect((await coinsOf(outgoingTransaction.id)).map(({ outpoint }) => outpoint)).toContain(
      `${paid.txid}:0`,
    )
    expect(outgoingTransaction.inputs).toBeGreaterThan(1)
    const rival = flow.wallet.sign([{ to: newAddress(), amountMinor: ltc }], {
      utxo: paid.utxo,
      feeMinor: 1_000_000n,
    })
    await flow.node.rollBack(2)
    await flow.node.mineOnly([rival.raw])
    for (let block = 0; block < 4; block += 1) {
      await flow.node.mineOnly([])
      await flow.follow()
      await engine.settle()
    }
    expect((await flow.outgoingTransactions()).find(({ id }) => id === outgoingTransaction.id)).toMatchObject(
      { state: 'conflicted' },
    )
    expect(await flow.withdrawal(lost.id)).toMatchObject({ state: 'failed' })
    expect(flow.alerts).toContain('outgoing-conflicted')
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await flow.playOut(engine)
    const taken = await database.db.query<{ id: string }>(sql`
      select id from outgoing_transaction where kind = 'reclaim' and intent::jsonb ->> 'outgoingTransactionId' = ${outgoingTransaction.id}`)
    expect(
      (await flow.outgoingTransactions()).filter(({ id }) => taken.some((one) => one.id === id)),
    ).toMatchObject([{ state: 'final', inputs: outgoingTransaction.inputs - 1 }])
    const { id } = await flow.order(merchantId, '5')
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(flow.alerts).not.toContain('signer-refused')
  })

  it('completes a collect invoice once its deposits are final, without a sweep', async () => {
    const invoice = await flow.openInvoice({ type: 'collect', amount: '40' })
    const collectState = async () => {
      const worker = finishSweeps({
        db: database.db,
        methods: flow.shop.methods,
        chains: [flow.reader],
        log: silentLog,
        pollMs: 10,
      })
      await worker.runBatch(never)
      const row = await invoiceRecords.one(flow.shop.db, { id: invoice.invoiceId }, 'collectState')
      return row.collectState
    }
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow(1)
    expect(await collectState()).toBe('collecting')
    await flow.mineAndFollow(1)
    expect(await collectState()).toBe('completed')
  })

  it('spends no coin that is in quarantine, not final, or unattributed', async () => {
    const merchantId = await flow.openFunded(3n * ltc)
    const engine = await flow.engine()
    await engine.parts.strategy.attest(engine.memory)
    const { address } = await hotAddressRecords.one(flow.shop.db, { branch: 0, index: 0 }, 'address')
    const spendable = async () => (await spendableOf(flow)).length
    const before = await spendable()
    await flow.wallet.pay(address, 40n * ltc)
    await flow.mineAndFollow(1)
    const screening = {
      screenAll: async (_: unknown, __: string, senders: readonly string[]) =>
        new Map(senders.map((one) => [one, 'listed'] as const)),
    }
    const held = await flow.openInvoice()
    await flow.wallet.pay(held.address, 30n * ltc)
    await flow.node.mine(2)
    await flow.follow({ screening })
    const fresh = await flow.openInvoice()
    await flow.wallet.pay(fresh.address, 20n * ltc)
    await flow.mineAndFollow(1)
    expect(await spendable()).toBe(before)
    await flow.mineAndFollow(1)
    expect(await spendable()).toBe(before + 1)
    await engine.settle()
    expect(merchantId).toBeDefined()
  })

  it('B07 spends no coin below the minimum, until the sum of its invoice reaches it', async () => {
    const spendable = async () => (await spendableOf(flow)).length
    const before = await spendable()
    const small = await flow.openInvoice()
    for (const amountMinor of [3_000n, 30_000n])
      await flow.node.mineOnly([flow.wallet.sign([{ to: small.address, amountMinor }]).raw])
    await flow.mineAndFollow(2)
    expect(await spendable()).toBe(before)
    await flow.wallet.pay(small.address, small.amountMinor)
    await flow.mineAndFollow(2)
    expect(await spendable()).toBe(before + 3)
  })

  it('B08 spends no coinbase before 100 blocks', async () => {
    const mined = await flow.openInvoice()
    const before = (await spendableOf(flow)).length
    await flow.node.rpc('generatetoaddress', 1, mined.address)
    await flow.mineAndFollow(98)
    expect(await spendableOf(flow)).toHaveLength(before)
    await flow.mineAndFollow()
    expect(await spendableOf(flow)).toHaveLength(before + 1)
  })
})

/** Mines blocks without transactions of ours. */
async function passBy(flow: UtxoFlow, settle: () => Promise<void>, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    await flow.node.mineOnly([])
    await flow.follow()
    await settle()
  }
}

async function spendableOf(flow: UtxoFlow) {
  const height = (await flow.node.rpc('getblockcount')) as number
  return readSpendable(
    flow.shop.db,
    'litecoin',
    { height, finalHeight: height - 1, changeHeight: height },
    { max: 100, needsPreviousTransactions: false },
  )
}
