import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { booksMacs } from '../core/books-macs.ts'
import { newId } from '../core/ids.ts'
import { credit, debit, journal } from './journal.ts'
import { journalMac } from './journal-mac.ts'
import {
  addJournals,
  findForged,
  hasSealedBalanceMac,
  nothingSealed,
  type SealedBalance,
  type SealedJournal,
  type SealedSum,
  sealedBalanceMac,
  sumsOf,
  sumsText,
} from './sealed-balance.ts'

const macs = booksMacs([Buffer.alloc(32, 1)])
const ownerId = newId()
const asset = 'ethereum/USDT'
const of = (name: 'available' | 'held' | 'receivable') => ({ name, ownerId, asset })
const custody = { name: 'custody' as const, asset }

/** Lines of journals that move the owner's money by an amount. */
const moves = {
  credited: (minor: bigint) => [debit(custody, minor), credit(of('available'), minor)],
  held: (minor: bigint) => [debit(of('available'), minor), credit(of('held'), minor)],
  released: (minor: bigint) => [debit(of('held'), minor), credit(of('available'), minor)],
  paid: (minor: bigint) => [debit(of('held'), minor), credit(custody, minor)],
  owed: (minor: bigint) => [debit(of('receivable'), minor), credit(custody, minor)],
}

const steps = fc.array(
  fc.record({
    move: fc.constantFrom(...(Object.keys(moves) as (keyof typeof moves)[])),
    minor: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  }),
  { maxLength: 40 },
)

function sealedJournal(move: keyof typeof moves, minor: bigint, sequence: number | undefined): SealedJournal {
  const made = journal({ kind: move, subject: newId(), lines: moves[move](minor) })
  const lines = made.lines.map((line, ordinal) => ({ ordinal, ...line }))
  return { sequence, journal: { ...made, lines, postedAt: new Date(), mac: journalMac(macs, made) } }
}

const nothing: SealedBalance = { ownerId, sequence: 0, sums: new Map() }
const sumOf = (sums: ReadonlyMap<string, SealedSum>) => sums.get(asset) ?? nothingSealed

describe('addJournals', () => {
  it('comes to the same sums wherever history was summed before', () => {
    fc.assert(
      fc.property(steps, fc.nat(40), (wanted, cut) => {
        const history = wanted.map(({ move, minor }, ordinal) => sealedJournal(move, minor, ordinal + 1))
        const whole = addJournals(nothing, history, history.length)
        const kept = { ...nothing, sequence: cut, sums: addJournals(nothing, history.slice(0, cut), cut) }
        expect(addJournals(kept, history, history.length)).toEqual(whole)
        const available = history.reduce(
          (sum, { journal: { lines } }) =>
            lines.reduce(
              (line, { account, creditMinor, debitMinor }) =>
                account.name === 'available' ? line + creditMinor - debitMinor : line,
              sum,
            ),
          0n,
        )
        expect(sumOf(whole).availableMinor).toBe(available)
      }),
    )
  })

  it('counts what an unsealed journal takes from a merchant’s money and receivable, and never what it adds', () => {
    fc.assert(
      fc.property(steps, steps, (sealed, unsealed) => {
        const history = sealed.map(({ move, minor }, ordinal) => sealedJournal(move, minor, ordinal + 1))
        const before = sumOf(addJournals(nothing, history, history.length))
        const open = unsealed.map(({ move, minor }) => sealedJournal(move, minor, undefined))
        const after = sumOf(addJournals(nothing, [...history, ...open], history.length))
        const takenOf = (names: readonly (keyof typeof moves)[]) =>
          unsealed.reduce((sum, { move, minor }) => (names.includes(move) ? sum + minor : sum), 0n)
        expect(after.availableMinor).toBe(before.availableMinor)
        expect(after.moneyMinor).toBe(before.moneyMinor - takenOf(['paid']))
        expect(after.receivableMinor).toBe(before.receivableMinor - takenOf(['owed']))
      }),
    )
  })

  it('ignores a seal after the last one that was read', () => {
    const history = [sealedJournal('credited', 5n, 1), sealedJournal('credited', 7n, 2)]
    expect(sumOf(addJournals(nothing, history, 1))).toEqual({
      ...nothingSealed,
      availableMinor: 5n,
      moneyMinor: 5n,
    })
  })
})

it('findForged finds sealed journals without a MAC that holds, and leaves those without a seal to the sealer', () => {
  const genuine = sealedJournal('credited', 5n, 1)
  const forged = { ...genuine, journal: { ...genuine.journal, mac: '' } }
  expect(findForged(macs, [genuine, forged, { ...forged, sequence: undefined }])).toEqual([forged.journal])
})

it('the MAC of a kept balance holds for it alone', () => {
  const sums = addJournals(nothing, [sealedJournal('credited', 5n, 1), sealedJournal('owed', 2n, 2)], 2)
  const balance = { ...nothing, sequence: 2, sums }
  const hash = Buffer.alloc(32, 9)
  const mac = sealedBalanceMac(macs, balance, hash)
  expect(hasSealedBalanceMac(macs, { ...balance, sums: sumsOf(sumsText(sums)) }, { hash, mac })).toBe(true)
  expect(hasSealedBalanceMac(macs, { ...balance, sequence: 1 }, { hash, mac })).toBe(false)
  expect(hasSealedBalanceMac(macs, { ...balance, ownerId: newId() }, { hash, mac })).toBe(false)
  expect(hasSealedBalanceMac(macs, balance, { hash: Buffer.alloc(32, 8), mac })).toBe(false)
  const more = new Map([[asset, { ...sumOf(sums), moneyMinor: 6n }]])
  expect(hasSealedBalanceMac(macs, { ...balance, sums: more }, { hash, mac })).toBe(false)
})
