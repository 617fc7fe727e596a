/** Tests what the simulation's model expects of payments on a network that their invoice does not offer. */
import { describe, expect, it } from 'vitest'
import { findDifferences, keyOf } from '../../simulation/model/check.ts'
import { findWrongEvents } from '../../simulation/model/check-events.ts'
import type { CheckedWorld } from '../../simulation/model/checked-world.ts'
import { Model } from '../../simulation/model/model.ts'
import type { TrueTransfer } from '../../simulation/model/true-transfer.ts'
import { findOverdrawn } from '../../simulation/treasury/check-treasury.ts'
import { creditRequestOf } from '../../simulation/wrong-network/credit-request.ts'
import { FakeChain, type FakeMove } from '../../src/chains/fake/fake-chain.ts'
import { modelCoin } from './model-coin.ts'

const onEthereum = modelCoin('ethereum/ETH', { minimumMinor: 500n })
const onBase = modelCoin('base/ETH', { methodId: 20, minimumMinor: 500n })

const payment: TrueTransfer = {
  network: 'base',
  txHash: 'tx',
  contract: null,
  sender: 'payer',
  isFromUs: false,
  recipient: 'address',
  amountMinor: 1_000n,
}

/** Returns a world with one merchant, whose invoice offers Ethereum alone. */
function worldOf(transfers: readonly TrueTransfer[]): CheckedWorld {
  const model = new Model()
  model.merchants.push('anna')
  model.invoices.set('invoice', 'anna')
  model.shown.push({
    merchantId: 'anna',
    invoiceId: 'invoice',
    address: 'address',
    methodId: onEthereum.methodId,
    network: 'ethereum',
    amountUsd: '1',
    amountMinor: 10_000n,
    expiresMs: 0,
    requestedMs: 0,
    answeredMs: 0,
  })
  const ours = new Set(['address'])
  return {
    model,
    assets: [onEthereum, onBase],
    chains: [],
    ours,
    transfers,
    payments: [],
    charges: new Map(),
  }
}

/** Returns what is wrong if the merchant has this balance on Base. */
function wrongWith(world: CheckedWorld, balanceMinor: bigint): readonly string[] {
  const answers = {
    orders: new Map(),
    balances: new Map([[keyOf('anna', onBase), balanceMinor]]),
    debts: new Map(),
    held: new Map(),
  }
  return findDifferences(world, answers, () => 0)
}

const balanceIs = (actual: bigint, wanted: bigint) => [
  `the balance of merchant 1 in base/ETH is ${actual}, and should be ${wanted}`,
]

describe('a payment on the wrong network', () => {
  it('is credited to nobody by itself', () => {
    expect(wrongWith(worldOf([payment]), 0n)).toEqual([])
    expect(wrongWith(worldOf([payment]), 990n)).toEqual(balanceIs(990n, 0n))
  })

  it('is credited once, less the fee, if its merchant asked for it', () => {
    const world = worldOf([payment])
    creditRequestOf(world.model, payment).isConfirmed = true
    expect(wrongWith(world, 990n)).toEqual([])
    expect(wrongWith(world, 0n)).toEqual(balanceIs(0n, 990n))
    expect(wrongWith(world, 1_980n)).toEqual(balanceIs(1_980n, 990n))
  })

  it('may be credited if the request has no answer', () => {
    const world = worldOf([payment])
    creditRequestOf(world.model, payment).open = 1
    expect(wrongWith(world, 990n)).toEqual([])
    expect(wrongWith(world, 0n)).toEqual([])
    expect(wrongWith(world, 989n)).toEqual(balanceIs(989n, 0n))
  })

  it('is not credited below the minimum, or if the same transaction on another network was meant', () => {
    const small = { ...payment, amountMinor: 499n }
    const below = worldOf([small])
    creditRequestOf(below.model, small).isConfirmed = true
    expect(wrongWith(below, 0n)).toEqual([])
    const world = worldOf([payment])
    creditRequestOf(world.model, { ...payment, network: 'ethereum' }).isConfirmed = true
    expect(wrongWith(world, 990n)).toEqual(balanceIs(990n, 0n))
  })

  it('is credited with the other payments of its invoice if the merchant credits such payments at once', () => {
    const world = worldOf(['a', 'b'].map((txHash) => ({ ...payment, txHash, amountMinor: 300n })))
    world.model.creditsWrongNetwork.add('anna')
    expect(wrongWith(world, 594n)).toEqual([])
    expect(wrongWith(world, 0n)).toEqual(balanceIs(0n, 594n))
  })

  it('is not credited if a listed sender made it', () => {
    const world = worldOf([payment])
    world.model.listed.add('payer')
    creditRequestOf(world.model, payment).isConfirmed = true
    expect(wrongWith(world, 0n)).toEqual([])
    expect(wrongWith(world, 990n)).toEqual(balanceIs(990n, 0n))
  })
})

