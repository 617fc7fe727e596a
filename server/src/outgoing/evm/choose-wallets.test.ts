import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noLines, type Turn } from '../engine/controls/lines.ts'
import type { Proposal } from '../engine/purpose.ts'
import { chooseWallets, nextNonces, type Wallet, type WalletGround } from './choose-wallets.ts'

const coin = 'ethereum/ETH'
const token = 'ethereum/USDT'
const contract = `0x${'11'.repeat(20)}`
const price = { maxFeeMinor: 10n, tipMinor: 1n }

function lane(number: number, parts: { coin: bigint; token?: bigint; inFlight?: number }): Wallet {
  return {
    place: { type: 'lane', lane: number },
    address: `0x${number}`,
    inFlight: parts.inFlight ?? 0,
    nonceEnd: 0,
    freeMinor: new Map([
      [coin, parts.coin],
      [token, parts.token ?? 0n],
    ]),
  }
}

function payment(id: number, asset: string, amountMinor: bigint): Proposal {
  const held = { asset, contract: asset === coin ? null : contract, amountMinor }
  const intent = { kind: 'withdrawal' as const, payments: [] }
  return { id: `${id}`, network: 'ethereum', intent, spends: held }
}

/** The most that a withdrawal's gas can cost at that price. */
const gasMinor = 10_000_000n

function ground(...wallets: Wallet[]): WalletGround {
  return { coin, wallets, price, inFlightMax: 16 }
}

