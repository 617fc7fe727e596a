/** Faults in following a chain: its cursor, its reorganisations and its nodes. */
import { lines, type Mutant } from '../mutant.ts'

export const watcherMutants: readonly Mutant[] = [
  {
    name: 'watcher/cursor-before-its-block',
    file: 'watcher/follow-chain.ts',
    from: lines(
      '    await recordBlocks(parts, tx, chain.network, batch)',
      '    const reported = { height: headHeight, finalHeight: finalHeight ?? -1 }',
      '    await extendCursor(tx, chain.network, blocks, reported)',
      '  })',
    ),
    to: lines(
      '    const reported = { height: headHeight, finalHeight: finalHeight ?? -1 }',
      '    await extendCursor(tx, chain.network, blocks, reported)',
      '    return parts',
      '  }).then((parts) => inTransaction(db, (tx) => recordBlocks(parts, tx, chain.network, batch)))',
    ),
    harm: 'If the process dies after the cursor has moved and before the block is booked, the payments in that block are never credited.',
  },
  {
    name: 'watcher/rollback-one-short',
    file: 'watcher/follow-chain.ts',
    from: 'undoBlocksAbove({ methods, postCovered }, tx, chain.network, to.height)',
    to: 'undoBlocksAbove({ methods, postCovered }, tx, chain.network, to.height + 1)',
    harm: 'Payments in the first block that a reorganisation drops stay credited, and block the booking of the block that holds them afterwards.',
  },
  {
    name: 'watcher/fork-within-step',
    file: 'chains/blocks/block.ts',
    from: "return block.parentHash === tip.hash ? 'extend' : 'fork'",
    to: "return 'extend'",
    harm: 'If the chain reorganises between two reads of one step, blocks of the new branch are booked on top of the old one, whose payments stay credited for ever.',
  },
  {
    name: 'watcher/lagging-node-reverts',
    file: 'watcher/follow-chain.ts',
    from: 'return common.height === reach ? undefined : common',
    to: 'return common.height === cursor.height ? undefined : common',
    harm: 'A node that is merely some blocks behind makes the watcher take back payments, and merchants are told that paid invoices are no longer paid.',
  },
  {
    name: 'watcher/one-node-believed',
    file: 'chains/quorum/agreement.ts',
    from: 'if (reports.length - others.length >= quorumSize) return { value, others }',
    to: 'return { value, others }',
    harm: 'With several nodes, a payment that a single node makes up is credited to the merchant whom it names.',
  },
]
