/**
 * The processes of a simulated installation: the parts that each process opens when it starts, and its jobs.
 */
import type { AddressCodec, ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Worker } from '../../src/core/concurrency/work-loop.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { SolvencyState } from '../../src/outgoing/engine/controls/solvency-state.ts'
import { type EngineMemory, newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import type { EngineParts } from '../../src/outgoing/engine/engine-parts.ts'
import type { OutgoingSource } from '../../src/outgoing/engine/outgoing-source.ts'
import { doRound, engineLease } from '../../src/outgoing/engine/run.ts'
import { countersignHead } from '../../src/outgoing/engine/signer-client/countersign-head.ts'
import { overAccounts } from '../../src/outgoing/evm/evm-strategy.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import { sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { sweepDeposits } from '../../src/outgoing/sweeps/sweep-deposits.ts'
import { treasuryOutgoingSource } from '../../src/outgoing/treasury/treasury-outgoing-source.ts'
import { ForeignContracts } from '../../src/outgoing/withdrawals/foreign-contracts/find-foreign-contracts.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { continuousCheck } from '../../src/oversight/verify/continuous-check.ts'
import { solvencyCheck } from '../../src/oversight/verify/continuous-solvency.ts'
import { readPayments } from '../../src/payments/deposits/payments.ts'
import { rescreenDeposits } from '../../src/payments/deposits/quarantine/rescreen-deposits.ts'
import { AddressPool } from '../../src/payments/invoices/addresses/address-pool.ts'
import { openInserts } from '../../src/payments/invoices/create-invoice.ts'
import { expireInvoices } from '../../src/payments/invoices/expire-invoices.ts'
import { acquireLease, type Lease, LeaseLostError, renewLease } from '../../src/platform/db/lease.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { refreshRates } from '../../src/pricing/rates/refresh-rates.ts'
import { followChain } from '../../src/watcher/follow-chain.ts'
import { followMempool } from '../../src/watcher/follow-mempool.ts'
import { openAuthenticator } from '../access/open-authenticator.ts'
import type { Features } from '../features.ts'
import { coldAddresses } from '../treasury/cold-addresses.ts'
import { fixed, owner } from './fixed.ts'
import type { EvmHandles, Handles } from './handles.ts'
import { openUtxoEngine } from './utxo-engine.ts'

export const dispatcherNames = ['dispatcher-a', 'dispatcher-b'] as const
const plainNames = ['api', 'watcher', 'payouts-a', 'payouts-b'] as const
export type ProcessName = (typeof plainNames | typeof dispatcherNames)[number]

export function isDispatcher(name: ProcessName): boolean {
  return (dispatcherNames as readonly string[]).includes(name)
}

export function processNamesOf({ hasWebhooks }: Features): readonly ProcessName[] {
  return hasWebhooks ? [...plainNames, ...dispatcherNames] : plainNames
}

/** A job. `run` does one batch of limited size and returns the number of items that it processed. */
export interface Job {
  readonly name: string
  /**
   * The minimum simulated time between two starts, in milliseconds. By default the job may start at any step.
   */
  readonly everyMs?: number
  run(): Promise<number>
}

export type ApiParts = ReturnType<typeof openApi>

const never = new AbortController().signal

/** The pools are small, because a run creates few invoices and deriving an address takes as long as some steps. */
const poolSizes = { poolRows: 40, batchRows: 10 }

/** Opens the parts that the role `api` needs to serve requests. */
export function openApi({ db, log, methods, screening, evm, utxo }: Handles) {
  const { macKey, claimKey, keys, addresses, feeDefaults, orders } = fixed
  const poolFor = (codec: AddressCodec, xpub: string) =>
    new AddressPool({ db, log, macKey, clock: systemClock, codec, xpub, sizes: poolSizes })
  const codecs = new Map<string, AddressCodec>()
  const pools = new Map<string, AddressPool>()
  // An address is the same on all EVM networks, so they share a pool.
  const evmPool = poolFor(addresses, keys.depositXpub)
  for (const { network } of evm) {
    codecs.set(network.name, addresses)
    pools.set(network.name, evmPool)
  }
  if (utxo !== undefined) {
    const { network, addresses: coinAddresses, xpub } = utxo.fixed
    codecs.set(network.name, coinAddresses)
    pools.set(network.name, poolFor(coinAddresses, xpub))
  }
  return {
    db,
    methods,
    macKey,
    claimKey,
    feeDefaults,
    orders,
    foreignContracts: new ForeignContracts([]),
    pools: [...new Set(pools.values())],
    screening,
    inserts: openInserts(db),
    poolOf: (network: string) => required(pools.get(network), `the addresses of ${network}`),
    codecOf: (network: string) => required(codecs.get(network), `the addresses of ${network}`),
    paymentsOf: readPayments.bind(undefined, methods),
    coldAddresses,
    allowHttpRedirect: true,
    authenticator: openAuthenticator({ db, log }, owner),
    idempotency: { db, log, sealer: fixed.sealer, clock: systemClock },
  }
}

export function apiJobs({ pools }: ApiParts): readonly Job[] {
  return pools.map((pool) => ({
    name: `address pool of ${pool.family}`,
    everyMs: 600_000,
    run: () => pool.refill(),
  }))
}

export function watcherJobs(handles: Handles, { hasListedSenders }: Features): readonly Job[] {
  const { db, log, methods, market, screening, evm, utxo } = handles
  const screened = rescreenDeposits({ db, methods, screening })
  const symbols = [...new Set(methods.enabled.map(({ symbol }) => symbol))]
  const rates = { db, log, symbolsOf: () => symbols, agreeingMin: 1 }
  const paymentsOf = readPayments.bind(undefined, methods)
  return [
    ...evm.flatMap((one) => watchJobs(handles, one)),
    ...(utxo === undefined ? [] : watchJobs(handles, utxo)),
    underLease(db, 'sealer', (lease) => sealBatch(db, lease)),
    {
      name: 'expire invoices',
      run: () => expireInvoices({ db, methods, paymentsOf }).runBatch(never),
    },
    ...(hasListedSenders
      ? [{ name: 'screen again', everyMs: 5_000, run: () => screened.runBatch(never) }]
      : []),
    {
      ...underLease(db, 'rates', async (lease) => {
        await market.readFor(symbols, (read) => refreshRates({ ...rates, read }, never, lease))
        return 0
      }),
      everyMs: 20_000,
    },
  ]
}

/**
 * Returns the jobs that follow a chain and its mempool, if the chain has one. Both jobs work under one lease.
 */
function watchJobs(
  { db, log, methods, screening }: Handles,
  { reader }: { readonly reader: ChainReader },
): readonly Job[] {
  const { network, mempool } = reader
  const { feeDefaults } = fixed
  const parts = { db, log, methods, feeDefaults, screening, chain: reader, mayUndoFinal: false }
  let held: { readonly lease: Lease; readonly mempool: Worker | undefined } | undefined
  const hold = (lease: Lease) => {
    if (held?.lease.epoch === lease.epoch) return
    held = { lease, mempool: mempool && followMempool({ ...parts, mempool, lease, pollMs: 1_000 }) }
  }
  const forget = () => {
    held = undefined
  }
  const follow = async (lease: Lease) => {
    hold(lease)
    return followChain({ ...parts, lease }, never)
  }
  const blocks = underLease(db, `watch ${network}`, follow, forget)
  if (mempool === undefined) return [blocks]
  const waiting = async () => (await held?.mempool?.runBatch(never)) ?? 0
  return [blocks, { name: `watch the mempool of ${network}`, run: waiting }]
}

export function payoutsJobs(handles: Handles, { hasTreasury, approvalAboveUsd }: Features): readonly Job[] {
  const { db, log, signer, methods, screening, evm, utxo } = handles
  const withdrawals = withdrawalOutgoingSource({
    db,
    methods,
    log,
    intentKey: fixed.intentKey,
    orders: fixed.orderVerifier,
    screening,
    approvalAboveUsd,
  })
  const sources = { withdrawals, treasury: hasTreasury ? [treasuryOutgoingSource(methods)] : [] }
  const books = continuousCheck({ db, methods, log })
  return [
    ...evm.flatMap((one) => evmJobs(handles, one, sources)),
    ...(utxo === undefined
      ? []
      : [engineJob(openUtxoEngine(handles, utxo, [withdrawals, ...sources.treasury]), db).job]),
    {
      ...underLease(db, 'countersign head', () => countersignHead({ db, log, signer })),
      everyMs: 5_000,
    },
    { ...underLease(db, 'check books', () => books.runBatch(never)), everyMs: 120_000 },
  ]
}

/** The outgoing sources of merchants and of the operator. */
interface OrderSources {
  readonly withdrawals: OutgoingSource
  /** Empty if the operator withdraws nothing. */
  readonly treasury: readonly OutgoingSource[]
}

function evmJobs(
  handles: Handles,
  { network, reader, sender }: EvmHandles,
  { withdrawals, treasury }: OrderSources,
): readonly Job[] {
  const { db, log, signer, methods } = handles
  const { codec } = fixed
  const sweeps = sweepDeposits({
    methods,
    log,
    policy: sweepPolicies.sandbox,
    chainOf: () => ({ reader, sender, codec }),
  })
  const engine = overAccounts({
    db,
    log,
    codec,
    signer,
    sender,
    addresses: fixed.addresses,
    network,
    chain: reader,
    xpub: fixed.keys.depositXpub,
    mayUndoFinal: false,
    countedAs: (contract) => methods.byTransferred(network.name, contract ?? undefined),
    coldAddress: coldAddresses.get(network.name),
    outgoingSources: [withdrawals, sweeps, ...treasury],
  })
  const { job, readMemory } = engineJob(engine, db)
  const finished = finishSweeps({ db, methods, chains: [reader], log: silentLog, pollMs: 1_000 })
  return [
    job,
    {
      name: `compare with ${network.name}`,
      everyMs: 5_000,
      run: async () => {
        const memory = readMemory()
        if (memory?.solvency === undefined) return 0
        const { lease, solvency } = memory
        return solvencyCheck({ db, methods, log, engine }, lease, solvency).runBatch(never)
      },
    },
    { name: `finish sweeps on ${network.name}`, run: () => finished.runBatch(never) },
  ]
}

/**
 * Returns the job that runs the rounds of an engine. Also returns a function that reads the engine's memory,
 * which exists only while the process holds the lease.
 */
function engineJob(engine: EngineParts, db: Db) {
  let memory: EngineMemory | undefined
  const forget = () => {
    memory = undefined
  }
  const remembered = (lease: Lease): EngineMemory => {
    if (memory?.lease.epoch !== lease.epoch) {
      memory = newMemory(lease)
      // On UTXO networks, the sender checks each output before it is spent, so balances need no comparison.
      if (!engine.chain.traits.hasOutpoints) memory.solvency = new SolvencyState()
    }
    return memory
  }
  const round = (lease: Lease) => doRound(engine, remembered(lease), never)
  const job = underLease(db, engineLease(engine.network.name), round, forget)
  return { job, readMemory: () => memory }
}

/**
 * Returns a job that works under a lease. The job renews the lease before each batch, as a process that is
 * not paused does. It calls `onLost` when another process has acquired the lease.
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
