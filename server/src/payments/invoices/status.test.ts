import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDecimal, usdDecimals } from '../../core/money.ts'
import type { InvoiceStatus, InvoiceTerms, Payment, PaymentRules } from './invoice.ts'
import { addUp, paidUsd } from './share.ts'
import { changesBetween, deriveStatus, dueMinor } from './status.ts'

const strict: PaymentRules = { paidWhen: 'included', toleranceBasisPoints: 0 }
const expiresAt = new Date('2026-01-01T01:00:00Z')
const open: InvoiceTerms = {
  type: 'onetime',
  state: 'pending',
  expiresAt,
  closedAt: undefined,
  deletedAt: undefined,
  acceptedIds: [],
}
const reusable: InvoiceTerms = { ...open, type: 'reusable', expiresAt: undefined }
const collect: InvoiceTerms = { ...open, type: 'collect' }

let made = 0

function payment(amountMinor: bigint, over: Partial<Payment> = {}): Payment {
  made += 1
  return {
    depositId: `t${made}`,
    txHash: '0xa',
    paymentMethodId: 1,
    amountMinor,
    fullMinor: 1_000_000n,
    stepMinor: 1n,
    inTimeAt: new Date('2026-01-01T00:30:00Z'),
    included: true,
    includedAt: new Date('2026-01-01T00:30:00Z'),
    confirmed: false,
    amlOk: true,
    ...over,
  }
}

