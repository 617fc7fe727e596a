import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AccountName, credit, debit, type Journal, journal, type Line, mirror } from './journal.ts'

const ownerId = '0197a1f1-1111-7111-8111-111111111111'
const usdt = 'ethereum/USDT'
const platform = (name: AccountName, asset = usdt) => ({ name, asset })
const event = { kind: 'test', subject: 'test:1' }

const amount = fc.bigInt({ min: 1n, max: 10n ** 77n })
const asset = fc.constantFrom(usdt, 'ethereum/ETH', 'bitcoin/BTC')
const name = fc.constantFrom<AccountName>('custody', 'fees', 'capital', 'receivable')
/** Generates pairs of lines that balance, in several assets. */
const balancedLines = fc
  .array(fc.tuple(name, name, asset, amount), { minLength: 1, maxLength: 8 })
  .map((moves) =>
    moves.flatMap(([from, to, assetOf, amountMinor]) => [
      debit(platform(from, assetOf), amountMinor),
      credit(platform(to, assetOf), amountMinor),
    ]),
  )

describe('journal', () => {
  it('accepts whatever balances per asset and keeps its lines in order', () => {
    fc.assert(
      fc.property(balancedLines, (lines) => {
        expect(journal({ ...event, lines }).lines).toEqual(lines)
      }),
    )
  })

  it('refuses a journal as soon as one line is off by any amount', () => {
    fc.assert(
      fc.property(balancedLines, fc.nat(), amount, (lines, at, offMinor) => {
        const off = lines.map((line, index) => (index === at % lines.length ? grow(line, offMinor) : line))
        expect(() => journal({ ...event, lines: off })).toThrow('is off by')
      }),
    )
  })

  it('refuses debits of one asset against credits of another', () => {
    const lines = [debit(platform('custody'), 5n), credit(platform('fees', 'bitcoin/BTC'), 5n)]
    expect(() => journal({ ...event, lines })).toThrow('is off by')
  })

  it('drops lines of zero and refuses what has fewer than two left', () => {
    const zero = credit(platform('fees'), 0n)
    const pair = [debit(platform('custody'), 5n), credit(platform('capital'), 5n)]
    expect(journal({ ...event, lines: [...pair, zero] }).lines).toEqual(pair)
    expect(() => journal({ ...event, lines: [zero, zero] })).toThrow('has 0 lines')
  })

  it.each([
    [
      'a negative amount',
      [debit(platform('custody'), -5n), credit(platform('fees'), -5n)],
      'a negative amount',
    ],
    [
      'a line on both sides',
      [
        { account: platform('custody'), debitMinor: 5n, creditMinor: 5n },
        debit(platform('custody'), 1n),
        credit(platform('fees'), 1n),
      ],
      'on both sides',
    ],
    [
      'a merchant account of nobody',
      [debit(platform('custody'), 5n), credit(platform('available'), 5n)],
      'without an owner',
    ],
    [
      'an empty asset',
      [debit(platform('custody', ''), 5n), credit(platform('fees', ''), 5n)],
      'without an asset',
    ],
  ])('refuses %s', (_, lines, message) => {
    expect(() => journal({ ...event, lines })).toThrow(message)
  })
})

describe('mirror', () => {
  it('takes every account back to where it was, and names what it reverses', () => {
    fc.assert(
      fc.property(balancedLines, (lines) => {
        const original = journal({ ...event, lines })
        const reversal = mirror(original, { kind: 'test.reversed', subject: 'reversed:test:1' })
        expect(reversal.reverses).toBe(original.id)
        expect([...netOf([original, reversal]).values()].every((net) => net === 0n)).toBe(true)
      }),
    )
  })

  it('keeps owner and asset of each line', () => {
    const account = { name: 'available', ownerId, asset: usdt } as const
    const original = journal({ ...event, lines: [debit(platform('custody'), 5n), credit(account, 5n)] })
    const reversal = mirror(original, { kind: 'test.reversed', subject: 'reversed:test:1' })
    expect(reversal.lines).toEqual([credit(platform('custody'), 5n), debit(account, 5n)])
  })
})

function grow(line: Line, byMinor: bigint): Line {
  return line.debitMinor > 0n
    ? debit(line.account, line.debitMinor + byMinor)
    : credit(line.account, line.creditMinor + byMinor)
}

function netOf(journals: readonly Journal[]): ReadonlyMap<string, bigint> {
  const nets = new Map<string, bigint>()
  for (const { account, debitMinor, creditMinor } of journals.flatMap(({ lines }) => lines)) {
    const key = `${account.name} ${account.asset}`
    nets.set(key, (nets.get(key) ?? 0n) + debitMinor - creditMinor)
  }
  return nets
}
