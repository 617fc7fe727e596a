/**
 * Tests the fault case E25: answers of the signer are verified. Each false answer halts payouts, and nothing
 * of it is stored or sent.
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { Spend, UnsignedTransaction } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { entryErrorOf } from '../../src/outgoing/engine/check-answers.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { type EngineMemory, newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import { overAccounts } from '../../src/outgoing/evm/evm-strategy.ts'
import type { Lease } from '../../src/platform/db/lease.ts'
import type { AccountRequest, LogEntry } from '../../src/signing/signer-port.ts'
import { resumeHalts } from '../support/lifts.ts'
import { forge, type Honest, lyingLog, lyingSigner } from '../support/lying-signer.ts'
import { attemptRecords, outgoingRecords, signerLogRecords } from '../support/outgoing/records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { askToSign } from '../support/signer.ts'

const flow = useOutgoingFlow({ hotWallets: 2 })
const { database } = flow
const thief = `0x${'66'.repeat(20)}`

type Lie = (honest: Honest) => Promise<unknown>

async function forged(honest: Honest, alter: (one: UnsignedTransaction) => UnsignedTransaction) {
  return { ...honest.answer, ...(await forge(flow.signer, accountOf(honest), { alter })) }
}

function accountOf({ request }: Honest): AccountRequest {
  if (!('unsigned' in request)) throw new Error('no request of an account')
  return request
}

const paying = (over: object) => (one: UnsignedTransaction) => ({
  ...one,
  spend: { ...one.spend, ...over } as Spend,
})

const lies: Readonly<Record<string, Lie>> = {
  'another recipient': (honest) => forged(honest, paying({ recipient: thief })),
  'another amount': (honest) => forged(honest, paying({ amountMinor: 10n ** 16n })),
  'another nonce': (honest) => forged(honest, (one) => ({ ...one, nonce: one.nonce + 1 })),
  'another chain': (honest) => forged(honest, (one) => ({ ...one, chainId: 1 })),
  'another fee': (honest) => forged(honest, (one) => ({ ...one, gasLimit: one.gasLimit + 1n })),
  'the signature of another wallet': async (honest) => {
    const by = required(flow.signer.keys.walletAt({ type: 'deposit', branch: 1, index: 1 }), 'a wallet')
    return { ...honest.answer, ...(await forge(flow.signer, accountOf(honest), { by })) }
  },
  'what was not signed': async ({ answer, request }) => ({
    ...answer,
    raw: 'unsigned' in request && request.unsigned,
  }),
  garbage: async ({ answer }) => ({ ...answer, raw: 'c0ffee' }),
  'right bytes under a wrong hash': async ({ answer }) => ({ ...answer, txHash: `0x${'11'.repeat(32)}` }),
  'right bytes spelled otherwise': async ({ answer }) => ({ ...answer, raw: answer.raw.toUpperCase() }),
  'no place in the log': async ({ answer }) => ({ ...answer, sequence: '1' }),
  'a code that is none': async () => ({ type: 'refused', code: 'because', detail: '' }),
  nothing: async () => null,
}

async function resume(): Promise<void> {
  await resumeHalts(database.db, flow.signer.keys, 'signer-answer')
}

const attemptsOf = (id: string) => attemptRecords.all(database.db, { outgoingTransactionId: id }, 'txHash')

afterEach(() => resumeHalts(database.db, flow.signer.keys))

describe('E25 an answer of the signer halts payouts and is not stored if it is', () => {
  it.each(Object.entries(lies))('%s', async (_, lie) => {
    const lied = await flow.pay()
    const right = await flow.pay()
    const signer = lyingSigner(flow.signer, async (honest) => {
      const index = honest.findIndex(({ request }) => request.outgoingTransactionId === lied.id)
      return new Map(index === -1 ? [] : [[index, await lie(required(honest[index], 'a request'))]])
    })
    await (await flow.engine({ signer })).finish(2)
    expect(await readShownHalts(database.db)).toMatchObject([
      { cause: 'signer-answer', detail: expect.stringContaining(lied.id) },
    ])
    expect(await attemptsOf(lied.id)).toEqual([])
    expect((await flow.transferRequest(lied.id)).moves).toEqual(['planned'])
    expect([await flow.held(thief), await flow.held(lied.address)]).toEqual([0n, 0n])
    expect(await flow.held(right.address)).toBe(right.netMinor)
    await flow.endLeases()
    await resume()
    await (await flow.engine()).finish()
    for (const payment of [lied, right]) {
      expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
      expect(await flow.held(payment.address)).toBe(payment.netMinor)
      expect(await attemptsOf(payment.id)).toHaveLength(1)
    }
  })

  it('the answer to another request of the same batch', async () => {
    const payments = [await flow.pay(), await flow.pay(), await flow.pay()]
    const signer = lyingSigner(flow.signer, async ([one, two]) =>
      one === undefined || two === undefined
        ? new Map()
        : new Map([
            [0, two.answer],
            [1, one.answer],
          ]),
    )
    await (await flow.engine({ signer })).finish(2)
    expect(await readShownHalts(database.db)).toMatchObject([
      { cause: 'signer-answer', detail: expect.stringContaining('(and 1 more)') },
    ])
    const attempts = await Promise.all(payments.map(({ id }) => attemptsOf(id)))
    expect(attempts.filter((own) => own.length > 0)).toHaveLength(1)
    await flow.endLeases()
    await resume()
    await (await flow.engine()).finish()
    for (const { address, netMinor } of payments) expect(await flow.held(address)).toBe(netMinor)
  })
})

/**
 * Restores the database to before the signing, so that only the signer's log contains the signed
 * transactions.
 */
