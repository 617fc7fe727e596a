import type { Act, ChainHarness, Payment, PreparedTransaction } from '../../src/chains/conformance/harness.ts'
import { conformance } from '../../src/chains/conformance/reader.ts'
import { FakeChain, type FakeMove, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader, TransferAsset } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'

conformance('the fake chain', async () => fakeHarness(true))
conformance('the fake chain without traces', async () => fakeHarness(false))
conformance('the fake chain with outpoints', async () => fakeHarness(true, true))

function fakeHarness(seesInternalTransfers: boolean, hasOutpoints = false): ChainHarness {
  const chain = new FakeChain()
  const reader = openFakeReader(chain, { seesInternalTransfers, hasOutpoints })
  const prepared = new Map<string, FakeTransaction>()
  const silentToken = chain.newAddress()
  const keep = (transaction: FakeTransaction) => {
    prepared.set(transaction.hash, transaction)
    return { txHash: transaction.hash }
  }
  const find = ({ txHash }: PreparedTransaction) => required(prepared.get(txHash), 'prepared transaction')
  const payFrom = (spends: readonly string[], payment: Payment) =>
    keep(chain.transaction(movesOf({ type: 'coin', ...payment }, chain.newAddress()), { spends }))
  return {
    reader,
    blindReader: blind(chain, reader),
    largeMinor: 2n ** 60n + 1n,
    unknownTxHash: () => `0x${'cd'.repeat(32)}`,
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
      const failed = act.type.startsWith('failing')
      const isByContract = !hasOutpoints && isMadeByContract(act)
      return keep(
        chain.transaction(moves, {
          failed,
          ...(hasOutpoints && { spends: [chain.newOutpoint()] }),
          ...(isByContract && { origin: chain.newAddress() }),
        }),
      )
    },
    mine: async (transactions: readonly PreparedTransaction[] = []) =>
      chain.mine(transactions.map(find)).height,
    rollback: async (depth) => void chain.rollback(depth),
    mempool: {
      submit: async (transaction) => chain.waiting.submit(find(transaction)),
      prepareRival: async (of, payment) => payFrom(find(of).spends ?? [], payment),
      prepareChild: async ({ txHash }, payment) => payFrom([`${txHash}:0`], payment),
    },
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
  const internal = isMadeByContract(act) && act.type !== 'tokens'
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

/** Decides whether the transfer of an act is made by a contract that the act calls. */
function isMadeByContract({ type }: Act): boolean {
  return !['coin', 'token', 'failing-token', 'failing-coin'].includes(type)
}

function isToken(asset: TransferAsset, contract: string): boolean {
  return asset.type === 'token' && asset.contract === contract
}
