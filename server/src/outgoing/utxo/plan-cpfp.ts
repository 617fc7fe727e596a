/** Plans child-pays-for-parent transactions (CPFP) on chains whose nodes accept no replacement. */
import { required } from '../../core/assert.ts'
import { divide, max, min, sum } from '../../core/money.ts'
import { readHashes } from '../engine/attempt-store.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { bumpedMinor, bumpsMax, maxCostMinor, type UtxoFees } from '../engine/outgoing-transaction.ts'
import type { Wait } from '../engine/plan-outcome.ts'
import {
  type NewOutgoingTransaction,
  ofFamily,
  readOutgoingTransactions,
  type UtxoOutgoingTransaction,
} from '../engine/store.ts'
import type { ChangeAddresses } from './change-addresses.ts'
import type { UtxoPlanContext } from './choose-inputs.ts'
import { changeOutpoint, feesOf, type OutgoingTransactionInput, shapeOf } from './shape.ts'
import type { UtxoParts } from './utxo-parts.ts'
import { isMined, isSpokenFor, readInputs } from './utxo-store.ts'

export interface PlannedCpfp {
  readonly planned: readonly NewOutgoingTransaction[]
  readonly waits: readonly Wait[]
  /** The maximum cost of all planned transactions together. */
  readonly costMinor: bigint
}

/** Plans transactions that spend the change of stuck transactions and pay the fees of both. */
export async function planCpfp(
  parts: UtxoParts,
  proposals: readonly Proposal[],
  {
    context,
    changeAddresses,
  }: { readonly context: UtxoPlanContext; readonly changeAddresses: ChangeAddresses },
): Promise<PlannedCpfp> {
  const planned: NewOutgoingTransaction[] = []
  const waits: Wait[] = []
  for (const proposal of proposals) {
    const line = await readLine(parts, proposal)
    const cpfp = line.length > bumpsMax ? undefined : await cpfpOf(parts, line, context)
    // A block may be booked after the transaction was proposed, and before the engine notes what it includes.
    if (cpfp !== undefined && (await isMined(parts.db, proposal.network, cpfp.input.outpoint))) continue
    if (cpfp === undefined || costOf([...planned, cpfp]) > context.capitalMinor) {
      waits.push({
        cause: 'stuck',
        detail: `transaction ${line[0]?.id} is not mined, and its fee cannot be raised further`,
      })
      continue
    }
    const change = changeAddresses.next()
    const { id, network, intent } = proposal
    planned.push({
      id,
      network,
      intent,
      family: 'utxo',
      slot: { pinnedOutpoint: cpfp.input.outpoint, change: change.keyPath },
      fees: cpfp.fees,
      spends: undefined,
      carries: [id],
      utxos: { inputs: [cpfp.input], change },
    })
  }
  return { planned, waits, costMinor: costOf(planned) }
}

function costOf(planned: readonly Pick<NewOutgoingTransaction, 'fees'>[]): bigint {
  return sum(planned.map(({ fees }) => maxCostMinor(fees)))
}

/**
 * Returns the stuck transaction, followed by the transactions whose fees it raises. Each CPFP transaction in
 * the list is followed by its parent. The list ends with a transaction that is not a CPFP transaction, or at
 * `bumpsMax` + 1 transactions.
 */
async function readLine(
  { db }: UtxoParts,
  { intent }: Proposal,
): Promise<readonly UtxoOutgoingTransaction[]> {
  const line: UtxoOutgoingTransaction[] = []
  let at: Proposal['intent'] | undefined = intent
  while (at?.kind === 'cpfp' && line.length <= bumpsMax) {
    const found = await readOutgoingTransactions(db, [at.outgoingTransactionId])
    const [outgoingTransaction]: readonly UtxoOutgoingTransaction[] = ofFamily('utxo', found)
    if (outgoingTransaction === undefined) break
    line.push(outgoingTransaction)
    at = outgoingTransaction.intent
  }
  return line
}

/**
 * Returns the input and the fees of a CPFP transaction for the first transaction in `line`, which is stuck.
 * The fees are chosen so that the new transaction and the unmined transactions in `line` together pay a
 * certain fee rate. It is the larger of two rates: the current fee rate, and one eighth above the rate that the
 * unmined transactions together offer, but at most the maximum rate of the chain. Miners compare the rates of whole
 * packages. An earlier CPFP transaction alone offers a higher rate, because it also pays for its parents. The new
 * transaction alone pays at least this rate, and at most the maximum rate. Returns undefined if the stuck transaction
 * is mined or conflicted, its change is too small, or another transaction has spent the change.
 */
async function cpfpOf(
  parts: UtxoParts,
  line: readonly UtxoOutgoingTransaction[],
  { feeRate, changeWeight }: UtxoPlanContext,
): Promise<{ readonly input: OutgoingTransactionInput; readonly fees: UtxoFees } | undefined> {
  const { drafts, network, db } = parts
  const [stuck] = line
  if (stuck?.state !== 'broadcast' && stuck?.state !== 'needs_recheck') return undefined
  const [txHash] = (await readHashes(db, [stuck.id])).get(stuck.id) ?? []
  const shape = shapeOf(stuck, required((await readInputs(db, [stuck.id])).get(stuck.id), 'its UTXOs'))
  if (txHash === undefined || shape.change === undefined) return undefined
  const outpoint = changeOutpoint(txHash, shape)
  // After a reorganisation, the stuck transaction may be unmined again while its change is already spent.
  if (await isSpokenFor(db, network.name, outpoint)) return undefined
  const waiting = line.filter(({ inclusion }) => inclusion === undefined)
  if (waiting.length === 0) return undefined
  const vbytes = sum(waiting.map(({ fees }) => fees.vbytes))
  const paidMinor = sum(waiting.map(({ fees }) => fees.fee))
  // Only the result is rounded. A rounded rate would grow by more than one eighth each time.
  const offered = divide(bumpedMinor(paidMinor), vbytes, 'up')
  const most = network.chain.feeRateMax / 1_000n
  const rate = min(max(feeRate / 1_000n, offered), most)
  const weight = drafts.emptyWeight + drafts.inputWeight + changeWeight
  const own = feesOf(weight, 0n).vbytes
  const feeMinor = min(max(rate * (vbytes + own) - paidMinor, rate * own), most * own)
  if (shape.change.amountMinor - feeMinor < network.chain.dustMinor) return undefined
  const { keyPath, amountMinor } = shape.change
  return { input: { outpoint, amountMinor, keyPath }, fees: feesOf(weight, feeMinor) }
}
