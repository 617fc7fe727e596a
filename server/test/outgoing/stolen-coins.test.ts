/** Coins of ours that leave without a payout of ours, on litecoind: whoever spends them has a key. */
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { spellingOf } from '../../src/chains/utxo/spelling.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/standing-halts.ts'
import { type CoinMachine, useCoinFlow } from '../support/coin-flow.ts'
import { resumeHalts } from '../support/lifts.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { testMnemonic } from '../support/shop.ts'
import { balanceOf } from '../support/shop-sight.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('coins of ours in other hands, on litecoind', () => {
  const flow = useCoinFlow(20)
  const { database } = flow

  afterEach(async () => {
    await flow.endLeases()
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  })

  const halts = async () => {
    const standing = await readShownHalts(database.db)
    return standing.map(({ cause }) => cause)
  }

  /** Spends coins with their own keys, to somebody else and, where told, back to where the last of them lay; in hex. */
  async function steal(outpoints: readonly string[], backMinor = 0n): Promise<string> {
    const root = HDKey.fromMasterSeed(mnemonicToSeedSync(testMnemonic))
    const transaction = new Transaction()
    let heldMinor = 0n
    let from = ''
    for (const outpoint of outpoints) {
      const coin = await flow.shop.row<{ address: string; branch: number; index: number; minor: string }>(sql`
        select address, branch, index, amount_minor as minor from coin join address using (address)
        where outpoint = ${outpoint}`)
      const key = root.derive(`m/84'/1'/0'/${coin.branch}/${coin.index}`)
      const { script } = p2wpkh(required(key.publicKey, 'a key'), spellingOf(litecoinRegtest.chain))
      const [txid = '', index] = outpoint.split(':')
      transaction.addInput({
        txid,
        index: Number(index),
        witnessUtxo: { script, amount: BigInt(coin.minor) },
      })
      heldMinor += BigInt(coin.minor)
      from = coin.address
    }
    const spelling = spellingOf(litecoinRegtest.chain)
    transaction.addOutputAddress(newAddress(), heldMinor - backMinor - 100_000n, spelling)
    if (backMinor > 0n) transaction.addOutputAddress(from, backMinor, spelling)
    for (const outpoint of outpoints) {
      const { branch, index } = await flow.shop.row<{ branch: number; index: number }>(sql`
        select branch, index from coin join address using (address) where outpoint = ${outpoint}`)
      transaction.sign(required(root.derive(`m/84'/1'/0'/${branch}/${index}`).privateKey, 'a key'))
    }
    transaction.finalize()
    return transaction.hex
  }

  const unspent = async () => (await flow.coins()).filter(({ isSpent }) => !isSpent)

  it('halts payouts for a coin that none of ours spent, then for what it paid, takes what comes back for no deposit, and goes on when told', async () => {
    const merchantId = await flow.openFunded(3n * ltc, 2n * ltc)
    const [first, second] = await unspent()
    const raw = await steal([first?.outpoint ?? '', second?.outpoint ?? ''], ltc)
    const before = await deposits()
    await flow.node.mineOnly([raw])
    await flow.follow()
    const machine = await flow.machine()
    const { id } = await flow.order(merchantId, '0.5')
    await machine.settle()
    expect(await halts()).toEqual(['log-unknown'])
    expect(flow.alerts).toContain('coin-stolen')
    expect(await deposits()).toBe(before)
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'queued' })
    await goOn(machine)
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await flow.playOut(machine, 8)
    expect(await halts()).toEqual([])
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    await flow.endLeases()
    expect((await flow.findBreaches()).join()).toContain('its key may be in other hands')
  })

  /** The operator lets payouts go on; once it is final, what no order here asked for is told, and payouts halt again. */
  async function goOn(machine: CoinMachine): Promise<void> {
    await flow.mineAndFollow()
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    await machine.settle()
    expect(await readShownHalts(database.db)).toMatchObject([
      { cause: 'log-unknown', detail: expect.stringContaining('which no order here asks for') },
    ])
  }

  async function deposits(): Promise<number> {
    const { count } = await flow.shop.row<{ count: number }>(
      sql`select count(*)::int as count from transaction`,
    )
    return count
  }

  it('returns the money of a withdrawal once another transaction that took its coin is final, and halts', async () => {
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
    const machine = await flow.machine({ sender: { ...flow.sender(), broadcast: away } })
    await machine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ stage: 'in_doubt' })
    const raw = await steal([largest.outpoint])
    await flow.node.mineOnly([raw])
    await flow.follow()
    await machine.settle()
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'pending' })
    for (let block = 0; block < 3; block += 1) {
      await flow.mineAndFollow()
      await machine.settle()
    }
    // Whether the other transaction paid this very order is found out once an operator lets payouts go on.
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'pending' })
    await goOn(machine)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'failed' })
    expect(Number(await balanceOf(flow.shop, invoice, 5))).toBeCloseTo(29.7)
    expect(await halts()).toEqual(['log-unknown'])
    const [payout] = await database.db.query(sql`select state from payout where state = 'displaced'`)
    expect(payout).toBeDefined()
    const held = await database.db.query(sql`
      select 1 from payout_input where not is_released and payout_id in (select id from payout where state = 'displaced')`)
    expect(held).toEqual([])
  })

  it('takes back what a payout that can never be mined was to spend beside, and pays others with it', async () => {
    await database.owner.query(sql`delete from coin`)
    const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
    for (const amountMinor of [3n * ltc, 4n * ltc]) await flow.wallet.pay(address, amountMinor)
    await flow.mineAndFollow(2)
    const lost = await flow.order(merchantId, '6')
    const away = async () => {
      throw new NodeError('the node is away')
    }
    const machine = await flow.machine({ sender: { ...flow.sender(), broadcast: away } })
    await machine.settle()
    await flow.endLeases()
    const payout = required((await flow.payouts()).at(-1), 'a payout')
    expect(payout).toMatchObject({ state: 'in_doubt', inputs: 2 })
    const coins = await unspent()
    // Its anchor stays: it is the last coin of it that comes back.
    const { wallet } = await flow.shop.row<{ wallet: string }>(
      sql`select wallet from payout where id = ${payout.id}`,
    )
    const stolen = required(
      coins.find(({ outpoint }) => outpoint !== wallet),
      'the other coin',
    )
    await flow.node.mineOnly([await steal([stolen.outpoint])])
    await flow.follow()
    const mark = await flow.shop.row<{ mark: number }>(sql`select last_sequence as mark from signer_log_mark`)
    const later = await flow.machine()
    await flow.playOut(later, 5)
    await goOn(later)
    expect(await flow.withdrawal(lost.id)).toMatchObject({ state: 'failed' })
    expect((await flow.payouts()).filter(({ kind }) => kind === 'reclaim')).toEqual([])
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    // What else the recovery respends is another test's.
    await database.owner.query(sql`delete from payout_recovery`)
    // One that was refused is found anew when it has rested.
    const intent = JSON.stringify({ kind: 'reclaim', payoutId: payout.id })
    await database.owner.query(sql`
      insert into payout_refusal (payout_id, network, kind, intent, code, detail, retry_at)
      values (${newId()}, 'litecoin', 'reclaim', ${intent}, 'over-limit', 'too dear', now() + interval '1 minute')`)
    await later.settle()
    expect((await flow.payouts()).filter(({ kind }) => kind === 'reclaim')).toEqual([])
    await database.owner.query(sql`update payout_refusal set retry_at = now()`)
    await later.settle()
    expect(await database.db.query(sql`select kind from payout_refusal`)).toEqual([])
    const taken = required((await flow.payouts()).at(-1), 'a payout')
    expect(taken).toMatchObject({ kind: 'reclaim', state: 'broadcast', inputs: 1 })
    // A restored database that knows the former as open takes over that its coin went on.
    await flow.endLeases()
    for (const statement of [
      sql`delete from payout_attempt where payout_id = ${taken.id}`,
      sql`delete from payout where id = ${taken.id}`,
      sql`update payout set state = 'in_doubt', ended_at = null where id = ${payout.id}`,
      sql`update payout_input set is_released = false where payout_id = ${payout.id}`,
      sql`update signer_log_mark set last_sequence = ${mark.mark}`,
    ])
      await database.owner.query(statement)
    const restored = await flow.machine()
    await flow.playOut(restored, 4)
    const ended = await flow.payouts()
    expect(ended.find(({ id }) => id === taken.id)).toMatchObject({ state: 'final', inputs: 1 })
    expect(ended.find(({ id }) => id === payout.id)).toMatchObject({ state: 'displaced' })
    const back = required(
      coins.find(({ outpoint }) => outpoint === wallet),
      'the anchor',
    )
    expect((await unspent()).map(({ minor }) => minor)).toEqual([back.minor - taken.feeMinor])
    await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
    const { id } = await flow.order(merchantId, '2')
    await flow.playOut(restored)
    expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
    expect((await flow.payouts()).filter(({ kind }) => kind === 'reclaim')).toHaveLength(1)
    expect(flow.alerts).not.toContain('signer-refused')
  })
})
