/** E25 where money lies in coins: what comes back from the signer is not believed, nor what its log says. */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/standing-halts.ts'
import type { CoinRequest, SignAnswer, Signer } from '../../src/signing/signer-port.ts'
import { useCoinFlow } from '../support/coin-flow.ts'
import { newOutsider } from '../support/coin-requests.ts'
import { resumeHalts } from '../support/lifts.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { lyingLog } from '../support/lying-signer.ts'
import { sign as signPsbt } from '../support/sign-psbt.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('E25 where money lies in coins', () => {
  const flow = useCoinFlow(40)
  const { database } = flow
  const thief = newOutsider(litecoinRegtest)

  afterEach(() => resumeHalts(database.db, flow.signer.keys))

  type Lie = (request: CoinRequest, raw: string, txHash: string) => Partial<Record<'raw' | 'txHash', string>>

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
          const { raw, txHash } = signPsbt(keys, litecoinRegtest, (request as CoinRequest).psbt, {})
          return { type: 'signed', sequence: 900, raw, txHash, ...lie(request as CoinRequest, raw, txHash) }
        }),
    }
  }

  async function resume(): Promise<void> {
    await resumeHalts(database.db, flow.signer.keys, 'signer-answer')
  }

  it.each(Object.entries(lies))('an answer halts payouts, and nothing of it is kept: %s', async (_, lie) => {
    const merchantId = await flow.openFunded(2n * ltc)
    const order = await flow.order(merchantId, '1')
    const machine = await flow.machine({ signer: lying(lie) })
    await machine.settle()
    expect(await readShownHalts(database.db)).toMatchObject([{ cause: 'signer-answer' }])
    expect(
      await database.db.query(sql`select from payout_attempt join payout on payout.id = payout_id
      where payout.state = 'planned'`),
    ).toEqual([])
    expect((await flow.withdrawal(order.id)).txHash).toBeNull()
    await flow.endLeases()
    await resume()
    await flow.playOut(await flow.machine())
    expect((await flow.withdrawal(order.id)).state).toBe('completed')
    expect(await flow.received(order.address)).toBeGreaterThan(0n)
    expect(await flow.received(thief)).toBe(0n)
  })

  it('an entry of the log halts payouts where its coins pay somebody else than its intent says', async () => {
    const merchantId = await flow.openFunded(2n * ltc)
    const order = await flow.order(merchantId, '1')
    await (await flow.machine()).settle()
    await flow.endLeases()
    const [payout] = (await flow.payouts()).slice(-1)
    const id = required(payout, 'a payout').id
    await forget(id)
    const signer = lyingLog(flow.signer.signer, async (entry) => {
      if (entry.payoutId !== id || entry.intent.kind !== 'withdrawal') return entry
      const payments = entry.intent.payments.map((one) => ({ ...one, address: thief }))
      return { ...entry, intent: { ...entry.intent, payments } }
    })
    await (await flow.machine({ signer })).settle()
    expect(await readShownHalts(database.db)).toMatchObject([
      { cause: 'signer-answer', detail: expect.stringContaining('pays something else than its intent says') },
    ])
    await flow.endLeases()
    await resume()
    await flow.playOut(await flow.machine())
    expect(await flow.received(order.address)).toBeGreaterThan(0n)
  })

  /** As a database restored to before the signing has it: planned, and not signed. */
  async function forget(id: string): Promise<void> {
    await database.owner.query(sql`delete from payout_attempt where payout_id = ${id}`)
    await database.owner.query(sql`update payout set state = 'planned', sent_height = null where id = ${id}`)
    await database.owner.query(sql`update signer_log_mark set last_sequence = last_sequence - 1`)
  }
})
