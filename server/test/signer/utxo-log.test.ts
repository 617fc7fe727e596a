/**
 * Tests the decisions of the signer's own log on UTXO chains: which outgoing transaction may spend an output,
 * and at what fee.
 */
import { describe, expect, it } from 'vitest'
import { utxoNetworkNames, utxoNetworkOf } from '../../src/chains/networks.ts'
import { required } from '../../src/core/assert.ts'
import { type Policy, sandboxPolicy } from '../../src/signer/authorization/policy.ts'
import { readPolicy } from '../../src/signer/authorization/read-policy.ts'
import type { Intent, UtxoKeyPath } from '../../src/signing/intent.ts'
import type { SignAnswer, UtxoRequest } from '../../src/signing/signer-port.ts'
import { type TestSigner, useTestSigner } from '../support/signer.ts'
import {
  approveUtxoPayment,
  changeKeyPath,
  type Drawing,
  draw,
  inventUtxo,
  newExternalAddress,
  scriptAt,
  type TestUtxo,
  utxoRequest,
  validOutgoing,
} from '../support/utxo-requests.ts'

const litecoin = required(utxoNetworkOf('litecoin', 'regtest'), 'row')
/** The fields that a policy has for litecoin besides its limits. */
const utxos = { chainId: undefined, coin: litecoin.coin }
const dogecoin = required(utxoNetworkOf('dogecoin', 'regtest'), 'row')

async function ask({ signer }: Pick<TestSigner, 'signer'>, request: UtxoRequest): Promise<SignAnswer> {
  const [answer] = await signer.sign([request])
  return required(answer, 'an answer')
}

function codeOf(answer: SignAnswer): string {
  return answer.type === 'refused' ? answer.code : 'signed'
}

async function signed(opened: Pick<TestSigner, 'signer'>, request: UtxoRequest) {
  const answer = await ask(opened, request)
  if (answer.type === 'refused') throw new Error(`${answer.code}: ${answer.detail}`)
  return answer
}

/** Returns the change output of a signed transaction. */
function changeOf({ txHash }: { readonly txHash: string }, amountMinor: bigint): TestUtxo {
  return { outpoint: `${txHash}:1`, amountMinor, keyPath: changeKeyPath }
}

