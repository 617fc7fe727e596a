/**
 * Runs one seed. It opens an installation, makes the moves, waits until nothing changes any more, and
 * compares the result with the model.
 */
import { createHash } from 'node:crypto'
import { required } from '../src/core/assert.ts'
import { newId } from '../src/core/ids.ts'
import { balancesOf } from '../src/ledger/balance.ts'
import { readShownHalts } from '../src/outgoing/engine/controls/active-halts.ts'
import { readAssetHalts } from '../src/outgoing/engine/controls/asset-halt-store.ts'
import { findWithdrawal } from '../src/outgoing/withdrawals/store.ts'
import { verify } from '../src/oversight/verify/verify.ts'
import { decideAtRest } from './approval-moves.ts'
import type { DatabaseServer } from './database-server.ts'
import { Dice } from './dice.ts'
import { hostOf } from './event-moves.ts'
import { drawFeatures } from './features.ts'
import { type Answers, areBooksOpen, findDifferences, keyOf } from './model/check.ts'
import { findWaiting } from './model/check-approvals.ts'
import { findEarlyCredits } from './model/check-early.ts'
import { findWrongStates, type InvoiceAnswers } from './model/check-invoices.ts'
import type { OrderState } from './model/checked-world.ts'
import { findUncovered } from './model/coverage.ts'
import { type Move, planMoves, play } from './moves.ts'
import { findWrongQuotes } from './prices/check-quotes.ts'
import { lowestPriceUsd } from './prices/valuation.ts'
import { repeatUnanswered, sendCreation } from './requests/answer-under-key.ts'
import { invoiceCreation } from './requests/creations.ts'
import { findWrongAnswers } from './requests/find-wrong-answers.ts'
import { readTreasuryStates } from './treasury/call-treasury.ts'
import { findOverdrawn, findWrongTreasuryPayments } from './treasury/check-treasury.ts'
import { callSetWebhook } from './world/call-webhooks.ts'
import { attributeCapital, fundHotWallet, fundWallets, journalCapital } from './world/capital.ts'
import { findEventFaults } from './world/check-events.ts'
import { Installation } from './world/installation.ts'
import { liftHalts, recover, settleMissing } from './world/operator.ts'
import { assetOf, pay } from './world/payers.ts'
import type { ProcessName } from './world/processes.ts'
import { readChecked } from './world/read-checked.ts'
import { UtxoSide } from './world/utxo-side.ts'

export interface RunParams {
  readonly server: DatabaseServer
  readonly seed: number
  /** The moves to make; by default the planned moves of the seed. */
  readonly moves?: readonly Move[] | undefined
  /** Called with a line of text for each step and for each move. */
  readonly onTrace?: ((line: string) => void) | undefined
}

export interface Run {
  readonly seed: number
  readonly moves: readonly Move[]
  /** The errors that were found, one sentence each; empty if there are none. */
  readonly findings: readonly string[]
  /** The descriptions of the moves, one sentence each. */
  readonly story: readonly string[]
  /** The hash of all steps and moves. Two runs with the same hash did the same. */
  readonly trace: string
  readonly counts: Counts
}

/** Counts what happened in runs. */
export interface Counts {
  steps: number
  locks: number
  deadlocks: number
  lockTimeouts: number
  /** Number of seeds whose merchants were permuted. */
  permuted: number
  readonly moves: Record<string, number>
  readonly states: Record<string, number>
}

const movesPerSeed = 45
/** Number of moves between two checks of what must be true at any moment. */
const movesPerLook = 3

