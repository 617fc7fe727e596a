/** Payouts of the UTXO family on litecoind. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { insertPayouts, type NewPayout } from '../../src/outgoing/engine/store.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import { laneTotalMinor, readTreasury, shortfallMinor } from '../../src/outgoing/treasury/read-treasury.ts'
import { readSpendable } from '../../src/outgoing/utxo/coin-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { type CoinFlow, useCoinFlow } from '../support/coin-flow.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'

const ltc = 10n ** 8n
const never = new AbortController().signal

describe.skipIf(!hasLitecoind)('payouts in litecoin, on litecoind', () => {
  const flow = useCoinFlow()
  const { database } = flow

  afterEach(async () => {
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  })

  /** Fees stay with the operator: one percent of what came in and of what goes out. */
  const net = (orderedMinor: bigint) => (orderedMinor * 99n) / 100n

  async function rawOf(txHash: string | null) {
    const { raw } = await flow.shop.row<{ raw: string }>(
      sql`select raw from payout_attempt where tx_hash = ${txHash}`,
    )
    return readRawTransaction(raw)
  }

  const lastPayout = async () => (await flow.payouts()).at(-1)

  it('pays a withdrawal from a coin of a customer, takes change back, and completes it when it is final', async () => {
    const merchantId = await flow.openFunded(10n * ltc)
    const { id, address } = await flow.order(merchantId, '3')
    const machine = await flow.machine()
    await machine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
    await flow.look()
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect(await flow.received(address)).toBe(net(3n * ltc))
    const payout = await lastPayout()
    expect(payout).toMatchObject({ kind: 'withdrawal', state: 'final', inputs: 1 })
    const back = 10n * ltc - net(3n * ltc) - (payout?.feeMinor ?? 0n)
    expect(await flow.coins()).toMatchObject([{ isSpent: true }, { minor: back, isSpent: false }])
    expect(await deposits()).toBe(1)
    const figures = (await readTreasury(database.db, flow.shop.methods)).find(({ method }) => method.id === 5)
    expect(figures && laneTotalMinor(figures)).toBe(back)
    expect(figures && shortfallMinor(figures)).toBe(0n)
  })

  /** Payments that came from outside: what we pay to ourselves is none, with any number of inputs. */
  async function deposits(): Promise<number> {
    const { count } = await flow.shop.row<{ count: number }>(
      sql`select count(*)::int as count from transaction`,
    )
    return count
  }

  it('pays fifty withdrawals with one transaction', async () => {
    const before = await deposits()
    const merchantId = await flow.openFunded(4n * ltc, 4n * ltc, 4n * ltc)
    const orders = []
    for (let number = 0; number < 50; number += 1) orders.push(await flow.order(merchantId, '0.2'))
    const machine = await flow.machine()
    await flow.playOut(machine)
    const sights = await Promise.all(orders.map(({ id }) => flow.withdrawal(id)))
    expect(new Set(sights.map(({ state }) => state))).toEqual(new Set(['completed']))
    const [txHash = null, ...others] = [...new Set(sights.map((sight) => sight.txHash))]
    expect(others).toEqual([])
    const { outputs, inputs } = await rawOf(txHash)
    expect(outputs).toHaveLength(51)
    expect(inputs.length).toBeGreaterThan(1)
    for (const { address } of [orders[0], orders[49]].flatMap((one) => one ?? []))
      expect(await flow.received(address)).toBe(net(ltc / 5n))
    expect(await deposits()).toBe(before + 3)
  })

  it('E09 two planners that chose one coin: one has it, the other waits, and both are paid', async () => {
    const merchantId = await flow.openFunded(2n * ltc, ltc)
    const first = await flow.order(merchantId, '0.3')
    const second = await flow.order(merchantId, '0.4')
    const machine = await flow.machine()
    const { parts, memory } = machine
    await parts.way.attest(memory)
    const [shared, ...others] = await spendableOf(flow)
    /** Of anchors of their own, and one coin that both want beside it. */
    const plans = others.slice(0, 2).map((anchor): NewPayout => {
      const coins = { inputs: [anchor, required(shared, 'a coin')], change: undefined }
      const id = newId()
      const fees = { gas: 1n, maxFeeMinor: 1n, tipMinor: 1n }
      const intent = { kind: 'consolidate' as const }
      const from = { type: 'hot' as const, branch: 0 as const, index: 0 }
      const wallet = anchor.outpoint
      return { id, network: 'litecoin', intent, from, wallet, nonce: 0, fees, spends: undefined, coins }
    })
    expect(plans).toHaveLength(2)
    const ended = await Promise.allSettled(
      plans.map((planned) =>
        inTransaction(database.db, async (tx) => {
          await insertPayouts(tx, [planned])
          await parts.way.reserve(tx, [planned])
        }),
      ),
    )
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await database.db.query(sql`delete from payout where state = 'planned'`)
    await flow.playOut(machine)
    for (const { id } of [first, second])
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })

  it('E11 leaves to the fee what would come back as dust', async () => {
    const merchantId = await flow.openFunded(2n * ltc)
    // One input and one output at ten for each virtual byte, and what nobody would pass on.
    await flow.openFunded(net(ltc) + 1_115n + 2_000n)
    const { id, address } = await flow.order(merchantId, '1')
    // Where fees are above what they are on an ordinary day, no more coins are spent than are needed.
    const chain = { ...litecoinRegtest.chain, usualFeeRate: 5_000n }
    await flow.playOut(await flow.machine({ network: { ...litecoinRegtest, chain } }))
    const payout = await lastPayout()
    expect(payout?.inputs).toBe(1)
    expect(payout?.feeMinor).toBe(3_115n)
    const { outputs } = await rawOf((await flow.withdrawal(id)).txHash)
    expect(outputs.map(({ amountMinor }) => amountMinor)).toEqual([net(ltc)])
    expect(await flow.received(address)).toBe(net(ltc))
  })

  it('refuses what no node passes on, and returns the money', async () => {
    const merchantId = await flow.openFunded(2n * ltc)
    const { id } = await flow.order(merchantId, '0.02')
    const machine = await flow.machine({
      network: { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, dustMinor: ltc / 50n } },
    })
    await machine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'failed' })
  })

  it('E10 lifts a stuck payout by spending its change for the fee of both, where nodes replace nothing', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const machine = await flow.machine()
    await machine.settle()
    const stuck = await lastPayout()
    await passBy(flow, machine.settle, 5)
    const [lift] = (await flow.payouts()).filter(({ kind }) => kind === 'lift')
    expect(lift).toMatchObject({ state: 'broadcast', inputs: 1 })
    const { txHash } = await flow.withdrawal(id)
    const [{ raw } = { raw: '' }] = await database.db.query<{ raw: string }>(
      sql`select raw from payout_attempt where payout_id = ${lift?.id}`,
    )
    expect(readRawTransaction(raw).inputs.map(({ outpoint }) => outpoint.split(':')[0])).toEqual([txHash])
    const gas = (stuck?.gas ?? 0n) + (lift?.gas ?? 0n)
    const fee = (stuck?.feeMinor ?? 0n) + (lift?.feeMinor ?? 0n)
    expect(fee / gas).toBeGreaterThanOrEqual(11n)
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash })
    expect((await flow.payouts()).find((one) => one.id === lift?.id)).toMatchObject({ state: 'final' })
    expect(flow.alerts).toEqual([])
  })

  it('E10 what miners leave for its low fee they take with what lifts it, as the node itself decides', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const machine = await flow.machine()
    await machine.settle()
    const { txHash } = await flow.withdrawal(id)
    const stuck = required(await lastPayout(), 'a payout')
    // As if it paid almost nothing: the node's own rules for a block leave it.
    await flow.node.rpc('prioritisetransaction', txHash, 0, -Number(stuck.feeMinor - 10n))
    const waiting = () => flow.node.rpc('getrawmempool') as Promise<readonly string[]>
    for (let block = 0; block < 3; block += 1) {
      await flow.mineAndFollow()
      await machine.settle()
      expect(await waiting()).toEqual([txHash])
    }
    await flow.mineAndFollow()
    await machine.settle()
    const [lift] = (await waiting()).filter((hash) => hash !== txHash)
    const entry = await flow.node.rpc('getmempoolentry', lift)
    expect(entry).toMatchObject({ depends: [txHash], ancestorcount: 2 })
    await flow.mineAndFollow()
    expect(await waiting()).toEqual([])
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash })
    expect(flow.alerts).toEqual([])
  })

  it('E10 lifts the lift where that is stuck too', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    await flow.order(merchantId, '2')
    const machine = await flow.machine()
    const before = (await flow.payouts()).length
    await machine.settle()
    await passBy(flow, machine.settle, 10)
    const own = (await flow.payouts()).slice(before)
    expect(own.map(({ kind }) => kind)).toEqual(['withdrawal', 'lift', 'lift'])
    await flow.playOut(machine)
    const ended = (await flow.payouts()).slice(before)
    expect(ended.map(({ state }) => state)).toEqual(['final', 'final', 'final'])
  })

  it('E10 E06 replaces a stuck payout with the same coins where nodes do, and counts the one that is mined', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id, address } = await flow.order(merchantId, '2')
    const machine = await flow.machine({
      network: { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, canReplace: true } },
    })
    await machine.settle()
    const before = await lastPayout()
    const { txHash: first } = await flow.withdrawal(id)
    const firstRaw = await flow.node.rpc('getrawtransaction', first)
    await passBy(flow, machine.settle, 5)
    const raised = await lastPayout()
    expect(raised?.feeMinor).toBeGreaterThan(before?.feeMinor ?? 0n)
    const { txHash: second } = await flow.withdrawal(id)
    expect(second).not.toBe(first)
    expect(await flow.node.rpc('getrawmempool')).toEqual([second])
    const inputsOf = async (raw: string) => readRawTransaction(raw).inputs.map(({ outpoint }) => outpoint)
    expect(await inputsOf(await flow.node.rpc('getrawtransaction', second))).toEqual(await inputsOf(firstRaw))
    // A miner that kept the first one.
    await flow.node.mineOnly([firstRaw])
    await flow.follow()
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash: first })
    expect(await flow.received(address)).toBe(net(2n * ltc))
  })

  it('E08 sends the same bytes again when a reorganisation drops them, even where they were final', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const machine = await flow.machine()
    await flow.playOut(machine, 2)
    const { txHash } = await flow.withdrawal(id)
    const payout = await lastPayout()
    expect(payout?.state).toBe('final')
    await flow.node.rollBack(2)
    for (let block = 0; block < 3; block += 1) await flow.node.mineOnly([])
    await flow.follow()
    await machine.settle()
    expect(await lastPayout()).toMatchObject({ state: 'broadcast' })
    expect(await flow.node.rpc('getrawmempool')).toContain(txHash)
    await flow.playOut(machine)
    expect(await lastPayout()).toMatchObject({ id: payout?.id, state: 'final', txHash })
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed', txHash })
  })

  it('halves what the signer refuses, so that others are paid', async () => {
    const merchantId = await flow.openFunded(6n * ltc)
    const orders = []
    for (const amount of ['0.5', '0.6', '0.7']) orders.push(await flow.order(merchantId, amount))
    const machine = await flow.machine()
    flow.refusals.push({ type: 'refused', code: 'over-limit', detail: 'too much at once' })
    await flow.playOut(machine)
    const hashes = await Promise.all(orders.map(async ({ id }) => (await flow.withdrawal(id)).txHash))
    expect(new Set(hashes)).not.toContain(null)
    expect(new Set(hashes).size).toBe(2)
    for (const { id } of orders) expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
  })

  it('takes over from the signer what a restored database has forgotten, with its coins and its change', async () => {
    const merchantId = await flow.openFunded(5n * ltc)
    const { id } = await flow.order(merchantId, '2')
    const mark = await flow.shop.row<{ mark: number }>(sql`select last_sequence as mark from signer_log_mark`)
    const places = await flow.shop.row<{ count: number }>(
      sql`select count(*)::int as count from hot_place where is_given`,
    )
    const away = async () => {
      throw new NodeError('the node is away')
    }
    await (await flow.machine({ sender: { ...flow.sender(), broadcast: away } })).settle()
    await flow.endLeases()
    const signed = await lastPayout()
    expect(signed).toMatchObject({ state: 'in_doubt' })
    for (const statement of [
      sql`delete from payout_attempt where payout_id = ${signed?.id}`,
      sql`delete from payout where id = ${signed?.id}`,
      sql`update hot_place set is_given = false where index = (select max(index) from hot_place where is_given)`,
      sql`update signer_log_mark set last_sequence = ${mark.mark}`,
      sql`update withdrawal set stage = 'approved', tx_hash = null where id = ${id}`,
    ])
      await flow.database.owner.query(statement)
    const machine = await flow.machine()
    await machine.settle()
    expect(await lastPayout()).toMatchObject({
      id: signed?.id,
      inputs: signed?.inputs,
      feeMinor: signed?.feeMinor,
    })
    expect(await flow.shop.row(sql`select count(*)::int as count from hot_place where is_given`)).toEqual({
      count: places.count + 1,
    })
    await flow.playOut(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    const attempts = await database.db.query(
      sql`select 1 from payout_attempt where payout_id = ${signed?.id}`,
    )
    expect(attempts).toHaveLength(1)
  })

  /** Signed, with small coins first whatever fees are, and not sent: the payout, and the mark that the signer's log had before. */
  async function signedOnly() {
    const mark = await flow.shop.row<{ mark: number }>(sql`select last_sequence as mark from signer_log_mark`)
    const away = async () => {
      throw new NodeError('the node is away')
    }
    const chain = { ...litecoinRegtest.chain, usualFeeRate: litecoinRegtest.chain.feeRateMax }
    const network = { ...litecoinRegtest, chain }
    await (await flow.machine({ network, sender: { ...flow.sender(), broadcast: away } })).settle()
    await flow.endLeases()
    return { payout: required(await lastPayout(), 'a payout'), mark: mark.mark }
  }

  const coinsOf = (payoutId: string) =>
    database.db.query<{ outpoint: string; wallet: string }>(sql`
      select outpoint, wallet from payout_input join payout on payout.id = payout_id
      where payout_id = ${payoutId} and not is_released order by place`)

  it('takes over what was signed where the database has another plan of the same name', async () => {
    const merchantId = await flow.openFunded(2n * ltc, 2n * ltc, 40n * ltc)
    await flow.order(merchantId, '3')
    const { payout, mark } = await signedOnly()
    const before = await coinsOf(payout.id)
    expect(before.length).toBeGreaterThan(1)
    const other = required((await spendableOf(flow))[0], 'another coin').outpoint
    const elsewhere = { type: 'hot', branch: 1, index: 900 }
    for (const statement of [
      sql`delete from payout_attempt where payout_id = ${payout.id}`,
      sql`update payout_input set outpoint = ${other} where payout_id = ${payout.id} and place = 1`,
      sql`update payout set state = 'planned', wallet_place = ${JSON.stringify(elsewhere)}::jsonb where id = ${payout.id}`,
      sql`update signer_log_mark set last_sequence = ${mark}`,
    ])
      await database.owner.query(statement)
    const machine = await flow.machine()
    await machine.settle()
    expect(await coinsOf(payout.id)).toEqual(before)
    const { place } = await flow.shop.row<{ place: unknown }>(
      sql`select wallet_place as place from payout where id = ${payout.id}`,
    )
    expect(place).not.toEqual(elsewhere)
    await flow.playOut(machine)
    expect((await flow.payouts()).find(({ id }) => id === payout.id)).toMatchObject({ state: 'final' })
  })

  it('halts where the signer signed other coins for a payout than are known, and speaks for those too', async () => {
    const merchantId = await flow.openFunded(2n * ltc, 2n * ltc, 40n * ltc)
    await flow.order(merchantId, '3')
    const { payout, mark } = await signedOnly()
    const before = await coinsOf(payout.id)
    const last = required(before.slice(1).at(-1), 'a second coin')
    for (const statement of [
      sql`delete from payout_input where payout_id = ${payout.id} and outpoint = ${last.outpoint}`,
      sql`delete from payout_attempt where payout_id = ${payout.id}`,
      sql`update signer_log_mark set last_sequence = ${mark}`,
    ])
      await database.owner.query(statement)
    const machine = await flow.machine()
    await machine.round()
    const halts = await database.db.query<{ detail: string }>(sql`select cause, detail from payout_halt`)
    expect(halts).toMatchObject([{ cause: 'log-unknown', detail: expect.stringContaining(last.outpoint) }])
    const after = await coinsOf(payout.id)
    expect(after).toEqual(before)
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await flow.playOut(machine)
    expect((await flow.payouts()).find(({ id }) => id === payout.id)).toMatchObject({ state: 'final' })
  })

  it('B04 takes back what a payout was to spend beside a payment that a reorganisation replaced, and pays its withdrawal anew', async () => {
    const merchantId = await flow.openFunded(6n * ltc)
    const { address } = await flow.openInvoice({ type: 'reusable' })
    const paid = await flow.wallet.pay(address, 2n * ltc)
    await flow.mineAndFollow(2)
    const lost = await flow.order(merchantId, '5')
    // With the smallest coins first, whatever fees are.
    const chain = { ...litecoinRegtest.chain, usualFeeRate: litecoinRegtest.chain.feeRateMax }
    const machine = await flow.machine({ network: { ...litecoinRegtest, chain } })
    await machine.settle()
    const payout = required(await lastPayout(), 'a payout')
    expect(payout.state).toBe('broadcast')
    expect((await coinsOf(payout.id)).map(({ outpoint }) => outpoint)).toContain(`${paid.txid}:0`)
    expect(payout.inputs).toBeGreaterThan(1)
    const rival = flow.wallet.sign([{ to: newAddress(), amountMinor: ltc }], {
      coins: paid.coins,
      feeMinor: 1_000_000n,
    })
    await flow.node.rollBack(2)
    await flow.node.mineOnly([rival.raw])
    for (let block = 0; block < 4; block += 1) {
      await flow.node.mineOnly([])
      await flow.follow()
      await machine.settle()
    }
    expect((await flow.payouts()).find(({ id }) => id === payout.id)).toMatchObject({ state: 'displaced' })
    expect(await flow.withdrawal(lost.id)).toMatchObject({ state: 'failed' })
    expect(flow.alerts).toContain('payout-displaced')
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await flow.playOut(machine)
    const taken = await database.db.query<{ id: string }>(sql`
      select id from payout where kind = 'reclaim' and intent::jsonb ->> 'payoutId' = ${payout.id}`)
    expect((await flow.payouts()).filter(({ id }) => taken.some((one) => one.id === id))).toMatchObject([
      { state: 'final', inputs: payout.inputs - 1 },
    ])
    const { id } = await flow.order(merchantId, '5')
    await flow.playOut(machine)
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
        pollMs: 10,
      })
      await worker.takeAndDo(never)
      const row = await flow.shop.row<{ collect_state: string }>(
        sql`select collect_state from invoice where id = ${invoice.invoiceId}`,
      )
      return row.collect_state
    }
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow(1)
    expect(await collectState()).toBe('collecting')
    await flow.mineAndFollow(1)
    expect(await collectState()).toBe('completed')
  })

  it('spends no coin that is held apart, not final, or of nobody we know', async () => {
    const merchantId = await flow.openFunded(3n * ltc)
    const machine = await flow.machine()
    await machine.parts.way.attest(machine.memory)
    const { address } = await flow.shop.row<{ address: string }>(
      sql`select address from hot_place where branch = 0 and index = 0`,
    )
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
    await machine.settle()
    expect(merchantId).toBeDefined()
  })

  it('B07 spends nothing that is below the minimum, until the sum of its invoice reaches it', async () => {
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

/** Blocks that hold nothing of ours. */
async function passBy(flow: CoinFlow, settle: () => Promise<void>, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    await flow.node.mineOnly([])
    await flow.follow()
    await settle()
  }
}

async function spendableOf(flow: CoinFlow) {
  const height = (await flow.node.rpc('getblockcount')) as number
  return readSpendable(
    flow.shop.db,
    'litecoin',
    { height, finalHeight: height - 1, changeHeight: height },
    { max: 100, needsMakers: false },
  )
}
