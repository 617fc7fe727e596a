/** Coins that payouts of litecoin come to speak for in unlucky ways, on litecoind. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { sum } from '../../src/core/money.ts'
import { xpubFingerprint } from '../../src/core/xpub-fingerprint.ts'
import { readPayoutFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { NotWantedError } from '../../src/outgoing/engine/purpose.ts'
import { insertPayouts } from '../../src/outgoing/engine/store.ts'
import { readSpendable } from '../../src/outgoing/utxo/coin-store.ts'
import { readTakenCoins } from '../../src/outgoing/utxo/spent-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Payment } from '../../src/signing/intent.ts'
import { useCoinFlow } from '../support/coin-flow.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { unsignedOrder } from '../support/payouts.ts'
import { openTestSigner, type TestSigner } from '../support/signer.ts'

const ltc = 10n ** 8n
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('the ends of coins, on litecoind', () => {
  const flow = useCoinFlow(30)
  const { database } = flow

  afterEach(() => flow.endLeases())

  const away = async () => {
    throw new NodeError('the node is away')
  }

  it('halts where the signer has other keys, and notes whose it has: no address is given away then', async () => {
    const other = await openTestSigner({ lanes: 1 })
    const told = sql`select xpub_fingerprint from attested_xpub where family = 'litecoin'`
    const noted = (keys: TestSigner['keys']) => [
      { xpub_fingerprint: xpubFingerprint(keys.accountOf(litecoinRegtest.chain).xpub) },
    ]
    try {
      await (await flow.machine({ signer: other.signer })).settle()
      expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'xpub-foreign' }])
      expect(await database.db.query(told)).toEqual(noted(other.keys))
    } finally {
      await other.close()
    }
    await flow.endLeases()
    await resumeHalts(database.db, flow.signer.keys, 'xpub-foreign')
    await (await flow.machine()).settle()
    expect(await database.db.query(told)).toEqual(noted(flow.signer.keys))
  })

  it('chooses no coin that the signer keeps for a payout that was displaced', async () => {
    const merchantId = await flow.openFunded(4n * ltc, 4n * ltc, 9n * ltc)
    await flow.order(merchantId, '0.5')
    const machine = await flow.machine({ sender: { ...flow.sender(), broadcast: away } })
    await machine.settle()
    await flow.endLeases()
    for (const statement of [
      sql`update payout set state = 'displaced', ended_at = now() where state = 'in_doubt'`,
      sql`update payout_input set is_released = true`,
    ])
      await database.owner.query(statement)
    const { id } = await flow.order(merchantId, '0.5')
    await (await flow.machine()).settle()
    expect(flow.alerts).not.toContain('signer-refused')
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'broadcast' })
  })

  it('spends no coin whose payment was found to be listed, below the minimum, or not deep enough since it was chosen', async () => {
    await database.owner.query(sql`delete from coin`)
    const merchantId = await flow.openFunded(30n * ltc)
    const { address } = await flow.openInvoice({ type: 'reusable' })
    const { raw, txid } = await flow.wallet.pay(address, 6n * ltc)
    await flow.mineAndFollow(2)
    const listed = {
      screenAll: async (_: unknown, __: string, senders: readonly string[]) =>
        new Map(senders.map((one) => [one, 'listed'] as const)),
    }
    /** In the second of the last two blocks, and so many after it. */
    const minedAgain = async (more: number, screening?: typeof listed) => {
      await flow.node.rollBack(2)
      await flow.node.mineOnly([])
      await flow.node.mineOnly([raw])
      for (let block = 0; block < more; block += 1) await flow.node.mineOnly([])
      await flow.follow(screening && { screening })
    }
    const keep = sql`update transaction set below_minimum = true, net_minor = null where tx_hash = ${txid}`
    const credit = sql`update transaction set below_minimum = false, net_minor = amount_minor - fee_minor where tx_hash = ${txid}`
    const changes: readonly { happens(): Promise<unknown>; after(): Promise<unknown> }[] = [
      { happens: () => minedAgain(0), after: () => flow.mineAndFollow() },
      { happens: () => database.owner.query(keep), after: () => database.owner.query(credit) },
      { happens: () => minedAgain(2, listed), after: async () => {} },
    ]
    const { parts, memory } = await flow.machine()
    await parts.way.attest(memory)
    for (const { happens, after } of changes) {
      const intent = { kind: 'withdrawal' as const, payments: [await paymentOf(merchantId)] }
      const proposal = { id: newId(), network: 'litecoin', intent, spends: undefined }
      const { planned } = await parts.way.place(memory, [proposal], never)
      expect(planned[0]?.coins?.inputs.map(({ outpoint }) => outpoint.split(':')[0])).toEqual([txid])
      await happens()
      const reserved = inTransaction(database.db, async (tx) => {
        await insertPayouts(tx, planned)
        await parts.way.reserve(tx, planned)
      })
      await expect(reserved).rejects.toBeInstanceOf(NotWantedError)
      await after()
    }
  })

  async function paymentOf(merchantId: string): Promise<Payment> {
    const asset = { asset: 'litecoin/LTC', contract: null }
    const amounts = { address: newAddress(), netMinor: ltc, feeMinor: 0n, ...unsignedOrder }
    return { withdrawalId: newId(), merchantId, ...asset, ...amounts }
  }

  it('gathers coins only while many of them can be spent', async () => {
    await flow.openFunded(2n * ltc, 3n * ltc)
    const { parts, memory } = await flow.machine()
    await parts.way.attest(memory)
    const asked = {
      id: newId(),
      network: 'litecoin',
      intent: { kind: 'consolidate' as const },
      spends: undefined,
    }
    expect((await parts.way.place(memory, [asked], never)).planned).toEqual([])
  })

  it('makes one coin of many smallest where that costs at most half of what it saves, and nothing where it costs more', async () => {
    // Fees are kept of it, which pay for what is sent.
    await flow.openFunded(5n * ltc)
    const { parts, memory } = await flow.machine()
    await parts.way.attest(memory)
    await database.owner.query(sql`delete from coin`)
    await database.owner.query(sql`
      insert into coin (network, outpoint, tx_hash, address, amount_minor, height)
      select 'litecoin', md5(number::text) || md5('y') || ':' || number, md5(number::text) || md5('y'), address, 100000 + number, 1
      from hot_place, generate_series(1, 210) as number where branch = 0`)
    const proposed = async () => {
      const own = parts.purposes.filter(({ kinds }) => kinds.includes('consolidate'))
      return (await Promise.all(own.map((one) => one.propose(database.db, 'litecoin', 10)))).flat()
    }
    expect(await proposed()).toHaveLength(1)
    for (const [unfit, fit] of [
      [sql`matures_after = 100000`, sql`matures_after = 1`],
      [sql`amount_minor = 10`, sql`amount_minor = 100000 + 20`],
    ]) {
      await database.owner.query(sql`update coin set ${unfit} where amount_minor <= 100020`)
      expect(await proposed()).toEqual([])
      await database.owner.query(sql`update coin set ${fit} where amount_minor <= 100020`)
    }
    await flow.endLeases()
    const gathered = async (rateMinor: bigint) => {
      const readFeeRate = async () => ({ rateMinor, leastMinor: 1_000n, source: 'estimate' as const })
      const machine = await flow.machine({ sender: { ...flow.sender(), readFeeRate } })
      await machine.parts.way.attest(machine.memory)
      const own = machine.parts.purposes.filter(({ kinds }) => kinds.includes('consolidate'))
      const asked = (await Promise.all(own.map((one) => one.propose(database.db, 'litecoin', 10)))).flat()
      expect(asked).toHaveLength(1)
      const { planned } = await machine.parts.way.place(machine.memory, asked, never)
      await flow.endLeases()
      return planned[0]
    }
    const usual = litecoinRegtest.chain.usualFeeRate
    const cheap = await gathered((usual * 4n) / 10n)
    const inputs = cheap?.coins?.inputs ?? []
    expect(inputs).toHaveLength(150)
    expect(inputs.every(({ amountMinor }) => amountMinor <= 100_150n)).toBe(true)
    // An input has 68 virtual bytes.
    expect(2n * (cheap?.fees.tipMinor ?? 0n)).toBeLessThanOrEqual((149n * 68n * usual) / 1_000n)
    expect(await gathered((usual * 6n) / 10n)).toBeUndefined()
    expect(await gathered(usual)).toBeUndefined()
    await database.owner.query(sql`delete from coin`)
  })

  it('asks for no second gathering of coins while the first was refused or is not mined', async () => {
    const { parts, memory } = await flow.machine()
    await parts.way.attest(memory)
    await database.owner.query(sql`
      insert into coin (network, outpoint, tx_hash, address, amount_minor, height)
      select 'litecoin', md5(number::text) || md5('x') || ':' || number, md5(number::text) || md5('x'), address, 1000000, 1
      from hot_place, generate_series(1, 1600) as number where branch = 0`)
    const at = { height: 1_000, finalHeight: 1_000, changeHeight: 1_000 }
    const spendable = await readSpendable(database.db, 'litecoin', at, { max: 5_000, needsMakers: false })
    const heldMinor = sum(spendable.map(({ amountMinor }) => amountMinor))
    const payment = { withdrawalId: newId(), merchantId: newId(), asset: 'litecoin/LTC', contract: null }
    const amounts = { address: newAddress(), netMinor: heldMinor - ltc / 2n, feeMinor: 0n, ...unsignedOrder }
    const intent = { kind: 'withdrawal' as const, payments: [{ ...payment, ...amounts }] }
    const proposal = { id: payment.withdrawalId, network: 'litecoin', intent, spends: undefined }
    const kinds = async () =>
      (await parts.way.place(memory, [proposal], never)).planned.map((planned) => planned.intent.kind)
    expect(await kinds()).toEqual(['consolidate'])
    await database.owner.query(sql`
      insert into payout_refusal (payout_id, network, kind, intent, code, detail)
      values (${newId()}, 'litecoin', 'consolidate', '{"kind":"consolidate"}', 'over-limit', 'too dear')`)
    expect(await kinds()).toEqual([])
    await database.owner.query(sql`update payout_refusal set retry_at = now() + interval '1 minute'`)
    expect(await kinds()).toEqual([])
    await database.owner.query(sql`update payout_refusal set retry_at = now()`)
    expect(await kinds()).toEqual(['consolidate'])
    await database.owner.query(sql`delete from payout_refusal`)
  })

  it('tells of a payout that spends the change of one that can never be mined that neither can be', async () => {
    await database.owner.query(sql`delete from coin`)
    const merchantId = await flow.openFunded(7n * ltc)
    await flow.order(merchantId, '1')
    const machine = await flow.machine()
    await machine.settle()
    await flow.mineAndFollow()
    await machine.settle()
    await flow.order(merchantId, '2')
    await machine.settle()
    const [first, second] = (await flow.payouts()).slice(-2)
    expect([first?.state, second?.state]).toEqual(['included', 'broadcast'])
    const ids = [first?.id ?? '', second?.id ?? '']
    const height = (await flow.node.rpc('getblockcount')) as number
    expect(await readTakenCoins(database.db, 'litecoin', ids, height)).toEqual([])
    await database.owner.query(sql`
      update coin set spent_by = 'somebody else' from payout where payout.id = ${ids[0]} and outpoint = wallet`)
    const taken = await readTakenCoins(database.db, 'litecoin', ids, height)
    expect(taken.map(({ payoutId }) => payoutId).toSorted()).toEqual(ids.toSorted())
  })

  it('finds payouts and their change that a restored database learns of only after their blocks', async () => {
    await database.owner.query(sql`delete from coin`)
    const merchantId = await flow.openFunded(5n * ltc)
    const mark = await flow.shop.row<{ mark: number }>(sql`select last_sequence as mark from signer_log_mark`)
    const givenBefore = await flow.shop.row<{ end: number }>(
      sql`select coalesce(max(index), -1) as end from hot_place where branch = 1 and is_given`,
    )
    const machine = await flow.machine()
    const orders = [await flow.order(merchantId, '1')]
    await machine.settle()
    await flow.mineAndFollow()
    await machine.settle()
    orders.push(await flow.order(merchantId, '2'))
    await machine.settle()
    await flow.endLeases()
    const ids = orders.map(({ id }) => id)
    const made = (await flow.payouts()).slice(-2).map(({ id }) => id)
    for (const statement of [
      sql`delete from payout_attempt where payout_id = any(${made}::uuid[])`,
      sql`delete from payout where id = any(${made}::uuid[])`,
      sql`update hot_place set is_given = false where branch = 1 and index > ${givenBefore.end}`,
      sql`update signer_log_mark set last_sequence = ${mark.mark}`,
      // The hash stays, so that what was told of it is not told again.
      sql`update withdrawal set stage = 'approved' where id = any(${ids}::uuid[])`,
    ])
      await database.owner.query(statement)
    await flow.mineAndFollow(3)
    await (await flow.machine()).settle()
    for (const id of ids) expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const hashes = (await Promise.all(ids.map(flow.withdrawal))).map(({ txHash }) => txHash)
    const change = await database.db.query<{ by: string | null }>(
      sql`select spent_by as by from coin where tx_hash = any(${hashes}::text[]) order by height`,
    )
    expect(change.map(({ by }) => by)).toEqual([hashes[1], null])
  })
})
