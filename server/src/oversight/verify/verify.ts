import type { NetworkName } from '../../chains/networks.ts'
import { findLastSeal } from '../../ledger/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { sqlState } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { accessInvariants } from './books/access-trail.ts'
import { bytesAreTheAttempts } from './books/attempt-bytes.ts'
import { auditInvariants } from './books/audit-trail.ts'
import { bookInvariants } from './books/books.ts'
import { coinInvariants } from './books/coins.ts'
import { historyIsCountersigned } from './books/countersigned.ts'
import { debtInvariants } from './books/debts.ts'
import { decisionInvariants } from './books/decisions.ts'
import { deletedHaveNothing } from './books/deleted-merchants.ts'
import { depositInvariants } from './books/deposits.ts'
import { historyIsSealed } from './books/history.ts'
import { holdInvariants } from './books/holds.ts'
import { invoicesAreCounted } from './books/invoice-counts.ts'
import { invoicesStandAsPaid } from './books/invoice-truth.ts'
import { macInvariants } from './books/macs.ts'
import { depositsAreOfTheirAddress } from './books/owners.ts'
import { paymentDaysAreSummed } from './books/payment-days.ts'
import { payoutInvariants } from './books/payouts.ts'
import { stateInvariants } from './books/states.ts'
import type { LineSums } from './books/summed-lines.ts'
import { collectionsAreTheirDeposits } from './books/swept.ts'
import { takenOutOnce } from './books/take-outs.ts'
import { transactionsAreCounted } from './books/transaction-counts.ts'
import { withdrawalsArrived } from './chain/arrivals.ts'
import { blocksAreContiguous, blocksAreTheChains } from './chain/canonical-blocks.ts'
import { depositsArrived } from './chain/deposits-arrived.ts'
import { noncesAreTheChains } from './chain/mined-nonces.ts'
import { depositsAreRecorded } from './chain/missed-deposits.ts'
import { missedPaymentsAreBooked } from './chain/missed-payments.ts'
import { chainIsSolvent } from './chain/solvency.ts'
import { coinsAreTheChains } from './chain/unspent.ts'
import { walletsAreTheSigners } from './chain/wallets.ts'
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
  type LooksParts,
  runInvariant,
  runInvariantSince,
  type SinceProof,
  sumAllLines,
  sumLinesSince,
} from './run-looks.ts'

export interface VerifyParts {
  readonly db: Db
  readonly methods: PaymentMethods
  /** A node per network to compare with; a network without one is only checked in the database. */
  readonly chains?: readonly ComparedChain[]
  /** What the signer says of itself, where it can be asked. */
  readonly attested?: Snapshot['attested']
  /** Gets each line as soon as it is known. */
  readonly report?: (line: string) => void
  readonly signal?: AbortSignal
  /** `since last`: what was proven by the run before is not looked at again. Everything where nothing is said. */
  readonly reach?: 'all' | 'since last'
  /** Is told how far a look at everything is. */
  readonly progress?: (progress: Progress) => void
  /** A look goes through at most so many rows. */
  readonly rowsMost?: number
}

