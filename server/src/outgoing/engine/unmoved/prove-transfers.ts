import { type BlockFacts, NodeError } from '../../../chains/port.ts'
import { groupBy } from '../../../core/group-by.ts'
import { noteTamperings } from '../../../platform/audit/tampering-store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { haltAsset } from '../controls/asset-halts.ts'
import type { TransferProof } from '../follow.ts'
import { type PayoutParts, raiseAlert } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import type { Inclusion } from '../payout.ts'
import type { StoredPayout } from '../store.ts'
import { type ExpectedTransfer, findMissing } from './expected-transfers.ts'
import { insertUnmoved, readUnmoved, type Unmoved } from './unmoved-store.ts'

/** A payout whose receipt says success, in a block that stays. */
export interface EndingPayout {
  readonly payout: StoredPayout
  readonly inclusion: Inclusion
}

type Expecting = EndingPayout & { readonly expected: readonly ExpectedTransfer[] }

const blocksAtOnce = 8

/**
 * Reads the blocks of payouts that would be final, each once, and compares what they hold with what was to be moved: a receipt
 * says that a transaction did not fail, never that a token moved anything. One without its transfer is kept for an operator,
 * who alone releases its hold, and its asset is halted.
 * @returns the proofs by payout, and whether every block could be read
 */
export async function proveTransfers(
  parts: PayoutParts,
  memory: MachineMemory,
  ending: readonly EndingPayout[],
  signal: AbortSignal,
): Promise<{ readonly proofs: ReadonlyMap<string, TransferProof>; readonly isComplete: boolean }> {
  const asked = ending.flatMap((one): readonly Expecting[] => {
    const expected = parts.way.expectedTransfers(one.payout)
    return expected.length === 0 ? [] : [{ ...one, expected }]
  })
  const stored = await readUnmoved(parts.db, asked.map(idOf))
  await noteForged(parts, stored)
  const known = new Map(stored.map((unmoved) => [keyOf(unmoved), unmoved]))
  const proofs = new Map<string, TransferProof>()
  const unread: Expecting[] = []
  for (const one of asked) {
    const unmoved = known.get(keyOf({ payoutId: idOf(one), blockHash: one.inclusion.blockHash }))
    if (unmoved === undefined) unread.push(one)
    else proofs.set(idOf(one), proofOf(unmoved))
    if (unmoved?.outcome === undefined && unmoved !== undefined) alertOf(parts, memory, unmoved)
  }
  const { moved, missing, isComplete } = await readAll(parts, memory, unread, signal)
  for (const one of unread) proofs.set(idOf(one), moved.has(one) ? 'moved' : 'open')
  await keepMissing(parts, memory, missing)
  return { proofs, isComplete }
}

function idOf({ payout }: EndingPayout): string {
  return payout.id
}

function keyOf({ payoutId, blockHash }: Pick<Unmoved, 'payoutId' | 'blockHash'>): string {
  return `${payoutId} ${blockHash}`
}

/** What nobody of ours decided is not decided, and halts payouts. */
async function noteForged({ db }: PayoutParts, stored: readonly Unmoved[]): Promise<void> {
  const forged = stored.filter(({ isForged }) => isForged)
  await noteTamperings(
    db,
    forged.map(({ payoutId, blockHash }) => ({
      subject: `outcome ${payoutId} ${blockHash}`,
      detail: `nobody said what became of payout ${payoutId}, which moved nothing: its outcome carries no MAC of BOOKS_KEY_FILE`,
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
  parts: PayoutParts,
  memory: MachineMemory,
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
    for (const [place, own] of some.entries()) {
      const block = facts[place]
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

/** The block that our nodes agree on, where it is the one in our own list; undefined where they do not tell it now. */
async function readFacts(
  parts: PayoutParts,
  memory: MachineMemory,
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
      'payout-unread',
      fields,
      'the block of a payout cannot be read; it is not completed',
    )
    return undefined
  }
}

async function keepMissing(
  parts: PayoutParts,
  memory: MachineMemory,
  missing: Read['missing'],
): Promise<void> {
  if (missing.length === 0) return
  const { db, log } = parts
  const unmoved = missing.map(([{ payout, inclusion }, lacks]) => ({
    payoutId: payout.id,
    blockHash: inclusion.blockHash,
    txHash: inclusion.txHash,
    detail: detailOf(payout, inclusion, lacks),
  }))
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await insertUnmoved(tx, unmoved)
    for (const [place, [{ payout }]] of missing.entries()) {
      const asset = payout.spends?.asset
      if (asset === undefined) continue
      const detail = unmoved[place]?.detail ?? ''
      await haltAsset({ db: tx, log }, { asset, cause: 'payout-without-transfer', detail })
    }
  })
  for (const one of unmoved) alertOf(parts, memory, one)
}

function detailOf(
  { id, spends }: StoredPayout,
  { txHash, height }: Inclusion,
  lacks: readonly ExpectedTransfer[],
): string {
  const wanted = lacks.map(({ amountMinor, recipient }) => `${amountMinor} to ${recipient}`).join(', ')
  return `payout ${id} of ${spends?.asset ?? 'no asset'}: block ${height} holds ${txHash} with success, without ${wanted}`
}

function alertOf(
  parts: PayoutParts,
  memory: MachineMemory,
  { payoutId, txHash, detail }: Pick<Unmoved, 'payoutId' | 'txHash' | 'detail'>,
): void {
  const fields = { subject: payoutId, txHash, detail }
  raiseAlert(
    parts,
    memory,
    'payout-without-transfer',
    fields,
    'a payout was mined and did not move what it was to move: decide by "coffer payouts settle-paid" or "settle-unpaid"',
  )
}