describe('the log', () => {
  it('E01 returns the same bytes for the same request, before and after it was opened again', async () => {
    const opened = await useTestSigner()
    const request = validOutgoing(opened, litecoin).ask()
    const first = await signed(opened, request)
    expect(await signed(opened, request)).toEqual(first)
    expect(await signed(await opened.reopen(), request)).toEqual(first)
    expect((await opened.signer.attest()).logEntries).toBe(1)
  })

  it('E06 lets another attempt of a transaction spend its pinned outpoint, with other coins and another fee, and no other transaction', async () => {
    const opened = await useTestSigner()
    const right = validOutgoing(opened, litecoin)
    const outgoingTransactionId = 'payout'
    await signed(opened, right.ask({}, { outgoingTransactionId }))
    const more = inventUtxo(litecoin, opened.keys)
    const change = [{ keyPath: changeKeyPath, amountMinor: right.changeMinor - 5_000n }]
    const attempts = async (one: Pick<TestSigner, 'signer'>) => [
      codeOf(await ask(one, right.ask({ change }, { outgoingTransactionId }))),
      codeOf(await ask(one, right.ask({ utxos: [right.utxo, more] }, { outgoingTransactionId }))),
    ]
    expect(await attempts(opened)).toEqual(['signed', 'over-limit'])
    const elsewhere = {
      ...right.ask({ utxos: [more] }, { outgoingTransactionId }),
      pinnedOutpoint: more.outpoint,
    }
    expect(await ask(opened, elsewhere)).toMatchObject({ code: 'already-signed' })
    const unanchored = {
      ...right.ask({ utxos: [right.utxo, more], change: [] }, { outgoingTransactionId }),
      pinnedOutpoint: more.outpoint,
    }
    expect(await ask(opened, unanchored)).toMatchObject({ code: 'already-signed' })
  })

  it('E24 allows no second transaction for a withdrawal, and no other withdrawals for a transaction', async () => {
    const opened = await useTestSigner()
    const right = validOutgoing(opened, litecoin)
    await signed(opened, right.ask({}, { outgoingTransactionId: 'payout' }))
    const again = validOutgoing(opened, litecoin)
    const twice = again.ask(
      { payments: [right.payment] },
      { intent: right.intent, outgoingTransactionId: 'another' },
    )
    const other = {
      ...again.ask({ utxos: [right.utxo] }, { outgoingTransactionId: 'payout' }),
      pinnedOutpoint: right.utxo.outpoint,
    }
    for (const one of [opened, await opened.reopen()]) {
      expect(await ask(one, twice)).toMatchObject({ code: 'already-signed' })
      expect(await ask(one, other)).toMatchObject({ code: 'already-signed' })
    }
  })

  it('E09 allows only one transaction for an output, whether it is the pinned one or not', async () => {
    const opened = await useTestSigner()
    const first = validOutgoing(opened, litecoin)
    const second = validOutgoing(opened, litecoin)
    const shared = inventUtxo(litecoin, opened.keys)
    const withShared = ({ utxo, changeMinor }: typeof first): Partial<Drawing> => ({
      utxos: [utxo, shared],
      change: [{ keyPath: changeKeyPath, amountMinor: changeMinor + shared.amountMinor }],
    })
    const asked = second.ask(withShared(second))
    const together = await opened.signer.sign([first.ask(withShared(first)), asked])
    expect(together.map(codeOf)).toEqual(['signed', 'already-signed'])
    const reopened = await opened.reopen()
    expect(codeOf(await ask(reopened, asked))).toBe('already-signed')
    expect(codeOf(await ask(reopened, { ...asked, pinnedOutpoint: shared.outpoint }))).toBe('already-signed')
    expect(codeOf(await ask(reopened, second.ask()))).toBe('signed')
  })

  it('keeps the first stated amount of an output, so that two false amounts cannot produce a fee', async () => {
    const opened = await useTestSigner()
    const { keys } = opened
    const utxos = [inventUtxo(litecoin, keys), inventUtxo(litecoin, keys, { amountMinor: 9n * 10n ** 8n })]
    const payment = approveUtxoPayment(opened, litecoin)
    const requestFor = (...amounts: bigint[]): UtxoRequest => {
      const lied = utxos.map((utxo, index) => ({ ...utxo, amountMinor: amounts[index] ?? utxo.amountMinor }))
      const drawing = { utxos: lied, payments: [payment] }
      const change = [{ keyPath: changeKeyPath, amountMinor: 10n ** 8n }]
      return utxoRequest(
        litecoin,
        { kind: 'withdrawal', payments: [payment] },
        draw(keys, litecoin, { ...drawing, change }),
        {
          pinnedOutpoint: required(utxos[0], 'pinned'),
          outgoingTransactionId: 'payout',
        },
      )
    }
    // The first signature is right and the second is refused. In the reverse order the results would be
    // exchanged.
    expect(codeOf(await ask(opened, requestFor(10n ** 8n, 10n ** 7n + 10_000n)))).toBe('signed')
    for (const one of [opened, await opened.reopen()])
      expect(await ask(one, requestFor(10n ** 6n, 9n * 10n ** 8n))).toMatchObject({ code: 'not-as-intended' })
  })

  it('takes the amount of a coin without witnesses only from its previous transaction', async () => {
    const opened = await useTestSigner()
    const { utxo, ask: right } = validOutgoing(opened, dogecoin)
    const { made, ...unproven } = utxo
    expect(made).toBeDefined()
    expect(await ask(opened, right({ utxos: [unproven] }))).toMatchObject({
      code: 'not-as-intended',
      detail: expect.stringContaining('complete previous transaction'),
    })
    expect(codeOf(await ask(opened, right()))).toBe('signed')
  })

  it('refuses any other transaction than the previous one, and a stated amount beside it', async () => {
    const opened = await useTestSigner()
    const { utxo, ask: right } = validOutgoing(opened, dogecoin)
    const request = right()
    const made = Buffer.from(required(utxo.made, 'what made the coin'))
    const amount = (minor: bigint) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(minor)
      return bytes
    }
    // The false amount is lower by less than the fee, so that nothing else is wrong with the request.
    const lie = amount(utxo.amountMinor - 100_000n)
    const reported = amount(utxo.amountMinor)
    const at = made.indexOf(reported)
    const lying = Buffer.concat([made.subarray(0, at), lie, made.subarray(at + 8)])
    const script = scriptAt(opened.keys, dogecoin, utxo.keyPath)
    // A field of an input in a PSBT (BIP 174): its kind, its length, and the output that is spent.
    const witnessUtxo = (minor: Buffer) =>
      Buffer.concat([Buffer.of(1, 1, 9 + script.length), minor, Buffer.of(script.length), script])
    for (const [by, code] of [
      [lying, 'not-as-intended'],
      [Buffer.concat([made, witnessUtxo(lie)]), 'not-as-intended'],
      [Buffer.concat([made, witnessUtxo(reported)]), 'signed'],
    ] as const) {
      const psbt = Buffer.from(request.psbt, 'base64')
      const from = psbt.indexOf(made)
      const altered = Buffer.concat([psbt.subarray(0, from), by, psbt.subarray(from + made.length)])
      expect(from).toBeGreaterThan(0)
      expect(codeOf(await ask(opened, { ...request, psbt: altered.toString('base64') }))).toBe(code)
    }
  })
})

