/** Reads and adopts entries of the signer's log on UTXO chains. */
import type { UtxoDraft } from '../../chains/utxo/utxo-port.ts'
import { assert, required } from '../../core/assert.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { UtxoHotKeyPath } from '../../signing/intent.ts'
import type { LogEntry } from '../../signing/signer-port.ts'
import { haltOutgoing } from '../engine/controls/halts.ts'
import type { UtxoTerms } from '../engine/outgoing-transaction.ts'
import { insertPreviousTransactions } from './previous-transaction-store.ts'
import { releaseInputs } from './reclaims/reclaim-store.ts'
import { type OutgoingTransactionInput, previousTxHashOf, totalOf } from './shape.ts'
import { feesOfBytes } from './signed-fees.ts'
import { keyPathOf, type UtxoParts } from './utxo-parts.ts'
import { insertHotWalletAddresses, readInputs, reserveInputs } from './utxo-store.ts'

/** Returns the slot and the fees of an entry of the signer's log. */
export function readUtxoEntry(parts: UtxoParts, entry: LogEntry): UtxoTerms {
  assert('psbt' in entry, 'a log entry of a UTXO chain contains a PSBT')
  const draft = draftIn(parts, entry)
  const { inputs, outputs } = draft
  const change = changeOf(draft)?.keyPath
  return {
    family: 'utxo',
    slot: { pinnedOutpoint: entry.pinnedOutpoint, change: change?.branch === 1 ? change : undefined },
    fees: feesOfBytes(parts, { outpoints: outpointsOf(draft), outputs }, totalOf(inputs) - totalOf(outputs)),
  }
}

/** Returns the inputs and outputs of the transaction in an entry of the signer's log. */
function draftIn({ drafts }: UtxoParts, entry: LogEntry): UtxoDraft {
  assert('psbt' in entry, 'a log entry of a UTXO chain contains a PSBT')
  return drafts.readPsbt(entry.psbt)
}

/** Returns the outpoints that an entry of the signer's log spends. */
export function outpointsIn(parts: UtxoParts, entry: LogEntry): readonly string[] {
  return outpointsOf(draftIn(parts, entry))
}

function outpointsOf({ inputs }: UtxoDraft): readonly string[] {
  return inputs.map(({ outpoint }) => outpoint)
}

/**
 * Releases the UTXOs that a reclaim in the signer's log spends instead of a conflicted transaction. The
 * database may still show the conflicted transaction as open. Without the release, the database would reject
 * the reclaim, because two transactions must not pin the same outpoint.
 */
export async function releaseReclaimed(parts: UtxoParts, tx: Tx, entry: LogEntry): Promise<void> {
  const { intent } = entry
  if (intent.kind !== 'reclaim') return
  await releaseInputs(tx, parts.network.name, intent.outgoingTransactionId, outpointsIn(parts, entry))
}

/**
 * Stores the UTXOs of an adopted log entry, the pinned outpoint first, and its change address. All attempts
 * of an outgoing transaction must spend the same UTXOs. If the signer signed other UTXOs than the stored
 * ones, all outgoing transactions are halted. The other UTXOs are reserved too, because the signer lets no
 * other transaction spend them.
 */
export async function adoptInputs(parts: UtxoParts, tx: Tx, entry: LogEntry): Promise<void> {
  const { network, log } = parts
  const draft = draftIn(parts, entry)
  const change = changeOf(draft)
  await insertHotWalletAddresses(tx, network.name, change === undefined ? [] : [change])
  await insertPreviousTransactions(tx, network.name, previousTransactionsOf(draft))
  const { outgoingTransactionId } = entry
  const inputs = draft.inputs.map(({ outpoint, amountMinor, key }) => ({
    outpoint,
    amountMinor,
    keyPath: keyPathOf(key),
  }))
  const known = (await readInputs(tx, [outgoingTransactionId])).get(outgoingTransactionId) ?? []
  const more = inputs.filter(({ outpoint }) => !known.some((one) => one.outpoint === outpoint))
  const isReserved = await reserveInputs(tx, [
    { outgoingTransactionId, network: network.name, inputs: more, before: known.length },
  ])
  assert(
    isReserved,
    `a UTXO of ${outgoingTransactionId} belongs to another transaction, which the signer does not know`,
  )
  const difference = known.length === 0 ? undefined : differenceOf(known, inputs)
  if (difference === undefined) return
  const detail = `the signer signed other UTXOs of ${network.name} for transaction ${outgoingTransactionId} than the known ones: ${difference}`
  await haltOutgoing({ db: tx, log }, 'log-unknown', detail)
}

/**
 * Returns the first UTXO that is in only one of the two lists, or that has different amounts in them. Returns
 * undefined if both lists are equal.
 */
function differenceOf(
  known: readonly OutgoingTransactionInput[],
  signed: readonly OutgoingTransactionInput[],
): string | undefined {
  const textsOf = (inputs: readonly OutgoingTransactionInput[]) =>
    inputs.map(({ outpoint, amountMinor }) => `${outpoint} of ${amountMinor}`)
  const knownTexts = textsOf(known)
  const signedTexts = textsOf(signed)
  return (
    signedTexts.find((text) => !knownTexts.includes(text)) ??
    knownTexts.find((text) => !signedTexts.includes(text))
  )
}

/** Returns the previous transactions that the log entry contains, keyed by hash. */
function previousTransactionsOf({ inputs }: UtxoDraft): ReadonlyMap<string, string> {
  return new Map(
    inputs.flatMap((input) =>
      input.previousTransaction === undefined ? [] : [[previousTxHashOf(input), input.previousTransaction]],
    ),
  )
}

function changeOf({
  outputs,
}: UtxoDraft): { readonly keyPath: UtxoHotKeyPath; readonly address: string } | undefined {
  const own = outputs.find(({ key }) => key !== undefined)
  if (own === undefined) return undefined
  const keyPath = keyPathOf(required(own.key, 'its key'))
  assert(keyPath.type === 'hot', 'change goes to the hot wallet')
  return { keyPath, address: own.address }
}
