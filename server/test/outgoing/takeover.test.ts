import { describe, expect, it } from 'vitest'
import type { AccountSender } from '../../src/chains/port.ts'
import { LeaseLostError } from '../../src/platform/db/lease.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { altered } from '../support/altered.ts'
import { outgoingEvmRecords } from '../support/outgoing/records.ts'
import { type Engine, useOutgoingFlow } from '../support/outgoing-flow.ts'

const flow = useOutgoingFlow({ hotWallets: 2 })
const { database } = flow

/** Runs `pause` once, before or after the named call is answered. */
function pausing<T extends object>(
  port: T,
  name: string,
  when: 'before' | 'after',
  pause: () => Promise<void>,
): T {
  let isDone = false
  const once = async () => {
    if (isDone) return
    isDone = true
    await pause()
  }
  return new Proxy(port, {
    get: (target, member) => {
      const own: unknown = Reflect.get(target, member)
      if (typeof own !== 'function') return own
      if (member !== name) return own.bind(target)
      return async (...words: unknown[]) => {
        if (when === 'before') await once()
        const answer: unknown = await own.apply(target, words)
        if (when === 'after') await once()
        return answer
      }
    },
  })
}

const moments = [
  ...['readFees', 'estimateGas', 'readNonces', 'broadcast', 'readReceipts'].map((name) => ({
    port: 'sender',
    name,
  })),
  ...['readLog', 'sign'].map((name) => ({ port: 'signer', name })),
].flatMap((moment) => (['before', 'after'] as const).map((when) => ({ ...moment, when })))

describe('E01 E02 M10 a lease holder that is paused while another takes over', () => {
  for (const { port, name, when } of moments) {
    it(`${when} ${name} pays nothing twice, and writes nothing afterwards`, async () => {
      const payments = [await flow.pay(), await flow.pay(), await flow.pay()]
      let second: Engine | undefined
      const takeOver = async () => {
        await flow.endLeases()
        second = await flow.engine()
        await second.settle()
        await second.finish()
      }
      const signer: Signer = pausing(flow.signer.signer, port === 'signer' ? name : '', when, takeOver)
      const sender: AccountSender = pausing(flow.sender, port === 'sender' ? name : '', when, takeOver)
      const first = await flow.engine({ signer, sender })
      const rounds = async () => {
        await first.settle()
        await flow.mine()
        await first.settle()
      }
      // A holder with nothing to write does not notice that it lost its lease. Every write is refused.
      await rounds().catch((error: unknown) => expect(error).toBeInstanceOf(LeaseLostError))
      expect(second).toBeDefined()
      if (second !== undefined) await second.finish()
      for (const payment of payments) {
        const { moves, isSuccess } = await flow.transferRequest(payment.id)
        expect(isSuccess).toBe(true)
        expect(moves.filter((move) => move === 'final')).toHaveLength(1)
        expect(await flow.held(payment.address)).toBe(payment.netMinor)
      }
      await expectContiguous()
    })
  }
})

it('M10 a holder that learns that a payment would fail, after another has sent it, does not report the failure', async () => {
  const payment = await flow.pay()
  const estimateGas: AccountSender['estimateGas'] = async () => {
    await flow.endLeases()
    second = await flow.engine()
    await second.settle()
    return { error: 'the recipient refuses it' }
  }
  let second: Engine | undefined
  const first = await flow.engine({ sender: altered(flow.sender, { estimateGas }) })
  await expect(first.settle()).rejects.toThrow(LeaseLostError)
  expect((await flow.transferRequest(payment.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  if (second !== undefined) await second.finish()
  expect(await flow.transferRequest(payment.id)).toMatchObject({ isSuccess: true })
  expect(await flow.held(payment.address)).toBe(payment.netMinor)
})

/** Expects the invariant M19: the nonces of a wallet have no gap, and the chain has mined as many. */
async function expectContiguous(): Promise<void> {
  const rows = await outgoingEvmRecords.all(database.db, {}, 'wallet', 'nonce')
  const { hotWallets } = flow.signer.keys
  const mined = await flow.sender.readNonces(hotWallets, undefined, new AbortController().signal)
  for (const [hotWallet, wallet] of hotWallets.entries()) {
    const own = rows.filter((row) => row.wallet === wallet).map(({ nonce }) => nonce)
    expect(own).toEqual(own.map((_, index) => index))
    expect(mined[hotWallet]).toBe(own.length)
  }
}