export async function runSeed({
  server,
  seed,
  moves = planMoves(seed, movesPerSeed),
  onTrace,
}: RunParams): Promise<Run> {
  const trace = createTrace(onTrace)
  const world = await Installation.open({ server, seed, features: drawFeatures(seed), onStep: trace.note })
  const story: string[] = []
  const findingsNow: string[] = []
  try {
    await prepare(world)
    const jobDice = new Dice(seed ^ 0x10b5)
    for (const move of moves) {
      for (let step = 0; step < move.steps; step += 1) await advance(world, jobDice)
      const line = await play(world, move)
      story.push(line)
      trace.note(`== ${line}`)
      if (story.length % movesPerLook === 0) findingsNow.push(...(await checkNow(world)))
    }
    await comeToRest(world, jobDice)
    if (await decideRemaining(world, jobDice)) await comeToRest(world, jobDice)
    const findings = [
      ...new Set(findingsNow),
      ...(await findFaults(world)),
      ...(await findEventFaults(world, runAlone)),
    ]
    return { seed, moves, findings, story, trace: trace.digest(), counts: await countsOf(world, moves) }
  } catch (error) {
    const findings = [
      `the run broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]
    return { seed, moves, findings, story, trace: trace.digest(), counts: await countsOf(world, moves) }
  } finally {
    await world.close()
  }
}

/**
 * Creates merchants that already have money, before the moves begin.
 * @param indexes for each merchant, the position of its id when the merchants' ids are sorted
 */
export async function prepare(world: Installation, indexes: readonly number[] = [0, 1, 2]): Promise<void> {
  const { chainSide, utxoSide, features, methods, model, scheduler, sides } = world
  const { hasEthereum } = features.networks
  if (hasEthereum) fundWallets(chainSide)
  const ids = indexes.map(() => newId())
  for (const id of ids) {
    const values = [id, world.now]
    await world.sessions.look(`insert into merchant (id, name, created_at) values ($1, 'Shop', $2)`, values)
  }
  model.merchants.push(...indexes.map((index) => required(ids[index], 'an id')))
  const { api, database } = world.process('api')
  await runAlone(world, async () => {
    for (const pool of api?.pools ?? []) await pool.refill()
  })
  await setFirstWebhooks(world)
  await runJobs(world, 'watcher')
  // The first round of payouts stores the addresses of the hot wallets. They can be funded only afterwards.
  await runJobs(world, 'payouts-a')
  if (hasEthereum) await runAlone(world, () => journalCapital(database.db))
  if (utxoSide !== undefined) fundHotWallet(utxoSide)
  for (const merchantId of model.merchants)
    for (const asset of world.assets.filter(({ name }) => name !== 'ethereum/USDC'))
      await sendCreation(
        world,
        'open an invoice',
        invoiceCreation(world, { merchantId, asset, amountUsd: '100' }),
      )
  while (scheduler.underWay > 0) await scheduler.advance()
  for (const { address, amountMinor, methodId } of model.shown)
    pay(world, assetOf(world, methodId), address, amountMinor)
  const dice = new Dice(1)
  for (const side of sides) for (let blocks = 0; blocks < 4; blocks += 1) side.mine(dice, world.now)
  await runJobs(world, 'watcher')
  if (utxoSide !== undefined) await runAlone(world, () => attributeCapital(database.db, methods))
  for (const side of sides) side.firstHeight = side.chain.head.height
}

/** Completes all requests and jobs that have begun, and then runs each job once. */
export async function runEverything(world: Installation): Promise<void> {
  await endWork(world)
  for (const name of world.processNames) await runJobs(world, name)
}

/** Sets the webhook of each merchant except the last, before any event is written. */
async function setFirstWebhooks(world: Installation): Promise<void> {
  const { events, model } = world
  if (events === undefined) return
  const [last] = model.merchants.slice(-1)
  for (const merchantId of model.merchants) {
    if (merchantId === last) events.webhooks.unsteady.add(merchantId)
    else
      await callSetWebhook(world, events, {
        merchantId,
        host: hostOf(world, merchantId),
        revokesFormer: false,
      })
  }
  await endWork(world)
}

/** Runs each job of a process once, one after the other. */
async function runJobs(world: Installation, name: ProcessName): Promise<void> {
  const process = world.process(name)
  for (const job of process.jobs) {
    await world.startJob(process, job)
    await endWork(world)
  }
}

async function endWork(world: Installation): Promise<void> {
  while (world.scheduler.underWay > 0) if (!(await world.scheduler.advance())) await world.passToTimer()
}

/** Runs `work` in the process of the API until it ends. No new request or job starts meanwhile. */
export async function runAlone(world: Installation, work: () => Promise<void>): Promise<void> {
  let outcome: { readonly error?: unknown } | undefined
  const { life, ready } = world.process('api')
  const prepared = async () => {
    await ready()
    await work()
  }
  await world.scheduler.start(life, 'alone', () =>
    prepared().then(
      () => {
        outcome = {}
      },
      (error: unknown) => {
        outcome = { error }
      },
    ),
  )
  while (outcome === undefined) if (!(await world.scheduler.advance())) await world.passToTimer()
  if (outcome.error !== undefined) throw outcome.error
}

/** Runs one waiting step of a process, or starts a job. */
async function advance(world: Installation, dice: Dice): Promise<void> {
  const { scheduler } = world
  if (scheduler.runnable > 0 && dice.chance(0.8)) {
    await scheduler.advance()
    return
  }
  const process = dice.pick(world.processes)
  await world.startJob(process, dice.pick(process.jobs))
  if (scheduler.runnable === 0 && scheduler.underWay > 0 && world.time.nextInMs !== undefined)
    await world.passToTimer()
}

const restRoundsMax = 60
/**
 * Number of rounds without a change after which the installation counts as at rest. `pending` applies while
 * orders are pending, and `done` otherwise.
 */
const quietRounds = { pending: 14, done: 2 }
const restMs = 13_000
const blocksPerRound = 3

/** Ends all faults, then mines blocks, lets time pass and runs all jobs until nothing changes any more. */
export async function comeToRest(world: Installation, dice: Dice): Promise<void> {
  const { sides } = world
  world.events?.receivers.heal()
  for (const node of world.nodes) node.heal()
  world.time.setClocksRight()
  for (const { life } of world.processes) life.pausedMoves = 0
  if (world.mustAskRecovery) await runAlone(world, () => recover(world.process('api').database.db))
  let before = ''
  let same = 0
  let quiet = quietRounds.done
  for (let round = 0; round < restRoundsMax && same < quiet; round += 1) {
    for (const side of sides) {
      side.calm()
      for (let blocks = 0; blocks < blocksPerRound; blocks += 1) side.mine(dice, world.now)
    }
    await world.pass(restMs)
    for (const process of world.processes)
      for (const job of process.jobs) {
        await world.startJob(process, job)
        await endWork(world)
      }
    if (round === 0) await repeatUnanswered(world, () => endWork(world))
    // The operator acts a little later than the processes.
    await world.pass(1)
    await runAlone(world, async () => {
      const { db } = world.process('api').database
      await settleMissing(db)
      if (world.model.isRestored) await liftHalts(db, world.now)
    })
    const now = JSON.stringify(await readProgress(world))
    same = now === before ? same + 1 : 0
    quiet = (await describePending(world)).length > 0 ? quietRounds.pending : quietRounds.done
    before = now
  }
}

/**
 * Lets the operator decide on orders that still wait. After a restore, the model does not know which orders may wait.
 * @returns whether the operator decided on any order
 */
async function decideRemaining(world: Installation, dice: Dice): Promise<boolean> {
  const { model } = world
  if (model.approvals === undefined || areBooksOpen(model)) return false
  return decideAtRest(world, dice, (await readAnswers(world)).orders)
}

/** Reads counts and states that change as long as the installation is not at rest. */
async function readProgress(world: Installation): Promise<readonly unknown[]> {
  return world.sessions.look(`
    select (select count(*) from journal) as journals, (select count(*) from event) as events,
      (select string_agg(state || coalesce(stage, ''), ',' order by id) from withdrawal) as withdrawals,
      (select string_agg(state, ',' order by id) from outgoing_transaction) as outgoing`)
}

/** Checks what must be true at any moment: no payment is credited too early, and the operator takes only its own. */
async function checkNow(world: Installation): Promise<readonly string[]> {
  const early = await readEarlyCredits(world)
  if (world.model.treasuryOrders.length === 0) return early
  return [...early, ...findOverdrawn(await readChecked(world), await readTreasuryStates(world))]
}

/**
 * Returns one sentence for each payment that was credited too early. Returns none if the only node invents
 * payments, because an invented payment can cause Coffer to credit other payments early.
 */
async function readEarlyCredits({
  sessions,
  model,
  assets,
  sides,
}: Installation): Promise<readonly string[]> {
  if (model.isDeceived) return []
  const rows = await sessions.look<{ txHash: string; asset: string; minor: string }>(
    `select tx_hash as "txHash", asset, amount_minor::text as minor from deposit where state = 'confirmed'`,
  )
  const credited = rows.map(({ txHash, asset: name, minor }) => {
    const asset = required(
      assets.find((one) => one.name === name),
      'an asset',
    )
    return { txHash, amountMinor: BigInt(minor), asset, lowestUsd: lowestPriceUsd(model, asset) }
  })
  return findEarlyCredits(
    credited,
    (network, txHash) => sides.find(({ name }) => name === network)?.deepest.of(txHash) ?? 0,
  )
}

/** Compares the answers of the API with the model. Also verifies the books and compares them with the chain. */
async function findFaults(world: Installation): Promise<readonly string[]> {
  const answers = await readAnswers(world)
  const violations = await readViolations(world)
  const { model } = world
  const checked = await readChecked(world)
  const treasury = await readTreasuryStates(world)
  const differences = [
    ...findDifferences(checked, answers),
    ...findWrongTreasuryPayments(checked, treasury),
    ...findOverdrawn(checked, treasury),
    ...(await findUnordered(world)),
  ]
  const stuck = await describePending(world)
  const alerts = [...new Set(world.alerts)].map((alert) => `alert ${alert}`)
  // After a restore, the books may lack payments and orders that are newer than the snapshot.
  const books = areBooksOpen(model)
    ? []
    : [
        ...stuck,
        ...(await describeHalts(world)),
        ...violations,
        ...findWrongStates(checked, await readInvoices(world)),
        ...findWrongQuotes(checked),
      ]
  const findings = [...differences, ...(await findWrongRepeats(world)), ...books, ...world.errors]
  return findings.length === 0 ? [] : [...findings, ...alerts]
}

/** Returns one sentence for each order of the service that no merchant gave. */
async function findUnordered({ sessions, model }: Installation): Promise<readonly string[]> {
  const given = new Set(model.orders.map(({ id }) => id))
  const rows = await sessions.look<{ id: string; state: string }>(
    'select id, state from withdrawal order by id',
  )
  return rows
    .filter(({ id }) => !given.has(id))
    .map(({ id, state }) => `the order ${id} is ${state}, and nobody gave it`)
}

/** Compares the answers under Idempotency-Keys with the orders and invoices that the API shows. */
async function findWrongRepeats(world: Installation): Promise<readonly string[]> {
  const { keyed, model, checked: db } = world
  if (keyed === undefined) return []
  const shown = new Set((await readInvoices(world)).states.keys())
  for (const { ids, creation } of keyed.sent)
    for (const id of ids)
      if (creation.kind === 'order' && (await findWithdrawal(db, creation.merchantId, id)) !== undefined)
        shown.add(id)
  return findWrongAnswers(
    keyed.sent,
    (id) => shown.has(id),
    (id) => model.deleted.has(id),
  )
}

/** Returns one sentence for each halt of payouts that is still active at the end. */
async function describeHalts(world: Installation): Promise<readonly string[]> {
  const halts = await readShownHalts(world.checked)
  const assetHalts = await readAssetHalts(world.checked)
  return [
    ...halts.map(({ cause, detail }) => `payouts are halted: ${cause} ${detail}`),
    ...assetHalts.map(({ asset, detail }) => `${asset} is halted: ${detail}`),
  ]
}

/**
 * Returns one sentence for each order that is still pending although the merchant's money covers it and it needs no
 * operator. The sentence says what the order waits for.
 */
async function describePending(world: Installation): Promise<readonly string[]> {
  const rows = await world.sessions.look<OrderRow>(
    'select id, state, stage, waits_for from withdrawal order by id',
  )
  const pending = rows.filter(({ state }) => state === 'pending')
  if (pending.length === 0) return []
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const checked = await readChecked(world)
  const uncovered = findUncovered(checked, states)
  const waiting = findWaiting(checked, states)
  return pending.flatMap(({ id, stage, waits_for }) => {
    const order = world.model.orders.find((one) => one.id === id)
    // `findUnordered` reports an order that nobody gave.
    if (order === undefined || uncovered.has(order) || (waiting.has(order) && waits_for === 'operator'))
      return []
    const { amountMinor, asset } = order
    return [
      `an order of ${amountMinor} ${asset.name} is still ${stage} and waits for ${waits_for ?? 'nothing'}`,
    ]
  })
}

interface OrderRow {
  readonly id: string
  readonly state: OrderState
  readonly stage: string | null
  readonly waits_for: string | null
}

/** Reads the states of all orders and the balances of all merchants from the service. */
export async function readAnswers(world: Installation): Promise<Answers> {
  const { model, assets, checked: db } = world
  const orders = new Map<string, OrderState>()
  for (const { id, merchantId } of model.orders)
    orders.set(id, (await findWithdrawal(db, merchantId, id))?.status.state ?? 'unknown')
  const available = await balancesOf(db, model.merchants, 'available')
  const receivable = await balancesOf(db, model.merchants, 'receivable')
  const heldBalances = await balancesOf(db, model.merchants, 'held')
  const balances = new Map<string, bigint>()
  const held = new Map<string, bigint>()
  for (const merchantId of model.merchants)
    for (const asset of assets) {
      const of = (some: typeof available) => some.get(merchantId)?.get(asset.name) ?? 0n
      const key = keyOf(merchantId, asset)
      balances.set(key, of(available) - of(receivable))
      held.set(key, of(heldBalances))
    }
  return { orders, balances, held }
}

async function readInvoices({ sessions, time }: Installation): Promise<InvoiceAnswers> {
  const rows = await sessions.look<{ id: string; state: string }>(
    'select id, state from invoice where deleted_at is null',
  )
  return { states: new Map(rows.map(({ id, state }) => [id, state])), nowMs: time.trueMs }
}

async function readViolations(world: Installation): Promise<readonly string[]> {
  const { methods, sides, checked: db } = world
  const chains = sides.map((side) => ({
    reader: side.reader,
    sender: side instanceof UtxoSide ? undefined : side.sender,
  }))
  const { entries } = await verify({ db, methods, chains })
  return entries.flatMap(({ id, findings }) => findings.map((finding) => `verify ${id}: ${finding}`))
}

function createTrace(onTrace: RunParams['onTrace']) {
  const hash = createHash('sha256')
  return {
    note: (line: string) => {
      hash.update(`${line}\n`)
      onTrace?.(line)
    },
    digest: () => hash.digest('hex'),
  }
}

/** Counts what happened in a run, and how many rows ended in each state. */
async function countsOf(world: Installation, moves: readonly Move[]): Promise<Counts> {
  const { steps, locks, deadlocks, lockTimeouts } = world.scheduler
  const counted: Record<string, number> = {}
  for (const { kind } of moves) counted[kind] = (counted[kind] ?? 0) + 1
  const rows = await world.sessions.look<{ name: string; count: number }>(`
    select 'withdrawal ' || state as name, count(*)::int from withdrawal group by 1
    union all select 'invoice ' || state, count(*)::int from invoice group by 1
    union all select 'outgoing ' || kind || ' ' || state, count(*)::int from outgoing_transaction group by 1
    union all select 'event ' || type, count(*)::int from event group by 1
    union all select 'journal ' || kind, count(*)::int from journal group by 1
    union all select 'delivery ' || state, count(*)::int from delivery group by 1
    order by 1`)
  const states = Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  return { steps, locks, deadlocks, lockTimeouts, permuted: 0, moves: counted, states }
}
