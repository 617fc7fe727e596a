import { isNetworkName, networks } from '../../../chains/networks.ts'
import { type BlockFacts, type ChainReader, NodeError, type TransferAsset } from '../../../chains/port.ts'
import { required } from '../../../core/assert.ts'
import { groupBy } from '../../../core/group-by.ts'
import type { Log } from '../../../core/log.ts'
import { assertLease, type Lease } from '../../../platform/db/lease.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { haltAsset } from '../../engine/controls/asset-halts.ts'
import { type AddressHoldings, judgeDeposit, type SeenTransfer, type UnprovenDeposit } from './proof.ts'
import {
  type AddressAsset,
  type ExpectedHoldings,
  type FoundDeposit,
  type ProofScope,
  readExpected,
  readUnproven,
  saveFindings,
} from './store.ts'

export interface ProveDepositsParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly log: Log
}

/** What is read in one round of payouts: a backlog is worked off beside them, bite by bite. */
const depositsAtOnce = 200
/** Where money lies in coins, whose addresses are asked for no balances. */
const coinsAtOnce = 2_000
const blocksAtOnce = 16

/**
 * Proves a bite of the deposits that are credited and in final blocks by this process's own nodes: their transfers are read
 * again, and what their addresses hold is compared with the books. Only proven deposits cover withdrawals. One that the
 * chain contradicts halts payouts of its asset.
 * @throws LeaseLostError
 */
export async function proveDeposits(
  parts: ProveDepositsParts,
  lease: Lease,
  scope: ProofScope,
  chain: ChainReader,
  signal: AbortSignal,
): Promise<void> {
  const { db, log } = parts
  const { deposits, finalHeight } = await readUnproven(
    db,
    scope,
    chain.traits.hasOutpoints ? coinsAtOnce : depositsAtOnce,
  )
  if (deposits.length === 0) return
  const blocks = [...groupBy(deposits, ({ height }) => height)].slice(0, blocksAtOnce)
  const bite = blocks.flatMap(([, own]) => own)
  const facts = new Map(
    await Promise.all(
      blocks.map(async ([height]) => [height, await readFacts(log, chain, height, signal)] as const),
    ),
  )
  const holdings = await readHoldings(parts, chain, { ...scope, finalHeight }, bite, signal)
  const found = bite.map(
    (deposit): FoundDeposit => ({
      deposit,
      finding: findingOf(parts, deposit, facts.get(deposit.height), holdings),
    }),
  )
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    for (const { deposit, finding } of await saveFindings(tx, found)) {
      if (finding.type !== 'false') continue
      const detail = `deposit ${deposit.id}: ${finding.detail}`
      await haltAsset({ db: tx, log }, { asset: deposit.asset, cause: 'false-deposit', detail })
    }
  })
}

/** Undefined where the nodes cannot tell of the block now. */
async function readFacts(
  log: Log,
  chain: ChainReader,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  return chain.readBlock(height, signal).catch((error: unknown) => {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    log.warn({ network: chain.network, height, err: error }, 'deposits of a block cannot be proven now')
    return undefined
  })
}

/** By address and asset; undefined where the chain is asked for no balances, 'unread' where it did not tell them. */
type Holdings = ReadonlyMap<string, AddressHoldings> | 'unread' | undefined

async function readHoldings(
  { db, methods, log }: ProveDepositsParts,
  chain: ChainReader,
  { network, finalHeight }: ProofScope & { readonly finalHeight: number },
  deposits: readonly UnprovenDeposit[],
  signal: AbortSignal,
): Promise<Holdings> {
  if (chain.traits.hasOutpoints) return undefined
  const places = new Map(
    deposits.flatMap(({ addressId, recipient: address, asset, isTaken }): [string, AddressAsset][] =>
      addressId === undefined || isTaken ? [] : [[placeOf(address, asset), { addressId, address, asset }]],
    ),
  )
  const at = { network, coinAsset: coinAssetOf(network), height: finalHeight }
  const expected = await readExpected(db, at, [...places.values()])
  const holdings = new Map<string, AddressHoldings>()
  try {
    for (const [asset, own] of groupBy(expected, (one) => one.asset)) {
      const moved = transferAssetOf(methods, asset)
      const addresses = own.map(({ address }) => address)
      const held = await chain.readBalances(moved, addresses, finalHeight, signal)
      for (const [place, one] of own.entries()) {
        holdings.set(placeOf(one.address, asset), holdingsOf(one, held[place]))
      }
    }
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    log.warn({ network, height: finalHeight, err: error }, 'balances of deposit addresses cannot be read now')
    return 'unread'
  }
  return holdings
}

function holdingsOf({ expectedMinor, isBeingSwept }: ExpectedHoldings, heldMinor = 0n): AddressHoldings {
  return { expectedMinor, isBeingSwept, heldMinor }
}

function findingOf(
  { methods }: ProveDepositsParts,
  deposit: UnprovenDeposit,
  facts: BlockFacts | undefined,
  holdings: Holdings,
): FoundDeposit['finding'] {
  const { asset, addressId, recipient, blockHash, height } = deposit
  if (facts === undefined) return { type: 'unread', detail: `block ${height} could not be read` }
  if (facts.block.hash !== blockHash) {
    return {
      type: 'unread',
      detail: `block ${height} is ${facts.block.hash} at the nodes, ${blockHash} here`,
    }
  }
  if (holdings === 'unread') return { type: 'unread', detail: 'balances could not be read' }
  const held = addressId === undefined ? undefined : holdings?.get(placeOf(recipient, asset))
  const { contract } = methodOf(methods, asset)
  return judgeDeposit(deposit, findTransfer(facts, deposit.transferKey), contract, held)
}

function findTransfer({ transfers }: BlockFacts, key: string): SeenTransfer | undefined {
  const found = transfers.find((transfer) => transfer.key === key)
  if (found === undefined) return undefined
  const { txHash, recipient, amountMinor, asset } = found
  return { txHash, recipient, amountMinor, contract: asset.type === 'token' ? asset.contract : undefined }
}

function transferAssetOf(methods: PaymentMethods, asset: string): TransferAsset {
  const { contract } = methodOf(methods, asset)
  return contract === undefined ? { type: 'coin' } : { type: 'token', contract }
}

function methodOf(methods: PaymentMethods, asset: string) {
  return required(methods.byAsset(asset), 'the method of a deposit')
}

function coinAssetOf(network: string): string {
  return isNetworkName(network) ? `${network}/${networks[network].coin.symbol}` : ''
}

function placeOf(address: string, asset: string): string {
  return `${address} ${asset}`
}
