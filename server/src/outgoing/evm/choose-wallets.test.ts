import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noQueues, type QueuePhase } from '../engine/controls/payment-queues.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { chooseWallets, nextNonces, type Wallet, type WalletPlanContext } from './choose-wallets.ts'

const coin = 'ethereum/ETH'
const token = 'ethereum/USDT'
const contract = `0x${'11'.repeat(20)}`
const price = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }

function hotWallet(number: number, parts: { coin: bigint; token?: bigint; inFlight?: number }): Wallet {
  return {
    keyPath: { type: 'hotWallet', hotWallet: number },
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

/** The maximum cost of gas for a token withdrawal at `price`. */
const gasMinor = 10_000_000n

function context(...wallets: Wallet[]): WalletPlanContext {
  return { coin, wallets, price, inFlightMax: 16 }
}

describe('choosing wallets', () => {
  const anyContext = fc
    .array(
      fc.record({
        coin: fc.bigInt(0n, 60_000_000n),
        token: fc.bigInt(0n, 1_000n),
        inFlight: fc.integer({ min: 0, max: 17 }),
      }),
      { maxLength: 4 },
    )
    .map((hotWallets) => context(...hotWallets.map((parts, number) => hotWallet(number, parts))))
  const anyProposals = fc
    .array(fc.tuple(fc.constantFrom(coin, token), fc.bigInt(1n, 800n)), { maxLength: 40 })
    .map((params) => params.map(([asset, amount], id) => payment(id, asset, amount)))

  it('never spends what a hot wallet does not hold, nor fills one beyond its limit', () => {
    fc.assert(
      fc.property(anyContext, anyProposals, (on, proposals) => {
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
      fc.property(anyContext, anyProposals, fc.nat(39), (on, proposals, index) => {
        const asset = proposals[index]?.spends?.asset ?? coin
        const phase: QueuePhase = { type: 'reserved', id: `${index}`, roundsLeft: 3 }
        const queues = { ...noQueues, byAsset: new Map([[asset, { phase, waited: new Map() }]]) }
        const { chosen, rebalances, queues: after } = chooseWallets({ ...on, queues }, proposals)
        const ids = new Set(chosen.map(({ proposal }) => proposal.id))
        const reserving = after.outcomes.get(asset)?.reserving
        expect([undefined, `${index}`]).toContain(reserving)
        if (reserving === undefined) return
        const behind = proposals.slice(index).filter(({ spends }) => spends?.asset === asset)
        expect(behind.filter(({ id }) => ids.has(id))).toEqual([])
        expect(new Set(rebalances.map((rebalance) => rebalance.asset)).size).toBeLessThanOrEqual(2)
      }),
    )
  })

  it('A4 leaves out only what no hot wallet holds, whatever waits before it', () => {
    const on = context(hotWallet(0, { coin: 10n * gasMinor, token: 50n }))
    const { chosen, waits } = chooseWallets(on, [
      payment(1, token, 95n),
      payment(2, token, 20n),
      payment(3, token, 40n),
      payment(4, token, 30n),
    ])
    expect(chosen.map(({ proposal }) => proposal.id)).toEqual(['2', '4'])
    expect(waits).toMatchObject([{ cause: `funds:${token}`, detail: expect.stringContaining('95') }])
  })

  it('A4 takes nothing from a payment that hot wallets hold together, while the asset yields to everybody', () => {
    fc.assert(
      fc.property(anyContext, anyProposals, (on, proposals) => {
        const phase: QueuePhase = { type: 'yielding', roundsLeft: 3 }
        const queues = { ...noQueues, byAsset: new Map([[token, { phase, waited: new Map() }]]) }
        const { chosen, rebalances } = chooseWallets({ ...on, queues }, proposals)
        const [rebalance] = rebalances.filter(({ asset }) => asset === token)
        if (rebalance === undefined) return
        const leftMinor = ({ address, freeMinor }: Wallet) =>
          chosen
            .filter(({ wallet, proposal }) => wallet.address === address && proposal.spends?.asset === token)
            .reduce(
              (minor, { proposal }) => minor - (proposal.spends?.amountMinor ?? 0n),
              freeMinor.get(token) ?? 0n,
            )
        expect(leftMinor(rebalance.from)).toBeGreaterThanOrEqual(rebalance.amountMinor)
        // After the rebalance, the wallets hold enough for at least one of the payments that are still to be
        // made.
        const ids = new Set(chosen.map(({ proposal }) => proposal.id))
        const wanted = proposals.filter(({ id, spends }) => spends?.asset === token && !ids.has(id))
        const togetherMinor = on.wallets.reduce((minor, wallet) => minor + leftMinor(wallet), 0n)
        expect(wanted.some(({ spends }) => (spends?.amountMinor ?? 0n) <= togetherMinor)).toBe(true)
      }),
    )
  })

  it('A4 keeps what is in a hot wallet for a payment whose rest is on its way there', () => {
    const comingMinor = new Map([[token, 40n]])
    const to = { ...hotWallet(0, { coin: 10n * gasMinor, token: 60n }), comingMinor }
    const on = context(to, hotWallet(1, { coin: 10n * gasMinor, token: 10n }))
    const phase: QueuePhase = { type: 'yielding', roundsLeft: 3 }
    const queues = { ...noQueues, byAsset: new Map([[token, { phase, waited: new Map() }]]) }
    const proposals = [payment(1, token, 100n), payment(2, token, 60n), payment(3, token, 10n)]
    const { chosen, rebalances } = chooseWallets({ ...on, queues }, proposals)
    expect(chosen.map(({ proposal, wallet }) => [proposal.id, wallet.address])).toEqual([['3', '0x1']])
    expect(rebalances).toEqual([])
  })

  it('A4 keeps what is in a hot wallet that can send no more just now', () => {
    const full = hotWallet(0, { coin: 10n * gasMinor, token: 60n, inFlight: 16 })
    const phase: QueuePhase = { type: 'yielding', roundsLeft: 3 }
    const queues = { ...noQueues, byAsset: new Map([[token, { phase, waited: new Map() }]]) }
    const on = context(full, hotWallet(1, { coin: 10n * gasMinor, token: 45n }))
    const { chosen } = chooseWallets({ ...on, queues }, [payment(1, token, 100n), payment(2, token, 30n)])
    expect(chosen).toEqual([])
    // The wallets together hold too little, so nothing is reserved.
    const [passing] = chooseWallets({ ...on, queues }, [
      payment(1, token, 106n),
      payment(2, token, 30n),
    ]).chosen
    expect(passing?.proposal.id).toBe('2')
  })

  it("keeps the operator's own behind whatever waits for the asset", () => {
    const on = context(hotWallet(0, { coin: 10n * gasMinor, token: 50n }))
    const treasuryWithdrawal: Proposal = {
      ...payment(2, token, 5n),
      intent: { kind: 'treasury_withdrawal', asset: token, contract, amountMinor: 5n },
    }
    expect(chooseWallets(on, [payment(1, token, 95n), treasuryWithdrawal]).chosen).toEqual([])
  })

  it('lets a sweep pass who waits for the coin that it may bring in', () => {
    const sweep: Proposal = {
      id: 'sweep',
      network: 'ethereum',
      spends: undefined,
      intent: { kind: 'sweep', deposits: [], assets: [] },
    }
    const on = context(hotWallet(0, { coin: 10n * gasMinor }))
    const { chosen, waits } = chooseWallets(on, [
      payment(1, coin, 20n * gasMinor),
      sweep,
      payment(2, coin, 1n),
    ])
    expect(chosen.map(({ proposal }) => proposal.id)).toEqual(['sweep', '2'])
    expect(waits).toMatchObject([{ cause: `funds:${coin}`, detail: expect.stringContaining('210000000') }])
  })

  it('moves an asset between hot wallets only where they hold enough together, and to where most is', () => {
    fc.assert(
      fc.property(anyContext, anyProposals, (on, proposals) => {
        for (const { asset, amountMinor, from, to } of chooseWallets(on, proposals).rebalances) {
          expect(amountMinor).toBeGreaterThan(0n)
          expect(from.address).not.toBe(to.address)
          expect(amountMinor).toBeLessThanOrEqual(from.freeMinor.get(asset) ?? 0n)
        }
      }),
    )
    let moved = 0
    fc.assert(
      fc.property(anyContext, anyProposals, (on, [proposal]) => {
        if (proposal === undefined) return
        const { chosen, rebalances } = chooseWallets(on, [proposal])
        const [rebalance] = rebalances
        if (rebalance === undefined) return
        moved += 1
        expect(chosen).toEqual([])
        const spent = proposal.spends?.asset ?? coin
        const spentMinor = proposal.spends?.amountMinor ?? 0n
        const gasKeptMinor = rebalance.asset === coin ? gasMinor : 0n
        const neededMinor = gasKeptMinor + (rebalance.asset === spent ? spentMinor : 0n)
        const open = on.wallets.filter(({ inFlight }) => inFlight < on.inFlightMax)
        const freeMinor = (wallet: Wallet, asset: string) => wallet.freeMinor.get(asset) ?? 0n
        const spareMinor = open
          .filter((wallet) => wallet !== rebalance.to && freeMinor(wallet, coin) >= gasMinor)
          .map((wallet) => freeMinor(wallet, rebalance.asset) - gasKeptMinor)
          .reduce((sum, minor) => (minor > 0n ? sum + minor : sum), 0n)
        expect(freeMinor(rebalance.to, rebalance.asset)).toBeLessThan(neededMinor)
        expect(freeMinor(rebalance.to, rebalance.asset) + spareMinor).toBeGreaterThanOrEqual(neededMinor)
        // The rebalance goes to the hot wallet that holds the most of the asset to be spent. An amount above
        // what the payment needs does not count.
        const wantedMinor = spentMinor + (spent === coin ? gasMinor : 0n)
        const heldMinor = (wallet: Wallet) =>
          freeMinor(wallet, spent) < wantedMinor ? freeMinor(wallet, spent) : wantedMinor
        for (const wallet of open) expect(heldMinor(wallet)).toBeLessThanOrEqual(heldMinor(rebalance.to))
      }),
      { numRuns: 1_000 },
    )
    expect(moved).toBeGreaterThan(20)
  })

  it('takes the hot wallet with the fewest transactions under way', () => {
    const plenty = { coin: 100n * gasMinor, token: 1_000n }
    const { chosen } = chooseWallets(
      context(hotWallet(0, { ...plenty, inFlight: 3 }), hotWallet(1, { ...plenty, inFlight: 1 })),
      [payment(1, token, 5n)],
    )
    expect(chosen[0]?.wallet.address).toBe('0x1')
  })

  it('moves the token to the hot wallet that lacks least, or coin to one that holds the token alone', () => {
    const split = chooseWallets(
      context(hotWallet(0, { coin: gasMinor, token: 60n }), hotWallet(1, { coin: gasMinor, token: 50n })),
      [payment(1, token, 100n)],
    )
    expect(split.chosen).toEqual([])
    expect(split.rebalances).toMatchObject([{ asset: token, amountMinor: 40n, from: { address: '0x1' } }])
    const dry = chooseWallets(
      context(hotWallet(0, { coin: 0n, token: 100n }), hotWallet(1, { coin: 3n * gasMinor })),
      [payment(1, token, 100n)],
    )
    expect(dry.rebalances).toMatchObject([
      { asset: coin, contract: null, from: { address: '0x1' }, to: { address: '0x0' } },
    ])
  })
})

it('M19 gives nonces without a gap: those given back first, never one that is taken', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 50 }),
      fc.uniqueArray(fc.nat({ max: 80 })),
      fc.nat({ max: 20 }),
      (mined, taken, count) => {
        const nonces = nextNonces(mined, new Set(taken), count)
        expect(nonces).toHaveLength(count)
        const all = new Set([...taken, ...nonces])
        for (let nonce = mined; nonce < (nonces.at(-1) ?? mined); nonce += 1)
          expect(all.has(nonce)).toBe(true)
        for (const nonce of nonces) expect(taken.includes(nonce)).toBe(false)
      },
    ),
  )
})

