import type { NetworkName } from '../chains/networks.ts'
import type { Db } from '../db/pool.ts'
import { findLastSeal } from '../ledger/store.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { accessInvariants } from './access-trail.ts'
import { withdrawalsArrived } from './arrivals.ts'
import { bytesAreTheAttempts } from './attempt-bytes.ts'
import { auditInvariants } from './audit-trail.ts'
import { bookInvariants } from './books.ts'
import { blocksAreContiguous, blocksAreTheChains } from './canonical-blocks.ts'
import { coinInvariants } from './coins.ts'
import { historyIsCountersigned } from './countersigned.ts'
import { debtInvariants } from './debts.ts'
import { decisionInvariants } from './decisions.ts'
import { deletedHaveNothing } from './deleted-merchants.ts'
import { deliveriesEnd } from './deliveries.ts'
import { depositInvariants } from './deposits.ts'
import { depositsArrived } from './deposits-arrived.ts'
import { eventBodiesAreTrue } from './event-bodies.ts'
import { eventInvariants } from './events.ts'
import { historyIsSealed } from './history.ts'
import { holdInvariants } from './holds.ts'
import type { ChainInvariant, ComparedChain, Invariant, Outcome, Snapshot } from './invariant.ts'
import { invoicesAreCounted } from './invoice-counts.ts'
import { invoicesStandAsPaid } from './invoice-truth.ts'
import { macInvariants } from './macs.ts'
import { noncesAreTheChains } from './mined-nonces.ts'
import { depositsAreRecorded } from './missed-deposits.ts'
import { missedPaymentsAreBooked } from './missed-payments.ts'
import { depositsAreOfTheirAddress } from './owners.ts'
import { paymentDaysAreSummed } from './payment-days.ts'
import { payoutInvariants } from './payouts.ts'
import { reportLines, type VerifyEntry, type VerifyReport } from './report.ts'
import { inShortSnapshot, type LooksParts, runInvariant, sumAllLines } from './run-looks.ts'
import { chainIsSolvent } from './solvency.ts'
import { stateInvariants } from './states.ts'
import { collectionsAreTheirDeposits } from './swept.ts'
import { takenOutOnce } from './take-outs.ts'
import { transactionsAreCounted } from './transaction-counts.ts'
import { coinsAreTheChains } from './unspent.ts'
import { walletsAreTheSigners } from './wallets.ts'

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
 * it with the chain. Safe beside a running service; it writes nothing but that it proved the books.
 * @throws the database's error when it is away. A node that does not answer is a finding.
 */
export async function verify(parts: VerifyParts): Promise<VerifyReport> {
  const { db, methods, chains = [], report = () => {}, signal = new AbortController().signal } = parts
  const entries: VerifyEntry[] = []
  const tell = (invariant: Invariant | ChainInvariant, outcome: Outcome) => {
    const entry = entryOf(invariant, outcome)
    entries.push(entry)
    for (const line of reportLines(entry)) report(line)
  }
  const looks: LooksParts = { db, methods, attested: parts.attested, signal }
  const head = await findLastSeal(db)
  const sums = await sumAllLines(looks, head?.sequence ?? 0)
  await inOrder(invariants, (invariant) => runInvariant(invariant, { ...looks, sums }), tell)
  for (const chain of chains) {
    for (const invariant of chainInvariantsOf(chain)) {
      const compare = await inShortSnapshot(looks, false, (snapshot) => invariant.prepare(snapshot))
      tell(invariant, await compare(chain, signal).catch(unanswered))
    }
  }
  return { ok: entries.every(({ ok }) => ok), entries }
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

function unanswered(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  return { examined: 0, findings: [`the node could not be asked: ${reason}`] }
}

function entryOf({ id, title, unit }: Invariant | ChainInvariant, outcome: Outcome): VerifyEntry {
  return { id, title, unit, ok: outcome.findings.length === 0, ...outcome }
}
