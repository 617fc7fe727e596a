import { expect, it, onTestFinished } from 'vitest'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { resumeHalts } from '../support/lifts.ts'
import { attemptsOf } from '../support/outgoing/attempts.ts'
import {
  attemptRecords,
  outgoingEvmRecords,
  outgoingRecords,
  signerLogRecords,
} from '../support/outgoing/records.ts'
import { transferRequestRecords } from '../support/outgoing/transfer-request-records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { plus } from '../support/records/values.ts'
import { openTestSigner } from '../support/signer.ts'

const flow = useOutgoingFlow({ hotWallets: 2 })
const { database } = flow

/** Restores a backup from before the signing: no outgoing transactions, and orders that were not planned. */
async function restoreOlder(): Promise<void> {
  await attemptRecords.remove(database.owner)
  await outgoingRecords.remove(database.owner)
  await signerLogRecords.change(database.owner, {}, { lastSequence: 0 })
  await transferRequestRecords.change(database.owner, {}, { moves: [], txHash: null, isSuccess: null })
}

async function signedCount(): Promise<number> {
  return (await flow.signer.signer.attest()).logEntries
}

it('pays nothing twice after a restore to before the signing, and records the payments again', async () => {
  const engine = await flow.engine()
  const payments = [await flow.pay(), await flow.pay(), await flow.pay()]
  await engine.finish()
  const signed = await signedCount()
  await flow.endLeases()
  await restoreOlder()
  const [lost] = payments
  await transferRequestRecords.remove(database.owner, { id: lost?.id })
  const restored = await flow.engine()
  const later = await flow.pay()
  await restored.finish()
  expect(await signedCount()).toBe(signed + 1)
  for (const payment of [...payments, later]) {
    expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
  }
  expect((await flow.transferRequest(lost?.id ?? '')).moves.slice(0, 3)).toEqual([
    'planned',
    'signed',
    'broadcast',
  ])
  const nonces = await outgoingEvmRecords.all(database.db, {}, 'wallet', 'nonce')
  for (const wallet of flow.signer.keys.hotWallets) {
    const own = nonces.filter((row) => row.wallet === wallet).map(({ nonce }) => nonce)
    expect(own).toEqual(own.map((_, index) => index))
  }
})

it('sends transactions again that were sent and not mined at the restore, each with its own nonce', async () => {
  const engine = await flow.engine()
  const sent = [await flow.pay(), await flow.pay()]
  await engine.settle()
  await flow.endLeases()
  await attemptRecords.remove(database.owner, { outgoingTransactionId: sent.map(({ id }) => id) })
  // The restored database has planned both transactions again, each with the hot wallet and the nonce of the
  // other.
  await outgoingRecords.remove(database.owner, { state: 'broadcast' })
  const hotWallets = flow.signer.keys.hotWallets
  const restored = await flow.engine()
  for (const [hotWallet, { id, address, netMinor }] of sent.entries()) {
    const other = hotWallets[1 - hotWallet] ?? ''
    const { intent } = await transferRequestRecords.one(database.owner, { id }, 'intent')
    const sent = await outgoingEvmRecords.all(database.owner, { wallet: other }, 'nonce')
    await outgoingRecords.add(database.owner, {
      id,
      network: 'ethereum',
      kind: 'withdrawal',
      intent,
      maxCostMinor: 21_000n,
    })
    await outgoingEvmRecords.add(database.owner, {
      outgoingTransactionId: id,
      network: 'ethereum',
      hotWallet: 1 - hotWallet,
      wallet: other,
      nonce: Math.max(...sent.map(({ nonce }) => nonce)) + 1,
      gasLimit: 21_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    })
    await transferRequestRecords.change(database.owner, { id }, { moves: ['planned'] })
    expect(await flow.held(address)).toBe(0n)
    expect(netMinor).toBeGreaterThan(0n)
  }
  await signerLogRecords.change(database.owner, {}, { lastSequence: 0 })
  const signed = await signedCount()
  await restored.finish()
  expect(await signedCount()).toBe(signed)
  for (const payment of sent) {
    expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
  }
})

it('adopts nothing twice if the database’s position in the log was set back', async () => {
  const payment = await flow.pay()
  await (await flow.engine()).finish()
  await flow.endLeases()
  const state = () => attemptsOf(database.db)
  const seen = async () => [
    await state(),
    await signedCount(),
    (await flow.transferRequest(payment.id)).moves,
  ]
  const before = await seen()
  const signed = await signedCount()
  await signerLogRecords.change(database.db, {}, { lastSequence: 0 })
  await (await flow.engine()).finish()
  expect(await seen()).toEqual(before)
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
  expect(await signerLogRecords.all(database.db, {}, 'lastSequence')).toEqual([{ lastSequence: signed }])
})

it('follows sent transactions while the signer is unavailable, and plans nothing', async () => {
  const engine = await flow.engine()
  const sent = await flow.pay()
  await engine.settle()
  await flow.endLeases()
  const { SignerAwayError } = await import('../../src/signing/signer-port.ts')
  const away = () => Promise.reject(new SignerAwayError('away'))
  const alone = await flow.engine({
    signer: { attest: away, sign: away, readLog: away, control: flow.signer.signer.control },
  })
  const waiting = await flow.pay()
  await alone.finish()
  expect((await flow.transferRequest(sent.id)).isSuccess).toBe(true)
  expect((await flow.transferRequest(waiting.id)).moves).toEqual([])
  expect(flow.alerts).toEqual(['signer-away'])
  await flow.endLeases()
  await (await flow.engine()).finish()
  expect((await flow.transferRequest(waiting.id)).isSuccess).toBe(true)
})

it('halts if the signer returns with another log between two rounds, although with our keys', async () => {
  let current = flow.signer.signer
  const signer: Signer = {
    attest: () => current.attest(),
    sign: (requests) => current.sign(requests),
    readLog: (after, max) => current.readLog(after, max),
    get control() {
      return current.control
    },
  }
  const engine = await flow.engine({ signer })
  const paid = await flow.pay()
  await engine.finish()
  expect((await flow.transferRequest(paid.id)).isSuccess).toBe(true)
  const { mnemonic, hotWallets, intentKey } = flow.signer.options
  const other = await openTestSigner({ mnemonic, hotWallets, intentKey })
  onTestFinished(() => other.close())
  current = other.signer
  const payment = await flow.pay()
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
  expect((await other.signer.attest()).logEntries).toBe(0)
  current = flow.signer.signer
  await resumeHalts(database.db, flow.signer.keys, 'log-unknown')
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('halts if the signer’s log is shorter than the database’s position in it', async () => {
  await signerLogRecords.change(database.owner, {}, { lastSequence: plus(100) })
  const engine = await flow.engine()
  const payment = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'log-unknown' }])
})
