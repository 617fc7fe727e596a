import { type BlockFacts, NodeError } from '../../../chains/port.ts'
import { groupBy } from '../../../core/group-by.ts'
import { noteTamperings } from '../../../platform/audit/tampering-store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { haltAsset } from '../controls/asset-halts.ts'
import type { EngineMemory } from '../engine-memory.ts'
import { type EngineParts, raiseAlert } from '../engine-parts.ts'
import type { Inclusion } from '../outgoing-transaction.ts'
import type { TransferProof } from '../receipt-steps.ts'
import type { StoredOutgoingTransaction } from '../store.ts'
import { type ExpectedTransfer, findMissing } from './expected-transfers.ts'
import { insertUnmoved, readUnmoved, type Unmoved } from './unmoved-store.ts'

/** An outgoing transaction whose receipt reports success in a final block. */
export interface EndingOutgoingTransaction {
  readonly outgoingTransaction: StoredOutgoingTransaction
  readonly inclusion: Inclusion
}

type Expecting = EndingOutgoingTransaction & { readonly expected: readonly ExpectedTransfer[] }

const blocksAtOnce = 8

/**
 * Reads the blocks of transactions that would become final, each block once, and compares the transfers in
 * them with the expected transfers. A receipt proves that a transaction did not fail, but not that a token
 * was moved. A transaction with a missing transfer is stored, and its asset is halted. Only an operator can
 * then decide whether its order was paid.
 * @returns the result of the comparison for each outgoing transaction, and whether every block could be read
 */
export async function proveTransfers(
  parts: EngineParts,
  memory: EngineMemory,
  ending: readonly EndingOutgoingTransaction[],
  signal: AbortSignal,
): Promise<{ readonly proofs: ReadonlyMap<string, TransferProof>; readonly isComplete: boolean }> {
  const asked = ending.flatMap((one): readonly Expecting[] => {
    const expected = parts.strategy.expectedTransfers(one.outgoingTransaction)
    return expected.length === 0 ? [] : [{ ...one, expected }]
  })
  const stored = await readUnmoved(parts.db, asked.map(idOf))
  await noteForged(parts, stored)
  const known = new Map(stored.map((unmoved) => [keyOf(unmoved), unmoved]))
  const proofs = new Map<string, TransferProof>()
  const unread: Expecting[] = []
  for (const one of asked) {
    const unmoved = known.get(keyOf({ outgoingTransactionId: idOf(one), blockHash: one.inclusion.blockHash }))
    if (unmoved === undefined) unread.push(one)
    else proofs.set(idOf(one), proofOf(unmoved))
    if (unmoved?.outcome === undefined && unmoved !== undefined) alertOf(parts, memory, unmoved)
  }
  const { moved, missing, isComplete } = await readAll(parts, memory, unread, signal)
  for (const one of unread) proofs.set(idOf(one), moved.has(one) ? 'moved' : 'open')
  await keepMissing(parts, memory, missing)
  return { proofs, isComplete }
}

function idOf({ outgoingTransaction }: EndingOutgoingTransaction): string {
  return outgoingTransaction.id
}

function keyOf({
  outgoingTransactionId,
  blockHash,
}: Pick<Unmoved, 'outgoingTransactionId' | 'blockHash'>): string {
  return `${outgoingTransactionId} ${blockHash}`
}

/**
 * Reports stored decisions without a valid MAC as tampering, which halts all outgoing transactions. Such a
 * decision has no effect.
 */
async function noteForged({ db }: EngineParts, stored: readonly Unmoved[]): Promise<void> {
  const forged = stored.filter(({ isForged }) => isForged)
  await noteTamperings(
    db,
    forged.map(({ outgoingTransactionId, blockHash }) => ({
      subject: `outcome ${outgoingTransactionId} ${blockHash}`,
      detail: `the outcome of transaction ${outgoingTransactionId}, which moved nothing, carries no MAC of BOOKS_KEY_FILE: nobody decided it`,
    })),
  )
}

function proofOf({ outcome }: Unmoved): TransferProof {
  if (outcome === undefined) return 'open'
  return outcome === 'paid' ? 'moved' : 'unpaid'
}

