/** Edge cases in the life of outputs that outgoing transactions spend or create, on litecoind. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { sum } from '../../src/core/money.ts'
import { xpubFingerprint } from '../../src/core/xpub-fingerprint.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { NotWantedError } from '../../src/outgoing/engine/outgoing-source.ts'
import { insertOutgoingTransactions, type NewOutgoingTransaction } from '../../src/outgoing/engine/store.ts'
import { readTakenInputs } from '../../src/outgoing/utxo/spent-store.ts'
import { readSpendable } from '../../src/outgoing/utxo/utxo-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Payment } from '../../src/signing/intent.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import {
  attemptRecords,
  hotAddressRecords,
  outgoingInputRecords,
  outgoingRecords,
  outgoingUtxoRecords,
  refusalRecords,
  signerLogRecords,
  utxoRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import { unsignedOrder } from '../support/outgoing-transactions.ts'
import { above, fromNow, now } from '../support/records/values.ts'
import { openTestSigner, type TestSigner } from '../support/signer.ts'
import { useUtxoFlow } from '../support/utxo-flow.ts'

const ltc = 10n ** 8n
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('edge cases of coins, on litecoind', () => {
  const flow = useUtxoFlow(30)
  const { database } = flow

  afterEach(() => flow.endLeases())

  const away = async () => {
    throw new NodeError('the node is away')
  }

  it('halts if the signer has other keys, and records them: no address is assigned then', async () => {
    const other = await openTestSigner({ hotWallets: 1 })
    const expected = sql`select xpub_fingerprint from attested_xpub where family = 'litecoin'`
    const noted = (keys: TestSigner['keys']) => [
      { xpub_fingerprint: xpubFingerprint(keys.accountOf(litecoinRegtest.chain).xpub) },
    ]
    try {
      await (await flow.engine({ signer: other.signer })).settle()
      expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'xpub-foreign' }])
      expect(await database.db.query(expected)).toEqual(noted(other.keys))
    } finally {
      await other.close()
    }
    await flow.endLeases()
    await resumeHalts(database.db, flow.signer.keys, 'xpub-foreign')
    await (await flow.engine()).settle()
    expect(await database.db.query(expected)).toEqual(noted(flow.signer.keys))
  })

  it('chooses no coin that the signer reserves for a conflicted transaction', async () => {
    const merchantId = await flow.openFunded(4n * ltc, 4n * ltc, 9n * ltc)
    await flow.order(merchantId, '0.5')
    const engine = await flow.engine({ sender: { ...flow.sender(), broadcast: away } })
    await engine.settle()
    await flow.endLeases()
    await outgoingRecords.change(
      database.owner,
      { state: 'needs_recheck' },
      { state: 'conflicted', endedAt: now },
    )
    await outgoingInputRecords.change(database.owner, {}, { isReleased: true })
    await outgoingUtxoRecords.change(database.owner, {}, { isReleased: true })
    const { id } = await flow.order(merchantId, '0.5')
    await (await flow.engine()).settle()
    expect(flow.alerts).not.toContain('signer-refused')
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'broadcast' })
  })

  it('spends no coin whose payment was found to be listed, below the minimum, or not deep enough since it was chosen', async () => {
    await utxoRecords.remove(database.owner)
    const merchantId = await flow.openFunded(30n * ltc)
    const { address } = await flow.openInvoice({ type: 'reusable' })
    const { raw, txid } = await flow.wallet.pay(address, 6n * ltc)
    await flow.mineAndFollow(2)
    const listed = {
      screenAll: async (_: unknown, __: string, senders: readonly string[]) =>
        new Map(senders.map((one) => [one, 'listed'] as const)),
    }
    /** Mines the payment again in the second of the last two blocks, and more blocks after it. */
    const minedAgain = async (more: number, screening?: typeof listed) => {
      await flow.node.rollBack(2)
      await flow.node.mineOnly([])
      await flow.node.mineOnly([raw])
      for (let block = 0; block < more; block += 1) await flow.node.mineOnly([])
      await flow.follow(screening && { screening })
    }
    const keep = sql`update deposit set below_minimum = true, net_minor = null where tx_hash = ${txid}`
    const credit = sql`update deposit set below_minimum = false, net_minor = amount_minor - fee_minor where tx_hash = ${txid}`
    const changes: readonly { happens(): Promise<unknown>; after(): Promise<unknown> }[] = [
      { happens: () => minedAgain(0), after: () => flow.mineAndFollow() },
      { happens: () => database.owner.query(keep), after: () => database.owner.query(credit) },
      { happens: () => minedAgain(2, listed), after: async () => {} },
    ]
    const { parts, memory } = await flow.engine()
    await parts.strategy.attest(memory)
    for (const { happens, after } of changes) {
      const intent = { kind: 'withdrawal' as const, payments: [await paymentOf(merchantId)] }
      const proposal = { id: newId(), network: 'litecoin', intent, spends: undefined }
      const { planned } = await parts.strategy.prepare(memory, [proposal], never)
      expect(planned[0]?.utxos?.inputs.map(({ outpoint }) => outpoint.split(':')[0])).toEqual([txid])
      await happens()
      const reserved = inTransaction(database.db, async (tx) => {
        await insertOutgoingTransactions(tx, planned)
        await parts.strategy.reserve(tx, planned)
      })
      await expect(reserved).rejects.toBeInstanceOf(NotWantedError)
      await after()
    }
  })

  it('spends no coin whose address row was changed, and pays with the others', async () => {
    await utxoRecords.remove(database.owner)
    const merchantId = await flow.openFunded(30n * ltc)
    const { address } = await flow.openInvoice({ type: 'reusable' })
    const { txid } = await flow.wallet.pay(address, 6n * ltc)
    await flow.mineAndFollow(2)
    const { parts, memory } = await flow.engine()
    await parts.strategy.attest(memory)
    const intent = { kind: 'withdrawal' as const, payments: [await paymentOf(merchantId)] }
    const proposal = { id: newId(), network: 'litecoin', intent, spends: undefined }
    const plan = async () => (await parts.strategy.prepare(memory, [proposal], never)).planned
    const hashesOf = (planned: readonly NewOutgoingTransaction[]) =>
      planned.flatMap(({ utxos }) => utxos?.inputs.map(({ outpoint }) => outpoint.split(':')[0]) ?? [])
    const reserve = (planned: readonly NewOutgoingTransaction[]) =>
      inTransaction(database.db, async (tx) => {
        await insertOutgoingTransactions(tx, planned)
        await parts.strategy.reserve(tx, planned)
        throw new Error('reserved, but not stored')
      })
    const before = await plan()
    expect(hashesOf(before)).toContain(txid)
    await database.db.query(sql`update address set address = ${newAddress()} where address = ${address}`)
    // The row was changed after the coin was chosen.
    await expect(reserve(before)).rejects.toBeInstanceOf(NotWantedError)
    const planned = await plan()
    expect(planned).toHaveLength(1)
    expect(hashesOf(planned)).not.toContain(txid)
    await expect(reserve(planned)).rejects.toThrow('reserved, but not stored')
  })

  async function paymentOf(merchantId: string): Promise<Payment> {
    const asset = { asset: 'litecoin/LTC', contract: null }
    const amounts = { address: newAddress(), netMinor: ltc, feeMinor: 0n, ...unsignedOrder }
    return { withdrawalId: newId(), merchantId, ...asset, ...amounts }
  }

  it('collects coins only while many of them can be spent', async () => {
    await flow.openFunded(2n * ltc, 3n * ltc)
    const { parts, memory } = await flow.engine()
    await parts.strategy.attest(memory)
    const asked = {
      id: newId(),
      network: 'litecoin',
      intent: { kind: 'consolidate' as const },
      spends: undefined,
    }
    expect((await parts.strategy.prepare(memory, [asked], never)).planned).toEqual([])
  })

  it('consolidates the smallest coins if that costs at most half of what it saves, and none if it costs more', async () => {
    // The deposit's fees stay with the operator and pay for what is sent.
    await flow.openFunded(5n * ltc)
    const { parts, memory } = await flow.engine()
    await parts.strategy.attest(memory)
    await utxoRecords.remove(database.owner)
    await database.owner.query(sql`
      insert into own_output (network, outpoint, tx_hash, address, amount_minor, height)
      select 'litecoin', md5(number::text) || md5('y') || ':' || number, md5(number::text) || md5('y'), address, 100000 + number, 1
      from hot_wallet_address, generate_series(1, 210) as number where branch = 0`)
    const proposed = async () => {
      const own = parts.outgoingSources.filter(({ kinds }) => kinds.includes('consolidate'))
      return (await Promise.all(own.map((one) => one.propose(database.db, 'litecoin', 10)))).flat()
    }
    expect(await proposed()).toHaveLength(1)
    for (const [unfit, fit] of [
      [sql`matures_after = 100000`, sql`matures_after = 1`],
      [sql`amount_minor = 10`, sql`amount_minor = 100000 + 20`],
    ]) {
      await database.owner.query(sql`update own_output set ${unfit} where amount_minor <= 100020`)
      expect(await proposed()).toEqual([])
      await database.owner.query(sql`update own_output set ${fit} where amount_minor <= 100020`)
    }
    await flow.endLeases()
    const consolidated = async (rateMinor: bigint) => {
      const readFeeRate = async () => ({ rateMinor, leastMinor: 1_000n, source: 'estimate' as const })
      const engine = await flow.engine({ sender: { ...flow.sender(), readFeeRate } })
      await engine.parts.strategy.attest(engine.memory)
      const own = engine.parts.outgoingSources.filter(({ kinds }) => kinds.includes('consolidate'))
      const asked = (await Promise.all(own.map((one) => one.propose(database.db, 'litecoin', 10)))).flat()
      expect(asked).toHaveLength(1)
      const { planned } = await engine.parts.strategy.prepare(engine.memory, asked, never)
      await flow.endLeases()
      return planned[0]
    }
    const usual = litecoinRegtest.chain.usualFeeRate
    const cheap = await consolidated((usual * 4n) / 10n)
    const inputs = cheap?.utxos?.inputs ?? []
    expect(inputs).toHaveLength(150)
    expect(inputs.every(({ amountMinor }) => amountMinor <= 100_150n)).toBe(true)
    // An input takes 68 virtual bytes.
    expect(2n * (cheap?.family === 'utxo' ? cheap.fees.fee : 0n)).toBeLessThanOrEqual(
      (149n * 68n * usual) / 1_000n,
    )
    expect(await consolidated((usual * 6n) / 10n)).toBeUndefined()
    expect(await consolidated(usual)).toBeUndefined()
    await utxoRecords.remove(database.owner)
  })

  it('requests no second consolidation of coins while the first was refused or is not mined', async () => {
    const { parts, memory } = await flow.engine()
    await parts.strategy.attest(memory)
    await database.owner.query(sql`
      insert into own_output (network, outpoint, tx_hash, address, amount_minor, height)
      select 'litecoin', md5(number::text) || md5('x') || ':' || number, md5(number::text) || md5('x'), address, 1000000, 1
      from hot_wallet_address, generate_series(1, 1600) as number where branch = 0`)
    const at = { height: 1_000, finalHeight: 1_000, changeHeight: 1_000 }
    const spendable = await readSpendable(database.db, 'litecoin', at, {
      max: 5_000,
      needsPreviousTransactions: false,
    })
    const heldMinor = sum(spendable.map(({ amountMinor }) => amountMinor))
    const payment = { withdrawalId: newId(), merchantId: newId(), asset: 'litecoin/LTC', contract: null }
    const amounts = { address: newAddress(), netMinor: heldMinor - ltc / 2n, feeMinor: 0n, ...unsignedOrder }
    const intent = { kind: 'withdrawal' as const, payments: [{ ...payment, ...amounts }] }
    const proposal = { id: payment.withdrawalId, network: 'litecoin', intent, spends: undefined }
    const kinds = async () =>
      (await parts.strategy.prepare(memory, [proposal], never)).planned.map((planned) => planned.intent.kind)
    expect(await kinds()).toEqual(['consolidate'])
    await refusalRecords.add(database.owner, {
      outgoingTransactionId: newId(),
      network: 'litecoin',
      kind: 'consolidate',
      intent: '{"kind":"consolidate"}',
      code: 'over-limit',
      detail: 'too dear',
    })
    expect(await kinds()).toEqual([])
    await refusalRecords.change(database.owner, {}, { retryAt: fromNow('1 minute') })
    expect(await kinds()).toEqual([])
    await refusalRecords.change(database.owner, {}, { retryAt: now })
    expect(await kinds()).toEqual(['consolidate'])
    await refusalRecords.remove(database.owner)
  })

  it('reports that a transaction can never be mined if its parent cannot', async () => {
    await utxoRecords.remove(database.owner)
    const merchantId = await flow.openFunded(7n * ltc)
    await flow.order(merchantId, '1')
    const engine = await flow.engine()
    await engine.settle()
    await flow.mineAndFollow()
    await engine.settle()
    await flow.order(merchantId, '2')
    await engine.settle()
    const [first, second] = (await flow.outgoingTransactions()).slice(-2)
    expect([first?.state, second?.state]).toEqual(['included', 'broadcast'])
    const ids = [first?.id ?? '', second?.id ?? '']
    const height = (await flow.node.rpc('getblockcount')) as number
    expect(await readTakenInputs(database.db, 'litecoin', ids, height)).toEqual([])
    await database.owner.query(sql`
      update own_output set spent_by = 'somebody else' from outgoing_utxo where outgoing_transaction_id = ${ids[0]} and outpoint = pinned_outpoint`)
    const taken = await readTakenInputs(database.db, 'litecoin', ids, height)
    expect(taken.map(({ outgoingTransactionId }) => outgoingTransactionId).toSorted()).toEqual(ids.toSorted())
  })

  it('finds payouts and their change that a restored database adopts only after their blocks', async () => {
    await utxoRecords.remove(database.owner)
    const merchantId = await flow.openFunded(5n * ltc)
    const position = await signerLogRecords.one(flow.shop.db, {}, 'lastSequence')
    const givenBefore = await flow.shop.row<{ end: number }>(
      sql`select coalesce(max(index), -1) as end from hot_wallet_address where branch = 1 and is_given`,
    )
    const engine = await flow.engine()
    const orders = [await flow.order(merchantId, '1')]
    await engine.settle()
    await flow.mineAndFollow()
    await engine.settle()
    orders.push(await flow.order(merchantId, '2'))
    await engine.settle()
    await flow.endLeases()
    const ids = orders.map(({ id }) => id)
    const made = (await flow.outgoingTransactions()).slice(-2).map(({ id }) => id)
    await attemptRecords.remove(database.owner, { outgoingTransactionId: made })
    await outgoingRecords.remove(database.owner, { id: made })
    await hotAddressRecords.change(
      database.owner,
      { branch: 1, index: above(givenBefore.end) },
      { isGiven: false },
    )
    await signerLogRecords.change(database.owner, {}, { lastSequence: position.lastSequence })
    // The withdrawal keeps its transaction hash, so that what was reported for it is not reported again.
    await withdrawalRecords.change(database.owner, { id: ids }, { stage: 'approved' })
    await flow.mineAndFollow(3)
    await (await flow.engine()).settle()
    for (const id of ids) expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const hashes = (await Promise.all(ids.map(flow.withdrawal))).map(({ txHash }) =>
      required(txHash, 'a hash'),
    )
    const change = await utxoRecords.all(database.db, { txHash: hashes }, 'spentBy')
    expect(change.map(({ spentBy }) => spentBy)).toEqual([hashes[1], null])
  })
})