/** In the order they are told. */
export const invariants: readonly Invariant[] = [
  ...bookInvariants,
  ...holdInvariants,
  ...payoutInvariants,
  bytesAreTheAttempts,
  walletsAreTheSigners,
  takenOutOnce,
  ...coinInvariants,
  ...depositInvariants,
  missedPaymentsAreBooked,
  depositsAreOfTheirAddress,
  collectionsAreTheirDeposits,
  ...debtInvariants,
  ...stateInvariants,
  invoicesStandAsPaid,
  invoicesAreCounted,
  paymentDaysAreSummed,
  transactionsAreCounted,
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

/** Those that compare a network with its chain; where money lies in coins, the ledger is compared with their list before. */
const accountInvariants: OfNetwork = [
  chainIsSolvent,
  depositsArrived,
  withdrawalsArrived,
  noncesAreTheChains,
  blocksAreTheChains,
  depositsAreRecorded,
]
const outpointInvariants: OfNetwork = [
  coinsAreTheChains,
  depositsArrived,
  withdrawalsArrived,
  blocksAreTheChains,
  depositsAreRecorded,
]

/** Those that compare one network with its chain, in the order they are told. */
export function chainInvariantsOf({ reader }: Pick<ComparedChain, 'reader'>): readonly ChainInvariant[] {
  const own = reader.traits.hasOutpoints ? outpointInvariants : accountInvariants
  return own.map((invariantOf) => invariantOf(reader.network))
}

/**
 * Checks every invariant: those of the database a stretch at a time, each in a short snapshot of its own, then those that compare
 * it with the chain. Safe beside a running service; it writes one row, which says that the books were proven, and deletes it where
 * a look at everything found something.
 * @throws the database's error when it is away. A node that does not answer is a finding.
 */
export async function verify(parts: VerifyParts): Promise<VerifyReport> {
  const { db, chains = [], report = () => {}, signal = new AbortController().signal } = parts
  const entries: VerifyEntry[] = []
  const tell = (invariant: Invariant | ChainInvariant, outcome: Outcome) => {
    const entry = entryOf(invariant, outcome)
    entries.push(entry)
    for (const line of reportLines(entry)) report(line)
  }
  const scope = await openScope(parts, signal)
  const run = async (invariant: Invariant) => {
    const outcome = await scope.run(invariant)
    // At once, since this process may end before the last invariant.
    if (outcome.findings.length > 0) await scope.onFound()
    return outcome
  }
  await inOrder(invariants, run, tell)
  for (const chain of chains) {
    for (const invariant of chainInvariantsOf(chain)) {
      const outcome = await compareTwice(invariant, chain, scope.looks)
      if (outcome.findings.length > 0) await scope.onFound()
      tell(invariant, outcome)
    }
  }
  const ok = entries.every((entry) => entry.ok)
  if (ok) await saveProof(db, scope.proof, scope.goesOnFrom).catch(unlessReadOnly)
  return { ok, entries, since: scope.goesOnFrom?.beganAt }
}

interface Scope {
  readonly looks: LooksParts
  readonly run: (invariant: Invariant) => Promise<Outcome>
  /** What follows from a finding for the proof that the next run may go on from. */
  readonly onFound: () => Promise<void>
  /** What is proven where nothing is found. */
  readonly proof: Proof
  /** What is not looked at again; undefined where everything is. */
  readonly goesOnFrom: Proof | undefined
}

async function openScope(parts: VerifyParts, signal: AbortSignal): Promise<Scope> {
  const { db, methods, attested, rowsMost, report = () => {}, progress } = parts
  const beganAt = await readDatabaseTime(db)
  const head = await findLastSeal(db)
  const hash = head?.hash.toString('hex')
  const upTo = head?.sequence ?? 0
  const looks: LooksParts = { db, methods, attested, signal, rowsMost }
  const last = parts.reach === 'since last' ? await readProof(db, 'verify') : 'not asked'
  if (typeof last === 'object') {
    const sums = await sumLinesSince(last.sums, looks, upTo)
    const since = await readSince(looks, last)
    const run: Scope['run'] = (invariant) => runInvariantSince(invariant, { ...looks, sums }, since)
    // What it found it finds again: the proof that it went on from stays as it is.
    const onFound = async () => {}
    return { looks, run, onFound, proof: { ...last, hash, sums, beganAt }, goesOnFrom: last }
  }
  if (last !== 'not asked') report(`Looking at everything: ${whyNoProof[last]}.`)
  const told = progress === undefined ? {} : { progress: await countProgress(db, invariants, progress) }
  let sums: LineSums = { sequence: upTo, accounts: new Map() }
  for await (const stretch of sumAllLines({ ...looks, ...told }, upTo)) sums = stretch
  const run: Scope['run'] = (invariant) => runInvariant(invariant, { ...looks, ...told, sums })
  return {
    looks,
    run,
    onFound: () => forgetProof(db, 'verify').catch(unlessReadOnly),
    proof: { prover: 'verify', hash, sums, beganAt, fullAt: beganAt },
    goesOnFrom: undefined,
  }
}

const whyNoProof: Readonly<Record<NoProof, string>> = {
  none: 'nothing was proven before, or BOOKS_KEY_FILE is not at hand',
  forged: 'what is stored of the last proof carries no MAC of BOOKS_KEY_FILE',
  'other history': 'history is not the one that was proven',
}

/** What changed since a proof. */
export function readSince(looks: LooksParts, { sums, beganAt }: Proof): Promise<SinceProof> {
  const since = { sequence: sums.sequence, firstId: firstIdSince(beganAt) }
  return inShortSnapshot(looks, true, async ({ on }) => ({ ...since, changed: await findChanged(on, since) }))
}

/** On a standby nothing can be written: the next proof goes on from the same one. */
function unlessReadOnly(error: unknown): void {
  if (sqlState(error) !== '25006') throw error
}

/** Two at a time, since PostgreSQL and this process take turns at each; they are told in their order. */
async function inOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  tell: (item: T, result: R) => void,
): Promise<void> {
  const waiting = items.entries()
  const results = new Map<number, R>()
  let told = 0
  const worker = async () => {
    for (const [place, item] of waiting) {
      results.set(place, await work(item))
      for (; results.has(told); told += 1) tell(items[told] as T, results.get(told) as R)
    }
  }
  await Promise.all([worker(), worker()])
}

/**
 * What is reported is what a second comparison of the same rows finds too: a node that is just adding a block may tell of a balance or
 * a nonce in it under the block before. Where it cannot be made, what the first one found stands.
 */
async function compareTwice(
  invariant: ChainInvariant,
  chain: ComparedChain,
  looks: LooksParts,
): Promise<Outcome> {
  const compare = await inShortSnapshot(looks, false, (snapshot) => invariant.prepare(snapshot))
  const compareOnce = () => compare(chain, looks.signal).catch(unanswered)
  const first = await compareOnce()
  if (first.findings.length === 0) return first
  const second = await compareOnce()
  return second.skipped === undefined ? second : first
}

function unanswered(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  return { examined: 0, findings: [`the node could not be asked: ${reason}`] }
}

function entryOf({ id, title, unit }: Invariant | ChainInvariant, outcome: Outcome): VerifyEntry {
  return { id, title, unit, ok: outcome.findings.length === 0, ...outcome }
}
