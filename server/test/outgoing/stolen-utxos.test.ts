/**
 * Tests outputs of ours that leave without an outgoing transaction of ours, on litecoind. Whoever spends them
 * has a key.
 */
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { listUnattributed } from '../../src/payments/deposits/unattributed/list-store.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { bookOutflows } from '../support/outflows.ts'
import {
  attemptRecords,
  hotAddressRecords,
  outgoingInputRecords,
  outgoingRecords,
  outgoingRecoveryRecords,
  outgoingUtxoRecords,
  refusalRecords,
  signerLogRecords,
  utxoRecords,
} from '../support/outgoing/records.ts'
import { addressRecords, depositRecords } from '../support/payments/records.ts'
import { fromNow, now } from '../support/records/values.ts'
import { testMnemonic } from '../support/shop.ts'
import { balanceOf } from '../support/shop-readers.ts'
import { type UtxoEngine, useUtxoFlow } from '../support/utxo-flow.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('coins of ours that somebody else spends, on litecoind', () => {
  const flow = useUtxoFlow(20)
  const { database } = flow

  afterEach(async () => {
    await flow.endLeases()
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await bearLoss()
    await endRecovery()
  })

  /** Charges the operator's capital for what was stolen, and adds capital. Returns the number of booked payments. */
  async function bearLoss(capitalMinor = 40n * ltc): Promise<number> {
    const count = await bookOutflows(flow.shop)
    if (count === 0) return count
    const { address } = await hotAddressRecords.one(flow.shop.db, { branch: 0, index: 0 }, 'address')
    await flow.wallet.pay(address, capitalMinor)
    await flow.mineAndFollow(8)
    for (const { id } of (await listUnattributed(flow.shop.db, { page: 1, limit: 100 })).deposits)
      await attributeMoney(flow.shop, undefined, { depositId: id, merchantId: undefined })
    return count
  }

  async function endRecovery(): Promise<void> {
    const engine = await flow.engine()
    for (let blocks = 0; blocks < 30; blocks += 1) {
      await engine.settle()
      if ((await outgoingRecoveryRecords.count(flow.shop.db)) === 0) break
      await flow.mineAndFollow()
    }
    expect((await readOutgoingFigures(flow.shop.db)).waits).toEqual([])
    await flow.endLeases()
  }

  const halts = async () => {
    const active = await readShownHalts(database.db)
    return active.map(({ cause }) => cause)
  }

  /**
   * Spends outputs with their own keys to somebody else, and returns the transaction in hex.
   * @param backMinor amount that goes back to the address of the last output
   */
  async function steal(outpoints: readonly string[], backMinor = 0n): Promise<string> {
    const root = HDKey.fromMasterSeed(mnemonicToSeedSync(testMnemonic))
    const transaction = new Transaction()
    let heldMinor = 0n
    let from = ''
    for (const outpoint of outpoints) {
      const { address, amountMinor } = await utxoRecords.one(flow.shop.db, { outpoint })
      const derived = await addressRecords.one(flow.shop.db, { address }, 'branch', 'index')
      const utxo = { ...derived, address, minor: amountMinor }
      const key = root.derive(`m/84'/1'/0'/${utxo.branch}/${utxo.index}`)
      const { script } = p2wpkh(required(key.publicKey, 'a key'), addressEncodingOf(litecoinRegtest.chain))
      const [txid = '', index] = outpoint.split(':')
      transaction.addInput({
        txid,
        index: Number(index),
        witnessUtxo: { script, amount: BigInt(utxo.minor) },
      })
      heldMinor += BigInt(utxo.minor)
      from = utxo.address
    }
    const addressEncoding = addressEncodingOf(litecoinRegtest.chain)
    transaction.addOutputAddress(newAddress(), heldMinor - backMinor - 100_000n, addressEncoding)
    if (backMinor > 0n) transaction.addOutputAddress(from, backMinor, addressEncoding)
    for (const outpoint of outpoints) {
      const { address } = await utxoRecords.one(flow.shop.db, { outpoint }, 'address')
      const { branch, index } = await addressRecords.one(flow.shop.db, { address }, 'branch', 'index')
      transaction.sign(required(root.derive(`m/84'/1'/0'/${branch}/${index}`).privateKey, 'a key'))
    }
    transaction.finalize()
    return transaction.hex
  }

  const unspent = async () => (await flow.utxos()).filter(({ isSpent }) => !isSpent)

  it('halts payouts for a coin that nobody of ours spent and for the outflow, counts returned money as no deposit, and continues after a lift', async () => {
    const merchantId = await flow.openFunded(3n * ltc, 2n * ltc)
    const [first, second] = await unspent()
    const raw = await steal([first?.outpoint ?? '', second?.outpoint ?? ''], ltc)
    const before = await deposits()
    await flow.node.mineOnly([raw])
    await flow.follow()
    const engine = await flow.engine()
    const { id } = await flow.order(merchantId, '0.5')
    await engine.settle()
    expect(await halts()).toEqual(['log-unknown'])
    expect(flow.alerts).toContain('utxo-stolen')
    expect(await deposits()).toBe(before)
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'queued' })
    await goOn(engine)
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await flow.playOut(engine, 8)
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'queued' })
    expect(await bearLoss(6n * ltc)).toBe(1)
    await flow.playOut(engine, 8)
    expect(await halts()).toEqual([])
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    await flow.endLeases()
    expect((await flow.findViolations()).join()).toContain('its key may be compromised')
  })

  /**
   * Lifts the halt as the operator does. Once the transaction is final, the unexplained outflow is reported,
   * and payouts halt again.
   */
  async function goOn(engine: UtxoEngine): Promise<void> {
    await flow.mineAndFollow()
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await engine.settle()
    expect(await readShownHalts(database.db)).toMatchObject([
      { cause: 'log-unknown', detail: expect.stringContaining('which matches no order') },
    ])
  }

  async function deposits(): Promise<number> {
    const count = await depositRecords.count(flow.shop.db)
    return count
  }

  it('returns the money of a withdrawal once another transaction of its coin is final, and halts', async () => {
    const invoice = await flow.openInvoice({ type: 'reusable' })
    await flow.wallet.pay(invoice.address, 30n * ltc)
    await flow.mineAndFollow(2)
    const largest = required(
      (await unspent()).find(({ minor }) => minor === 30n * ltc),
      'the coin',
    )
    const { id } = await flow.order(invoice.merchantId, '20')
    const away = async () => {
      throw new NodeError('the node is away')
    }
    const engine = await flow.engine({ sender: { ...flow.sender(), broadcast: away } })
    await engine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'needs_recheck' })
    const raw = await steal([largest.outpoint])
    await flow.node.mineOnly([raw])
    await flow.follow()
    await engine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'pending' })
    for (let block = 0; block < 3; block += 1) {
      await flow.mineAndFollow()
      await engine.settle()
    }
    // Only after an operator lifts the halt, the engine finds out whether the other transaction paid this
    // very order.
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'pending' })
    await goOn(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'failed' })
    expect(Number(await balanceOf(flow.shop, invoice, 5))).toBeCloseTo(29.7)
    expect(await halts()).toEqual(['log-unknown'])
    const [outgoingTransaction] = await outgoingRecords.all(database.db, { state: 'conflicted' }, 'state')
    expect(outgoingTransaction).toBeDefined()
    const conflicted = await outgoingRecords.all(database.db, { state: 'conflicted' }, 'id')
    const outgoingTransactionId = conflicted.map(({ id }) => id)
    expect(await outgoingInputRecords.count(database.db, { outgoingTransactionId, isReleased: false })).toBe(
      0,
    )
  })

  it('reclaims the other inputs of an outgoing transaction that can never be mined, and pays others with them', async () => {
    await utxoRecords.remove(database.owner)
    const earlier = (await flow.outgoingTransactions()).map(({ id }) => id)
    const reclaims = async () =>
      (await flow.outgoingTransactions()).filter(
        ({ id, kind }) => kind === 'reclaim' && !earlier.includes(id),
      )
    const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
    for (const amountMinor of [3n * ltc, 4n * ltc]) await flow.wallet.pay(address, amountMinor)
    await flow.mineAndFollow(2)
    const lost = await flow.order(merchantId, '6')
    const away = async () => {
      throw new NodeError('the node is away')
    }
    const engine = await flow.engine({ sender: { ...flow.sender(), broadcast: away } })
    await engine.settle()
    await flow.endLeases()
    const outgoingTransaction = required((await flow.outgoingTransactions()).at(-1), 'a payout')
    expect(outgoingTransaction).toMatchObject({ state: 'needs_recheck', inputs: 2 })
    const utxos = await unspent()
    // The pinned outpoint is not stolen. It is the last of the transaction's inputs to be reclaimed.
    const own = { outgoingTransactionId: outgoingTransaction.id }
    const { pinnedOutpoint } = await outgoingUtxoRecords.one(flow.shop.db, own)
    const stolen = required(
      utxos.find(({ outpoint }) => outpoint !== pinnedOutpoint),
      'the other coin',
    )
    await flow.node.mineOnly([await steal([stolen.outpoint])])
    await flow.follow()
    const position = await signerLogRecords.one(flow.shop.db, {}, 'lastSequence')
    const later = await flow.engine()
    await flow.playOut(later, 5)
    await goOn(later)
    expect(await flow.withdrawal(lost.id)).toMatchObject({ state: 'failed' })
    expect(await reclaims()).toEqual([])
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    // The other transactions of the recovery are covered by another test.
    await outgoingRecoveryRecords.remove(database.owner)
    // A refused reclaim is proposed again after a pause.
    const intent = JSON.stringify({ kind: 'reclaim', outgoingTransactionId: outgoingTransaction.id })
    await refusalRecords.add(database.owner, {
      outgoingTransactionId: newId(),
      network: 'litecoin',
      kind: 'reclaim',
      intent,
      code: 'over-limit',
      detail: 'too dear',
      retryAt: fromNow('1 minute'),
    })
    await later.settle()
    expect(await reclaims()).toEqual([])
    await refusalRecords.change(database.owner, {}, { retryAt: now })
    await later.settle()
    expect(await refusalRecords.all(database.db, {}, 'kind')).toEqual([])
    const taken = required((await flow.outgoingTransactions()).at(-1), 'a payout')
    expect(taken).toMatchObject({ kind: 'reclaim', state: 'broadcast', inputs: 1 })
    // A restored database in which the conflicted transaction is still open learns from the log that the
    // reclaim spent its output.
    await flow.endLeases()
    await attemptRecords.remove(database.owner, { outgoingTransactionId: taken.id })
    await outgoingRecords.remove(database.owner, { id: taken.id })
    await outgoingRecords.change(
      database.owner,
      { id: outgoingTransaction.id },
      { state: 'needs_recheck', endedAt: null },
    )
    await outgoingInputRecords.change(
      database.owner,
      { outgoingTransactionId: outgoingTransaction.id },
      { isReleased: false },
    )
    await outgoingUtxoRecords.change(
      database.owner,
      { outgoingTransactionId: outgoingTransaction.id },
      { isReleased: false },
    )
    await signerLogRecords.change(database.owner, {}, { lastSequence: position.lastSequence })
    const restored = await flow.engine()
    await flow.playOut(restored, 4)
    const ended = await flow.outgoingTransactions()
    expect(ended.find(({ id }) => id === taken.id)).toMatchObject({ state: 'final', inputs: 1 })
    expect(ended.find(({ id }) => id === outgoingTransaction.id)).toMatchObject({ state: 'conflicted' })
    const back = required(
      utxos.find(({ outpoint }) => outpoint === pinnedOutpoint),
      'the anchor',
    )
    expect((await unspent()).map(({ minor }) => minor)).toEqual([back.minor - taken.feeMinor])
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    const { id } = await flow.order(merchantId, '2')
    await flow.playOut(restored)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(await reclaims()).toHaveLength(1)
    expect(flow.alerts).not.toContain('signer-refused')
  })
})
