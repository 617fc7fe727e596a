/** Compares an installation with the model, during a run and at its end. */
import { required } from '../../src/core/assert.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readAssetHalts } from '../../src/outgoing/engine/controls/asset-halt-store.ts'
import { findWithdrawal } from '../../src/outgoing/withdrawals/store.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { findUnrepaid } from '../debts/check-debts.ts'
import { areBooksOpen, findDifferences } from '../model/check.ts'
import { findEarlyCredits } from '../model/check-early.ts'
import { findWronglyExpired, findWrongStates, type InvoiceAnswers } from '../model/check-invoices.ts'
import { findPaidEarly } from '../model/check-paid.ts'
import type { CheckedWorld } from '../model/checked-world.ts'
import { mayBeDeleted } from '../model/deletion.ts'
import { eventIn } from '../model/known-events.ts'
import { isMarkedPayment, isTamperedInvoice, isTamperedOrder } from '../model/tampering.ts'
import { findWrongQuotes } from '../prices/check-quotes.ts'
import { lowestPriceUsd } from '../prices/valuation.ts'
import { findWrongAnswers } from '../requests/find-wrong-answers.ts'
import { readTreasuryStates } from '../treasury/call-treasury.ts'
import { findOverdrawn, findWrongTreasuryPayments } from '../treasury/check-treasury.ts'
import type { Installation } from '../world/installation.ts'
import { readChecked } from '../world/read-checked.ts'
import { UtxoSide } from '../world/utxo-side.ts'
import { readAnswers, readInvoices } from './answers.ts'
import { findEarlyMoves } from './early-moves.ts'
import { describePending } from './pending.ts'
import { findUnnoticed } from './tamperings.ts'

/**
 * Checks what must be true at any moment: no payment is credited too early, no invoice is paid too early, and the
 * operator withdraws only its own money. `findEarlyMoves` says what must be true on a UTXO network.
 */
export async function checkNow(world: Installation): Promise<readonly string[]> {
  const { model } = world
  const early = await readEarlyCredits(world)
  const paid = areBooksOpen(model) ? new Set<string>() : await readPaid(world)
  if (world.utxoSide === undefined && model.treasuryOrders.length === 0 && paid.size === 0) return early
  const checked = await readChecked(world)
  return [
    ...early,
    ...(world.utxoSide === undefined ? [] : await findEarlyMoves(world, world.utxoSide, checked)),
    ...findPaidEarly(checked, paid, deepestIn(world)),
    ...(model.treasuryOrders.length === 0 ? [] : findOverdrawn(checked, await readTreasuryStates(world))),
  ]
}

/** Returns the ids of the invoices that are shown as paid. */
async function readPaid(world: Installation): Promise<ReadonlySet<string>> {
  const { states } = await readUnchangedInvoices(world)
  return new Set([...states].flatMap(([id, state]) => (state === 'paid' ? [id] : [])))
}

/** Returns a function that gives the highest number of confirmations that a transaction ever had. */
function deepestIn({ sides }: Installation) {
  return (network: string, txHash: string) =>
    sides.find(({ name }) => name === network)?.deepest.of(txHash) ?? 0
}

/**
 * Returns one sentence for each payment that was credited too early, except those that an attacker marked as credited.
 * Returns none if Coffer may have believed an invented payment, because such a payment can cause Coffer to credit other
 * payments early.
 */
async function readEarlyCredits(world: Installation): Promise<readonly string[]> {
  const { sessions, model, assets } = world
  if (model.isDeceived) return []
  const rows = await sessions.look<{ id: string; txHash: string; asset: string; minor: string }>(
    `select id, tx_hash as "txHash", asset, amount_minor::text as minor from deposit where state = 'confirmed'`,
  )
  const unmarked = rows.filter(({ id }) => !isMarkedPayment(model, id))
  const credited = unmarked.map(({ txHash, asset: name, minor }) => {
    const asset = required(
      assets.find((one) => one.name === name),
      'an asset',
    )
    return { txHash, amountMinor: BigInt(minor), asset, lowestUsd: lowestPriceUsd(model, asset) }
  })
  return findEarlyCredits(credited, deepestIn(world))
}

