/** The list of all invariants, and the function that checks them for `coffer verify`. */
import type { NetworkName } from '../../chains/networks.ts'
import { findLastSeal } from '../../ledger/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { sqlState } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { accessInvariants } from './books/access-trail.ts'
import { bytesAreTheAttempts } from './books/attempt-bytes.ts'
import { auditInvariants } from './books/audit-trail.ts'
import { bookInvariants } from './books/books.ts'
import { historyIsCountersigned } from './books/countersigned.ts'
import { debtInvariants } from './books/debts.ts'
import { decisionInvariants } from './books/decisions.ts'
import { deletedHaveNothing } from './books/deleted-merchants.ts'
import { depositsAreCounted } from './books/deposit-counts.ts'
import { depositInvariants } from './books/deposits.ts'
import { historyIsSealed } from './books/history.ts'
import { holdInvariants } from './books/holds.ts'
import { invoicesAreCounted } from './books/invoice-counts.ts'
import { invoicesStandAsPaid } from './books/invoice-truth.ts'
import { macInvariants } from './books/macs.ts'
import { outgoingTransactionInvariants } from './books/outgoing-transactions.ts'
import { outputInvariants } from './books/outputs.ts'
import { depositsAreOfTheirAddress } from './books/owners.ts'
import { paymentDaysAreSummed } from './books/payment-days.ts'
import { stateInvariants } from './books/states.ts'
import type { LineSums } from './books/summed-lines.ts'
import { merchantSweepsAreTheirDeposits } from './books/swept.ts'
import { takenOutOnce } from './books/treasury-withdrawals.ts'
import { blocksAreContiguous, blocksAreTheChains } from './chain/canonical-blocks.ts'
import { depositsArrived } from './chain/deposits-arrived.ts'
import { noncesAreTheChains } from './chain/mined-nonces.ts'
import { depositsAreRecorded } from './chain/missed-deposits.ts'
import { missedPaymentsAreBooked } from './chain/missed-payments.ts'
import { chainIsSolvent } from './chain/solvency.ts'
import { outputsAreTheChains } from './chain/unspent.ts'
import { walletsAreTheSigners } from './chain/wallets.ts'
import { withdrawalsArrived } from './chain/withdrawals-arrived.ts'
import { findChanged, firstIdSince } from './changed.ts'
import { deliveriesEnd } from './events/deliveries.ts'
import { eventBodiesAreTrue } from './events/event-bodies.ts'
import { eventInvariants } from './events/events.ts'
import type { ChainInvariant, ComparedChain, Invariant, Outcome, Snapshot } from './invariant.ts'
import { countProgress, type Progress } from './progress.ts'
import type { Proof } from './proof.ts'
import { forgetProof, type NoProof, readDatabaseTime, readProof, saveProof } from './proof-store.ts'
import { reportLines, type VerifyEntry, type VerifyReport } from './report.ts'
import {
  inShortSnapshot,
  runInvariant,
  runInvariantSince,
  type ScanParts,
  type SinceProof,
  sumAllLines,
  sumLinesSince,
} from './run-scans.ts'

export interface VerifyParts {
  readonly db: Db
  readonly methods: PaymentMethods
  /**
   * The nodes to compare with, one for each network. A network without a node is checked only in the
   * database.
   */
  readonly chains?: readonly ComparedChain[]
  /** The signer's statement about itself, if the signer can be reached. */
  readonly attested?: Snapshot['attested']
  /** Called with each line of the report as soon as the line is known. */
  readonly report?: (line: string) => void
  readonly signal?: AbortSignal
  /** What to check; everything by default. `since last` skips what the last run proved. */
  readonly reach?: 'all' | 'since last'
  /** Called with the progress of a run that checks everything. */
  readonly progress?: (progress: Progress) => void
  /** The largest number of rows in one scan. */
  readonly rowsMost?: number
}

