/**
 * Ledger behaviour as text tables. Each line is one action and its expected result:
 *
 *   post     <subject>  <account> <amount> + ...  ->  <account> <amount> + ...   ok | overdraft <account> <short> | already
 *   reverse  <subject>                                                           ok | ...
 *   balance  <account>  <amount>
 *
 * Debits are left of the arrow, credits right. An account is `name:owner` or `name`, with `@asset` when it is not
 * the usual one.
 */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { balancesOf, platformBalances } from '../../src/ledger/balance.ts'
import {
  type AccountName,
  credit,
  debit,
  journal,
  type LedgerAccount,
  type Line,
  normalSides,
} from '../../src/ledger/journal.ts'
import { AlreadyPostedError, OverdraftError, post } from '../../src/ledger/post.ts'
import { reverse } from '../../src/ledger/reverse.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'

export async function checkLedger(db: Db, table: string): Promise<void> {
  for (const row of table.split('\n').map((line) => line.trim())) {
    if (row === '') continue
    const { act, answer } = readRow(db, row)
    expect(`${row.slice(0, row.length - answer.length)}${await act()}`).toBe(row)
  }
}

/** Returns the same id for the same name, so that tables can name owners such as alice. */
function ownerNamed(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export function account(text: string): LedgerAccount {
  const [, name, owner, asset] = /^([a-z_]+)(?::([a-z]+))?(?:@(\S+))?$/.exec(text) ?? []
  if (name === undefined || !isAccountName(name)) throw new Error(`"${text}" is no account`)
  return {
    name,
    ownerId: owner === undefined ? undefined : ownerNamed(owner),
    asset: asset ?? 'ethereum/USDT',
  }
}

function readRow(db: Db, row: string): { act: () => Promise<string>; answer: string } {
  const [, verb, subject = '', rest = ''] = /^(\S+)\s+(\S+)\s*(.*)$/.exec(row) ?? []
  if (verb === 'balance') return { act: () => balance(db, subject), answer: rest }
  const answer = /(ok|already|overdraft .*)$/.exec(rest)?.[0] ?? ''
  if (verb === 'post') {
    const lines = readLines(rest.slice(0, rest.length - answer.length))
    return { act: () => attempt(postOne(db, subject, lines)), answer }
  }
  if (verb === 'reverse') return { act: () => attempt(reverseOne(db, subject)), answer }
  throw new Error(`"${row}" is no act`)
}

function readLines(text: string): readonly Line[] {
  const [debits = '', credits = ''] = text.split('->')
  const side = (part: string, make: typeof debit) =>
    part.split('+').map((entry) => {
      const [name = '', amount = ''] = entry.trim().split(/\s+/)
      return make(account(name), BigInt(amount))
    })
  return [...side(debits, debit), ...side(credits, credit)]
}

function postOne(db: Db, subject: string, lines: readonly Line[]): Promise<void> {
  return inTransaction(db, (tx) => post(tx, [journal({ kind: 'test', subject, lines })]))
}

async function reverseOne(db: Db, subject: string): Promise<void> {
  const reversal = { subject, kind: 'test.reversed', newSubject: `reversed:${subject}` }
  await inTransaction(db, (tx) => reverse(tx, [reversal]))
}

async function attempt(work: Promise<void>): Promise<string> {
  try {
    await work
    return 'ok'
  } catch (error) {
    if (error instanceof AlreadyPostedError) return 'already'
    if (!(error instanceof OverdraftError)) throw error
    return `overdraft ${error.shortfalls.map((short) => `${short.account.name} ${short.shortMinor}`).join(' ')}`
  }
}

async function balance(db: Db, text: string): Promise<string> {
  const { name, ownerId, asset } = account(text)
  if (ownerId === undefined) {
    const sums = await platformBalances(db)
    return String(sums.find((sum) => sum.name === name && sum.asset === asset)?.balanceMinor ?? 0n)
  }
  const balances = await balancesOf(db, [ownerId], name)
  return String(balances.get(ownerId)?.get(asset) ?? 0n)
}

function isAccountName(text: string): text is AccountName {
  return Object.hasOwn(normalSides, text)
}
