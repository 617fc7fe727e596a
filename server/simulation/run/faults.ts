/** Compares an installation with the model, during a run and at its end. */
import { required } from '../../src/core/assert.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readAssetHalts } from '../../src/outgoing/engine/controls/asset-halt-store.ts'
import { findWithdrawal } from '../../src/outgoing/withdrawals/store.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { areBooksOpen, findDifferences } from '../model/check.ts'
import { findEarlyCredits } from '../model/check-early.ts'
import { finalConfirmations, findPaidEarly } from '../model/check-final.ts'
import { findWrongStates, type InvoiceAnswers } from '../model/check-invoices.ts'
import { isTamperedInvoice, isTamperedOrder } from '../model/tampering.ts'
import { findWrongQuotes } from '../prices/check-quotes.ts'
import { lowestPriceUsd } from '../prices/valuation.ts'
import { findWrongAnswers } from '../requests/find-wrong-answers.ts'
import { readTreasuryStates } from '../treasury/call-treasury.ts'
import { findOverdrawn, findWrongTreasuryPayments } from '../treasury/check-treasury.ts'
import type { Installation } from '../world/installation.ts'
import { readChecked } from '../world/read-checked.ts'
import { UtxoSide } from '../world/utxo-side.ts'
import { readAnswers, readInvoices } from './answers.ts'
import { describePending } from './pending.ts'
import { findUnnoticed } from './tamperings.ts'

/** Checks what must be true at any moment: no payment is credited too early, and the operator takes only its own. */
export async function checkNow(world: Installation): Promise<readonly string[]> {
  const early = [...(await readEarlyCredits(world)), ...(await readEarlyPayments(world))]
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

/** Returns one sentence for each merchant whose orders on the UTXO network are paid before its money is final. */
async function readEarlyPayments(world: Installation): Promise<readonly string[]> {
  const { utxoSide: side, model } = world
  if (side === undefined || model.orders.length === 0) return []
  const { assets, transfers } = await readChecked(world)
  const own = transfers.filter(({ network }) => network === side.name)
  const recipients = new Set([
    ...own.map(({ recipient }) => recipient),
    ...side.chain.waiting.hashes.flatMap(
      (hash) => side.chain.waiting.find(hash)?.moves.map(({ recipient }) => recipient) ?? [],
    ),
  ])
  const final = own.filter(({ txHash }) => side.deepest.of(txHash) >= finalConfirmations)
  return assets
    .filter(({ network }) => network === side.name)
    .flatMap((asset) => findPaidEarly(model, asset, final, (address) => recipients.has(address)))
}

/** Compares the answers of the API with the model. Also verifies the books and compares them with the chain. */
export async function findFaults(world: Installation): Promise<readonly string[]> {
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
        ...(await describeReports(world, violations)),
        ...findWrongStates(checked, await readUnchangedInvoices(world)),
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
    (id) => model.deleted.has(id),
  )
}

/** Reads the states of the invoices, except those whose rows, addresses, quotes or payments an attacker changed. */
async function readUnchangedInvoices(world: Installation): Promise<InvoiceAnswers> {
  const { states, nowMs } = await readInvoices(world)
  const unchanged = [...states].filter(([id]) => !isTamperedInvoice(world.model, id))
  return { states: new Map(unchanged), nowMs }
}

/**
 * Returns the halts and the findings of `verify`. After an attacker changed a row, both are expected, and it is an
 * error if none reports the change.
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