describe('a batch', () => {
  it('of 50 withdrawals is one transaction that pays each of them once', async () => {
    const opened = await useTestSigner()
    const right = validOutgoing(opened, litecoin)
    const payments = Array.from({ length: 50 }, () =>
      approveUtxoPayment(opened, litecoin, { netMinor: 1_000_000n }),
    )
    const change = [{ keyPath: changeKeyPath, amountMinor: 10n ** 8n - 50n * 1_000_000n - 40_000n }]
    const intent: Intent = { kind: 'withdrawal', payments }
    await signed(opened, right.ask({ payments: payments.toReversed(), change }, { intent }))
    const one = required(payments[17], 'payment')
    const alone = right.ask({ payments: [one] }, { intent: { kind: 'withdrawal', payments: [one] } })
    const other = validOutgoing(opened, litecoin)
    const elsewhere = other.ask({ payments: [one] }, { intent: { kind: 'withdrawal', payments: [one] } })
    expect(await ask(opened, alone)).toMatchObject({ code: 'already-signed' })
    expect(await ask(opened, elsewhere)).toMatchObject({ code: 'already-signed' })
  })

  it('E16 is limited like its payments: each by itself, and all of them in a day and in total', async () => {
    const limits = { perTransactionMinor: 30_000_000n, per24HoursMinor: 50_000_000n, totalMinor: 10n ** 12n }
    const policy: Policy = {
      ...sandboxPolicy,
      assets: [{ network: 'litecoin', contract: null, symbol: 'LTC', decimals: 8, ...limits }],
    }
    const batch = async (...amounts: bigint[]) => {
      const opened = await useTestSigner({ policy })
      const right = validOutgoing(opened, litecoin)
      const payments = amounts.map((netMinor) => approveUtxoPayment(opened, litecoin, { netMinor }))
      const leftMinor = right.utxo.amountMinor - amounts.reduce((a, b) => a + b) - 5_000n
      const change = [{ keyPath: changeKeyPath, amountMinor: leftMinor }]
      return codeOf(
        await ask(opened, right.ask({ payments, change }, { intent: { kind: 'withdrawal', payments } })),
      )
    }
    expect(await batch(30_000_000n, 20_000_000n)).toBe('signed')
    expect(await batch(30_000_001n)).toBe('over-limit')
    expect(await batch(25_000_000n, 25_000_001n)).toBe('over-limit')
  })
})