/** All invariants of the database, in the order in which they are reported. */
export const invariants: readonly Invariant[] = [
  ...bookInvariants,
  ...holdInvariants,
  ...outgoingTransactionInvariants,
  bytesAreTheAttempts,
  walletsAreTheSigners,
  takenOutOnce,
  ...outputInvariants,
  ...depositInvariants,
  missedPaymentsAreBooked,
  depositsAreOfTheirAddress,
  merchantSweepsAreTheirDeposits,
  ...debtInvariants,
  ...stateInvariants,
  invoicesStandAsPaid,
  invoicesAreCounted,
  paymentDaysAreSummed,
  depositsAreCounted,
  ...eventInvariants,
  eventBodiesAreTrue,
  ...auditInvariants,
  ...decisionInvariants,
  ...accessInvariants,
  deliveriesEnd,
  deletedHaveNothing,
  historyIsSealed,
  historyIsCountersigned,
  ...macInvariants,
  blocksAreContiguous,
]

type OfNetwork = readonly ((network: NetworkName) => ChainInvariant)[]

/**
 * The invariants that compare the books of an EVM network with its chain. UTXO networks have other ones,
 * which compare outputs instead of balances and nonces. `outputInvariants` compares these outputs with the
 * ledger.
 */
const accountInvariants: OfNetwork = [
  chainIsSolvent,
  depositsArrived,
  withdrawalsArrived,
  noncesAreTheChains,
  blocksAreTheChains,
  depositsAreRecorded,
]
const outpointInvariants: OfNetwork = [
  outputsAreTheChains,
  depositsArrived,
  withdrawalsArrived,
  blocksAreTheChains,
  depositsAreRecorded,
]

/** Returns the invariants that compare a network with its chain, in the order in which they are reported. */
export function chainInvariantsOf({ reader }: Pick<ComparedChain, 'reader'>): readonly ChainInvariant[] {
  const own = reader.traits.hasOutpoints ? outpointInvariants : accountInvariants
  return own.map((invariantOf) => invariantOf(reader.network))
}

/**
 * Checks every invariant. First checks the invariants of the database, in short snapshots. Then checks the
 * invariants that compare the database with the chain. May run while the service is running. Writes only one
 * row, the proof of the books. A run that checks everything deletes that row if there is a violation.
 * @throws the database's error if the database cannot be reached. If a node does not answer, that is
 *   reported as a finding.
 */
export async function verify(parts: VerifyParts): Promise<VerifyReport> {
  const { db, chains = [], report = () => {}, signal = new AbortController().signal } = parts
  const entries: VerifyEntry[] = []
  const noteResult = (invariant: Invariant | ChainInvariant, outcome: Outcome) => {
    const entry = entryOf(invariant, outcome)
    entries.push(entry)
    for (const line of reportLines(entry)) report(line)
  }
  const scope = await openScope(parts, signal)
  const run = async (invariant: Invariant) => {
    const outcome = await scope.run(invariant)
    // The proof is deleted at once, because this process may be stopped before it has checked the last
    // invariant.
    if (outcome.findings.length > 0) await scope.onFound()
    return outcome
  }
  await inOrder(invariants, run, noteResult)
  for (const chain of chains) {
    for (const invariant of chainInvariantsOf(chain)) {
      const outcome = await compareTwice(invariant, chain, scope.scanParts)
      if (outcome.findings.length > 0) await scope.onFound()
      noteResult(invariant, outcome)
    }
  }
  const ok = entries.every((entry) => entry.ok)
  if (ok) await saveProof(db, scope.proof, scope.goesOnFrom).catch(unlessReadOnly)
  return { ok, entries, since: scope.goesOnFrom?.beganAt }
}

interface Scope {
  readonly scanParts: ScanParts
  readonly run: (invariant: Invariant) => Promise<Outcome>
  /**
   * Called after a finding. If this run checks everything, deletes the stored proof, so that the next run
   * does not continue from that proof.
   */
  readonly onFound: () => Promise<void>
  /** The proof to save if nothing is found. */
  readonly proof: Proof
  /** The proof from which this run continues; undefined if this run checks everything. */
  readonly goesOnFrom: Proof | undefined
}

