/** What the signer's own log decides where money lies in coins: who may spend what, and how dear it may be. */
import { describe, expect, it } from 'vitest'
import { utxoNetworkOf } from '../../src/chains/networks.ts'
import { required } from '../../src/core/assert.ts'
import { type Policy, sandboxPolicy } from '../../src/signer/judging/policy.ts'
import { readPolicy } from '../../src/signer/judging/read-policy.ts'
import type { CoinPlace, Intent } from '../../src/signing/intent.ts'
import type { CoinRequest, SignAnswer } from '../../src/signing/signer-port.ts'
import {
  approveCoins,
  changePlace,
  coinRequest,
  type Drawing,
  draw,
  inventCoin,
  newOutsider,
  rightPayout,
  scriptAt,
  type TestCoin,
} from '../support/coin-requests.ts'
import { type TestSigner, useTestSigner } from '../support/signer.ts'

const litecoin = required(utxoNetworkOf('litecoin', 'regtest'), 'row')
/** What a policy says of litecoin beside its limits. */
const coins = { chainId: undefined, coin: litecoin.coin }
const dogecoin = required(utxoNetworkOf('dogecoin', 'regtest'), 'row')

async function ask({ signer }: Pick<TestSigner, 'signer'>, request: CoinRequest): Promise<SignAnswer> {
  const [answer] = await signer.sign([request])
  return required(answer, 'an answer')
}

function codeOf(answer: SignAnswer): string {
  return answer.type === 'refused' ? answer.code : 'signed'
}

async function signed(opened: Pick<TestSigner, 'signer'>, request: CoinRequest) {
  const answer = await ask(opened, request)
  if (answer.type === 'refused') throw new Error(`${answer.code}: ${answer.detail}`)
  return answer
}

/** The change of a payout that was signed. */
function changeOf({ txHash }: { readonly txHash: string }, amountMinor: bigint): TestCoin {
  return { outpoint: `${txHash}:1`, amountMinor, place: changePlace }
}