describe('a fee', () => {
  it('E16 is limited for one transaction, as a rate and as a share of the spent amount', async () => {
    const network = {
      ...utxos,
      feePerTransactionMinor: 100_000n,
      feesPer24HoursMinor: 150_000n,
      topUpsPer24HoursMinor: 0n,
    }
    const paying = async (feeMinor: bigint, more: object, amountMinor = 10n ** 8n) => {
      const opened = await useTestSigner({
        policy: { ...sandboxPolicy, networks: { litecoin: { ...network, ...more } } },
      })
      const right = validOutgoing(opened, litecoin)
      const utxo = inventUtxo(litecoin, opened.keys, { amountMinor })
      const change = [
        { keyPath: changeKeyPath, amountMinor: amountMinor - right.payment.netMinor - feeMinor },
      ]
      return codeOf(
        await ask(opened, { ...right.ask({ utxos: [utxo], change }), pinnedOutpoint: utxo.outpoint }),
      )
    }
    expect(await paying(100_000n, {})).toBe('signed')
    expect(await paying(100_001n, {})).toBe('over-limit')
    // The transaction has 144 virtual bytes, and the limit on the rate allows some more for rounding.
    expect(await paying(14_400n, { feeRateMinor: 100_000n })).toBe('signed')
    expect(await paying(15_000n, { feeRateMinor: 100_000n })).toBe('over-limit')
    expect(await paying(100_000n, { feeSharePercent: 1n }, 10_110_000n)).toBe('signed')
    expect(await paying(100_000n, { feeSharePercent: 0n }, 10_110_000n)).toBe('over-limit')
  })

  it('E16 of several attempts counts once within 24 hours, as the highest of them', async () => {
    const networks = {
      litecoin: {
        ...utxos,
        feePerTransactionMinor: 100_000n,
        feesPer24HoursMinor: 120_000n,
        topUpsPer24HoursMinor: 0n,
      },
    }
    const opened = await useTestSigner({ policy: { ...sandboxPolicy, networks } })
    const first = validOutgoing(opened, litecoin)
    const second = validOutgoing(opened, litecoin)
    const paying = async (
      { ask: right, utxo, payment }: typeof first,
      feeMinor: bigint,
      outgoingTransactionId: string,
    ) => {
      const change = [{ keyPath: changeKeyPath, amountMinor: utxo.amountMinor - payment.netMinor - feeMinor }]
      return codeOf(await ask(opened, right({ change }, { outgoingTransactionId })))
    }
    expect(await paying(first, 60_000n, 'one')).toBe('signed')
    expect(await paying(first, 90_000n, 'one')).toBe('signed')
    expect(await paying(second, 30_001n, 'two')).toBe('over-limit')
    expect(await paying(second, 30_000n, 'two')).toBe('signed')
  })

  it('has optional limits of its own in the policy file', () => {
    const needed = { feePerTransactionMinor: '1', feesPer24HoursMinor: '2', topUpsPer24HoursMinor: '3' }
    const file = (more: object) =>
      readPolicy(
        JSON.stringify({ assets: [], networks: { litecoin: { coin: litecoin.coin, ...needed, ...more } } }),
        'policy.json',
      )
    expect(file({}).networks['litecoin']).not.toHaveProperty('feeRateMinor')
    expect(file({ feeRateMinor: '5', feeSharePercent: '6' }).networks['litecoin']).toMatchObject({
      feeRateMinor: 5n,
      feeSharePercent: 6n,
    })
    expect(() => file({ feeRateMinor: 5 })).toThrow(/feeRateMinor must be a whole number/)
    expect(() => file({ feeRate: '5' })).toThrow(/feeRate is not known/)
  })
})

