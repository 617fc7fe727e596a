/** Payouts where there are no witnesses, as in Dogecoin, on litecoind. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeError, type ToldCoin } from '../../src/chains/port.ts'
import type { CoinSender } from '../../src/chains/utxo/coin-port.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { required } from '../../src/core/assert.ts'
import { limits } from '../../src/core/limits.ts'
import { sum } from '../../src/core/money.ts'
import { useCoinFlow } from '../support/coin-flow.ts'
import { newOutsider } from '../support/coin-requests.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { hasLitecoind } from '../support/litecoind.ts'

const ltc = 10n ** 8n
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('payouts without witnesses, on litecoind', () => {
  const flow = useCoinFlow(40, { rows: [legacyLitecoin] })
  const { database } = flow

  afterEach(async () => {
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  })

  const net = (orderedMinor: bigint) => (orderedMinor * 99n) / 100n

  async function attemptOf(payoutId: string | undefined) {
    const row = await flow.shop.row<{ raw: string; gas: string }>(
      sql`select raw, gas from payout_attempt where payout_id = ${payoutId}`,
    )
    return { ...readRawTransaction(row.raw), bytes: row.raw.length / 2, gas: Number(row.gas) }
  }

  it('E10 are replaced by what the signer’s log shows, when a restored database adopts them and no node shows their coins', async () => {
    const merchantId = await flow.openFunded(6n * ltc)
    const mark = await flow.shop.row<{ mark: number }>(sql`select last_sequence as mark from signer_log_mark`)
    const { id, address } = await flow.order(merchantId, '1')
    await (await flow.machine()).settle()
    await flow.endLeases()
    const { id: payoutId } = required((await flow.payouts()).at(-1), 'a payout')
    for (const statement of [
      sql`delete from payout_attempt where payout_id = ${payoutId}`,
      sql`delete from payout where id = ${payoutId}`,
      sql`delete from coin_maker`,
      sql`update signer_log_mark set last_sequence = ${mark.mark}`,
      sql`update withdrawal set stage = 'approved' where id = ${id}`,
    ])
      await database.owner.query(statement)
    const readMakers = async () => {
      throw new NodeError('Block not available (pruned data)')
    }
    const network = { ...legacyLitecoin, chain: { ...legacyLitecoin.chain, canReplace: true } }
    const machine = await flow.machine({ network, sender: { ...flow.sender(), readMakers } })
    for (let block = 0; block < 6; block += 1) {
      await machine.settle()
      await flow.node.mineOnly([])
      await flow.follow()
    }
    await machine.settle()
    const attempts = await database.db.query(sql`select from payout_attempt where payout_id = ${payoutId}`)
    expect(attempts).toHaveLength(2)
    await flow.endLeases()
    await flow.playOut(await flow.machine())
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(await flow.received(address)).toBe(net(ltc))
  })

  it('pay many withdrawals with one transaction of customers’ coins, and complete them when it is final', async () => {
    const merchantId = await flow.openFunded(4n * ltc, 4n * ltc, 4n * ltc)
    const orders = []
    for (let number = 0; number < 20; number += 1) orders.push(await flow.order(merchantId, '0.5'))
    const machine = await flow.machine()
    await flow.playOut(machine)
    const sights = await Promise.all(orders.map(({ id }) => flow.withdrawal(id)))
    expect(new Set(sights.map(({ state }) => state))).toEqual(new Set(['completed']))
    expect(new Set(sights.map(({ txHash }) => txHash)).size).toBe(1)
    for (const { address } of orders) expect(await flow.received(address)).toBe(net(ltc / 2n))
    const payout = (await flow.payouts()).at(-1)
    const { inputs, outputs, bytes, gas } = await attemptOf(payout?.id)
    expect(outputs).toHaveLength(21)
    expect(inputs.length).toBeGreaterThan(1)
    for (const { script, witness } of inputs) {
      expect(witness).toEqual([])
      expect(script.length).toBeGreaterThan(100)
    }
    // Signatures are shorter than the longest by a byte or two, and the count of many inputs has three bytes.
    expect(gas - bytes).toBeGreaterThanOrEqual(0)
    expect(gas - bytes).toBeLessThanOrEqual(2 + 2 * inputs.length)
  })

  it('pay on from their own change, which what was signed shows', async () => {
    const merchantId = await flow.openFunded(3n * ltc)
    const machine = await flow.machine()
    for (let round = 0; round < 2; round += 1) {
      const { id } = await flow.order(merchantId, '0.3')
      await flow.playOut(machine)
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    }
    const made = await database.db.query(
      sql`select from coin_maker join payout_attempt using (network, tx_hash)`,
    )
    expect(made).toEqual([])
  })

  it('E10 are lifted by their change, and the lift by its own, where nodes replace nothing', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const machine = await flow.machine()
    const before = (await flow.payouts()).length
    await machine.settle()
    for (let block = 0; block < 10; block += 1) {
      await flow.node.mineOnly([])
      await flow.follow()
      await machine.settle()
    }
    const [paid, first, second] = (await flow.payouts()).slice(before)
    expect([paid, first, second].map((one) => one?.kind)).toEqual(['withdrawal', 'lift', 'lift'])
    const spent = async (payoutId: string | undefined) => (await attemptOf(payoutId)).inputs[0]?.outpoint
    expect(await spent(first?.id)).toMatch((await attemptOf(paid?.id)).txid)
    expect(await spent(second?.id)).toMatch((await attemptOf(first?.id)).txid)
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const ended = (await flow.payouts()).slice(before)
    expect(ended.map(({ state }) => state)).toEqual(['final', 'final', 'final'])
  })

  it('M20 are compared coin by coin where nodes look for no address, whatever was spent since', async () => {
    const merchantId = await flow.openFunded(3n * ltc)
    const rows = await database.db.query<{ outpoint: string; recipient: string; minor: string }>(
      sql`select outpoint, address as recipient, amount_minor as minor from coin where spent_by is null`,
    )
    const coins = rows.map(({ minor, ...coin }) => ({ ...coin, amountMinor: BigInt(minor) }))
    const height = (await flow.node.rpc('getblockcount')) as number
    const gone = (told: readonly ToldCoin[], at: number) =>
      required(flow.reader.findGone, 'the search')(told, at, never)
    const [one] = coins
    const lies = [
      { outpoint: `${'ab'.repeat(32)}:0` },
      { amountMinor: 5n },
      { recipient: newOutsider(legacyLitecoin) },
    ].map((lie) => ({ ...required(one, 'a coin'), ...lie }))
    expect(await gone(coins, height)).toEqual([])
    expect(await gone([...coins, ...lies], height)).toEqual(lies.map(({ outpoint }) => outpoint))
    await flow.order(merchantId, '1')
    const machine = await flow.machine()
    await machine.settle()
    await flow.node.mine(1)
    const spent = await gone(coins, height + 1)
    expect(spent.length).toBeGreaterThan(0)
    expect(await gone(coins, height)).toEqual([])
    await flow.playOut(machine)
    await flow.endLeases()
    await database.owner.query(sql`
      insert into coin (network, outpoint, tx_hash, address, amount_minor, height)
      values ('litecoin', ${`${'ab'.repeat(32)}:0`}, ${'ab'.repeat(32)}, ${one?.recipient}, 7, ${height})`)
    expect((await flow.findBreaches()).join()).toContain('the node has no coin')
    await database.owner.query(sql`delete from coin where amount_minor = 7`)
  })

  it('E12 pay from other coins than one of a transaction that is too large to go with them, and from that one once it is a coin of their own', async () => {
    const unspent = (await flow.coins()).filter(({ isSpent }) => !isSpent)
    const heldMinor = sum(unspent.map(({ minor }) => minor))
    const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
    // As an exchange pays, of which no node passes so large a one on.
    const others = Array.from({ length: 8_000 }, () => ({
      to: `76a914${'00'.repeat(20)}88ac`,
      amountMinor: 1_000n,
    }))
    const batch = flow.wallet.sign([{ to: address, amountMinor: 44n * ltc }, ...others], { feeMinor: ltc })
    expect(batch.raw.length / 2).toBeGreaterThan(limits.makersBytes)
    await flow.node.mineOnly([batch.raw])
    for (let payment = 0; payment < 2; payment += 1) await flow.wallet.pay(address, 2n * ltc)
    await flow.mineAndFollow(2)
    const machine = await flow.machine()
    const before = (await flow.payouts()).length
    const small = await flow.order(merchantId, `${heldMinor / ltc + 3n}`)
    await flow.playOut(machine)
    expect(await flow.withdrawal(small.id)).toMatchObject({ state: 'completed' })
    const large = await flow.order(merchantId, '25')
    await flow.playOut(machine, 6)
    expect(await flow.withdrawal(large.id)).toMatchObject({ state: 'completed' })
    expect((await flow.payouts()).slice(before)).toMatchObject([
      { kind: 'withdrawal' },
      { kind: 'consolidate', inputs: 1 },
      { kind: 'withdrawal' },
    ])
  })

  it('spend nothing that no node shows, and all else meanwhile', async () => {
    const shownMinor = 3n * ltc
    const firstMinor = 30n * ltc
    const secondMinor = 2n * ltc + 1n
    await flow.openFunded(shownMinor)
    const hidden = await flow.openFunded(firstMinor)
    await flow.openFunded(secondMinor)
    const hiddenMinors = [`${firstMinor}`, `${secondMinor}`]
    const hashes = await database.db.query<{ hash: string }>(
      sql`select block.hash from coin join block using (network, height) where amount_minor = any(${hiddenMinors}::numeric[])`,
    )
    expect(hashes).toHaveLength(2)
    const sender = flow.sender()
    let isGone = true
    const pruned: CoinSender = {
      ...sender,
      readMakers: async (blockHash, ...words) => {
        if (isGone && hashes.some(({ hash }) => hash === blockHash))
          throw new NodeError('Block not available (pruned data)')
        return sender.readMakers(blockHash, ...words)
      },
    }
    const merchantId = await flow.openFunded(2n * ltc)
    const large = await flow.order(hidden, '28')
    const machine = await flow.machine({ sender: pruned })
    await machine.settle()
    expect(flow.alerts.filter((alert) => alert === 'coins-unshown')).toHaveLength(1)
    // Those of older blocks than the ones that cannot be read, too.
    const shown = await database.db.query(sql`
      select amount_minor as minor from coin join coin_maker using (network, tx_hash)
      where amount_minor = any(${[`${shownMinor}`, ...hiddenMinors]}::numeric[]) and spent_by is null`)
    expect(shown).toEqual([{ minor: `${shownMinor}` }])
    expect(await flow.withdrawal(large.id)).toMatchObject({ stage: 'approved' })
    isGone = false
    const small = await flow.order(merchantId, '1')
    await flow.playOut(machine)
    for (const { id } of [large, small])
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })
})
