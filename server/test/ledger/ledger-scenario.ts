/**
 * The table of journals by event, and helpers to check one row of it: the exact journals of an event, and
 * that the chain holds exactly what the books say.
 */
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { formatDecimal } from '../../src/core/money.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import type { WithdrawalFlow } from '../support/withdrawal-flow.ts'

interface Row {
  readonly debit: readonly string[]
  readonly credit: readonly string[]
}

const row = (debit: string, credit: string): Row => ({ debit: debit.split(' '), credit: credit.split(' ') })

/** For each event, the accounts that it may debit and credit. The tests must touch each of them. */
export const rows = {
  'deposit confirmed': row('custody', 'available fees'),
  'deposit below the method’s minimum': row('custody below_minimum', 'below_minimum available fees'),
  'sender listed, or not yet screened': row('custody', 'quarantine'),
  'released / seized': row('quarantine', 'available fees forfeited'),
  'deposit of a deleted merchant, an unassigned address': row('custody', 'unattributed'),
  'operator assigns it': row('unattributed', 'available fees'),
  'rollback of a credit': row('available fees receivable', 'custody available receivable'),
  'withdrawal requested': row('available', 'held'),
  'withdrawal completed': row('held', 'custody fees'),
  'withdrawal failed or cancelled': row('held', 'available fees'),
  'network fee of our own transaction': row('network_fees', 'custody'),
  // The money is booked as unattributed until an operator decides to whom it belongs.
  'operator funds a wallet / takes profit': row(
    'custody unattributed capital fees forfeited',
    'unattributed capital custody',
  ),
  'receivable written off': row('capital', 'receivable'),
} satisfies Record<string, Row>

export type Event = keyof typeof rows

/** The journals of each event, as `kind: what was debited / what was credited`. */
export type Booked = Partial<Record<Event, readonly string[]>>

interface JournalLine {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly asset: string
  readonly debit: string
  readonly credit: string
}

/** Checks, event by event, which journals the tests of one file have posted. */
export class LedgerScenario {
  readonly #flow: WithdrawalFlow
  readonly #known = new Set<string>()
  readonly #touched = new Set<string>()

  constructor(flow: WithdrawalFlow) {
    this.#flow = flow
  }

  /** Skips the journals until now, so that they do not count for the next event. */
  async start(): Promise<void> {
    await this.#readNew()
  }

  /**
   * Checks that exactly these journals were booked since the last call, and only on the accounts of their
   * rows. Also checks that the chain holds what the books say, to the smallest unit.
   * @param corrections journals that only a dev chain causes and that are in no row
   */
  async expectBooked(booked: Booked, corrections: readonly string[] = []): Promise<void> {
    const journals = await this.#readNew()
    const expected = [...Object.values(booked).flat(), ...corrections]
    expect(journals.map(textOf).sort()).toEqual(expected.sort())
    for (const [event, texts] of Object.entries(booked)) {
      const own = journals.filter((lines) => texts.includes(textOf(lines)))
      for (const { name, debit } of own.flat()) this.#touch(event as Event, name, debit !== '0')
    }
    await this.expectSolvent()
  }

  async expectSolvent(): Promise<void> {
    await this.#flow.follow()
    const { db, methods } = this.#flow.shop
    const { entries } = await verify({ db, methods, chains: [this.#flow] })
    expect(entries.filter(({ ok, skipped }) => !ok || skipped !== undefined)).toEqual([])
    expect(entries.find(({ id }) => id === 'M8')?.remarks).toEqual([])
  }

  /** Returns the accounts of a row that no journal used, with their side. */
  untouched(event: Event): readonly string[] {
    const { debit, credit } = rows[event]
    const sides = [...debit.map((name) => `debit ${name}`), ...credit.map((name) => `credit ${name}`)]
    return sides.filter((side) => !this.#touched.has(`${event}: ${side}`))
  }

  #touch(event: Event, name: string, isDebit: boolean): void {
    expect(isDebit ? rows[event].debit : rows[event].credit, `the accounts of "${event}"`).toContain(name)
    this.#touched.add(`${event}: ${isDebit ? 'debit' : 'credit'} ${name}`)
  }

  async #readNew(): Promise<readonly (readonly JournalLine[])[]> {
    const lines = await this.#flow.database.db.query<JournalLine>(sql`
      select journal.id, journal.kind, account.name, account.asset, line.debit::text, line.credit::text
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id
      where journal.id <> all (${[...this.#known]}::uuid[])
      order by journal.id, account.name`)
    const byJournal = new Map<string, JournalLine[]>()
    for (const line of lines) {
      byJournal.set(line.id, [...(byJournal.get(line.id) ?? []), line])
      this.#known.add(line.id)
    }
    return [...byJournal.values()]
  }
}

function textOf(lines: readonly JournalLine[]): string {
  const side = (pick: 'debit' | 'credit') =>
    lines
      .filter((line) => line[pick] !== '0')
      .map(({ name, asset, [pick]: minor }) => `${name} ${amountOf(asset, minor)}`)
      .join(' + ')
  return `${lines[0]?.kind}: ${side('debit')} / ${side('credit')}`
}

function amountOf(asset: string, minor: string): string {
  const symbol = asset.split('/').at(-1) ?? ''
  return `${formatDecimal(BigInt(minor), symbol === 'ETH' ? 18 : 6)} ${symbol}`
}
