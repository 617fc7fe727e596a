import sql from 'sql-template-tag'
import { expect, it, onTestFinished } from 'vitest'
import { readPayoutFigures } from '../../src/outgoing/engine/controls/figures.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { resumeHalts } from '../support/lifts.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'
import { openTestSigner } from '../support/signer.ts'

const flow = usePayoutFlow({ lanes: 2 })
const { database } = flow

/** What a backup from before brings back: no payouts, and orders that were not planned. */
async function restoreOlder(): Promise<void> {
  await database.owner.query(sql`delete from payout_attempt`)
  await database.owner.query(sql`delete from payout`)
  await database.owner.query(sql`update signer_log_mark set last_sequence = 0`)
  await database.owner.query(sql`update wish set moves = '{}', tx_hash = null, is_success = null`)
}

async function signedCount(): Promise<number> {
  return (await flow.signer.signer.attest()).logEntries
}

it('a database restored to before the signing pays nothing twice, and knows again what was paid', async () => {
  const machine = await flow.machine()
  const payments = [await flow.pay(), await flow.pay(), await flow.pay()]
  await machine.finish()
  const signed = await signedCount()
  await flow.endLeases()
  await restoreOlder()
  const [lost] = payments
  await database.owner.query(sql`delete from wish where id = ${lost?.id}`)
  const restored = await flow.machine()
  const later = await flow.pay()
  await restored.finish()
  expect(await signedCount()).toBe(signed + 1)
  for (const payment of [...payments, later]) {
    expect((await flow.wish(payment.id)).isSuccess).toBe(true)
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
  }
  expect((await flow.wish(lost?.id ?? '')).moves.slice(0, 3)).toEqual(['planned', 'signed', 'broadcast'])
  const nonces = await database.db.query<{ wallet: string; nonce: number }>(
    sql`select wallet, nonce from payout order by wallet, nonce`,
  )
  for (const wallet of flow.signer.keys.lanes) {
    const own = nonces.filter((row) => row.wallet === wallet).map(({ nonce }) => nonce)
    expect(own).toEqual(own.map((_, index) => index))
  }
})

it('what was sent and not mined when the backup was restored is sent again, in its own place', async () => {
  const machine = await flow.machine()
  const sent = [await flow.pay(), await flow.pay()]
  await machine.settle()
  await flow.endLeases()
  await database.owner.query(
    sql`delete from payout_attempt where payout_id = any(${sent.map(({ id }) => id)}::uuid[])`,
  )
  // The restored database had planned them too, in each other's places.
  await database.owner.query(sql`delete from payout where state = 'broadcast'`)
  const places = flow.signer.keys.lanes
  const restored = await flow.machine()
  for (const [lane, { id, address, netMinor }] of sent.entries()) {
    const other = places[1 - lane] ?? ''
    await database.owner.query(sql`
      insert into payout (id, network, kind, intent, wallet_place, wallet, nonce, gas, max_fee_minor, tip_minor)
      select ${id}, 'ethereum', 'withdrawal', intent, ${JSON.stringify({ type: 'lane', lane: 1 - lane })}, ${other},
             (select max(nonce) + 1 from payout where wallet = ${other}), 21000, 1, 1
      from wish where id = ${id}`)
    await database.owner.query(sql`update wish set moves = '{planned}' where id = ${id}`)
    expect(await flow.held(address)).toBe(0n)
    expect(netMinor).toBeGreaterThan(0n)
  }
  await database.owner.query(sql`update signer_log_mark set last_sequence = 0`)
  const signed = await signedCount()
  await restored.finish()
  expect(await signedCount()).toBe(signed)
  for (const payment of sent) {
    expect((await flow.wish(payment.id)).isSuccess).toBe(true)
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
  }
})

it('takes nothing over twice where the database is made to forget how far it knows the log', async () => {
  const payment = await flow.pay()
  await (await flow.machine()).finish()
  await flow.endLeases()
  const state = () =>
    database.db.query(sql`
      select payout.id, state, nonce, tx_hash from payout join payout_attempt on payout_id = payout.id order by 1, 4`)
  const seen = async () => [await state(), await signedCount(), (await flow.wish(payment.id)).moves]
  const before = await seen()
  const signed = await signedCount()
  await database.db.query(sql`update signer_log_mark set last_sequence = 0`)
  await (await flow.machine()).finish()
  expect(await seen()).toEqual(before)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  expect(await database.db.query(sql`select last_sequence as mark from signer_log_mark`)).toEqual([
    { mark: signed },
  ])
})

it('while the signer is away what was sent is followed, and nothing is planned', async () => {
  const machine = await flow.machine()
  const sent = await flow.pay()
  await machine.settle()
  await flow.endLeases()
  const { SignerAwayError } = await import('../../src/signing/signer-port.ts')
  const away = () => Promise.reject(new SignerAwayError('away'))
  const alone = await flow.machine({
    signer: { attest: away, sign: away, readLog: away, control: flow.signer.signer.control },
  })
  const waiting = await flow.pay()
  await alone.finish()
  expect((await flow.wish(sent.id)).isSuccess).toBe(true)
  expect((await flow.wish(waiting.id)).moves).toEqual([])
  expect(flow.alerts).toEqual(['signer-away'])
  await flow.endLeases()
  await (await flow.machine()).finish()
  expect((await flow.wish(waiting.id)).isSuccess).toBe(true)
})

it('halts where the signer comes back with another log between two rounds, though its keys are ours', async () => {
  let current = flow.signer.signer
  const signer: Signer = {
    attest: () => current.attest(),
    sign: (requests) => current.sign(requests),
    readLog: (after, max) => current.readLog(after, max),
    get control() {
      return current.control
    },
  }
  const machine = await flow.machine({ signer })
  const paid = await flow.pay()
  await machine.finish()
  expect((await flow.wish(paid.id)).isSuccess).toBe(true)
  const { mnemonic, lanes, intentKey } = flow.signer.options
  const other = await openTestSigner({ mnemonic, lanes, intentKey })
  onTestFinished(() => other.close())
  current = other.signer
  const payment = await flow.pay()
  await machine.finish()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
  expect((await other.signer.attest()).logEntries).toBe(0)
  current = flow.signer.signer
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('halts where the log of the signer is shorter than what the database knows of it', async () => {
  await database.owner.query(sql`update signer_log_mark set last_sequence = last_sequence + 100`)
  const machine = await flow.machine()
  const payment = await flow.pay()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
})