describe('the status of an invoice', () => {
  it('is paid by exactly the quoted amount and not by one unit less', () => {
    expect(deriveStatus(open, [payment(1_000_000n)], strict)).toMatchObject({
      state: 'paid',
      exceptions: [],
    })
    expect(deriveStatus(open, [payment(999_999n)], strict)).toMatchObject({
      state: 'pending',
      exceptions: ['underpaid'],
    })
  })

  it('adds partial payments up, across assets, and names the one that completed it', () => {
    const inEther = payment(6n * 10n ** 17n, {
      paymentMethodId: 3,
      fullMinor: 10n ** 18n,
      stepMinor: 10n ** 12n,
    })
    const status = deriveStatus(open, [payment(400_000n), inEther], strict)
    expect(status).toMatchObject({ state: 'paid', exceptions: [] })
    expect(status.paidBy).toEqual([inEther])
  })

  it('marks more than was asked, but not the step that rounding a remainder up adds', () => {
    expect(deriveStatus(open, [payment(1_000_001n)], strict).exceptions).toEqual(['overpaid'])
    const thirds = [
      payment(1n, { fullMinor: 3n, stepMinor: 1n }),
      payment(2n, { fullMinor: 3n, stepMinor: 1n }),
    ]
    expect(deriveStatus(open, thirds, strict)).toMatchObject({ state: 'paid', exceptions: [] })
  })

  it('does not count late money, and marks it', () => {
    const late = payment(1_000_000n, { inTimeAt: expiresAt })
    expect(deriveStatus({ ...open, state: 'expired' }, [late], strict)).toMatchObject({
      state: 'expired',
      exceptions: ['underpaid', 'late'],
    })
  })

  it('counts money in time even when it is only seen after the invoice expired', () => {
    expect(deriveStatus({ ...open, state: 'expired' }, [payment(1_000_000n)], strict).state).toBe('paid')
  })

  it('waits for confirmation where the merchant says so', () => {
    const rules: PaymentRules = { paidWhen: 'confirmed', toleranceBasisPoints: 0 }
    expect(deriveStatus(open, [payment(1_000_000n)], rules).state).toBe('pending')
    expect(deriveStatus(open, [payment(1_000_000n, { confirmed: true })], rules).state).toBe('paid')
  })

  it('does not ask again for what is in a block while it waits for confirmation, nor call it short', () => {
    const rules: PaymentRules = { paidWhen: 'confirmed', toleranceBasisPoints: 0 }
    const included = [payment(1_000_000n)]
    expect(dueMinor(1_000_000n, 1n, open, included)).toBe(0n)
    expect(deriveStatus(open, included, rules)).toMatchObject({ state: 'pending', exceptions: [] })
  })

  it('reads each payment of a whole day a few times and multiplies once for each price', () => {
    const prices = [10n ** 18n, 10n ** 18n + 1n] as const
    const readsMax = 600_000
    let reads = 0
    const many = Array.from({ length: 30_000 }, (_, index) => {
      const one = payment(1n, { fullMinor: prices[index % 2 === 0 ? 0 : 1] })
      return Object.defineProperty(one, 'amountMinor', {
        get: () => {
          reads += 1
          if (reads > readsMax) throw new Error('payments are read over and over')
          return 1n
        },
      })
    })
    // A search may begin at either end of the list, so the payment is in the middle.
    const all = many.toSpliced(15_000, 0, payment(10n ** 18n, { fullMinor: prices[0] }))
    const status = deriveStatus(open, all, strict)
    expect(status.paidBy[0]?.amountMinor).toBe(10n ** 18n)
    // The search reads each payment at least once. `readsMax` allows a binary search, which reads at most the
    // whole list in each of its 15 steps.
    expect(reads).toBeGreaterThanOrEqual(many.length)
    // Multiplying once for each payment would give a number of 1.8 million bits.
    expect(addUp(all).denominator).toBe(prices[0] * prices[1])
  })

  it('accepts what is missing within the merchant’s tolerance and nothing beyond', () => {
    const rules: PaymentRules = { paidWhen: 'included', toleranceBasisPoints: 100 }
    expect(deriveStatus(open, [payment(990_000n)], rules).state).toBe('paid')
    expect(deriveStatus(open, [payment(989_999n)], rules).state).toBe('pending')
  })

  it('forgets everything about a payment that a reorganisation took back', () => {
    const gone = payment(1_000_000n, { included: false, includedAt: undefined })
    expect(deriveStatus({ ...open, state: 'paid' }, [gone], strict)).toMatchObject({
      state: 'pending',
      exceptions: [],
    })
  })

  it('pays exactly when what was due is sent, whatever was sent before and at whatever price', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.bigInt(1n, 10n ** 20n), fc.bigInt(1n, 10n ** 20n)), { maxLength: 4 }),
        fc.bigInt(1n, 10n ** 20n),
        fc.constantFrom(1n, 10n ** 12n),
        (earlier, fullMinor, stepMinor) => {
          const before = earlier.map(([amount, full]) => payment(amount, { fullMinor: full }))
          const due = dueMinor(fullMinor, stepMinor, open, before)
          const paidBefore = deriveStatus(open, before, strict).state === 'paid'
          expect(due === 0n).toBe(paidBefore)
          if (paidBefore) return
          expect(due % stepMinor).toBe(0n)
          const last = payment(due, { fullMinor, stepMinor })
          expect(deriveStatus(open, [...before, last], strict).state).toBe('paid')
          expect(deriveStatus(open, [...before, last], strict).exceptions).toEqual([])
        },
      ),
    )
  })

  it('does not depend on how often it is derived', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(1n, 2_000_000n), { maxLength: 5 }), (amounts) => {
        const payments = amounts.map((amount) => payment(amount))
        const once = deriveStatus(open, payments, strict)
        expect(deriveStatus({ ...open, state: once.state }, payments, strict)).toEqual(once)
      }),
    )
  })
})

