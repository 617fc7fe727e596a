/** Outgoing transactions on EVM chains, where each sender numbers its transactions with nonces. */
import type { EvmFees, TakenSlot, TransferAsset } from '../../chains/port.ts'
import { assert } from '../../core/assert.ts'
import { max, min } from '../../core/money.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import type { EngineParts } from '../engine/engine-parts.ts'
import type { FamilyStrategy } from '../engine/family-strategy.ts'
import { asFamily, type EvmOutgoingFees, type EvmTerms } from '../engine/outgoing-transaction.ts'
import { deleteRefusedRebalances } from '../engine/retries/refusal-store.ts'
import { dataFeePerByteMinor, feeMaxMinor, feeModelErrorOf } from '../engine/signer-client/attested-limits.ts'
import { type EvmOutgoingTransaction, type NewOutgoingTransaction, ofFamily } from '../engine/store.ts'
import type { ExpectedTransfer } from '../engine/unmoved/expected-transfers.ts'
import { type AccountParts, ownAddressBook, priceBoundsOf, walletOf } from './account-parts.ts'
import { attestHotWallets } from './attest-hot-wallets.ts'
import { readSignedFrom, requireOwnSpend } from './check-signed.ts'
import { fillGap, isNonceGapTransaction } from './fill-nonce-gap.ts'
import { countedDataMinor, readDataFeesMax } from './op-stack-fees.ts'
import { prepareOutgoing } from './prepare-outgoing.ts'
import { bumped, priceFor } from './price-gas.ts'
import { recoverAccounts } from './recovery/recover-accounts.ts'
import { spendOf } from './spend-of.ts'
import { findPlanned } from './wallet-store.ts'

/** Returns what the engine of outgoing transactions needs for an EVM chain. */
export function overAccounts(parts: AccountParts): EngineParts {
  return { ...parts, strategy: evmStrategy(parts) }
}

function evmStrategy(parts: AccountParts): FamilyStrategy {
  return {
    attest: (memory) => attestHotWallets(parts, memory),
    prepare: (memory, proposals, signal) => prepareOutgoing(parts, memory, proposals, signal),
    reserve: (tx, planned) => replaceRebalances(parts, tx, planned),
    requestsFor: async (memory, outgoingTransactions) =>
      ofFamily('evm', outgoingTransactions).map((one) => requestFor(parts, memory, one)),
    readSigned: (memory, request, raw) => readSignedFrom(parts, memory, request, raw),
    requireOwnEntry: (memory, entry) => requireOwnSpend(parts, memory, entry),
    readEntry: (memory, entry) => readEntry(parts, memory, entry),
    readFees: async (_, outgoingTransaction, { raw }) => {
      const { wallet } = asFamily('evm', outgoingTransaction).slot
      return feesIn(parts, parts.codec.readSigned(raw, wallet).unsigned)
    },
    findConflicting: (tx, entry, terms) =>
      findPlanned(tx, parts.network.name, entry.outgoingTransactionId, asFamily('evm', terms).slot),
    readReceipts: (txHashes, signal, agreedUpTo) => parts.sender.readReceipts(txHashes, signal, agreedUpTo),
    expectedTransfers: (outgoingTransaction) => transfersOf(parts, asFamily('evm', outgoingTransaction)),
    findTaken: (outgoingTransactions, height, signal) =>
      findTaken(parts, ofFamily('evm', outgoingTransactions), height, signal),
    firstOf: (outgoingTransactions) => firstOf(ofFamily('evm', outgoingTransactions)),
    bumpFees: (memory, outgoingTransactions, signal) =>
      bumpFees(parts, memory, ofFamily('evm', outgoingTransactions), signal),
    readPrice: (signal) => readPrice(parts, signal),
    partsOf: (refused) => [refused],
    nonceGaps: {
      fill: (memory, tx, deleted) => fillGap(parts, memory, tx, asFamily('evm', deleted)),
      isNonceGapTransaction,
    },
    recovery: recoverAccounts(parts),
  }
}

/**
 * Implements `FamilyStrategy.reserve`. Nothing is reserved, because all data of an EVM transaction is in its
 * own row. If a rebalance of an asset was planned, the rebalances of the same asset that the signer refused
 * are deleted.
 */
async function replaceRebalances(
  { network }: AccountParts,
  tx: Tx,
  planned: readonly NewOutgoingTransaction[],
) {
  const rebalances = planned.filter(({ intent }) => intent.kind === 'rebalance')
  const assets = rebalances.flatMap(({ spends }) => spends?.asset ?? [])
  if (assets.length > 0) await deleteRefusedRebalances(tx, network.name, assets)
}

function requestFor(
  parts: AccountParts,
  memory: EngineMemory,
  { id: outgoingTransactionId, slot, intent, fees }: EvmOutgoingTransaction,
): SignRequest {
  const { codec, network } = parts
  const { chainId } = network
  const { sender: from, nonce } = slot
  const spend = spendOf(intent, ownAddressBook(parts, memory))
  const unsigned = codec.serialize({ chainId, nonce, ...fees, spend })
  return { outgoingTransactionId, network: network.name, chainId, from, nonce, intent, unsigned }
}

