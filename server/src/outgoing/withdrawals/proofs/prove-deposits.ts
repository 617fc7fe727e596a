/** Proves deposits before withdrawals are approved. The rules are in `proof.ts`. */
import { networkOf } from '../../../chains/networks.ts'
import { type BlockFacts, type ChainReader, NodeError, type TransferAsset } from '../../../chains/port.ts'
import { required } from '../../../core/assert.ts'
import { groupBy } from '../../../core/group-by.ts'
import type { Log } from '../../../core/log.ts'
import { isFoundByBalance, isInnerCall } from '../../../payments/deposits/recording/found-by-balance.ts'
import { assertLease, type Lease } from '../../../platform/db/lease.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { haltAsset } from '../../engine/controls/asset-halts.ts'
import { type AddressHoldings, proveDeposit, type SeenTransfer, type UnprovenDeposit } from './proof.ts'
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

/**
 * The maximum number of deposits in one round. A larger backlog is processed in batches, so that it does not
 * delay outgoing transactions.
 */
const depositsAtOnce = 200
/** The maximum on UTXO chains. It is higher than on other chains, because no balances are read there. */
const coinsAtOnce = 2_000
const blocksAtOnce = 16

/**
 * Proves a batch of credited deposits in final blocks, using this process's own nodes. It reads the transfers
 * of the deposits again, and compares the balances of their addresses with the books. Only proven deposits
 * cover withdrawals. If the chain contradicts a deposit, outgoing transactions of its asset are halted.
 * @throws LeaseLostError if another process has taken the lease
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
  const batch = blocks.flatMap(([, own]) => own)
  const facts = new Map(
    await Promise.all(
      blocks.map(async ([height]) => [height, await readFacts(log, chain, height, signal)] as const),
    ),
  )
  const unseen = batch.filter((deposit) => {
    const own = facts.get(deposit.height)
    return own !== undefined && findTransfer(own, deposit) === 'unseen'
  })
  const byBalance = new Set(unseen.map(({ recipient, asset }) => holdingKeyOf(recipient, asset)))
  const holdings = await readHoldings(parts, chain, { ...scope, finalHeight, byBalance }, batch, signal)
  const found = batch.map(
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

/** Returns the facts of a block, or undefined if the nodes cannot provide them now. */
async function readFacts(
  log: Log,
  chain: ChainReader,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  return chain.readBlock(height, signal).catch((error: unknown) => {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    log.warn({ network: chain.network, height, err: error }, 'deposits of a block cannot be verified now')
    return undefined
  })
}

/**
 * The expected and actual balances, by address and asset. Undefined on chains where addresses have no
 * balances; 'unread' if the nodes did not answer.
 */
type Holdings = ReadonlyMap<string, AddressHoldings | 'unread'> | undefined

interface HoldingsScope extends ProofScope {
  /** Balances are read at this final block. */
  readonly finalHeight: number
  /** The keys (`holdingKeyOf`) of balances that are the only proof of a deposit. Two nodes must report them. */
  readonly byBalance: ReadonlySet<string>
}

async function readHoldings(
  { db, methods, log }: ProveDepositsParts,
  chain: ChainReader,
  { network, finalHeight, byBalance }: HoldingsScope,
  deposits: readonly UnprovenDeposit[],
  signal: AbortSignal,
): Promise<Holdings> {
  if (chain.traits.hasOutpoints) return undefined
  const addressAssets = new Map(
    deposits.flatMap(({ addressId, recipient: address, asset, isTaken }): [string, AddressAsset][] =>
      addressId === undefined || isTaken
        ? []
        : [[holdingKeyOf(address, asset), { addressId, address, asset }]],
    ),
  )
  const at = { network, coinAsset: coinAssetOf(network), height: finalHeight }
  const expected = await readExpected(db, at, [...addressAssets.values()])
  const holdings = new Map<string, AddressHoldings | 'unread'>()
  for (const [asset, some] of groupBy(expected, (one) => one.asset)) {
    const isProof = (one: ExpectedHoldings) => byBalance.has(holdingKeyOf(one.address, asset))
    for (const [needsTwo, own] of groupBy(some, isProof)) {
      const addresses = own.map(({ address }) => address)
      const held = await chain
        .readBalances(transferAssetOf(methods, asset), addresses, finalHeight, signal, { needsTwo })
        .catch((error: unknown) => {
          if (!(error instanceof NodeError) || signal.aborted) throw error
          const at = { network, height: finalHeight, err: error }
          log.warn(at, 'balances of deposit addresses cannot be read now')
          return 'unread' as const
        })
      for (const [index, one] of own.entries())
        holdings.set(
          holdingKeyOf(one.address, asset),
          held === 'unread' ? 'unread' : holdingsOf(one, held[index]),
        )
    }
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
      detail: `block ${height} is ${facts.block.hash} at the nodes, but ${blockHash} in the database`,
    }
  }
  const held = addressId === undefined ? undefined : holdings?.get(holdingKeyOf(recipient, asset))
  if (held === 'unread') return { type: 'unread', detail: 'balances could not be read' }
  const { contract } = methodOf(methods, asset)
  return proveDeposit(deposit, findTransfer(facts, deposit), contract, held)
}

/** Returns the transfer of a deposit; `unseen` if the block was read in a way that cannot show it. */
function findTransfer(
  { transfers, tracedBy }: BlockFacts,
  deposit: Pick<UnprovenDeposit, 'transferKey'>,
): SeenTransfer | 'unseen' | undefined {
  const found = transfers.find((transfer) => transfer.key === deposit.transferKey)
  if (found === undefined) {
    const isUnseen = tracedBy === 'none' && isInnerCall(deposit)
    return isUnseen || isFoundByBalance(deposit) ? 'unseen' : undefined
  }
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
  const coin = networkOf(network)?.coin
  return coin === undefined ? '' : `${network}/${coin.symbol}`
}

function holdingKeyOf(address: string, asset: string): string {
  return `${address} ${asset}`
}
