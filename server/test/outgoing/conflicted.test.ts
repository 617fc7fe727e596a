import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import type { AccountSender, ChainReader, TakenSlot } from '../../src/chains/port.ts'
import { NodeError } from '../../src/chains/port.ts'
import { openQuorumSender } from '../../src/chains/quorum/sender.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { readUnknownOutflows } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { altered } from '../support/altered.ts'
import { resumeHalts } from '../support/lifts.ts'
import { bookOutflows } from '../support/outflows.ts'
import { attemptsOf } from '../support/outgoing/attempts.ts'
import { outgoingRecoveryRecords } from '../support/outgoing/records.ts'
import { type Engine, useOutgoingFlow } from '../support/outgoing-flow.ts'

const flow = useOutgoingFlow({ hotWallets: 1 })
const { database, anvil } = flow

afterEach(async () => {
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await flow.endLeases()
  await recovered(await flow.engine({ inFlightMax }))
  await flow.endLeases()
})

/** Small, so that few nonces have to be used up once an outgoing transaction is conflicted. */
const inFlightMax = 3

/** Mines blocks and runs rounds until the recovery is over. The operator bears the loss of what was stolen. */
async function recovered(engine: Engine): Promise<void> {
  for (let blocks = 0; blocks < 30; blocks += 1) {
    await engine.finish(1)
    await bookOutflows(flow.shop)
    const rows = await outgoingRecoveryRecords.all(database.db)
    if (rows.length === 0) return
  }
  throw new Error('the recovery does not come to its end')
}

async function sent(engine: Engine) {
  const payment = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  const [attempt] = await attemptsOf(database.db, { id: payment.id })
  return { ...payment, hash: attempt?.hash ?? '', nonce: attempt?.nonce ?? 0 }
}

/** Mines a transaction of somebody else, signed with the hot wallet's key, under the nonce of ours. */
async function conflict({ hash, nonce }: { hash: string; nonce: number }): Promise<void> {
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

/** A node whose transaction index lags, or that lies: it knows none of our transactions. */
const forgetful = (): { sender: AccountSender; chain: ChainReader } => ({
  sender: altered(flow.sender, { readReceipts: async (hashes) => hashes.map(() => undefined) }),
  chain: altered(flow.reader, { readTransaction: async () => ({ type: 'unknown' }) }),
})

const invented: TakenSlot = { height: 1, blockHash: `0x${'ab'.repeat(32)}`, txHash: `0x${'cd'.repeat(32)}` }

/** A node that reports all our transactions as conflicted, and names a block that really is on our chain. */
async function liar(): Promise<AccountSender> {
  const { height, hash } = await flow.reader.readHead(new AbortController().signal)
  return altered(forgetful().sender, {
    readNonces: async (addresses) => addresses.map(() => 1_000),
    findTaken: async () => ({ ...invented, height, blockHash: hash }),
  })
}

it('a transaction whose nonce was used by a final one of somebody else is conflicted, halts everything, and is not sent again', async () => {
  const engine = await flow.engine({ inFlightMax })
  const payment = await sent(engine)
  await conflict(payment)
  await flow.mine()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).not.toContain('conflicted')
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('conflicted')
  expect(await flow.held(payment.address)).toBe(0n)
  expect(flow.alerts).toContain('outgoing-conflicted')
  expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
  const later = await flow.pay()
  await engine.finish(2)
  expect((await flow.transferRequest(later.id)).moves).toEqual([])
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await recovered(engine)
  expect(await readUnknownOutflows(database.db)).toMatchObject([
    { detail: expect.stringContaining('1 of coin') },
  ])
  await engine.finish()
  expect((await flow.transferRequest(later.id)).isSuccess).toBe(true)
  expect((await flow.transferRequest(payment.id)).moves.filter((move) => move === 'conflicted')).toHaveLength(
    1,
  )
})

it('a paid transaction is not marked conflicted because a node knows no transaction, for however long', async () => {
  const first = await flow.engine()
  const payment = await sent(first)
  await flow.endLeases()
  const engine = await flow.engine(forgetful())
  await engine.finish(12)
  expect((await flow.transferRequest(payment.id)).moves).not.toContain('conflicted')
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  await flow.endLeases()
  await (await flow.engine()).finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('nothing is marked conflicted for one lying node of several, nor for a block that is not on our chain', async () => {
  const first = await flow.engine()
  const payment = await sent(first)
  await anvil.rpc('anvil_dropTransaction', [payment.hash])
  const stranger = altered(await liar(), { findTaken: async () => invented })
  const away = altered(flow.sender, { findTaken: () => Promise.reject(new NodeError('away')) })
  const quorums = [
    [await liar(), flow.sender],
    [await liar(), away],
    [await liar(), flow.sender, away],
  ]
  const senders = [stranger, ...quorums.map((some) => openQuorumSender(some, silentLog))]
  const { chain } = forgetful()
  for (const sender of senders) {
    await flow.endLeases()
    await anvil.rpc('anvil_dropTransaction', [payment.hash])
    const readReceipts: AccountSender['readReceipts'] = async (hashes) => hashes.map(() => undefined)
    const engine = await flow.engine({ chain, sender: altered(sender, { readReceipts }) })
    await engine.finish(4)
    expect((await flow.transferRequest(payment.id)).moves).not.toContain('conflicted')
  }
  await flow.endLeases()
  await (await flow.engine()).finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('a transaction is conflicted once two nodes report the same, whatever a third reports', async () => {
  const first = await flow.engine()
  const payment = await sent(first)
  await conflict(payment)
  await flow.endLeases()
  const sender = openQuorumSender([await liar(), flow.sender, flow.sender], silentLog)
  const engine = await flow.engine({ sender })
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('conflicted')
})

it('the halt and the conflict that it reports are stored in one step, whenever the engine is killed afterwards', async () => {
  const first = await flow.engine()
  const payment = await sent(first)
  await conflict(payment)
  await flow.mine(8)
  await flow.endLeases()
  const dying = (fields: Record<string, unknown>) => {
    if (fields['alert'] === 'outgoing-conflicted') throw new Error('it ends here')
  }
  const engine = await flow.engine({ log: { ...silentLog, error: dying } })
  await expect(engine.settle()).rejects.toThrow('it ends here')
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('conflicted')
  expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
})

it('a conflicted transaction halts although no node reports the state of another', async () => {
  const first = await flow.engine()
  const payment = await sent(first)
  const other = await sent(first)
  await anvil.rpc('anvil_dropTransaction', [other.hash])
  await conflict(payment)
  await flow.mine(8)
  await flow.endLeases()
  const readTransaction = () => Promise.reject(new NodeError('away'))
  const engine = await flow.engine({ chain: altered(flow.reader, { readTransaction }) })
  await expect(engine.settle()).rejects.toThrow(NodeError)
  expect((await flow.transferRequest(payment.id)).moves.at(-1)).toBe('conflicted')
  expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await flow.endLeases()
  await recovered(await flow.engine({ inFlightMax }))
  await flow.endLeases()
  await (await flow.engine()).finish()
  expect((await flow.transferRequest(other.id)).isSuccess).toBe(true)
})
