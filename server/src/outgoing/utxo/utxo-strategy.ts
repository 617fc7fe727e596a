/** Outgoing transactions on UTXO chains. */
import type { UtxoDraft } from '../../chains/utxo/utxo-port.ts'
import { required } from '../../core/assert.ts'
import type { UtxoRequest } from '../../signing/signer-port.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import type { EngineParts } from '../engine/engine-parts.ts'
import type { FamilyStrategy } from '../engine/family-strategy.ts'
import { ofFamily, type StoredOutgoingTransaction, type UtxoOutgoingTransaction } from '../engine/store.ts'
import { adoptInputs, outpointsIn, readUtxoEntry, releaseReclaimed } from './adopt-inputs.ts'
import { attestHotWallet } from './attest-hot-wallet.ts'
import { bumpFees } from './bump-fees.ts'
import { readSignedPsbt, requireOwnDraft } from './check-signed.ts'
import { halvesOf } from './choose-inputs.ts'
import { findTaken } from './find-taken.ts'
import { inspectOutputs } from './inspect-outputs.ts'
import { keepPreviousTransactions } from './keep-previous-transactions.ts'
import { noteSpendFloor } from './note-spend-floor.ts'
import { consolidateOutgoingSource, cpfpOutgoingSource, reclaimOutgoingSource } from './outgoing-sources.ts'
import { planUtxoTransactions } from './plan-utxo-transactions.ts'
import { readPreviousTransactions } from './previous-transaction-store.ts'
import { recoverUtxos } from './recovery/recover-utxos.ts'
import { reservePlannedInputs } from './reserve-inputs.ts'
import { feeOf } from './select-coins.ts'
import { type OutgoingTransactionInput, pinnedOutpointOf, previousTxHashOf, shapeOf } from './shape.ts'
import { readOwnReceipts, readSignedFees } from './signed-fees.ts'
import { hotAddress, keyOf, type UtxoParts, xpubsOf } from './utxo-parts.ts'
import { findPlannedOn, readInputs } from './utxo-store.ts'
import { watchAhead } from './watch-ahead.ts'

/**
 * Returns what the engine of outgoing transactions needs for a UTXO chain, with further outgoing sources. On
 * chains without replacement, the source for CPFP of stuck transactions comes first. Reclaims and
 * consolidations come last.
 */
export function overUtxos(parts: UtxoParts): EngineParts {
  const { canReplace, dustMinor, usualFeeRate } = parts.network.chain
  const cpfp = canReplace ? [] : [cpfpOutgoingSource]
  const inputMinor = feeOf(parts.drafts.inputWeight, usualFeeRate)
  const reclaiming = reclaimOutgoingSource(dustMinor + 2n * inputMinor)
  // `inputMinor` is the fee for spending a UTXO at the usual fee rate. A consolidation that saves money is
  // planned only at half of that rate or less. Spending a UTXO then costs at most half of `inputMinor`, so a
  // UTXO of `inputMinor` or more is worth spending.
  const consolidating = consolidateOutgoingSource(parts, inputMinor)
  const outgoingSources = [...cpfp, ...parts.outgoingSources, reclaiming, consolidating]
  return { ...parts, outgoingSources, strategy: utxoStrategy(parts) }
}