interface Read {
  readonly moved: ReadonlySet<Expecting>
  readonly missing: readonly (readonly [Expecting, readonly ExpectedTransfer[]])[]
  readonly isComplete: boolean
}

async function readAll(
  parts: EngineParts,
  memory: EngineMemory,
  unread: readonly Expecting[],
  signal: AbortSignal,
): Promise<Read> {
  const moved = new Set<Expecting>()
  const missing: (readonly [Expecting, readonly ExpectedTransfer[]])[] = []
  let isComplete = true
  const blocks = [
    ...groupBy(unread, ({ inclusion }) => `${inclusion.height} ${inclusion.blockHash}`).values(),
  ]
  for (let start = 0; start < blocks.length; start += blocksAtOnce) {
    const some = blocks.slice(start, start + blocksAtOnce)
    const facts = await Promise.all(some.map(([first]) => readFacts(parts, memory, first, signal)))
    for (const [index, own] of some.entries()) {
      const block = facts[index]
      if (block === undefined) {
        isComplete = false
        continue
      }
      const transfers = groupBy(block.transfers, ({ txHash }) => txHash)
      for (const one of own) {
        const lacks = findMissing(one.expected, transfers.get(one.inclusion.txHash) ?? [])
        if (lacks.length === 0) moved.add(one)
        else missing.push([one, lacks])
      }
    }
  }
  return { moved, missing, isComplete }
}

/**
 * Returns the block of an inclusion as the nodes report it. Undefined if the nodes have another block at that
 * height, or cannot answer now.
 */
async function readFacts(
  parts: EngineParts,
  memory: EngineMemory,
  first: Expecting | undefined,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  if (first === undefined) return undefined
  const { height, blockHash } = first.inclusion
  try {
    const facts = await parts.chain.readBlock(height, signal)
    return facts?.block.hash === blockHash ? facts : undefined
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    const fields = { subject: blockHash, height, err: error }
    raiseAlert(
      parts,
      memory,
      'outgoing-unread',
      fields,
      'the block of an outgoing transaction cannot be read; its order is not completed',
    )
    return undefined
  }
}

async function keepMissing(
  parts: EngineParts,
  memory: EngineMemory,
  missing: Read['missing'],
): Promise<void> {
  if (missing.length === 0) return
  const { db, log } = parts
  const unmoved = missing.map(([{ outgoingTransaction, inclusion }, lacks]) => ({
    outgoingTransactionId: outgoingTransaction.id,
    blockHash: inclusion.blockHash,
    txHash: inclusion.txHash,
    detail: detailOf(outgoingTransaction, inclusion, lacks),
  }))
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await insertUnmoved(tx, unmoved)
    for (const [index, [{ outgoingTransaction }]] of missing.entries()) {
      const asset = outgoingTransaction.spends?.asset
      if (asset === undefined) continue
      const detail = unmoved[index]?.detail ?? ''
      await haltAsset({ db: tx, log }, { asset, cause: 'missing-transfer', detail })
    }
  })
  for (const one of unmoved) alertOf(parts, memory, one)
}

function detailOf(
  { id, spends }: StoredOutgoingTransaction,
  { txHash, height }: Inclusion,
  lacks: readonly ExpectedTransfer[],
): string {
  const wanted = lacks.map(({ amountMinor, recipient }) => `${amountMinor} to ${recipient}`).join(', ')
  return `transaction ${id} of ${spends?.asset ?? 'no asset'}: ${txHash} succeeded in block ${height}, but without ${wanted}`
}

function alertOf(
  parts: EngineParts,
  memory: EngineMemory,
  { outgoingTransactionId, txHash, detail }: Pick<Unmoved, 'outgoingTransactionId' | 'txHash' | 'detail'>,
): void {
  const fields = { subject: outgoingTransactionId, txHash, detail }
  raiseAlert(
    parts,
    memory,
    'missing-transfer',
    fields,
    'an outgoing transaction was mined but did not move its amount: decide with "coffer payouts settle-paid" or "settle-unpaid"',
  )
}
