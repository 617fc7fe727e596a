import sql from 'sql-template-tag'
import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import type { AccountSender, ChainReader, TakenPlace } from '../../src/chains/port.ts'
import { NodeError } from '../../src/chains/port.ts'
import { sendToAll } from '../../src/chains/quorum/several-senders.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { readPayoutFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { readUnknownOutflows } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { altered } from '../support/altered.ts'
import { resumeHalts } from '../support/lifts.ts'
import { type Machine, usePayoutFlow } from '../support/payout-flow.ts'

const flow = usePayoutFlow({ lanes: 1 })
const { database, anvil } = flow

afterEach(async () => {
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await flow.endLeases()
  await recovered(await flow.machine({ inFlightMax }))
  await flow.endLeases()
})

/** Few, so that few places have to be used up once a payout was displaced. */
const inFlightMax = 3

/** Blocks and rounds until nothing of a recovery is left. */
async function recovered(machine: Machine): Promise<void> {
  for (let blocks = 0; blocks < 30; blocks += 1) {
    await machine.finish(1)
    const rows = await database.db.query(sql`select from payout_recovery`)
    if (rows.length === 0) return
  }
  throw new Error('the recovery does not come to its end')
}

async function sent(machine: Machine) {
  const payment = await flow.pay()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  const [attempt] = await database.db.query<{ hash: string; nonce: number }>(sql`
    select tx_hash as hash, nonce from payout_attempt join payout on payout.id = payout_id
    where payout_id = ${payment.id}`)
  return { ...payment, hash: attempt?.hash ?? '', nonce: attempt?.nonce ?? 0 }
}

/** Somebody else's transaction with the lane's key, in the place of ours. */
async function displace({ hash, nonce }: { hash: string; nonce: number }): Promise<void> {
  const { mnemonic } = flow.signer.options
  const thief = mnemonicToAccount(mnemonic, { path: "m/44'/60'/1'/0/0" })
  await anvil.rpc('anvil_dropTransaction', [hash])
  const raw = await thief.signTransaction({
    type: 'eip1559',
    chainId: anvil.chainId,
    nonce,
    to: required(anvil.accounts[4], 'an account') as `0x${string}`,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 12n,
  })
  await anvil.rpc('eth_sendRawTransaction', [raw])
}

/** As a node whose index of transactions is behind, or one that lies: it knows of none of ours. */
const forgetful = (): { sender: AccountSender; chain: ChainReader } => ({
  sender: altered(flow.sender, { readReceipts: async (hashes) => hashes.map(() => undefined) }),
  chain: altered(flow.reader, { readTransaction: async () => ({ type: 'unknown' }) }),
})

const invented: TakenPlace = { height: 1, blockHash: `0x${'ab'.repeat(32)}`, txHash: `0x${'cd'.repeat(32)}` }

/** Says that everything of ours was displaced, in a block that is really ours. */
async function liar(): Promise<AccountSender> {
  const { height, hash } = await flow.reader.readHead(new AbortController().signal)
  return altered(forgetful().sender, {
    readNonces: async (addresses) => addresses.map(() => 1_000),
    findTaken: async () => ({ ...invented, height, blockHash: hash }),
  })
}

it('what a final transaction of another took the place of is displaced, halts everything, and is not sent again', async () => {
  const machine = await flow.machine({ inFlightMax })
  const payment = await sent(machine)
  await displace(payment)
  await flow.mine()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).not.toContain('displaced')
  await machine.finish()
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('displaced')
  expect(await flow.held(payment.address)).toBe(0n)
  expect(flow.alerts).toContain('payout-displaced')
  expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
  const later = await flow.pay()
  await machine.finish(2)
  expect((await flow.wish(later.id)).moves).toEqual([])
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await recovered(machine)
  expect(await readUnknownOutflows(database.db)).toMatchObject([
    { detail: expect.stringContaining('1 of coin') },
  ])
  await machine.finish()
  expect((await flow.wish(later.id)).isSuccess).toBe(true)
  expect((await flow.wish(payment.id)).moves.filter((move) => move === 'displaced')).toHaveLength(1)
})

it('what was paid is not displaced by a node that knows no transaction, however long it does not', async () => {
  const first = await flow.machine()
  const payment = await sent(first)
  await flow.endLeases()
  const machine = await flow.machine(forgetful())
  await machine.finish(12)
  expect((await flow.wish(payment.id)).moves).not.toContain('displaced')
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  await flow.endLeases()
  await (await flow.machine()).finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('no payout is displaced by one lying node of several, nor by a block that is not ours', async () => {
  const first = await flow.machine()
  const payment = await sent(first)
  await anvil.rpc('anvil_dropTransaction', [payment.hash])
  const stranger = altered(await liar(), { findTaken: async () => invented })
  const away = altered(flow.sender, { findTaken: () => Promise.reject(new NodeError('away')) })
  const several = [
    [await liar(), flow.sender],
    [await liar(), away],
    [await liar(), flow.sender, away],
  ]
  const senders = [stranger, ...several.map((some) => sendToAll(some, silentLog))]
  const { chain } = forgetful()
  for (const sender of senders) {
    await flow.endLeases()
    await anvil.rpc('anvil_dropTransaction', [payment.hash])
    const readReceipts: AccountSender['readReceipts'] = async (hashes) => hashes.map(() => undefined)
    const machine = await flow.machine({ chain, sender: altered(sender, { readReceipts }) })
    await machine.finish(4)
    expect((await flow.wish(payment.id)).moves).not.toContain('displaced')
  }
  await flow.endLeases()
  await (await flow.machine()).finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('two nodes that show the same are enough, whatever a third says', async () => {
  const first = await flow.machine()
  const payment = await sent(first)
  await displace(payment)
  await flow.endLeases()
  const sender = sendToAll([await liar(), flow.sender, flow.sender], silentLog)
  const machine = await flow.machine({ sender })
  await machine.finish()
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('displaced')
})

it('halts in one step with what shows that a payout was displaced, whatever ends the machine after it', async () => {
  const first = await flow.machine()
  const payment = await sent(first)
  await displace(payment)
  await flow.mine(8)
  await flow.endLeases()
  const dying = (fields: Record<string, unknown>) => {
    if (fields['alert'] === 'payout-displaced') throw new Error('it ends here')
  }
  const machine = await flow.machine({ log: { ...silentLog, error: dying } })
  await expect(machine.settle()).rejects.toThrow('it ends here')
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('displaced')
  expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
})

it('halts by a displaced payout though no node tells what became of another', async () => {
  const first = await flow.machine()
  const payment = await sent(first)
  const other = await sent(first)
  await anvil.rpc('anvil_dropTransaction', [other.hash])
  await displace(payment)
  await flow.mine(8)
  await flow.endLeases()
  const readTransaction = () => Promise.reject(new NodeError('away'))
  const machine = await flow.machine({ chain: altered(flow.reader, { readTransaction }) })
  await expect(machine.settle()).rejects.toThrow(NodeError)
  expect((await flow.wish(payment.id)).moves.at(-1)).toBe('displaced')
  expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await flow.endLeases()
  await recovered(await flow.machine({ inFlightMax }))
  await flow.endLeases()
  await (await flow.machine()).finish()
  expect((await flow.wish(other.id)).isSuccess).toBe(true)
})