describe('a reusable invoice', () => {
  const full = () => payment(1_000_000n)
  const partial = () => payment(999_999n)

  it('is paid from its first full payment, names every one, and asks each payer for the whole', () => {
    const payments = [partial(), full(), full()]
    const status = deriveStatus(reusable, payments, strict)
    expect(status).toEqual({ state: 'paid', exceptions: ['underpaid'], paidBy: payments.slice(1) })
    expect(dueMinor(1_000_000n, 1n, reusable, payments)).toBe(1_000_000n)
  })

  it('does not pool partial payments', () => {
    const status = deriveStatus(reusable, [partial(), partial(), partial()], strict)
    expect(status).toMatchObject({ state: 'pending', exceptions: ['underpaid'] })
  })

  it('takes a payment of twice the amount as one, and marks it', () => {
    const twice = payment(2_000_000n)
    const status = deriveStatus(reusable, [twice], strict)
    expect(status).toEqual({ state: 'paid', exceptions: ['overpaid'], paidBy: [twice] })
  })

  it('does not count what came after it was closed, and stays paid by what came before', () => {
    const closed = { ...reusable, closedAt: expiresAt }
    const late = payment(1_000_000n, { inTimeAt: expiresAt })
    const early = full()
    expect(deriveStatus(closed, [late], strict)).toMatchObject({ state: 'expired', exceptions: ['late'] })
    expect(deriveStatus(closed, [early, late], strict)).toMatchObject({ state: 'paid', paidBy: [early] })
  })

  it('is paid when it is closed on partial payments, which makes none of them a full one', () => {
    const status = deriveStatus({ ...reusable, closedAt: expiresAt }, [partial()], strict)
    expect(status).toEqual({ state: 'paid', exceptions: ['underpaid'], paidBy: [] })
  })
})

describe('a collection', () => {
  it('adds up many payers, and is not short of anything while it is open', () => {
    const payers = Array.from({ length: 9 }, () => payment(100_000n))
    expect(deriveStatus(collect, payers, strict)).toMatchObject({ state: 'pending', exceptions: [] })
    expect(dueMinor(1_000_000n, 1n, collect, payers)).toBe(100_000n)
    const last = payment(150_000n)
    expect(deriveStatus(collect, [...payers, last], strict)).toEqual({
      state: 'paid',
      exceptions: ['overpaid'],
      paidBy: [last],
    })
  })

  it('expires short of its target, and says so', () => {
    expect(deriveStatus(collect, [payment(1n)], strict, true)).toMatchObject({
      state: 'expired',
      exceptions: ['underpaid'],
    })
    expect(deriveStatus(collect, [], strict, true)).toMatchObject({ state: 'expired', exceptions: [] })
  })

  it('is paid by whatever came in when it is closed, else expired', () => {
    const closed = { ...collect, closedAt: new Date('2026-01-01T00:45:00Z') }
    const some = payment(1n)
    expect(deriveStatus(closed, [some], strict)).toEqual({
      state: 'paid',
      exceptions: ['underpaid'],
      paidBy: [some],
    })
    expect(deriveStatus(closed, [], strict).state).toBe('expired')
    const late = payment(1_000_000n, { inTimeAt: closed.closedAt })
    expect(deriveStatus(closed, [late], strict).state).toBe('expired')
  })
})

describe('what a merchant accepted', () => {
  it('pays as long as all of it is in blocks, late or short, and nothing else does in its place', () => {
    const short = payment(1n)
    const late = payment(2n, { inTimeAt: expiresAt })
    const accepted = { ...open, acceptedIds: [short.depositId, late.depositId] }
    expect(deriveStatus(accepted, [short, late], strict)).toEqual({
      state: 'paid',
      exceptions: ['underpaid', 'late'],
      paidBy: [late],
    })
    const gone = { ...short, included: false, includedAt: undefined }
    expect(deriveStatus(accepted, [gone, late], strict).state).toBe('pending')
    expect(deriveStatus(accepted, [gone, late, payment(1n)], strict).state).toBe('pending')
  })

  it('makes a partial payment of a reusable invoice a full one', () => {
    const short = payment(1n)
    const other = payment(1n)
    const accepted = { ...reusable, acceptedIds: [short.depositId] }
    expect(deriveStatus(accepted, [short, other], strict).paidBy).toEqual([short])
  })
})