describe('choosing wallets', () => {
  const anyGround = fc
    .array(
      fc.record({
        coin: fc.bigInt(0n, 60_000_000n),
        token: fc.bigInt(0n, 1_000n),
        inFlight: fc.integer({ min: 0, max: 17 }),
      }),
      { maxLength: 4 },
    )
    .map((lanes) => ground(...lanes.map((parts, number) => lane(number, parts))))
  const anyProposals = fc
    .array(fc.tuple(fc.constantFrom(coin, token), fc.bigInt(1n, 800n)), { maxLength: 40 })
    .map((wishes) => wishes.map(([asset, amount], id) => payment(id, asset, amount)))

  it('never spends what a lane does not hold, nor fills a lane beyond its limit', () => {
    fc.assert(
      fc.property(anyGround, anyProposals, (on, proposals) => {
        const { chosen } = chooseWallets(on, proposals)
        for (const wallet of on.wallets) {
          const own = chosen.filter((choice) => choice.wallet.address === wallet.address)
          const spent = (asset: string) =>
            own.reduce(
              (sum, { proposal }) =>
                sum + (proposal.spends?.asset === asset ? proposal.spends.amountMinor : 0n),
              0n,
            )
          expect(spent(token)).toBeLessThanOrEqual(wallet.freeMinor.get(token) ?? 0n)
          const coins = spent(coin) + gasMinor * BigInt(own.length)
          expect(coins).toBeLessThanOrEqual(wallet.freeMinor.get(coin) ?? 0n)
          if (own.length > 0) expect(wallet.inFlight + own.length).toBeLessThanOrEqual(16)
        }
      }),
    )
  })

  it('E22 A4 lets a payment pass one that waits, never one that reserves the asset', () => {
    fc.assert(
      fc.property(anyGround, anyProposals, fc.nat(39), (on, proposals, place) => {
        const asset = proposals[place]?.spends?.asset ?? coin
        const turn: Turn = { type: 'reserved', id: `${place}`, roundsLeft: 3 }
        const lines = { ...noLines, byAsset: new Map([[asset, { turn, waited: new Map() }]]) }
        const { chosen, shifts, lines: after } = chooseWallets({ ...on, lines }, proposals)
        const ids = new Set(chosen.map(({ proposal }) => proposal.id))
        const reserving = after.outcomes.get(asset)?.reserving
        expect([undefined, `${place}`]).toContain(reserving)
        if (reserving === undefined) return
        const behind = proposals.slice(place).filter(({ spends }) => spends?.asset === asset)
        expect(behind.filter(({ id }) => ids.has(id))).toEqual([])
        expect(new Set(shifts.map((shift) => shift.asset)).size).toBeLessThanOrEqual(2)
      }),
    )
  })

  it('A4 leaves out only what no lane holds, whatever waits before it', () => {
    const on = ground(lane(0, { coin: 10n * gasMinor, token: 50n }))
    const { chosen, waits } = chooseWallets(on, [
      payment(1, token, 95n),
      payment(2, token, 20n),
      payment(3, token, 40n),
      payment(4, token, 30n),
    ])
    expect(chosen.map(({ proposal }) => proposal.id)).toEqual(['2', '4'])
    expect(waits).toMatchObject([{ cause: `funds:${token}`, detail: expect.stringContaining('95') }])
  })

  it('A4 takes nothing from a payment that lanes hold together, while the asset yields to everybody', () => {
    fc.assert(
      fc.property(anyGround, anyProposals, (on, proposals) => {
        const turn: Turn = { type: 'yielding', roundsLeft: 3 }
        const lines = { ...noLines, byAsset: new Map([[token, { turn, waited: new Map() }]]) }
        const { chosen, shifts } = chooseWallets({ ...on, lines }, proposals)
        const [shift] = shifts.filter(({ asset }) => asset === token)
        if (shift === undefined) return
        const leftMinor = ({ address, freeMinor }: Wallet) =>
          chosen
            .filter(({ wallet, proposal }) => wallet.address === address && proposal.spends?.asset === token)
            .reduce(
              (minor, { proposal }) => minor - (proposal.spends?.amountMinor ?? 0n),
              freeMinor.get(token) ?? 0n,
            )
        expect(leftMinor(shift.from)).toBeGreaterThanOrEqual(shift.amountMinor)
        // The rest of what it waits for, or the money of one that would then be next, lies where it is moved to.
        const ids = new Set(chosen.map(({ proposal }) => proposal.id))
        const wanted = proposals.filter(({ id, spends }) => spends?.asset === token && !ids.has(id))
        const togetherMinor = on.wallets.reduce((minor, wallet) => minor + leftMinor(wallet), 0n)
        expect(wanted.some(({ spends }) => (spends?.amountMinor ?? 0n) <= togetherMinor)).toBe(true)
      }),
    )
  })

  it('A4 keeps what lies in a lane for a payment whose rest is on its way there', () => {
    const comingMinor = new Map([[token, 40n]])
    const to = { ...lane(0, { coin: 10n * gasMinor, token: 60n }), comingMinor }
    const on = ground(to, lane(1, { coin: 10n * gasMinor, token: 10n }))
    const turn: Turn = { type: 'yielding', roundsLeft: 3 }
    const lines = { ...noLines, byAsset: new Map([[token, { turn, waited: new Map() }]]) }
    const proposals = [payment(1, token, 100n), payment(2, token, 60n), payment(3, token, 10n)]
    const { chosen, shifts } = chooseWallets({ ...on, lines }, proposals)
    expect(chosen.map(({ proposal, wallet }) => [proposal.id, wallet.address])).toEqual([['3', '0x1']])
    expect(shifts).toEqual([])
  })

  it('A4 keeps what lies in a lane that can send no more just now', () => {
    const full = lane(0, { coin: 10n * gasMinor, token: 60n, inFlight: 16 })
    const turn: Turn = { type: 'yielding', roundsLeft: 3 }
    const lines = { ...noLines, byAsset: new Map([[token, { turn, waited: new Map() }]]) }
    const on = ground(full, lane(1, { coin: 10n * gasMinor, token: 45n }))
    const { chosen } = chooseWallets({ ...on, lines }, [payment(1, token, 100n), payment(2, token, 30n)])
    expect(chosen).toEqual([])
    // Where they hold too little together, nothing is kept.
    const [passing] = chooseWallets({ ...on, lines }, [
      payment(1, token, 106n),
      payment(2, token, 30n),
    ]).chosen
    expect(passing?.proposal.id).toBe('2')
  })

  it("keeps the operator's own behind whatever waits for the asset", () => {
    const on = ground(lane(0, { coin: 10n * gasMinor, token: 50n }))
    const takeOut: Proposal = {
      ...payment(2, token, 5n),
      intent: { kind: 'take_out', asset: token, contract, amountMinor: 5n },
    }
    expect(chooseWallets(on, [payment(1, token, 95n), takeOut]).chosen).toEqual([])
  })

  it('lets a sweep pass who waits for the coin that it may bring in', () => {
    const sweep: Proposal = {
      id: 'sweep',
      network: 'ethereum',
      spends: undefined,
      intent: { kind: 'sweep', deposits: [], assets: [] },
    }
    const on = ground(lane(0, { coin: 10n * gasMinor }))
    const { chosen, waits } = chooseWallets(on, [
      payment(1, coin, 20n * gasMinor),
      sweep,
      payment(2, coin, 1n),
    ])
    expect(chosen.map(({ proposal }) => proposal.id)).toEqual(['sweep', '2'])
    expect(waits).toMatchObject([{ cause: `funds:${coin}`, detail: expect.stringContaining('210000000') }])
  })

  it('moves an asset between lanes only where they hold enough together, and to where most is', () => {
    fc.assert(
      fc.property(anyGround, anyProposals, (on, proposals) => {
        for (const { asset, amountMinor, from, to } of chooseWallets(on, proposals).shifts) {
          expect(amountMinor).toBeGreaterThan(0n)
          expect(from.address).not.toBe(to.address)
          expect(amountMinor).toBeLessThanOrEqual(from.freeMinor.get(asset) ?? 0n)
        }
      }),
    )
  })

  it('takes the lane with the fewest transactions under way', () => {
    const plenty = { coin: 100n * gasMinor, token: 1_000n }
    const { chosen } = chooseWallets(
      ground(lane(0, { ...plenty, inFlight: 3 }), lane(1, { ...plenty, inFlight: 1 })),
      [payment(1, token, 5n)],
    )
    expect(chosen[0]?.wallet.address).toBe('0x1')
  })

  it('moves the token to the lane that lacks least, or coin to a lane that holds the token alone', () => {
    const split = chooseWallets(
      ground(lane(0, { coin: gasMinor, token: 60n }), lane(1, { coin: gasMinor, token: 50n })),
      [payment(1, token, 100n)],
    )
    expect(split.chosen).toEqual([])
    expect(split.shifts).toMatchObject([{ asset: token, amountMinor: 40n, from: { address: '0x1' } }])
    const dry = chooseWallets(ground(lane(0, { coin: 0n, token: 100n }), lane(1, { coin: 3n * gasMinor })), [
      payment(1, token, 100n),
    ])
    expect(dry.shifts).toMatchObject([
      { asset: coin, contract: null, from: { address: '0x1' }, to: { address: '0x0' } },
    ])
  })
})

it('M19 gives places in the order without a gap: those given back first, never one that is taken', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 50 }),
      fc.uniqueArray(fc.nat({ max: 80 })),
      fc.nat({ max: 20 }),
      (mined, taken, count) => {
        const places = nextNonces(mined, new Set(taken), count)
        expect(places).toHaveLength(count)
        const all = new Set([...taken, ...places])
        for (let nonce = mined; nonce < (places.at(-1) ?? mined); nonce += 1)
          expect(all.has(nonce)).toBe(true)
        for (const nonce of places) expect(taken.includes(nonce)).toBe(false)
      },
    ),
  )
})
