/** Tests payouts on a chain without witnesses, such as Dogecoin, on litecoind. */
import { afterEach, describe, expect, it } from 'vitest'
import { type KnownOutput, NodeError } from '../../src/chains/port.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import type { UtxoSender } from '../../src/chains/utxo/utxo-port.ts'
import { required } from '../../src/core/assert.ts'
import { limits } from '../../src/core/limits.ts'
import { sum } from '../../src/core/money.ts'
import { blockRecords } from '../support/chains/records.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import {
  attemptRecords,
  outgoingRecords,
  outgoingUtxoRecords,
  previousTransactionRecords,
  signerLogRecords,
  utxoRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import { useUtxoFlow } from '../support/utxo-flow.ts'
import { newExternalAddress } from '../support/utxo-requests.ts'

const ltc = 10n ** 8n
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('payouts without witnesses, on litecoind', () => {
  const flow = useUtxoFlow(40, { rows: [legacyLitecoin] })
  const { database } = flow

  afterEach(async () => {
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  })

  const net = (orderedMinor: bigint) => (orderedMinor * 99n) / 100n

  async function attemptOf(outgoingTransactionId: string | undefined) {
    const row = await attemptRecords.one(flow.shop.db, { outgoingTransactionId }, 'raw')
    const { vbytes } = await outgoingUtxoRecords.one(flow.shop.db, { outgoingTransactionId }, 'vbytes')
    return { ...readRawTransaction(row.raw), bytes: row.raw.length / 2, vbytes: Number(vbytes) }
  }

  it('E10 are replaced by means of the signer’s log, if a restored database adopts them and no node shows their coins', async () => {
    const merchantId = await flow.openFunded(6n * ltc)
    const position = await signerLogRecords.one(flow.shop.db, {}, 'lastSequence')
    const { id, address } = await flow.order(merchantId, '1')
    await (await flow.engine()).settle()
    await flow.endLeases()
    const { id: outgoingTransactionId } = required((await flow.outgoingTransactions()).at(-1), 'a payout')
    await attemptRecords.remove(database.owner, { outgoingTransactionId })
    await outgoingRecords.remove(database.owner, { id: outgoingTransactionId })
    await previousTransactionRecords.remove(database.owner)
    await signerLogRecords.change(database.owner, {}, { lastSequence: position.lastSequence })
    await withdrawalRecords.change(database.owner, { id }, { stage: 'approved' })
    const readPreviousTransactions = async () => {
      throw new NodeError('Block not available (pruned data)')
    }
    const network = { ...legacyLitecoin, chain: { ...legacyLitecoin.chain, canReplace: true } }
    const engine = await flow.engine({ network, sender: { ...flow.sender(), readPreviousTransactions } })
    for (let block = 0; block < 6; block += 1) {
      await engine.settle()
      await flow.node.mineOnly([])
      await flow.follow()
    }
    await engine.settle()
    const attempts = await attemptRecords.all(database.db, { outgoingTransactionId })
    expect(attempts).toHaveLength(2)
    await flow.endLeases()
    await flow.playOut(await flow.engine())
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(await flow.received(address)).toBe(net(ltc))
  })

  it('pay many withdrawals with one transaction of customers’ coins, and complete them when it is final', async () => {
    const merchantId = await flow.openFunded(4n * ltc, 4n * ltc, 4n * ltc)
    const orders = []
    for (let number = 0; number < 20; number += 1) orders.push(await flow.order(merchantId, '0.5'))
    const engine = await flow.engine()
    await flow.playOut(engine)
    const withdrawals = await Promise.all(orders.map(({ id }) => flow.withdrawal(id)))
    expect(new Set(withdrawals.map(({ state }) => state))).toEqual(new Set(['completed']))
    expect(new Set(withdrawals.map(({ txHash }) => txHash)).size).toBe(1)
    for (const { address } of orders) expect(await flow.received(address)).toBe(net(ltc / 2n))
    const outgoingTransaction = (await flow.outgoingTransactions()).at(-1)
    const { inputs, outputs, bytes, vbytes } = await attemptOf(outgoingTransaction?.id)
    expect(outputs).toHaveLength(21)
    expect(inputs.length).toBeGreaterThan(1)
    for (const { script, witness } of inputs) {
      expect(witness).toEqual([])
      expect(script.length).toBeGreaterThan(100)
    }
    // The estimate assumes the longest signatures; each real one may be a byte or two shorter. It reserves
    // three bytes for the number of inputs.
    expect(vbytes - bytes).toBeGreaterThanOrEqual(0)
    expect(vbytes - bytes).toBeLessThanOrEqual(2 + 2 * inputs.length)
  })

  it('pay further withdrawals from their own change, whose amount the signed bytes show', async () => {
    const merchantId = await flow.openFunded(3n * ltc)
    const engine = await flow.engine()
    for (let round = 0; round < 2; round += 1) {
      const { id } = await flow.order(merchantId, '0.3')
      await flow.playOut(engine)
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    }
    const signed = (await attemptRecords.all(database.db, {}, 'txHash')).map(({ txHash }) => txHash)
    expect(await previousTransactionRecords.count(database.db, { txHash: signed })).toBe(0)
  })

  it('E10 get a CPFP that spends their change, and a CPFP for the CPFP, if nodes replace no transaction', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const engine = await flow.engine()
    const before = (await flow.outgoingTransactions()).length
    await engine.settle()
    for (let block = 0; block < 10; block += 1) {
      await flow.node.mineOnly([])
      await flow.follow()
      await engine.settle()
    }
    const [paid, first, second] = (await flow.outgoingTransactions()).slice(before)
    expect([paid, first, second].map((one) => one?.kind)).toEqual(['withdrawal', 'cpfp', 'cpfp'])
    const spent = async (outgoingTransactionId: string | undefined) =>
      (await attemptOf(outgoingTransactionId)).inputs[0]?.outpoint
    expect(await spent(first?.id)).toMatch((await attemptOf(paid?.id)).txid)
    expect(await spent(second?.id)).toMatch((await attemptOf(first?.id)).txid)
    await flow.playOut(engine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const ended = (await flow.outgoingTransactions()).slice(before)
    expect(ended.map(({ state }) => state)).toEqual(['final', 'final', 'final'])
  })

  it('M20 are compared output by output if nodes do not search by address, whatever was spent since', async () => {
    const merchantId = await flow.openFunded(3n * ltc)
    const rows = await utxoRecords.all(database.db, { spentBy: null }, 'outpoint', 'address', 'amountMinor')
    const utxos = rows.map(({ outpoint, address, amountMinor }) => ({
      outpoint,
      recipient: address,
      amountMinor: BigInt(amountMinor),
    }))
    const height = (await flow.node.rpc('getblockcount')) as number
    const gone = (reports: readonly KnownOutput[], at: number) =>
      required(flow.reader.findGone, 'the search')(reports, at, never)
    const [one] = utxos
    const lies = [
      { outpoint: `${'ab'.repeat(32)}:0` },
      { amountMinor: 5n },
      { recipient: newExternalAddress(legacyLitecoin) },
    ].map((lie) => ({ ...required(one, 'a coin'), ...lie }))
    expect(await gone(utxos, height)).toEqual([])
    expect(await gone([...utxos, ...lies], height)).toEqual(lies.map(({ outpoint }) => outpoint))
    await flow.order(merchantId, '1')
    const engine = await flow.engine()
    await engine.settle()
    await flow.node.mine(1)
    const spent = await gone(utxos, height + 1)
    expect(spent.length).toBeGreaterThan(0)
    expect(await gone(utxos, height)).toEqual([])
    await flow.playOut(engine)
    await flow.endLeases()
    await utxoRecords.add(database.owner, {
      network: 'litecoin',
      outpoint: `${'ab'.repeat(32)}:0`,
      txHash: 'ab'.repeat(32),
      address: one?.recipient,
      amountMinor: 7n,
      height,
    })
    expect((await flow.findViolations()).join()).toContain('the node has no UTXO')
    await utxoRecords.remove(database.owner, { amountMinor: 7n })
  })

  it("E12 avoid a coin whose previous transaction is too large to be sent with the others, and spend it once it is a smaller one's output", async () => {
    const unspent = (await flow.utxos()).filter(({ isSpent }) => !isSpent)
    const heldMinor = sum(unspent.map(({ minor }) => minor))
    const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
    // A payment as an exchange sends it, in a transaction that is too large to be relayed.
    const others = Array.from({ length: 8_000 }, () => ({
      to: `76a914${'00'.repeat(20)}88ac`,
      amountMinor: 1_000n,
    }))
    const batch = flow.wallet.sign([{ to: address, amountMinor: 44n * ltc }, ...others], { feeMinor: ltc })
    expect(batch.raw.length / 2).toBeGreaterThan(limits.previousTransactionsBytes)
    await flow.node.mineOnly([batch.raw])
    for (let payment = 0; payment < 2; payment += 1) await flow.wallet.pay(address, 2n * ltc)
    await flow.mineAndFollow(2)
    const engine = await flow.engine()
    const before = (await flow.outgoingTransactions()).length
    const small = await flow.order(merchantId, `${heldMinor / ltc + 3n}`)
    await flow.playOut(engine)
    expect(await flow.withdrawal(small.id)).toMatchObject({ state: 'completed' })
    const large = await flow.order(merchantId, '25')
    await flow.playOut(engine, 6)
    expect(await flow.withdrawal(large.id)).toMatchObject({ state: 'completed' })
    expect((await flow.outgoingTransactions()).slice(before)).toMatchObject([
      { kind: 'withdrawal' },
      { kind: 'consolidate', inputs: 1 },
      { kind: 'withdrawal' },
    ])
  })

  it('spend no coin that no node shows, and spend all others meanwhile', async () => {
    const shownMinor = 3n * ltc
    const firstMinor = 30n * ltc
    const secondMinor = 2n * ltc + 1n
    await flow.openFunded(shownMinor)
    const hidden = await flow.openFunded(firstMinor)
    await flow.openFunded(secondMinor)
    const hiddenMinors = [`${firstMinor}`, `${secondMinor}`]
    const hiddenUtxos = await utxoRecords.all(database.db, { amountMinor: hiddenMinors }, 'network', 'height')
    const hashes = await Promise.all(hiddenUtxos.map((utxo) => blockRecords.one(database.db, utxo, 'hash')))
    expect(hashes).toHaveLength(2)
    const sender = flow.sender()
    let isGone = true
    const pruned: UtxoSender = {
      ...sender,
      readPreviousTransactions: async (blockHash, ...words) => {
        if (isGone && hashes.some(({ hash }) => hash === blockHash))
          throw new NodeError('Block not available (pruned data)')
        return sender.readPreviousTransactions(blockHash, ...words)
      },
    }
    const merchantId = await flow.openFunded(2n * ltc)
    const large = await flow.order(hidden, '28')
    const engine = await flow.engine({ sender: pruned })
    await engine.settle()
    expect(flow.alerts.filter((alert) => alert === 'previous-transactions-missing')).toHaveLength(1)
    // The node cannot read two blocks. The previous transaction in the block before them is stored
    // nevertheless.
    const unspent = { amountMinor: [`${shownMinor}`, ...hiddenMinors], spentBy: null }
    const utxos = await utxoRecords.all(database.db, unspent, 'network', 'txHash', 'amountMinor')
    const known = await Promise.all(
      utxos.map(({ network, txHash }) => previousTransactionRecords.count(database.db, { network, txHash })),
    )
    const shown = utxos.filter((_, place) => known[place] === 1)
    expect(shown.map(({ amountMinor }) => amountMinor)).toEqual([`${shownMinor}`])
    expect(await flow.withdrawal(large.id)).toMatchObject({ stage: 'approved' })
    isGone = false
    const small = await flow.order(merchantId, '1')
    await flow.playOut(engine)
    for (const { id } of [large, small])
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })
})
