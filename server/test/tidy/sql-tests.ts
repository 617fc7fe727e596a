/** The tests that may write SQL themselves. All others use the records and facts of `server/test/support`. */

interface SqlTest {
  /** Below server/test; a folder ends in a slash. */
  readonly path: string
  readonly reason: string
}

/** Tests of the statements or of the schema themselves. */
const bySubject: readonly SqlTest[] = [
  {
    path: 'db/',
    reason: 'tests migrations, backups, transactions and sums: what they do to SQL and to tables',
  },
  { path: 'tidy/', reason: 'plants statements for the rules about statements' },
  { path: 'verify/', reason: 'the statement is the attack that an invariant has to find' },
  {
    path: 'keys/books-key.test.ts',
    reason: 'the statement is the attack: keys and MACs that somebody wrote',
  },
  { path: 'ledger/append-only.test.ts', reason: 'the statements are what the database has to refuse' },
  {
    path: 'outgoing/control.test.ts',
    reason: 'the statements are what the database has to refuse, and attacks',
  },
  { path: 'withdrawals/forged-orders.test.ts', reason: 'the statement is the attack that stops withdrawals' },
  { path: 'withdrawals/sealed-money.test.ts', reason: 'the statements are what the database has to refuse' },
  { path: 'recovery/fence.test.ts', reason: 'breaks a statement of the service by its text' },
  {
    path: 'recovery/put-back.test.ts',
    reason: 'runs a statement on a connection of its own, and stops others by their text',
  },
  { path: 'webhooks/listen.test.ts', reason: 'ends connections of the database' },
]

/** Tests whose statements were not moved into support yet. No further test may join them. */
const notMovedYet: readonly string[] = [
  'deposits/counts.test.ts',
  'deposits/list.test.ts',
  'e2e/',
  'flows/dust.test.ts',
  'flows/killed-watcher.test.ts',
  'flows/paused-watcher.test.ts',
  'invoices/list.test.ts',
  'ledger/concurrency.test.ts',
  'ledger/lease.test.ts',
  'ledger/ledger-scenario.ts',
  'outgoing/utxo-ends.test.ts',
  'outgoing/utxo.test.ts',
  'outgoing/killed-utxo.test.ts',
  'outgoing/killed.test.ts',
  'outgoing/soak/',
  'process/',
  'recovery/failover-drill.test.ts',
  'recovery/missing-recoveries.test.ts',
  'recovery/promotion.test.ts',
  'screening/report.test.ts',
  'sweeps/fee-limits.test.ts',
  'sweeps/on-chain.test.ts',
  'treasury/debts.test.ts',
  'webhooks/claim-deliveries.test.ts',
  'webhooks/dispatching.ts',
  'webhooks/failing-endpoint.test.ts',
  'webhooks/forget-deliveries.test.ts',
  'webhooks/plans.test.ts',
  'webhooks/retries.test.ts',
  'withdrawals/approval.test.ts',
  'withdrawals/hostile-recipients.test.ts',
  'withdrawals/shortfall.test.ts',
]

export const sqlTests: readonly SqlTest[] = [
  ...bySubject,
  ...notMovedYet.map((path) => ({ path, reason: 'not moved to support yet' })),
]
