import { beforeEach, describe, expect, it } from 'vitest'
import type { SanctionsOracle } from '../../src/payments/screening/screen.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { oracleAnswerRecords, sanctionedAddressRecords } from '../support/payments/records.ts'
import { fromNow } from '../support/records/values.ts'
import { screeningBy } from '../support/screening.ts'

const database = useDatabase()
const bad = `0x${'ba'.repeat(20)}`
const good = `0x${'60'.repeat(20)}`
const { signal } = new AbortController()

beforeEach(() => oracleAnswerRecords.remove(database.owner))

/** An oracle that lists `bad`, records which addresses it was asked for, and may be unavailable. */
function makeOracle() {
  const asked: string[] = []
  const state = { asked, isAway: false }
  const oracle: SanctionsOracle = {
    areListed: async (addresses) => {
      asked.push(...addresses)
      if (state.isAway) throw new Error('away')
      return addresses.map((address) => address === bad)
    },
  }
  return { ...screeningBy({ oracle }), state }
}

describe('the sanctions oracle', () => {
  it('is asked once per interval for an address, and for all addresses at once', async () => {
    const { screen, screenAll, state } = makeOracle()
    expect(await screenAll(database.db, 'ethereum', [bad, good, bad], signal)).toEqual(
      new Map([
        [bad, 'listed'],
        [good, 'passed'],
      ]),
    )
    expect(await screen(database.db, 'ethereum', bad)).toBe('listed')
    expect(state.asked).toEqual([bad, good])
    await oracleAnswerRecords.change(database.owner, {}, { askedAt: fromNow('-11 minutes') })
    expect(await screen(database.db, 'ethereum', good)).toBe('passed')
    expect(state.asked).toEqual([bad, good, good])
  })

  it('H02 makes every address unknown while it is unavailable, without repeated requests', async () => {
    const { screen, state } = makeOracle()
    state.isAway = true
    expect(await screen(database.db, 'ethereum', good)).toBe('unknown')
    expect(await screen(database.db, 'ethereum', good)).toBe('unknown')
    expect(state.asked).toEqual([good])
  })

  it('is not asked inside a transaction, where only its recent answers count', async () => {
    const { screen, screenStored, state } = makeOracle()
    const stored = (address: string) =>
      inTransaction(database.db, (tx) => screenStored(tx, 'ethereum', address))
    expect(await stored(bad)).toBe('unknown')
    expect(state.asked).toEqual([])
    await screen(database.db, 'ethereum', bad)
    expect(await stored(bad)).toBe('listed')
  })

  it('belongs to one network: on another everybody passes', async () => {
    const { screen, state } = makeOracle()
    expect(await screen(database.db, 'litecoin', bad)).toBe('passed')
    expect(state.asked).toEqual([])
  })
})

describe('screening that is off', () => {
  it('passes everybody, whatever list is loaded', async () => {
    await sanctionedAddressRecords.add(database.owner, { canonical: bad, codes: [], parties: [] })
    const { screen, screenAll } = screeningBy({ isOn: false, hasSource: true })
    expect(await screen(database.db, 'ethereum', bad)).toBe('passed')
    expect(await screenAll(database.db, 'ethereum', [bad], signal)).toBeUndefined()
  })
})
