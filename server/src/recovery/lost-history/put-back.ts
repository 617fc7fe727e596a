/** What this process acknowledged and the database lost is put back, or named where it cannot be. */
import type { Clock } from '../../core/clock.ts'
import type { CommittedFacts, RememberedFact } from '../../core/committed-facts.ts'
import type { Log } from '../../core/log.ts'
import { piecesOf } from '../../core/pieces.ts'
import {
  type LostInvoice,
  type PutBackParts,
  putBackInvoice,
} from '../../payments/invoices/put-back-invoice.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { putBackAnswers } from '../../platform/http/idempotency/idempotency-store.ts'
import type { Loss } from '../../platform/incarnation/loss.ts'
import { findLost, type Lost } from './find-lost.ts'
import { beatPutBack, endPutBack, insertLostRecords, isInvoicePutBack, openRecoveries } from './loss-store.ts'
import { lostInvoicesOf, mayBePutBack, recordsOf } from './lost-invoices.ts'
import type { LostRecord } from './lost-record.ts'
import { findMissingInvoices } from './missing-store.ts'

export interface PutBackLostParts extends Pick<PutBackParts, 'fingerprints' | 'settling'> {
  readonly db: Db
  readonly facts: CommittedFacts
  /** Of this start of the process. */
  readonly processId: string
  readonly clock: Clock
  readonly log: Log
}

/** The invoice of an address or a decision may have been made by another process, which puts it back at its own time. */
const patienceMs = 15_000
const retryMs = 250

/**
 * Compares what this process remembers with the database. Each invoice that is missing, or lacks an address or a price that was
 * shown, is put back in one transaction with the rows that say so. All else is named: an order to pay out is never put
 * back. May run any number of times. @returns everything that was lost, with what became of it
 */
export async function putBackLost(parts: PutBackLostParts, loss: Loss): Promise<readonly LostRecord[]> {
  const { db, facts, processId } = parts
  const { incarnation } = loss
  const beat = () => beatPutBack(db, incarnation, processId)
  await beat()
  const lost = await findLost(db, facts, beat)
  const oldest = oldestOf(lost)
  if (oldest !== undefined && oldest < loss.lastSeenAt)
    await openRecoveries(db, loss, { families: [...parts.fingerprints.keys()], since: oldest })
  const back = await putBackInvoices(parts, loss, lost, beat)
  for (const key of await answerAgain(parts, lost)) back.add(key)
  const records = recordsOf(lost, (fact) => back.has(fact.id))
  await insertLostRecords(db, incarnation, records)
  tell(parts.log, incarnation, records)
  await endPutBack(db, incarnation, processId)
  return records
}

async function putBackInvoices(
  parts: PutBackLostParts,
  { incarnation }: Loss,
  lost: Lost,
  beat: () => Promise<void>,
): Promise<Set<string>> {
  const { db, clock, fingerprints, settling } = parts
  const isPutBack = (tx: Tx, invoiceId: string) => isInvoicePutBack(tx, incarnation, invoiceId)
  const back = new Set<string>()
  const giveUpAt = performance.now() + patienceMs
  let waiting = lostInvoicesOf(lost).filter(mayBePutBack)
  for (;;) {
    const absent: LostInvoice[] = []
    for (const one of waiting) {
      const done = await inTransaction(db, async (tx) => {
        const put = await putBackInvoice({ incarnation, fingerprints, settling, isPutBack }, tx, one)
        if (put !== undefined)
          await insertLostRecords(tx, incarnation, recordsOf(onlyOf(one), isIn(put)).filter(isBack))
        return put
      })
      if (done === undefined) absent.push(one)
      else for (const id of done) back.add(id)
      await beat()
    }
    // Whether its maker notices the loss is not up to us, but an invoice of which we have the row is: its merchant is gone.
    waiting = absent.filter(({ invoice }) => invoice === undefined)
    if (waiting.length === 0 || performance.now() > giveUpAt) return back
    await clock.sleep(retryMs)
  }
}

const isIn = (ids: ReadonlySet<string>) => (fact: RememberedFact<unknown>) => ids.has(fact.id)
const isBack = ({ outcome }: LostRecord) => outcome === 'put-back'

function onlyOf({ invoice, addresses, quotes, decisions }: LostInvoice): Lost {
  const invoices = invoice === undefined ? [] : [invoice]
  return { invoices, addresses, quotes, decisions, events: [], withdrawals: [], answers: [] }
}

/**
 * Restores the stored answers of idempotency keys whose invoices are there, put back now or by a run that failed later on, so that a
 * retry gets its first answer. The answers of lost withdrawals are restored, too, although these withdrawals are not: a retry
 * must not order a second one.
 */
async function answerAgain({ db }: PutBackLostParts, lost: Lost): Promise<ReadonlySet<string>> {
  const effects = lost.answers.map(({ content }) => content.effectId)
  const missing = await findMissingInvoices(db, effects)
  const orders = new Set(lost.withdrawals.map(({ id }) => id))
  const answers = lost.answers.filter(
    ({ content }, place) => !missing.has(place) || orders.has(content.effectId),
  )
  return putBackAnswers(
    db,
    answers.map(({ content }) => content),
  )
}

/** When the oldest of what this process knows to be lost was committed. */
function oldestOf(lost: Lost): Date | undefined {
  const times = Object.values(lost).flatMap((facts: readonly RememberedFact<unknown>[]) =>
    facts.map(({ rememberedAt }) => rememberedAt.getTime()),
  )
  return times.length === 0 ? undefined : new Date(times.reduce((a, b) => Math.min(a, b)))
}

const toldAtOnce = 100

function tell(log: Log, incarnation: number, records: readonly LostRecord[]): void {
  for (const piece of piecesOf(records, toldAtOnce)) {
    const told = piece.map(({ kind, id, outcome }) => `${kind} ${id}: ${outcome}`)
    log.warn({ incarnation, lost: told }, 'lost by the database, remembered by this process')
  }
}