async function signedAndForgotten() {
  const payments = [await flow.pay(), await flow.pay()]
  await (await flow.engine()).settle()
  await flow.endLeases()
  const ids = payments.map(({ id }) => id)
  const [row] = await signerLogRecords.all(database.db, {}, 'lastSequence')
  await attemptRecords.remove(database.owner, { outgoingTransactionId: ids })
  await outgoingRecords.remove(database.owner, { id: ids })
  const before = (row?.lastSequence ?? 0) - 2
  await signerLogRecords.change(database.owner, {}, { lastSequence: before })
  // The entries of the log are in the order of the wallets.
  const [entry] = await flow.signer.signer.readLog(before, 1)
  return payments.toSorted((one) => (one.id === entry?.outgoingTransactionId ? -1 : 1))
}

describe('E25 an entry of the signer’s log halts payouts and is not adopted if it has', () => {
  const account = (entry: LogEntry) => {
    if (!('unsigned' in entry)) throw new Error('no entry of an account')
    return entry
  }
  const changed: Readonly<Record<string, (entry: LogEntry) => Promise<LogEntry>>> = {
    'bytes of another payment': async (entry) => ({
      ...entry,
      ...(await forge(flow.signer, account(entry), { alter: paying({ recipient: thief }) })),
    }),
    'a wrong hash': async (entry) => ({ ...entry, txHash: `0x${'12'.repeat(32)}` }),
    'an intent that its request does not carry out': async (entry) => {
      const { intent } = entry
      if (intent.kind !== 'withdrawal') return entry
      const payments = intent.payments.map((one) => ({ ...one, address: thief }))
      return { ...entry, intent: { ...intent, payments } }
    },
    'a wallet that did not sign it': async (entry) => ({
      ...entry,
      from: { type: 'deposit', branch: 1, index: 1 },
    }),
    'an intent that there is not': async (entry) => ({ ...entry, intent: { kind: 'gift' } }) as never,
    garbage: async (entry) => ({ ...entry, raw: 'c0ffee' }),
  }

  it.each(Object.entries(changed))('%s', async (_, change) => {
    const [first, second] = await signedAndForgotten()
    const signer = lyingLog(flow.signer.signer, async (entry) =>
      entry.outgoingTransactionId === second?.id ? change(entry) : entry,
    )
    await (await flow.engine({ signer })).finish(2)
    expect(await readShownHalts(database.db)).toMatchObject([
      { cause: 'signer-answer', detail: expect.stringContaining(second?.id ?? '') },
    ])
    expect(await attemptsOf(second?.id ?? '')).toEqual([])
    expect(await attemptsOf(first?.id ?? '')).toHaveLength(1)
    await flow.endLeases()
    await resume()
    await (await flow.engine()).finish()
    for (const payment of [first, second]) {
      expect((await flow.transferRequest(payment?.id ?? '')).isSuccess).toBe(true)
      expect(await flow.held(payment?.address ?? '')).toBe(payment?.netMinor)
    }
  })
})

function memoryOf(hotWallets: readonly string[]): EngineMemory {
  return { ...newMemory({ name: 'none', holderId: 'nobody', epoch: 0 } as unknown as Lease), hotWallets }
}

describe('E25 a sweep', () => {
  const deposits = [0, 1].map((index) => ({ type: 'deposit' as const, branch: 7, index, delegationNonce: 0 }))
  const intent = { kind: 'sweep' as const, deposits, assets: [{ asset: 'ethereum/ETH', contract: null }] }

  async function swept() {
    const { keys } = flow.signer
    const { parts } = await flow.engine()
    const delegate = parts.codec.delegateOf(keys.hotWallets)
    const addresses = deposits.map((index) => required(keys.walletAt(index), 'a wallet').address)
    const delegations = addresses.map((address) => ({ address, delegate, nonce: 0 }))
    const assets = [{ type: 'coin' as const }]
    const spend: Spend = { type: 'sweep', delegate, addresses, assets, delegations }
    const request = askToSign(intent, spend, { gas: 500_000n })
    const { strategy } = overAccounts(parts)
    const memory = memoryOf(keys.hotWallets)
    return {
      request,
      strategy,
      memory,
      delegations,
      read: (raw: string) => strategy.readSigned(memory, request, raw),
    }
  }

  it('is refused with fewer, other or reordered delegations than requested', async () => {
    const { request, delegations, read } = await swept()
    const right = await forge(flow.signer, request)
    expect(read(right.raw)).toBe(right.txHash)
    const one = required(delegations[0], 'one')
    const two = required(delegations[1], 'two')
    const lists = [
      [one],
      [two, one],
      [one, one],
      [one, { ...two, nonce: 1 }],
      [one, { ...two, delegate: thief }],
    ]
    for (const list of lists) {
      const alter = paying({ delegations: list })
      const { raw } = await forge(flow.signer, request, { alter })
      expect(() => read(raw)).toThrow('another transaction than the requested one')
    }
  })

  it('is adopted from a log of before hot wallets were added, with the contract of that time only', async () => {
    const { request, strategy, memory } = await swept()
    const { keys } = flow.signer
    const entry = { ...request, ...(await forge(flow.signer, request)), sequence: 1, signedAt: new Date() }
    expect(entryErrorOf(strategy, memory, entry)).toBeUndefined()
    expect(entryErrorOf(strategy, memoryOf([...keys.hotWallets, thief]), entry)).toBeUndefined()
    const others = memoryOf([required(keys.hotWallets[0], 'a lane'), thief])
    expect(entryErrorOf(strategy, others, entry)).toContain('differs from its intent')
  })
})
