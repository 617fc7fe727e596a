/** Tests how much money the simulation finds on addresses, from the blocks of a chain alone. */
import { describe, expect, it } from 'vitest'
import type { ModelAsset } from '../../simulation/model/asset.ts'
import type { CheckedChain, FeeTerms } from '../../simulation/model/transfers.ts'
import { heldMinor } from '../../simulation/treasury/held-money.ts'
import { FakeChain, type FakeMove, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import type { TransferAsset } from '../../src/chains/port.ts'
import { modelCoin } from './model-coin.ts'

const coin = modelCoin('ethereum/ETH')
const token: ModelAsset = { ...coin, methodId: 2, name: 'ethereum/USDT', contract: 'usdt' }

const own = new Set(['hot wallet', 'invoice'])

function heldOn(chain: FakeChain, asset: ModelAsset, feeTerms?: FeeTerms): bigint {
  const checked: CheckedChain = {
    network: asset.network,
    chain,
    hotWallets: ['hot wallet'],
    lost: [],
    feeTerms,
    firstMinedMs: () => 0,
  }
  return heldMinor(checked, asset, own)
}

describe('accounts', () => {
  const moveOf = (
    asset: TransferAsset,
    sender: string,
    recipient: string,
    amountMinor: bigint,
    more: Pick<FakeMove, 'undone' | 'internal'> = {},
  ): FakeMove => ({ asset, sender, recipient, amountMinor, ...more })
  const inCoin = { type: 'coin' } as const
  const inToken = { type: 'token', contract: 'usdt' } as const

  interface Sent {
    readonly moves?: readonly FakeMove[]
    readonly failed?: boolean
    /** The signer, who pays a fee of 7. */
    readonly signer?: string
  }

  function transactionOf(chain: FakeChain, { moves = [], failed = false, signer }: Sent): FakeTransaction {
    const transaction = chain.transaction(moves, { failed })
    if (signer === undefined) return transaction
    const signed = { sender: signer, feeMinor: 7n, delegated: [], deployed: undefined }
    return { ...transaction, signed }
  }

  /** The hot wallet has received 1000 of the coin and 500 of the token. */
  const funding: Sent = {
    moves: [
      moveOf(inCoin, 'operator', 'hot wallet', 1_000n),
      moveOf(inToken, 'operator', 'hot wallet', 500n),
    ],
  }

  const paid = moveOf(inCoin, 'hot wallet', 'recipient', 100n)
  const paidToken = moveOf(inToken, 'hot wallet', 'recipient', 50n)
  it.each<[string, Sent, bigint, bigint]>([
    ['what they received', {}, 1_000n, 500n],
    ['less what they sent', { moves: [paid, paidToken] }, 900n, 450n],
    [
      'as much after a move between them',
      { moves: [moveOf(inCoin, 'hot wallet', 'invoice', 9n)] },
      1_000n,
      500n,
    ],
    [
      'also what a contract sent',
      { moves: [moveOf(inCoin, 'payer', 'invoice', 9n, { internal: true })] },
      1_009n,
      500n,
    ],
    [
      'no undone move',
      { moves: [moveOf(inCoin, 'payer', 'invoice', 9n, { undone: true }), paid] },
      900n,
      500n,
    ],
    ['no move of a transaction that failed', { moves: [paid, paidToken], failed: true }, 1_000n, 500n],
    ['less the fees that they signed', { moves: [paid], signer: 'hot wallet' }, 893n, 500n],
    ['less the coin for the fee of a token', { moves: [paidToken], signer: 'hot wallet' }, 993n, 450n],
    [
      'less the fee of a transaction that failed',
      { moves: [paid], failed: true, signer: 'hot wallet' },
      993n,
      500n,
    ],
    ['as much after a fee of another signer', { moves: [paid], signer: 'operator' }, 900n, 500n],
    [
      'no other token',
      { moves: [moveOf({ type: 'token', contract: 'usdc' }, 'payer', 'invoice', 9n)] },
      1_000n,
      500n,
    ],
  ])('hold %s', (_case, sent, coinMinor, tokenMinor) => {
    const chain = new FakeChain()
    chain.mine([transactionOf(chain, funding)])
    chain.mine([transactionOf(chain, sent)])
    expect([heldOn(chain, coin), heldOn(chain, token)]).toEqual([coinMinor, tokenMinor])
  })

  it('hold nothing of a block that a reorganisation dropped', () => {
    const chain = new FakeChain()
    chain.mine([transactionOf(chain, funding)])
    chain.rollback(1)
    expect([heldOn(chain, coin), heldOn(chain, token)]).toEqual([0n, 0n])
  })
})

describe('outputs', () => {
  const btc: ModelAsset = { ...coin, methodId: 3, name: 'bitcoin/BTC', network: 'bitcoin' }
  const feeTerms: FeeTerms = {
    highestRate: 0n,
    usualRate: 0n,
    dustMinor: 0n,
    canReplace: true,
    bareBytesOf: () => 0,
  }
  const output = (recipient: string, amountMinor: bigint): FakeMove => ({
    asset: { type: 'coin' },
    sender: '',
    recipient,
    amountMinor,
  })

  /** Returns a chain on which the hot wallet has outputs of 600 and 400, at the indexes 0 and 2. */
  function fundedChain() {
    const chain = new FakeChain({ hashPrefix: '' })
    const outputs = [output('hot wallet', 600n), output('stranger', 50n), output('hot wallet', 400n)]
    const funding = chain.transaction(outputs, { spends: [chain.newOutpoint()] })
    chain.mine([funding])
    return { chain, outpointOf: (index: number) => `${funding.hash}:${index}` }
  }

  it.each<[string, readonly number[], readonly FakeMove[], bigint]>([
    ['count if nobody spent them', [], [], 1_000n],
    ['do not count if they are spent', [0, 2], [output('recipient', 990n)], 0n],
    ['count if another output of their transaction is spent', [2], [output('recipient', 390n)], 600n],
    ['of other addresses do not count', [1], [output('stranger', 40n)], 1_000n],
    ['of change count', [0], [output('recipient', 90n), output('invoice', 500n)], 900n],
  ])('%s', (_case, spent, outputs, minor) => {
    const { chain, outpointOf } = fundedChain()
    chain.mine([chain.transaction(outputs, { spends: spent.map(outpointOf) })])
    expect(heldOn(chain, btc, feeTerms)).toBe(minor)
  })

  it('count again if a reorganisation drops the transaction that spent them', () => {
    const { chain, outpointOf } = fundedChain()
    chain.mine([chain.transaction([output('recipient', 590n)], { spends: [outpointOf(0)] })])
    chain.rollback(1)
    expect(heldOn(chain, btc, feeTerms)).toBe(1_000n)
  })
})