function utxoStrategy(parts: UtxoParts): FamilyStrategy {
  const { network } = parts
  return {
    attest: (memory) => attestHotWallet(parts, memory),
    beforePlanning: (memory, signal) => noteSpendFloor(parts, memory, signal),
    prepare: (memory, proposals, signal) => planUtxoTransactions(parts, memory, proposals, signal),
    reserve: (tx, planned) => reservePlannedInputs(parts, tx, planned),
    requestsFor: (memory, outgoingTransactions) => requestsFor(parts, memory, outgoingTransactions),
    readSigned: (_, request, raw) => readSignedPsbt(parts, request, raw),
    requireOwnEntry: (memory, entry) => requireOwnDraft(parts, memory, entry),
    readEntry: (_, entry) => readUtxoEntry(parts, entry),
    readFees: (on, outgoingTransaction, signed) => readSignedFees(parts, on, outgoingTransaction.id, signed),
    findConflicting: (tx, entry) =>
      findPlannedOn(tx, network.name, entry.outgoingTransactionId, outpointsIn(parts, entry)),
    release: (tx, entry) => releaseReclaimed(parts, tx, entry),
    adopt: (_, tx, entry) => adoptInputs(parts, tx, entry),
    readReceipts: (txHashes) => readOwnReceipts(parts, txHashes),
    expectedTransfers: () => [],
    inspect: async (memory, signal) => {
      await inspectOutputs(parts, memory)
      await watchAhead(parts, memory)
      await keepPreviousTransactions(parts, memory, signal)
    },
    findTaken: (outgoingTransactions, height, signal) =>
      findTaken(parts, outgoingTransactions, height, signal),
    firstOf: (outgoingTransactions) => firstOf(parts, ofFamily('utxo', outgoingTransactions)),
    bumpFees: (_, outgoingTransactions, signal) =>
      bumpFees(parts, ofFamily('utxo', outgoingTransactions), signal),
    partsOf: halvesOf,
    recovery: recoverUtxos(parts),
  }
}

async function requestsFor(
  parts: UtxoParts,
  memory: EngineMemory,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
): Promise<readonly UtxoRequest[]> {
  const inputs = await readInputs(
    parts.db,
    outgoingTransactions.map(({ id }) => id),
  )
  const previousTransactions = await readNeededPreviousTransactions(parts, [...inputs.values()].flat())
  return ofFamily('utxo', outgoingTransactions).map((outgoingTransaction) => {
    const own = required(inputs.get(outgoingTransaction.id), 'the UTXOs of a transaction')
    const { id: outgoingTransactionId, network, intent } = outgoingTransaction
    const draft = draftOf(parts, memory, outgoingTransaction, { inputs: own, previousTransactions })
    const psbt = parts.drafts.toPsbt(draft, xpubsOf(parts, memory))
    return { outgoingTransactionId, network, intent, pinnedOutpoint: pinnedOutpointOf(own), psbt }
  })
}

type PreviousTransactions = ReadonlyMap<string, string>

async function readNeededPreviousTransactions(
  { db, network, drafts }: UtxoParts,
  inputs: readonly OutgoingTransactionInput[],
): Promise<PreviousTransactions> {
  if (!drafts.needsPreviousTransactions) return new Map()
  return readPreviousTransactions(db, network.name, [...new Set(inputs.map(previousTxHashOf))])
}

function draftOf(
  parts: UtxoParts,
  memory: EngineMemory,
  outgoingTransaction: UtxoOutgoingTransaction,
  {
    inputs,
    previousTransactions,
  }: {
    readonly inputs: readonly OutgoingTransactionInput[]
    readonly previousTransactions: PreviousTransactions
  },
): UtxoDraft {
  const { paid, change } = shapeOf(outgoingTransaction, inputs)
  const back = change && {
    address: hotAddress(parts, memory, change.keyPath),
    amountMinor: change.amountMinor,
    key: keyOf(change.keyPath),
  }
  return {
    inputs: inputs.map((input) => {
      const { outpoint, amountMinor, keyPath } = input
      const previousTransaction = previousTransactions.get(previousTxHashOf(input))
      return {
        outpoint,
        amountMinor,
        key: keyOf(keyPath),
        ...(previousTransaction !== undefined && { previousTransaction }),
      }
    }),
    outputs: [
      ...paid.map(({ address = parts.coldAddress, amountMinor }) => ({
        address: required(address, 'a cold address'),
        amountMinor,
        key: undefined,
      })),
      ...(back === undefined ? [] : [back]),
    ],
  }
}

/**
 * Returns the transactions whose fees may be raised by a new attempt. If nodes accept replacements, these are
 * all transactions, because none waits for another's nonce. If nodes accept none, these are only the
 * transactions without change, because CPFP raises the fees of the others.
 */
function firstOf(
  { network }: UtxoParts,
  outgoingTransactions: readonly UtxoOutgoingTransaction[],
): readonly UtxoOutgoingTransaction[] {
  return outgoingTransactions.filter(({ slot }) => network.chain.canReplace || slot.change === undefined)
}