function readEntry(parts: AccountParts, memory: EngineMemory, entry: LogEntry): EvmTerms {
  assert('unsigned' in entry, 'a log entry of an EVM network contains an unsigned EVM transaction')
  const { from: sender, nonce, unsigned, raw } = entry
  assert(sender.type !== 'hot', 'the sender is not the hot wallet of a UTXO chain')
  const slot = { sender, wallet: walletOf(parts, memory, sender), nonce }
  const perByteMinor = dataFeePerByteMinor(memory.limits, parts.network)
  // The bytes do not state a data fee, so the amount is set aside that the signer counted.
  const dataFeeMinor = perByteMinor && perByteMinor * BigInt(raw.length / 2)
  const fees = { ...feesIn(parts, unsigned), ...(dataFeeMinor === undefined ? {} : { dataFeeMinor }) }
  return { family: 'evm', slot, fees, maxFeePerGasLimit: undefined }
}

function feesIn({ codec }: AccountParts, unsigned: string): EvmFees {
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = codec.parse(unsigned)
  return { gasLimit, maxFeePerGas, maxPriorityFeePerGas }
}

/**
 * Returns the transfers to others that a mined transaction must have made. Transfers between our own
 * addresses are left out. Sweeps are booked by the transfers that the chain reports, and all other transfers
 * between our addresses change no books.
 */
function transfersOf(
  { coldAddress }: AccountParts,
  { intent, slot: { wallet } }: EvmOutgoingTransaction,
): readonly ExpectedTransfer[] {
  switch (intent.kind) {
    case 'withdrawal':
      return intent.payments.map(({ contract, address, netMinor }) => ({
        asset: transferAssetOf(contract),
        sender: wallet,
        recipient: address,
        amountMinor: netMinor,
      }))
    case 'treasury_withdrawal':
      return [
        {
          asset: transferAssetOf(intent.contract),
          sender: wallet,
          // If the settings contain no cold address, no transfer on chain matches this one, and an operator
          // must decide.
          recipient: coldAddress ?? '',
          amountMinor: intent.amountMinor,
        },
      ]
    default:
      return []
  }
}

function transferAssetOf(contract: string | null): TransferAsset {
  return contract === null ? { type: 'coin' } : { type: 'token', contract }
}

/**
 * Returns, for each outgoing transaction, the transaction in a block that used its nonce, or undefined. Each
 * search is expensive. A nonce is therefore searched for only if it is below the wallet's transaction count,
 * because all other nonces are still unused.
 */
async function findTaken(
  { sender }: AccountParts,
  outgoingTransactions: readonly EvmOutgoingTransaction[],
  height: number,
  signal: AbortSignal,
): Promise<readonly (TakenSlot | undefined)[]> {
  const wallets = [...new Set(outgoingTransactions.map(({ slot }) => slot.wallet))]
  const counts = await sender.readNonces(wallets, height, signal)
  const used = new Map(wallets.map((wallet, index) => [wallet, counts[index] ?? 0]))
  return Promise.all(
    outgoingTransactions.map(async ({ slot: { wallet, nonce } }) =>
      nonce < (used.get(wallet) ?? 0) ? sender.findTaken(wallet, nonce, height, signal) : undefined,
    ),
  )
}

/**
 * Returns the transaction with the lowest nonce of each wallet. The wallet's other transactions cannot be
 * mined before that transaction.
 */
function firstOf(outgoingTransactions: readonly EvmOutgoingTransaction[]): readonly EvmOutgoingTransaction[] {
  const first = new Map<string, EvmOutgoingTransaction>()
  for (const outgoingTransaction of outgoingTransactions) {
    const { wallet, nonce } = outgoingTransaction.slot
    const before = first.get(wallet)
    if (before === undefined || nonce < before.slot.nonce) first.set(wallet, outgoingTransaction)
  }
  return [...first.values()]
}

/**
 * Returns higher fees for each transaction, within the signer's limit for one transaction. Returns undefined
 * for a transaction whose fees cannot be raised, and for all while the signer's policy is for transactions of another
 * type.
 */
async function bumpFees(
  parts: AccountParts,
  memory: EngineMemory,
  outgoingTransactions: readonly EvmOutgoingTransaction[],
  signal: AbortSignal,
): Promise<readonly (EvmOutgoingFees | undefined)[]> {
  const { network, sender } = parts
  if (feeModelErrorOf(memory.limits, network) !== undefined) return outgoingTransactions.map(() => undefined)
  const policy = priceBoundsOf(parts)
  const level = await sender.readFees(signal)
  const mostMinor = feeMaxMinor(memory.limits, network.name)
  const price = { maxFeePerGas: policy.maxFeePerGasMax, maxPriorityFeePerGas: policy.maxPriorityFeePerGasMax }
  const dataFees = await readDataFeesMax(parts, memory, outgoingTransactions, price, signal)
  return outgoingTransactions.map((one) => {
    const { fees, maxFeePerGasLimit } = one
    const countedMinor = countedDataMinor(parts, memory, one, { ...fees, ...price }) ?? 0n
    const gasMinor = mostMinor === undefined ? undefined : max(0n, mostMinor - countedMinor)
    const perGasMinor = gasMinor === undefined ? policy.maxFeePerGasMax : gasMinor / fees.gasLimit
    const within = { ...policy, maxFeePerGasMax: min(policy.maxFeePerGasMax, perGasMinor) }
    const higher = bumped(fees, level, within, maxFeePerGasLimit)
    const fee = dataFees.get(one.id)
    if (higher === undefined || fee === undefined) return higher
    return { ...higher, dataFeeMinor: max(fee, fees.dataFeeMinor ?? 0n) }
  })
}

async function readPrice(parts: AccountParts, signal: AbortSignal): Promise<bigint | undefined> {
  const level = await parts.sender.readFees(signal)
  return priceFor(level, priceBoundsOf(parts), parts.network.feeModel)?.maxFeePerGas
}