describe('a withdraw invoice', () => {
  const withdraw: InvoiceTerms = { ...open, type: 'withdraw' }

  it('is paid by its withdrawal alone, and expires without one', () => {
    expect(deriveStatus(withdraw, [payment(1_000_000n)], strict).state).toBe('pending')
    expect(deriveStatus(withdraw, [], strict, true).state).toBe('expired')
    expect(deriveStatus({ ...withdraw, state: 'paid' }, [], strict, true).state).toBe('paid')
  })
})

describe('any invoice', () => {
  const anyPayment = fc
    .record({
      amountMinor: fc.bigInt(1n, 2_000_000n),
      fullMinor: fc.constantFrom(1_000_000n, 1_000_000n, 999_983n, undefined),
      isLate: fc.boolean(),
      included: fc.boolean(),
      confirmed: fc.boolean(),
    })
    .map(({ isLate, included, confirmed, amountMinor, fullMinor }) =>
      payment(amountMinor, {
        fullMinor,
        included,
        confirmed: included && confirmed,
        ...(isLate ? { inTimeAt: expiresAt } : {}),
      }),
    )
  const anyTerms = fc.record({
    type: fc.constantFrom('onetime' as const, 'reusable' as const, 'collect' as const),
    state: fc.constantFrom('pending' as const, 'expired' as const),
    expiresAt: fc.constantFrom(expiresAt, undefined),
    closedAt: fc.constantFrom(undefined, undefined, new Date('2026-01-01T00:40:00Z')),
    deletedAt: fc.constant(undefined),
    acceptedIds: fc.constant([]),
  })
  const anyRules = fc.record({
    paidWhen: fc.constantFrom('included' as const, 'confirmed' as const),
    toleranceBasisPoints: fc.integer({ min: 0, max: 100 }),
  })
  const payments = fc.array(anyPayment, { maxLength: 6 })

  it('has the same status whatever order its payments came in', () => {
    const shuffled = payments.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(anyTerms, anyRules, shuffled, (terms, rules, [list, other]) => {
        const one = deriveStatus(terms, list, rules)
        const two = deriveStatus(terms, other, rules)
        expect(two.state).toBe(one.state)
        const without = (status: InvoiceStatus) => status.exceptions.filter((name) => name !== 'overpaid')
        expect(without(two)).toEqual(without(one))
        if (terms.type === 'reusable') expect(new Set(two.paidBy)).toEqual(new Set(one.paidBy))
      }),
    )
  })

  it('has the status of before its last payment once a rollback takes that out of its block', () => {
    fc.assert(
      fc.property(anyTerms, anyRules, payments, anyPayment, (terms, rules, list, last) => {
        const before = deriveStatus(terms, list, rules)
        const during = deriveStatus({ ...terms, state: before.state }, [...list, last], rules)
        const gone = { ...last, included: false, includedAt: undefined, confirmed: false }
        const after = deriveStatus({ ...terms, state: during.state }, [...list, gone], rules)
        // After the removal, the worker that ends invoices must expire this invoice again.
        const wasEnded = before.state === 'expired' && during.state === 'paid' && terms.closedAt === undefined
        expect(after.paidBy).toEqual(before.paidBy)
        if (!wasEnded) expect(after).toEqual(before)
      }),
    )
  })

  it('takes only the steps there are, and counts each time of being paid', () => {
    const step = fc.record({
      add: fc.array(anyPayment, { maxLength: 3 }),
      drop: fc.nat(6),
      isLapsing: fc.boolean(),
    })
    const allowed = ['pending>paid', 'pending>expired', 'expired>paid', 'paid>pending', 'paid>expired']
    fc.assert(
      fc.property(anyTerms, anyRules, fc.array(step, { maxLength: 8 }), (terms, rules, steps) => {
        const emitted = new Set<string>()
        const subjects = new Set<string>()
        let list: readonly Payment[] = []
        let at = { state: 'pending' as InvoiceStatus['state'], paidPeriods: 0 }
        let timesPaid = 0
        for (const { add, drop, isLapsing } of steps) {
          list = list.map((one, index) => (index === drop ? { ...one, included: false } : one))
          list = [...list, ...add]
          const status = deriveStatus({ ...terms, state: at.state }, list, rules, isLapsing)
          const changes = changesBetween({ ...terms, ...at }, status, emitted)
          if (status.state !== at.state) expect(allowed).toContain(`${at.state}>${status.state}`)
          for (const { type, period, depositId } of changes) {
            const subject = `${type}:${depositId}:${period}`
            expect(subjects).not.toContain(subject)
            subjects.add(subject)
            if (type === 'invoice.paid') timesPaid += 1
            if (depositId === undefined) continue
            if (type === 'invoice.paid') emitted.add(depositId)
            else emitted.delete(depositId)
          }
          at = {
            state: status.state,
            paidPeriods: Math.max(at.paidPeriods, ...changes.map(({ period }) => period)),
          }
          expect(at.paidPeriods).toBe(timesPaid)
          if (terms.type === 'reusable') {
            expect(emitted).toEqual(new Set(status.paidBy.map(({ depositId }) => depositId)))
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('shows exactly what was asked when exactly what was quoted is paid', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 20n), fc.bigInt(1n, 10n ** 30n), (amountUsd, fullMinor) => {
        const whole = payment(fullMinor, { fullMinor })
        expect(paidUsd(amountUsd, [whole])).toBe(formatDecimal(amountUsd, usdDecimals))
        expect(paidUsd(amountUsd, [whole, { ...whole, included: false }])).toBe(paidUsd(amountUsd, [whole]))
      }),
    )
  })
})

describe('which events are emitted', () => {
  const status = (
    state: InvoiceStatus['state'],
    exceptions: InvoiceStatus['exceptions'] = [],
  ): InvoiceStatus => ({
    state,
    exceptions,
    paidBy: [],
  })
  const before = (state: InvoiceStatus['state']) => ({ type: 'onetime', state, paidPeriods: 3 }) as const
  const change = (type: string, period: number) => ({ type, period, depositId: undefined })
  const none = new Set<string>()

  it('is one event per change of state, and nothing when there is none', () => {
    expect(changesBetween(before('pending'), status('pending', ['underpaid']), none)).toEqual([])
    expect(changesBetween(before('pending'), status('paid'), none)).toEqual([change('invoice.paid', 4)])
    expect(changesBetween(before('expired'), status('paid'), none)).toEqual([change('invoice.paid', 4)])
    expect(changesBetween(before('paid'), status('pending'), none)).toEqual([change('invoice.reverted', 3)])
    expect(changesBetween(before('pending'), status('expired'), none)).toEqual([change('invoice.expired', 3)])
    expect(changesBetween(before('pending'), status('expired', ['underpaid']), none)).toEqual([
      change('invoice.expired', 3),
      change('invoice.underpaid', 3),
    ])
  })

  it('is one event per full payment of a reusable invoice, and one for each that is taken back', () => {
    const first = payment(1_000_000n)
    const second = payment(1_000_000n)
    const after: InvoiceStatus = { state: 'paid', exceptions: [], paidBy: [first, second] }
    const paid = { type: 'reusable', state: 'paid', paidPeriods: 3 } as const
    expect(changesBetween(paid, after, new Set([first.depositId, 'gone']))).toEqual([
      { type: 'invoice.reverted', period: 3, depositId: 'gone' },
      { type: 'invoice.paid', period: 4, depositId: second.depositId },
    ])
    expect(changesBetween(paid, after, none).map(({ period }) => period)).toEqual([4, 5])
    expect(changesBetween({ ...paid, state: 'pending' }, status('expired'), none)).toEqual([
      change('invoice.expired', 3),
    ])
  })
})