describe('the treasury', () => {
  const move = (sender: string, recipient: string, amountMinor: bigint): FakeMove => ({
    asset: { type: 'coin' },
    sender,
    recipient,
    amountMinor,
  })

  /** Returns what is wrong if wallets on Base hold this much, beside an order of the operator that has not left. */
  function overdrawnWith(capitalMinor: bigint): readonly string[] {
    const chain = new FakeChain()
    for (const one of [move('payer', 'address', 1_000n), move('operator', 'hot wallet', capitalMinor)])
      chain.mine([chain.transaction([one])])
    const world = {
      ...worldOf([payment]),
      chains: [
        {
          network: 'base',
          chain,
          hotWallets: ['hot wallet'],
          lost: [],
          feeTerms: undefined,
          firstMinedMs: () => 0,
        },
      ],
      ours: new Set(['address', 'hot wallet']),
    }
    const order = {
      id: 'order',
      asset: onBase,
      source: 'capital',
      amountMinor: 400n,
      isAnswered: true,
    } as const
    world.model.treasuryOrders.push(order)
    return findOverdrawn(world, new Map([['order', 'pending']]))
  }

  it('leaves what came on the wrong network, also if nobody is credited with it', () => {
    expect(overdrawnWith(400n)).toEqual([])
    expect(overdrawnWith(399n)).toEqual([
      '999 base/ETH are left after treasury withdrawals, and merchants have 1000',
    ])
  })
})

describe('the events of a payment', () => {
  function problemsOf(isAtOnce: boolean, terms: object): readonly string[] {
    const world = worldOf([payment])
    if (isAtOnce) world.model.creditsWrongNetwork.add('anna')
    const data = {
      transactionID: 'p',
      invoiceID: 'invoice',
      txHash: 'tx',
      currency: 'ETH',
      amount: '0.00001',
    }
    const feed = ['detected', 'confirmed'].map((type, index) =>
      JSON.stringify({
        id: `${index}`,
        type: `transaction.${type}`,
        merchantID: 'anna',
        sequence: index + 1,
        data: { ...data, ...terms },
      }),
    )
    return findWrongEvents(world, {
      feeds: new Map([['anna', feed]]),
      orders: new Map(),
      invoices: new Map([['invoice', 'pending']]),
    })
  }

  const credited = { fee: '0.0000001', net: '0.0000099' }
  const kept = { fee: null, net: null }

  it('say that it is on the wrong network, and name a credit only if it is credited at once', () => {
    expect(problemsOf(false, { ...kept, isWrongNetwork: true })).toEqual([])
    expect(problemsOf(true, { ...credited, isWrongNetwork: true })).toEqual([])
  })

  it.each([
    ['without the network', false, kept],
    ['with a credit', false, { ...credited, isWrongNetwork: true }],
    ['without a credit', true, { ...kept, isWrongNetwork: true }],
  ])('are wrong %s', (_case, isAtOnce, terms) => {
    expect(problemsOf(isAtOnce, terms).length).toBeGreaterThan(0)
  })
})
