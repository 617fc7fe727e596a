import { conformance } from '../../src/chains/conformance/reader.ts'
import type { Act, ChainWorld, PreparedTransaction } from '../../src/chains/conformance/world.ts'
import { FakeChain, type FakeMove, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader, TransferAsset } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'

conformance('the fake chain', async () => fakeWorld(true))
conformance('the fake chain without traces', async () => fakeWorld(false))

function fakeWorld(seesInternalTransfers: boolean): ChainWorld {
  const chain = new FakeChain()
  const reader = openFakeReader(chain, { seesInternalTransfers })
  const prepared = new Map<string, FakeTransaction>()
  const silentToken = chain.newAddress()
  return {
    reader,
    blindReader: blind(chain, reader),
    token: chain.newAddress(),
    lookAlike: chain.newAddress(),
    silentToken,
    sanctionsOracle: async (listed) => {
      const oracle = chain.newAddress()
      chain.listings.set(oracle, new Set(listed))
      return oracle
    },
    newAddress: () => chain.newAddress(),
    prepare: async (act) => {
      const moves = movesOf(act, chain.newAddress()).filter(({ asset }) => !isToken(asset, silentToken))
      const transaction = chain.transaction(moves, { failed: act.type.startsWith('failing') })
      prepared.set(transaction.hash, transaction)
      return { txHash: transaction.hash }
    },
    mine: async (transactions: readonly PreparedTransaction[] = []) =>
      chain.mine(transactions.map(({ txHash }) => required(prepared.get(txHash), 'prepared transaction')))
        .height,
    rollback: async (depth) => void chain.rollback(depth),
    close: () => reader.close(),
  }
}

function blind(chain: FakeChain, reader: ChainReader): ChainReader {
  return {
    ...reader,
    readBlock: async (height, signal) => {
      chain.faults.hidesTransfers = true
      return reader.readBlock(height, signal).finally(() => {
        chain.faults.hidesTransfers = false
      })
    },
  }
}

function movesOf(act: Act, sender: string): FakeMove[] {
  const payments = 'payments' in act ? act.payments : [act]
  const asset: TransferAsset =
    'contract' in act ? { type: 'token', contract: act.contract } : { type: 'coin' }
  const internal = !['coin', 'token', 'tokens', 'failing-token', 'failing-coin'].includes(act.type)
  const undone = act.type === 'undone-inner'
  return payments.map(({ to, amountMinor }) => ({
    asset,
    sender,
    recipient: to,
    amountMinor,
    internal,
    undone,
  }))
}

function isToken(asset: TransferAsset, contract: string): boolean {
  return asset.type === 'token' && asset.contract === contract
}
