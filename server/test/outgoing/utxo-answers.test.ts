/**
 * Tests the fault case E25 on a UTXO chain: answers of the signer and entries of its log are verified before
 * they are used.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import type { SignAnswer, Signer, UtxoRequest } from '../../src/signing/signer-port.ts'
import { resumeHalts } from '../support/lifts.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { lyingLog } from '../support/lying-signer.ts'
import { attemptsOf } from '../support/outgoing/attempts.ts'
import { attemptRecords, outgoingRecords, signerLogRecords } from '../support/outgoing/records.ts'
import { plus } from '../support/records/values.ts'
import { sign as signPsbt } from '../support/sign-psbt.ts'
import { useUtxoFlow } from '../support/utxo-flow.ts'
import { newExternalAddress } from '../support/utxo-requests.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('E25 on a chain with UTXOs', () => {
  const flow = useUtxoFlow(40)
  const { database } = flow
  const thief = newExternalAddress(litecoinRegtest)

  afterEach(() => resumeHalts(database.db, flow.signer.keys))

  type Lie = (request: UtxoRequest, raw: string, txHash: string) => Partial<Record<'raw' | 'txHash', string>>

  const lies: Readonly<Record<string, Lie>> = {
    'another recipient': (request) =>
      signPsbt(flow.signer.keys, litecoinRegtest, request.psbt, { redirect: thief }),
    'no signatures': (request) => ({
      raw: signPsbt(flow.signer.keys, litecoinRegtest, request.psbt, {}).unsigned,
    }),
    'right bytes under a wrong hash': () => ({ txHash: '12'.repeat(32) }),
    garbage: () => ({ raw: 'c0ffee' }),
  }

  function lying(lie: Lie): Signer {
    const { signer, keys } = flow.signer
    return {
      control: signer.control,
      attest: () => signer.attest(),
      readLog: (after, max) => signer.readLog(after, max),
      sign: async (requests) =>
        requests.map((request): SignAnswer => {
          const { raw, txHash } = signPsbt(keys, litecoinRegtest, (request as UtxoRequest).psbt, {})
          return { type: 'signed', sequence: 900, raw, txHash, ...lie(request as UtxoRequest, raw, txHash) }
        }),
    }
  }

  async function resume(): Promise<void> {
    await resumeHalts(database.db, flow.signer.keys, 'signer-answer')
  }

  it.each(Object.entries(lies))('an answer halts payouts and is not stored: %s', async (_, lie) => {
    const merchantId = await flow.openFunded(2n * ltc)
    const order = await flow.order(merchantId, '1')
    const engine = await flow.engine({ signer: lying(lie) })
    await engine.settle()
    expect(await readShownHalts(database.db)).toMatchObject([{ cause: 'signer-answer' }])
    expect(await attemptsOf(database.db, { state: 'planned' })).toEqual([])
    expect((await flow.withdrawal(order.id)).txHash).toBeNull()
    await flow.endLeases()
    await resume()
    await flow.playOut(await flow.engine())
    expect((await flow.withdrawal(order.id)).state).toBe('completed')
    expect(await flow.received(order.address)).toBeGreaterThan(0n)
    expect(await flow.received(thief)).toBe(0n)
  })

  it('an entry of the log halts payouts if its coins pay somebody else than its intent says', async () => {
    const merchantId = await flow.openFunded(2n * ltc)
    const order = await flow.order(merchantId, '1')
    await (await flow.engine()).settle()
    await flow.endLeases()
    const [outgoingTransaction] = (await flow.outgoingTransactions()).slice(-1)
    const id = required(outgoingTransaction, 'a payout').id
    await forget(id)
    const signer = lyingLog(flow.signer.signer, async (entry) => {
      if (entry.outgoingTransactionId !== id || entry.intent.kind !== 'withdrawal') return entry
      const payments = entry.intent.payments.map((one) => ({ ...one, address: thief }))
      return { ...entry, intent: { ...entry.intent, payments } }
    })
    await (await flow.engine({ signer })).settle()
    expect(await readShownHalts(database.db)).toMatchObject([
      { cause: 'signer-answer', detail: expect.stringContaining('its outputs differ from its intent') },
    ])
    await flow.endLeases()
    await resume()
    await flow.playOut(await flow.engine())
    expect(await flow.received(order.address)).toBeGreaterThan(0n)
  })

  /** Restores the database to before the signing: the transaction is planned and not signed. */
  async function forget(id: string): Promise<void> {
    await attemptRecords.remove(database.owner, { outgoingTransactionId: id })
    await outgoingRecords.change(database.owner, { id }, { state: 'planned', sentHeight: null })
    await signerLogRecords.change(database.owner, {}, { lastSequence: plus(-1) })
  }
})