describe('money that stays in our wallets', () => {
  const fresh: UtxoKeyPath = { type: 'hot', branch: 1, index: 77 }

  it('E10 is spent by a CPFP from the change of a waiting transaction, and both are judged together', async () => {
    const opened = await useTestSigner()
    const right = validOutgoing(opened, litecoin)
    const lifted = await signed(opened, right.ask({}, { outgoingTransactionId: 'stuck' }))
    const change = changeOf(lifted, right.changeMinor)
    const lift = (feeMinor: bigint, outgoingTransactionId: string, utxo = change) =>
      utxoRequest(
        litecoin,
        { kind: 'cpfp', outgoingTransactionId },
        draw(opened.keys, litecoin, {
          utxos: [utxo],
          payments: [],
          change: [{ keyPath: fresh, amountMinor: utxo.amountMinor - feeMinor }],
        }),
        { pinnedOutpoint: utxo, outgoingTransactionId: `lift of ${outgoingTransactionId}` },
      )
    // By itself the CPFP pays 3,600 per virtual byte. Together with its parent it pays less than 2,000, the
    // maximum.
    const dear = lift(400_000n, 'stuck')
    expect(await ask(opened, lift(400_000n, 'another'))).toMatchObject({ code: 'not-as-intended' })
    expect(await ask(opened, lift(1_000n, 'stuck', inventUtxo(litecoin, opened.keys)))).toMatchObject({
      code: 'not-as-intended',
      detail: expect.stringContaining('not change of transaction stuck'),
    })
    const reopened = await opened.reopen()
    expect(codeOf(await ask(reopened, lift(600_000n, 'stuck')))).toBe('over-limit')
    expect(codeOf(await ask(reopened, dear))).toBe('signed')
  })

  it('is reclaimed from the outputs of a named transaction and no others, only to ourselves', async () => {
    const opened = await useTestSigner()
    const right = validOutgoing(opened, litecoin)
    const shared = inventUtxo(litecoin, opened.keys)
    const both = {
      utxos: [right.utxo, shared],
      change: [{ keyPath: changeKeyPath, amountMinor: right.changeMinor + shared.amountMinor }],
    }
    await signed(opened, right.ask(both, { outgoingTransactionId: 'former' }))
    const reclaim = (
      outgoingTransactionId: string,
      utxos: readonly TestUtxo[],
      payments: Drawing['payments'] = [],
    ) => {
      const heldMinor = utxos.reduce((total, { amountMinor }) => total + amountMinor, 0n)
      const paidMinor = payments.reduce((total, { netMinor }) => total + netMinor, 0n)
      const change = [{ keyPath: fresh, amountMinor: heldMinor - paidMinor - 2_000n }]
      const psbt = draw(opened.keys, litecoin, { utxos, payments, change })
      const pinnedOutpoint = required(utxos[0], 'pinned')
      return utxoRequest(litecoin, { kind: 'reclaim', outgoingTransactionId }, psbt, {
        pinnedOutpoint,
        outgoingTransactionId: 'taking back',
      })
    }
    const other = inventUtxo(litecoin, opened.keys)
    await signed(opened, validOutgoing(opened, litecoin).ask({}, { outgoingTransactionId: 'another' }))
    const outside = [{ address: newExternalAddress(litecoin), netMinor: 10_000n }]
    for (const wrong of [
      reclaim('former', [shared, other]),
      reclaim('another', [shared]),
      reclaim('former', [shared], outside),
    ])
      expect(codeOf(await ask(opened, wrong))).toMatch(/already-signed|not-as-intended/)
    // The log does not contain the transaction "forgotten", so it reserves no output for it. A reclaim for it
    // may spend an output that is not reserved, but may never pay somebody else.
    expect(codeOf(await ask(opened, reclaim('forgotten', [shared])))).toMatch(
      /already-signed|not-as-intended/,
    )
    expect(codeOf(await ask(opened, reclaim('forgotten', [other], outside)))).toBe('not-as-intended')
    const taken = await signed(opened, reclaim('former', [shared]))
    const reopened = await opened.reopen()
    expect(await signed(reopened, reclaim('former', [shared]))).toEqual(taken)
    const again = { ...both, change: [{ ...required(both.change[0], 'change'), amountMinor: 20_000n }] }
    expect(codeOf(await ask(reopened, right.ask(again, { outgoingTransactionId: 'former' })))).toBe(
      'already-signed',
    )
    const back = { outpoint: `${taken.txHash}:0`, amountMinor: shared.amountMinor - 2_000n, keyPath: fresh }
    const next = validOutgoing(opened, litecoin)
    const spendsBack = {
      utxos: [next.utxo, back],
      change: [{ keyPath: changeKeyPath, amountMinor: next.changeMinor + back.amountMinor }],
    }
    expect(codeOf(await ask(reopened, next.ask(spendsBack, { outgoingTransactionId: 'next' })))).toBe(
      'signed',
    )
  })

  it('is reclaimed from a transaction that the log does not contain', async () => {
    const opened = await useTestSigner()
    const utxo = inventUtxo(litecoin, opened.keys)
    const change = [{ keyPath: fresh, amountMinor: utxo.amountMinor - 2_000n }]
    const psbt = draw(opened.keys, litecoin, { utxos: [utxo], payments: [], change })
    const intent = { kind: 'reclaim', outgoingTransactionId: 'forgotten' } as const
    const request = utxoRequest(litecoin, intent, psbt, {
      pinnedOutpoint: utxo,
      outgoingTransactionId: 'taking back',
    })
    expect(codeOf(await ask(opened, request))).toBe('signed')
  })

  it('is consolidated from many coins to few, which pay nobody', async () => {
    const opened = await useTestSigner()
    const utxos = Array.from({ length: 40 }, () =>
      inventUtxo(litecoin, opened.keys, { amountMinor: 10n ** 6n }),
    )
    const pinnedOutpoint = required(utxos[0], 'pinned')
    const gather = (payments: Drawing['payments']) =>
      utxoRequest(
        litecoin,
        { kind: 'consolidate' },
        draw(opened.keys, litecoin, {
          utxos,
          payments,
          change: [{ keyPath: fresh, amountMinor: 40n * 10n ** 6n - 1_100_000n }],
        }),
        { pinnedOutpoint },
      )
    const robbed = gather([{ address: newExternalAddress(litecoin), netMinor: 1_000_000n }])
    expect(await ask(opened, robbed)).toMatchObject({ code: 'not-as-intended' })
    expect(codeOf(await ask(opened, gather([])))).toBe('signed')
  })

  it("is withdrawn only to the operator's treasury address", async () => {
    const coldAddress = newExternalAddress(litecoin)
    const opened = await useTestSigner({ coldAddress, coldNetwork: 'litecoin' })
    const { ask: right } = validOutgoing(opened, litecoin)
    const amountMinor = 10n ** 7n
    const intent: Intent = { kind: 'treasury_withdrawal', asset: 'litecoin/LTC', contract: null, amountMinor }
    const stranger = [{ address: newExternalAddress(litecoin), netMinor: amountMinor }]
    expect(await ask(opened, right({ payments: stranger }, { intent }))).toMatchObject({
      code: 'not-as-intended',
    })
    const own = [{ address: coldAddress, netMinor: amountMinor }]
    expect(codeOf(await ask(opened, right({ payments: own }, { intent })))).toBe('signed')
  })

  it('is at keys whose accounts the signer attests', async () => {
    const { signer, keys } = await useTestSigner()
    const { accounts } = await signer.attest()
    expect(accounts.map(({ family }) => family)).toEqual(utxoNetworkNames)
    const own = accounts.find(({ family }) => family === 'litecoin')
    expect(own).toEqual({ family: 'litecoin', ...keys.accountOf(litecoin.chain) })
    expect(own?.hotXpub).not.toBe(own?.xpub)
  })
})