/** Compares the answers of the API with the model. Also verifies the books and compares them with the chain. */
export async function findFaults(world: Installation): Promise<readonly string[]> {
  const answers = await readAnswers(world)
  const violations = await readViolations(world)
  const { model } = world
  const checked = await readChecked(world)
  const treasury = await readTreasuryStates(world)
  const differences = [
    ...findDifferences(checked, answers, deepestIn(world)),
    ...findWrongTreasuryPayments(checked, treasury),
    ...findOverdrawn(checked, treasury),
    ...(await findUnordered(world)),
    ...new Set(world.access?.wrong),
  ]
  const stuck = await describePending(world)
  const alerts = [...new Set(world.alerts)].map((alert) => `alert ${alert}`)
  // After a restore, the books may lack payments and orders that are newer than the snapshot.
  const books = areBooksOpen(model)
    ? []
    : [
        ...stuck,
        ...(model.tamperings.length > 0 ? [] : findUnrepaid(model.merchants, world.assets, answers)),
        ...(await describeReports(world, violations)),
        ...findWrongStates(checked, await readUnchangedInvoices(world)),
        ...(await readWronglyExpired(world, checked)),
        ...findWrongQuotes(checked),
      ]
  const findings = [...differences, ...(await findWrongRepeats(world)), ...books, ...world.errors]
  return findings.length === 0 ? [] : [...findings, ...alerts]
}

/**
 * Compares the events of expired invoices with the chain. Skips seeds with several nodes, whose forks hide payments.
 */
async function readWronglyExpired(world: Installation, checked: CheckedWorld): Promise<readonly string[]> {
  if (world.nodes.length > 0) return []
  const { states, nowMs } = await readUnchangedInvoices(world)
  const bodies = await world.sessions.look<{ body: string }>(
    `select body from event where type = 'invoice.expired'`,
  )
  const reported = bodies.map(({ body }) => String(eventIn(body).data['invoiceID']))
  return findWronglyExpired(checked, new Set(reported.filter((id) => states.has(id))), nowMs)
}

/** Returns one sentence for each withdrawal in the database that no merchant ordered. */
async function findUnordered({ sessions, model }: Installation): Promise<readonly string[]> {
  const given = new Set(model.orders.map(({ id }) => id))
  const rows = await sessions.look<{ id: string; state: string }>(
    'select id, state from withdrawal order by id',
  )
  return rows
    .filter(({ id }) => !given.has(id) && !isTamperedOrder(model, id))
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
    (id) => mayBeDeleted(model.deletions, id),
  )
}

/** Reads the states of the invoices, except those whose rows, addresses, quotes or payments an attacker changed. */
async function readUnchangedInvoices(world: Installation): Promise<InvoiceAnswers> {
  const { states, nowMs } = await readInvoices(world)
  const unchanged = [...states].filter(([id]) => !isTamperedInvoice(world.model, id))
  return { states: new Map(unchanged), nowMs }
}

/**
 * Returns the halts and the findings of `verify`. After an attacker changed a row, both are expected. The function then
 * returns one sentence for each change that was not reported.
 */
async function describeReports(
  world: Installation,
  violations: readonly string[],
): Promise<readonly string[]> {
  const halts = await describeHalts(world)
  return world.model.tamperings.length === 0
    ? [...halts, ...violations]
    : findUnnoticed(world, halts, violations)
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

async function readViolations(world: Installation): Promise<readonly string[]> {
  const { methods, sides, checked: db } = world
  const chains = sides.map((side) => ({
    reader: side.reader,
    sender: side instanceof UtxoSide ? undefined : side.sender,
  }))
  const { entries } = await verify({ db, methods, chains })
  return entries.flatMap(({ id, findings }) => findings.map((finding) => `verify ${id}: ${finding}`))
}
