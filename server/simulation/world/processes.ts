/** The processes of a simulated installation: what each opens when it starts, and the jobs that it runs. */
import type { AccountSender, ChainReader } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import type { Log } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { SolvencyState } from '../../src/outgoing/engine/controls/solvency-state.ts'
import { type EngineMemory, newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import type { EngineParts } from '../../src/outgoing/engine/engine-parts.ts'
import { doRound, engineLease } from '../../src/outgoing/engine/run.ts'
import { countersignHead } from '../../src/outgoing/engine/signer-client/countersign-head.ts'
import { overAccounts } from '../../src/outgoing/evm/evm-strategy.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import { sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { sweepDeposits } from '../../src/outgoing/sweeps/sweep-deposits.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { continuousCheck } from '../../src/oversight/verify/continuous-check.ts'
import { solvencyCheck } from '../../src/oversight/verify/continuous-solvency.ts'
import { readPayments } from '../../src/payments/deposits/payments.ts'
import { rescreenDeposits } from '../../src/payments/deposits/quarantine/rescreen-deposits.ts'
import { AddressPool } from '../../src/payments/invoices/addresses/address-pool.ts'
import { openInserts } from '../../src/payments/invoices/create-invoice.ts'
import { expireInvoices } from '../../src/payments/invoices/expire-invoices.ts'
import type { Screening } from '../../src/payments/screening/screen.ts'
import { acquireLease, type Lease, LeaseLostError, renewLease } from '../../src/platform/db/lease.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { fixedReadings } from '../../src/pricing/rates/fixed-prices.ts'
import { refreshRates } from '../../src/pricing/rates/refresh-rates.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import { followChain } from '../../src/watcher/follow-chain.ts'
import type { Features } from '../features.ts'
import { ethereum, fixed, methods } from './fixed.ts'

export const dispatcherNames = ['dispatcher-a', 'dispatcher-b'] as const
const plainNames = ['api', 'watcher', 'payouts-a', 'payouts-b'] as const
export type ProcessName = (typeof plainNames | typeof dispatcherNames)[number]

export function isDispatcher(name: ProcessName): boolean {
  return (dispatcherNames as readonly string[]).includes(name)
}

export function processNamesOf({ hasWebhooks }: Features): readonly ProcessName[] {
  return hasWebhooks ? [...plainNames, ...dispatcherNames] : plainNames
}

/** What a process is given: its own handles, each of which parks before it does anything. */
export interface Handles {
  readonly db: Db
  readonly log: Log
  readonly reader: ChainReader
  readonly sender: AccountSender
  readonly signer: Signer
  readonly screening: Screening
}

/** A job does one bounded batch, and returns how much it did. */
export interface Job {
  readonly name: string
  /** The simulated time between two starts. If absent, the job may start at any step. */
  readonly everyMs?: number
  run(): Promise<number>
}

export type ApiParts = ReturnType<typeof openApi>

const never = new AbortController().signal
const paymentsOf = readPayments.bind(undefined, methods)

/** Opens what the role `api` needs to serve requests. */
export function openApi({ db, log, screening }: Handles) {
  const { macKey, claimKey, keys, addresses, feeDefaults, orders } = fixed
  const pool = new AddressPool({
    db,
    log,
    macKey,
    clock: systemClock,
    codec: addresses,
    xpub: keys.depositXpub,
  })
  return {
    db,
    methods,
    macKey,
    claimKey,
    feeDefaults,
    orders,
    pool,
    screening,
    inserts: openInserts(db),
    poolOf: () => pool,
    codecOf: () => addresses,
    paymentsOf,
    allowHttpRedirect: true,
  }
}

export function apiJobs({ pool }: ApiParts): readonly Job[] {
  return [{ name: 'address pool', everyMs: 600_000, run: () => pool.refill() }]
}

export function watcherJobs(
  { db, log, reader, screening }: Handles,
  { hasListedSenders }: Features,
): readonly Job[] {
  const { feeDefaults } = fixed
  const parts = { db, log, methods, feeDefaults, screening, chain: reader, mayUndoFinal: false }
  const screened = rescreenDeposits(parts)
  const symbols = ['USDT', 'USDC', 'ETH']
  const rates = { db, log, symbols, agreeingMin: 1, read: async () => fixedReadings(symbols) }
  return [
    underLease(db, 'watch ethereum', (lease) => followChain({ ...parts, lease }, never)),
    underLease(db, 'sealer', (lease) => sealBatch(db, lease)),
    { name: 'expire invoices', run: () => expireInvoices({ ...parts, paymentsOf }).runBatch(never) },
    ...(hasListedSenders
      ? [{ name: 'screen again', everyMs: 5_000, run: () => screened.runBatch(never) }]
      : []),
    {
      ...underLease(db, 'rates', async (lease) => {
        await refreshRates(rates, never, lease)
        return 0
      }),
      everyMs: 20_000,
    },
  ]
}

export function payoutsJobs(handles: Handles): readonly Job[] {
  const { db, log, signer, reader } = handles
  const engine = openEngine(handles)
  const sweeps = finishSweeps({ db, methods, chains: [reader], pollMs: 1_000 })
  const books = continuousCheck({ db, methods, log })
  return [
    ...engineJobs(engine, handles),
    { name: 'finish sweeps', run: () => sweeps.runBatch(never) },
    {
      ...underLease(db, 'countersign head', () => countersignHead({ db, log, signer })),
      everyMs: 5_000,
    },
    { ...underLease(db, 'check books', () => books.runBatch(never)), everyMs: 120_000 },
  ]
}

function openEngine({ db, log, signer, reader, sender, screening }: Handles): EngineParts {
  const { keys, intentKey, orderVerifier, addresses } = fixed
  const codec = spendCodecs.evm
  const withdrawals = withdrawalOutgoingSource({
    db,
    methods,
    log,
    intentKey,
    orders: orderVerifier,
    screening,
    approvalAboveUsd: undefined,
  })
  const sweeps = sweepDeposits({
    methods,
    log,
    policy: sweepPolicies.sandbox,
    chainOf: () => ({ reader, sender, codec }),
  })
  return overAccounts({
    db,
    log,
    codec,
    signer,
    sender,
    addresses,
    network: ethereum,
    chain: reader,
    xpub: keys.depositXpub,
    mayUndoFinal: false,
    countedAs: (contract) => methods.byTransferred('ethereum', contract ?? undefined),
    outgoingSources: [withdrawals, sweeps],
  })
}

/** Returns the rounds of an engine and the comparison with the chain, which both need the lease. */
function engineJobs(engine: EngineParts, { db, log }: Handles): readonly Job[] {
  let memory: EngineMemory | undefined
  const forget = () => {
    memory = undefined
  }
  const remembered = (lease: Lease): EngineMemory => {
    if (memory?.lease.epoch !== lease.epoch) {
      memory = newMemory(lease)
      memory.solvency = new SolvencyState()
    }
    return memory
  }
  return [
    underLease(db, engineLease('ethereum'), (lease) => doRound(engine, remembered(lease), never), forget),
    {
      name: 'compare with the chain',
      everyMs: 5_000,
      run: async () => {
        if (memory?.solvency === undefined) return 0
        const { lease, solvency } = memory
        return solvencyCheck({ db, methods, log, engine }, lease, solvency).runBatch(never)
      },
    },
  ]
}

/**
 * Returns a job that works under a lease. It renews the lease before each batch, as a process does that is not
 * paused. `onLost` is called when another process has taken the lease.
 */
function underLease(
  db: Db,
  name: string,
  work: (lease: Lease) => Promise<number>,
  onLost: () => void = () => {},
): Job {
  const holderId = newId()
  let lease: Lease | undefined
  const lose = () => {
    lease = undefined
    onLost()
    return 0
  }
  return {
    name,
    run: async () => {
      if (lease === undefined) {
        lease = await acquireLease(db, { name, holderId, ttlMs: limits.leaseMs })
        if (lease === undefined) return 0
      } else if (!(await renewLease(db, lease))) return lose()
      try {
        return await work(lease)
      } catch (error) {
        if (error instanceof LeaseLostError) return lose()
        throw error
      }
    },
  }
}