describe('the log', () => {
  it('E01 gives the same bytes for the same request, before and after it was opened anew', async () => {
    const opened = await useTestSigner()
    const request = rightPayout(opened, litecoin).ask()
    const first = await signed(opened, request)
    expect(await signed(opened, request)).toEqual(first)
    expect(await signed(await opened.reopen(), request)).toEqual(first)
    expect((await opened.signer.attest()).logEntries).toBe(1)
  })

  it('E06 lets another attempt of a payout spend its anchor, with other coins and another fee, and nothing else', async () => {
    const opened = await useTestSigner()
    const right = rightPayout(opened, litecoin)
    const payoutId = 'payout'
    await signed(opened, right.ask({}, { payoutId }))
    const more = inventCoin(litecoin, opened.keys)
    const change = [{ place: changePlace, amountMinor: right.changeMinor - 5_000n }]
    const attempts = async (one: Pick<TestSigner, 'signer'>) => [
      codeOf(await ask(one, right.ask({ change }, { payoutId }))),
      codeOf(await ask(one, right.ask({ coins: [right.coin, more] }, { payoutId }))),
    ]
    expect(await attempts(opened)).toEqual(['signed', 'over-limit'])
    const elsewhere = { ...right.ask({ coins: [more] }, { payoutId }), anchor: more.outpoint }
    expect(await ask(opened, elsewhere)).toMatchObject({ code: 'already-signed' })
    const unanchored = {
      ...right.ask({ coins: [right.coin, more], change: [] }, { payoutId }),
      anchor: more.outpoint,
    }
    expect(await ask(opened, unanchored)).toMatchObject({ code: 'already-signed' })
  })

  it('E24 gives no withdrawal to a second payout, and no payout to other withdrawals', async () => {
    const opened = await useTestSigner()
    const right = rightPayout(opened, litecoin)
    await signed(opened, right.ask({}, { payoutId: 'payout' }))
    const again = rightPayout(opened, litecoin)
    const twice = again.ask({ payments: [right.payment] }, { intent: right.intent, payoutId: 'another' })
    const other = {
      ...again.ask({ coins: [right.coin] }, { payoutId: 'payout' }),
      anchor: right.coin.outpoint,
    }
    for (const one of [opened, await opened.reopen()]) {
      expect(await ask(one, twice)).toMatchObject({ code: 'already-signed' })
      expect(await ask(one, other)).toMatchObject({ code: 'already-signed' })
    }
  })

  it('E09 gives a coin to one payout alone, be it the anchor or not', async () => {
    const opened = await useTestSigner()
    const first = rightPayout(opened, litecoin)
    const second = rightPayout(opened, litecoin)
    const shared = inventCoin(litecoin, opened.keys)
    const withShared = ({ coin, changeMinor }: typeof first): Partial<Drawing> => ({
      coins: [coin, shared],
      change: [{ place: changePlace, amountMinor: changeMinor + shared.amountMinor }],
    })
    const asked = second.ask(withShared(second))
    const together = await opened.signer.sign([first.ask(withShared(first)), asked])
    expect(together.map(codeOf)).toEqual(['signed', 'already-signed'])
    const reopened = await opened.reopen()
    expect(codeOf(await ask(reopened, asked))).toBe('already-signed')
    expect(codeOf(await ask(reopened, { ...asked, anchor: shared.outpoint }))).toBe('already-signed')
    expect(codeOf(await ask(reopened, second.ask()))).toBe('signed')
  })

  it('is told a coin to hold one amount for ever, so that no two lies make one fee', async () => {
    const opened = await useTestSigner()
    const { keys } = opened
    const coins = [inventCoin(litecoin, keys), inventCoin(litecoin, keys, { amountMinor: 9n * 10n ** 8n })]
    const payment = approveCoins(opened, litecoin)
    const told = (...amounts: bigint[]): CoinRequest => {
      const lied = coins.map((coin, place) => ({ ...coin, amountMinor: amounts[place] ?? coin.amountMinor }))
      const drawing = { coins: lied, payments: [payment] }
      const change = [{ place: changePlace, amountMinor: 10n ** 8n }]
      return coinRequest(
        litecoin,
        { kind: 'withdrawal', payments: [payment] },
        draw(keys, litecoin, { ...drawing, change }),
        {
          anchor: required(coins[0], 'anchor'),
          payoutId: 'payout',
        },
      )
    }
    // The first signature is right and the second is not; asked the other way round, both would be.
    expect(codeOf(await ask(opened, told(10n ** 8n, 10n ** 7n + 10_000n)))).toBe('signed')
    for (const one of [opened, await opened.reopen()])
      expect(await ask(one, told(10n ** 6n, 9n * 10n ** 8n))).toMatchObject({ code: 'not-as-intended' })
  })

  it('believes no amount where there are no witnesses: the transaction that made a coin says it', async () => {
    const opened = await useTestSigner()
    const { coin, ask: right } = rightPayout(opened, dogecoin)
    const { made, ...unproven } = coin
    expect(made).toBeDefined()
    expect(await ask(opened, right({ coins: [unproven] }))).toMatchObject({
      code: 'not-as-intended',
      detail: expect.stringContaining('whole transaction'),
    })
    expect(codeOf(await ask(opened, right()))).toBe('signed')
  })

  it('believes no transaction that is not the one that made a coin, and nothing beside the one that did', async () => {
    const opened = await useTestSigner()
    const { coin, ask: right } = rightPayout(opened, dogecoin)
    const request = right()
    const made = Buffer.from(required(coin.made, 'what made the coin'))
    const amount = (minor: bigint) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(minor)
      return bytes
    }
    // Less than its fee, so that nothing but the lie is wrong with it.
    const lie = amount(coin.amountMinor - 100_000n)
    const told = amount(coin.amountMinor)
    const at = made.indexOf(told)
    const lying = Buffer.concat([made.subarray(0, at), lie, made.subarray(at + 8)])
    const script = scriptAt(opened.keys, dogecoin, coin.place)
    // A field of an input: its kind, its length, the output that is spent (BIP 174).
    const witnessUtxo = (minor: Buffer) =>
      Buffer.concat([Buffer.of(1, 1, 9 + script.length), minor, Buffer.of(script.length), script])
    for (const [by, code] of [
      [lying, 'not-as-intended'],
      [Buffer.concat([made, witnessUtxo(lie)]), 'not-as-intended'],
      [Buffer.concat([made, witnessUtxo(told)]), 'signed'],
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
    const right = rightPayout(opened, litecoin)
    const payments = Array.from({ length: 50 }, () =>
      approveCoins(opened, litecoin, { netMinor: 1_000_000n }),
    )
    const change = [{ place: changePlace, amountMinor: 10n ** 8n - 50n * 1_000_000n - 40_000n }]
    const intent: Intent = { kind: 'withdrawal', payments }
    await signed(opened, right.ask({ payments: payments.toReversed(), change }, { intent }))
    const one = required(payments[17], 'payment')
    const alone = right.ask({ payments: [one] }, { intent: { kind: 'withdrawal', payments: [one] } })
    const other = rightPayout(opened, litecoin)
    const elsewhere = other.ask({ payments: [one] }, { intent: { kind: 'withdrawal', payments: [one] } })
    expect(await ask(opened, alone)).toMatchObject({ code: 'already-signed' })
    expect(await ask(opened, elsewhere)).toMatchObject({ code: 'already-signed' })
  })

  it('E16 is held to the limits as its payments are: each by itself, and all of them in a day and ever', async () => {
    const limits = { perTransactionMinor: 30_000_000n, per24HoursMinor: 50_000_000n, totalMinor: 10n ** 12n }
    const policy: Policy = {
      ...sandboxPolicy,
      assets: [{ network: 'litecoin', contract: null, symbol: 'LTC', decimals: 8, ...limits }],
    }
    const batch = async (...amounts: bigint[]) => {
      const opened = await useTestSigner({ policy })
      const right = rightPayout(opened, litecoin)
      const payments = amounts.map((netMinor) => approveCoins(opened, litecoin, { netMinor }))
      const leftMinor = right.coin.amountMinor - amounts.reduce((a, b) => a + b) - 5_000n
      const change = [{ place: changePlace, amountMinor: leftMinor }]
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
  it('E16 is held to what one transaction may cost, to a rate and to a share of what is spent', async () => {
    const network = {
      ...coins,
      feePerTransactionMinor: 100_000n,
      feesPer24HoursMinor: 150_000n,
      topUpsPer24HoursMinor: 0n,
    }
    const paying = async (feeMinor: bigint, more: object, amountMinor = 10n ** 8n) => {
      const opened = await useTestSigner({
        policy: { ...sandboxPolicy, networks: { litecoin: { ...network, ...more } } },
      })
      const right = rightPayout(opened, litecoin)
      const coin = inventCoin(litecoin, opened.keys, { amountMinor })
      const change = [{ place: changePlace, amountMinor: amountMinor - right.payment.netMinor - feeMinor }]
      return codeOf(await ask(opened, { ...right.ask({ coins: [coin], change }), anchor: coin.outpoint }))
    }
    expect(await paying(100_000n, {})).toBe('signed')
    expect(await paying(100_001n, {})).toBe('over-limit')
    // It has 144 virtual bytes, and some are let go for rounding.
    expect(await paying(14_400n, { feeRateMinor: 100_000n })).toBe('signed')
    expect(await paying(15_000n, { feeRateMinor: 100_000n })).toBe('over-limit')
    expect(await paying(100_000n, { feeSharePercent: 1n }, 10_110_000n)).toBe('signed')
    expect(await paying(100_000n, { feeSharePercent: 0n }, 10_110_000n)).toBe('over-limit')
  })

  it('E16 of several attempts counts once within 24 hours, as the dearest of them', async () => {
    const networks = {
      litecoin: {
        ...coins,
        feePerTransactionMinor: 100_000n,
        feesPer24HoursMinor: 120_000n,
        topUpsPer24HoursMinor: 0n,
      },
    }
    const opened = await useTestSigner({ policy: { ...sandboxPolicy, networks } })
    const first = rightPayout(opened, litecoin)
    const second = rightPayout(opened, litecoin)
    const paying = async (
      { ask: right, coin, payment }: typeof first,
      feeMinor: bigint,
      payoutId: string,
    ) => {
      const change = [{ place: changePlace, amountMinor: coin.amountMinor - payment.netMinor - feeMinor }]
      return codeOf(await ask(opened, right({ change }, { payoutId })))
    }
    expect(await paying(first, 60_000n, 'one')).toBe('signed')
    expect(await paying(first, 90_000n, 'one')).toBe('signed')
    expect(await paying(second, 30_001n, 'two')).toBe('over-limit')
    expect(await paying(second, 30_000n, 'two')).toBe('signed')
  })

  it('has limits of its own in the policy file, each of which may be left out', () => {
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

describe('what stays with us', () => {
  const fresh: CoinPlace = { type: 'hot', branch: 1, index: 77 }

  it('E10 lifts a payout that waits by spending its change, judged together with it', async () => {
    const opened = await useTestSigner()
    const right = rightPayout(opened, litecoin)
    const lifted = await signed(opened, right.ask({}, { payoutId: 'stuck' }))
    const change = changeOf(lifted, right.changeMinor)
    const lift = (feeMinor: bigint, payoutId: string, coin = change) =>
      coinRequest(
        litecoin,
        { kind: 'lift', payoutId },
        draw(opened.keys, litecoin, {
          coins: [coin],
          payments: [],
          change: [{ place: fresh, amountMinor: coin.amountMinor - feeMinor }],
        }),
        { anchor: coin, payoutId: `lift of ${payoutId}` },
      )
    // By itself it pays 3,600 for a byte, with what it lifts less than 2,000, which is the most.
    const dear = lift(400_000n, 'stuck')
    expect(await ask(opened, lift(400_000n, 'another'))).toMatchObject({ code: 'not-as-intended' })
    expect(await ask(opened, lift(1_000n, 'stuck', inventCoin(litecoin, opened.keys)))).toMatchObject({
      code: 'not-as-intended',
      detail: expect.stringContaining('no change of payout stuck'),
    })
    const reopened = await opened.reopen()
    expect(codeOf(await ask(reopened, lift(600_000n, 'stuck')))).toBe('over-limit')
    expect(codeOf(await ask(reopened, dear))).toBe('signed')
  })

  it('takes back the coins of a payout that is named, and no others, to ourselves alone', async () => {
    const opened = await useTestSigner()
    const right = rightPayout(opened, litecoin)
    const shared = inventCoin(litecoin, opened.keys)
    const both = {
      coins: [right.coin, shared],
      change: [{ place: changePlace, amountMinor: right.changeMinor + shared.amountMinor }],
    }
    await signed(opened, right.ask(both, { payoutId: 'former' }))
    const reclaim = (payoutId: string, coins: readonly TestCoin[], payments: Drawing['payments'] = []) => {
      const heldMinor = coins.reduce((total, { amountMinor }) => total + amountMinor, 0n)
      const paidMinor = payments.reduce((total, { netMinor }) => total + netMinor, 0n)
      const change = [{ place: fresh, amountMinor: heldMinor - paidMinor - 2_000n }]
      const psbt = draw(opened.keys, litecoin, { coins, payments, change })
      const anchor = required(coins[0], 'anchor')
      return coinRequest(litecoin, { kind: 'reclaim', payoutId }, psbt, { anchor, payoutId: 'taking back' })
    }
    const other = inventCoin(litecoin, opened.keys)
    await signed(opened, rightPayout(opened, litecoin).ask({}, { payoutId: 'another' }))
    const outside = [{ address: newOutsider(litecoin), netMinor: 10_000n }]
    for (const wrong of [
      reclaim('former', [shared, other]),
      reclaim('another', [shared]),
      reclaim('former', [shared], outside),
    ])
      expect(codeOf(await ask(opened, wrong))).toMatch(/already-signed|not-as-intended/)
    // A log that lost that payout keeps nothing for it: its coins are as free as any, and pay nobody all the same.
    expect(codeOf(await ask(opened, reclaim('forgotten', [shared])))).toMatch(
      /already-signed|not-as-intended/,
    )
    expect(codeOf(await ask(opened, reclaim('forgotten', [other], outside)))).toBe('not-as-intended')
    const taken = await signed(opened, reclaim('former', [shared]))
    const reopened = await opened.reopen()
    expect(await signed(reopened, reclaim('former', [shared]))).toEqual(taken)
    const again = { ...both, change: [{ ...required(both.change[0], 'change'), amountMinor: 20_000n }] }
    expect(codeOf(await ask(reopened, right.ask(again, { payoutId: 'former' })))).toBe('already-signed')
    const back = { outpoint: `${taken.txHash}:0`, amountMinor: shared.amountMinor - 2_000n, place: fresh }
    const next = rightPayout(opened, litecoin)
    const spendsBack = {
      coins: [next.coin, back],
      change: [{ place: changePlace, amountMinor: next.changeMinor + back.amountMinor }],
    }
    expect(codeOf(await ask(reopened, next.ask(spendsBack, { payoutId: 'next' })))).toBe('signed')
  })

  it('takes coins back of a payout that its log does not know', async () => {
    const opened = await useTestSigner()
    const coin = inventCoin(litecoin, opened.keys)
    const change = [{ place: fresh, amountMinor: coin.amountMinor - 2_000n }]
    const psbt = draw(opened.keys, litecoin, { coins: [coin], payments: [], change })
    const intent = { kind: 'reclaim', payoutId: 'forgotten' } as const
    const request = coinRequest(litecoin, intent, psbt, { anchor: coin, payoutId: 'taking back' })
    expect(codeOf(await ask(opened, request))).toBe('signed')
  })

  it('makes few coins of many, which pay nobody', async () => {
    const opened = await useTestSigner()
    const coins = Array.from({ length: 40 }, () =>
      inventCoin(litecoin, opened.keys, { amountMinor: 10n ** 6n }),
    )
    const anchor = required(coins[0], 'anchor')
    const gather = (payments: Drawing['payments']) =>
      coinRequest(
        litecoin,
        { kind: 'consolidate' },
        draw(opened.keys, litecoin, {
          coins,
          payments,
          change: [{ place: fresh, amountMinor: 40n * 10n ** 6n - 1_100_000n }],
        }),
        { anchor },
      )
    const robbed = gather([{ address: newOutsider(litecoin), netMinor: 1_000_000n }])
    expect(await ask(opened, robbed)).toMatchObject({ code: 'not-as-intended' })
    expect(codeOf(await ask(opened, gather([])))).toBe('signed')
  })

  it("is taken out to the operator's address alone", async () => {
    const coldAddress = newOutsider(litecoin)
    const opened = await useTestSigner({ coldAddress, coldNetwork: 'litecoin' })
    const { ask: right } = rightPayout(opened, litecoin)
    const amountMinor = 10n ** 7n
    const intent: Intent = { kind: 'take_out', asset: 'litecoin/LTC', contract: null, amountMinor }
    const stranger = [{ address: newOutsider(litecoin), netMinor: amountMinor }]
    expect(await ask(opened, right({ payments: stranger }, { intent }))).toMatchObject({
      code: 'not-as-intended',
    })
    const own = [{ address: coldAddress, netMinor: amountMinor }]
    expect(codeOf(await ask(opened, right({ payments: own }, { intent })))).toBe('signed')
  })

  it('lies at keys whose accounts the signer attests', async () => {
    const { signer, keys } = await useTestSigner()
    const { accounts } = await signer.attest()
    expect(accounts.map(({ family }) => family)).toEqual(['bitcoin', 'litecoin', 'dogecoin'])
    const own = accounts.find(({ family }) => family === 'litecoin')
    expect(own).toEqual({ family: 'litecoin', ...keys.accountOf(litecoin.chain) })
    expect(own?.hotXpub).not.toBe(own?.xpub)
  })
})