it('a chosen wallet can pay the amount, the gas and the data fee', () => {
  const anyDataFee = fc.bigInt(0n, 30_000_000n)
  const anyWallets = fc.array(fc.record({ coin: fc.bigInt(0n, 60_000_000n), token: fc.bigInt(0n, 1_000n) }), {
    maxLength: 4,
  })
  const anyPayments = fc.array(fc.tuple(fc.constantFrom(coin, token), fc.bigInt(1n, 800n), anyDataFee), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(anyWallets, anyPayments, (wallets, payments) => {
      const on = context(...wallets.map((parts, number) => hotWallet(number, parts)))
      const dataFeesMinor = new Map(payments.map(([, , fee], id) => [`${id}`, fee]))
      const proposals = payments.map(([asset, amount], id) => payment(id, asset, amount))
      const { chosen } = chooseWallets({ ...on, dataFeesMinor }, proposals)
      const left = new Map(on.wallets.map(({ address, freeMinor }) => [address, new Map(freeMinor)]))
      for (const { proposal, wallet, dataFeeMinor } of chosen) {
        expect(dataFeeMinor).toBe(dataFeesMinor.get(proposal.id))
        const free = left.get(wallet.address)
        const { asset, amountMinor } = proposal.spends ?? { asset: coin, amountMinor: 0n }
        const costMinor = gasMinor + (dataFeeMinor ?? 0n)
        free?.set(coin, (free.get(coin) ?? 0n) - costMinor)
        free?.set(asset, (free.get(asset) ?? 0n) - amountMinor)
        for (const minor of free?.values() ?? []) expect(minor).toBeGreaterThanOrEqual(0n)
      }
    }),
  )
})

it('a wallet that could pay the gas alone is not chosen, even below the limit of the signer', () => {
  const on = { ...context(hotWallet(0, { coin: gasMinor + 4n, token: 9n })), feeMaxMinor: gasMinor }
  const proposal = payment(0, token, 9n)
  expect(chooseWallets({ ...on, dataFeesMinor: new Map([['0', 5n]]) }, [proposal]).chosen).toEqual([])
  expect(chooseWallets({ ...on, dataFeesMinor: new Map([['0', 4n]]) }, [proposal]).chosen).toHaveLength(1)
})