async function openScope(parts: VerifyParts, signal: AbortSignal): Promise<Scope> {
  const { db, methods, attested, rowsMost, report = () => {}, progress } = parts
  const beganAt = await readDatabaseTime(db)
  const head = await findLastSeal(db)
  const hash = head?.hash.toString('hex')
  const upTo = head?.sequence ?? 0
  const scanParts: ScanParts = { db, methods, attested, signal, rowsMost }
  const last = parts.reach === 'since last' ? await readProof(db, 'verify') : 'not asked'
  if (typeof last === 'object') {
    const sums = await sumLinesSince(last.sums, scanParts, upTo)
    const since = await readSince(scanParts, last)
    const run: Scope['run'] = (invariant) => runInvariantSince(invariant, { ...scanParts, sums }, since)
    // The proof is not deleted. The next run also continues from it, and finds the same violation again.
    const onFound = async () => {}
    return { scanParts, run, onFound, proof: { ...last, hash, sums, beganAt }, goesOnFrom: last }
  }
  if (last !== 'not asked') report(`Checking everything: ${whyNoProof[last]}.`)
  const progressInput =
    progress === undefined ? {} : { progress: await countProgress(db, invariants, progress) }
  let sums: LineSums = { sequence: upTo, accounts: new Map() }
  for await (const stretch of sumAllLines({ ...scanParts, ...progressInput }, upTo)) sums = stretch
  const run: Scope['run'] = (invariant) => runInvariant(invariant, { ...scanParts, ...progressInput, sums })
  return {
    scanParts,
    run,
    onFound: () => forgetProof(db, 'verify').catch(unlessReadOnly),
    proof: { prover: 'verify', hash, sums, beganAt, fullAt: beganAt },
    goesOnFrom: undefined,
  }
}

const whyNoProof: Readonly<Record<NoProof, string>> = {
  none: 'nothing was proven before, or BOOKS_KEY_FILE is not available',
  forged: 'the stored proof carries no MAC of BOOKS_KEY_FILE',
  'other history': 'the history is not the one that was proven',
}

/** Returns the rows that changed since a proof. */
export function readSince(scanParts: ScanParts, { sums, beganAt }: Proof): Promise<SinceProof> {
  const since = { sequence: sums.sequence, firstId: firstIdSince(beganAt) }
  return inShortSnapshot(scanParts, true, async ({ on }) => ({
    ...since,
    changed: await findChanged(on, since),
  }))
}

/** Ignores the error that a standby server returns for writes. The next run continues from the same proof. */
function unlessReadOnly(error: unknown): void {
  if (sqlState(error) !== '25006') throw error
}

/**
 * Runs `work` on two items at a time, because each item alternately loads PostgreSQL and this process. Calls
 * `onResult` in the order of the items.
 */
async function inOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  onResult: (item: T, result: R) => void,
): Promise<void> {
  const waiting = items.entries()
  const results = new Map<number, R>()
  let shownCount = 0
  const worker = async () => {
    for (const [index, item] of waiting) {
      results.set(index, await work(item))
      for (; results.has(shownCount); shownCount += 1)
        onResult(items[shownCount] as T, results.get(shownCount) as R)
    }
  }
  await Promise.all([worker(), worker()])
}

/**
 * Compares once, and a second time if there are findings, because the first ones may be wrong: a node that is
 * adding a block may report a new balance or nonce for the block before. The second result counts, unless the
 * second comparison was skipped.
 */
async function compareTwice(
  invariant: ChainInvariant,
  chain: ComparedChain,
  scanParts: ScanParts,
): Promise<Outcome> {
  const compare = await inShortSnapshot(scanParts, false, (snapshot) => invariant.prepare(snapshot))
  const compareOnce = () => compare(chain, scanParts.signal).catch(unanswered)
  const first = await compareOnce()
  if (first.findings.length === 0) return first
  const second = await compareOnce()
  return second.skipped === undefined ? second : first
}

function unanswered(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  return { examined: 0, findings: [`the node did not answer: ${reason}`] }
}

function entryOf({ id, title, unit }: Invariant | ChainInvariant, outcome: Outcome): VerifyEntry {
  return { id, title, unit, ok: outcome.findings.length === 0, ...outcome }
}
