/**
 * Restores facts that this process acknowledged and the database lost. Records the facts that cannot be
 * restored.
 */

import { chunksOf } from '../../core/chunks.ts'
import { type Clock, monotonicMs } from '../../core/clock.ts'
import type { CommittedFacts, RememberedFact } from '../../core/committed-facts.ts'
import type { Log } from '../../core/log.ts'
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
  /** Identifies this run of the process. */
  readonly processId: string
  readonly clock: Clock
  readonly log: Log
}

/**
 * Maximum time to wait for the invoice of a lost address, quote or decision. Another process may have created
 * the invoice and may restore it soon.
 */
const patienceMs = 15_000
const retryMs = 250

/**
 * Compares what this process remembers with the database, and restores lost invoices with their addresses and
 * quotes. A transaction that restores an invoice also writes the records of what was restored. Stored answers
 * of idempotency keys are restored too (`answerAgain`). All other lost facts are only recorded; a withdrawal
 * is never restored. The function may run any number of times.
 * @returns a record of each lost fact, with the outcome
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
  logRecords(parts.log, incarnation, records)
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
  const giveUpAt = monotonicMs() + patienceMs
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
    // The invoices in `absent` are not in the database. If this process does not remember an invoice, another
    // process may still restore it, so the facts about it are tried again. If this process remembers it and
    // cannot restore it, its merchant no longer exists.
    waiting = absent.filter(({ invoice }) => invoice === undefined)
    if (waiting.length === 0 || monotonicMs() > giveUpAt) return back
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
 * Restores lost answers of idempotency keys, so that a retry of a request gets the first answer again. An
 * answer about an invoice is restored only if the database contains the invoice, for example because this run
 * or an earlier run restored it. Lost withdrawals are not restored, but the answers about them are. Without
 * the answer, a retry would order a second withdrawal.
 */
async function answerAgain({ db }: PutBackLostParts, lost: Lost): Promise<ReadonlySet<string>> {
  const effects = lost.answers.map(({ content }) => content.effectId)
  const missing = await findMissingInvoices(db, effects)
  const orders = new Set(lost.withdrawals.map(({ id }) => id))
  const answers = lost.answers.filter(
    ({ content }, derived) => !missing.has(derived) || orders.has(content.effectId),
  )
  return putBackAnswers(
    db,
    answers.map(({ content }) => content),
  )
}

/** Returns the time when the oldest of the lost facts was committed; undefined if no fact is lost. */
function oldestOf(lost: Lost): Date | undefined {
  const times = Object.values(lost).flatMap((facts: readonly RememberedFact<unknown>[]) =>
    facts.map(({ rememberedAt }) => rememberedAt.getTime()),
  )
  return times.length === 0 ? undefined : new Date(times.reduce((a, b) => Math.min(a, b)))
}

const loggedAtOnce = 100

function logRecords(log: Log, incarnation: number, records: readonly LostRecord[]): void {
  for (const chunk of chunksOf(records, loggedAtOnce)) {
    const lines = chunk.map(({ kind, id, outcome }) => `${kind} ${id}: ${outcome}`)
    log.warn({ incarnation, lost: lines }, 'lost by the database, remembered by this process')
  }
}
