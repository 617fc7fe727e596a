/** Tests the statements of the simulated attacker. */
import { expect, it } from 'vitest'
import { type Attack, attacks } from '../../simulation/attacker/attacks.ts'
import { statementOf } from '../../simulation/attacker/change-row.ts'
import { remainingOf } from '../../simulation/run/tamperings.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()

it.each(Object.entries<Attack>(attacks))(
  'an attacker who %s runs a statement that the database accepts from the service',
  async (_name, attack) => {
    const values = ['1', `0x${'7e'.repeat(20)}`, 'nowhere', []]
    expect(await database.db.query({ text: statementOf(attack), values })).toEqual([])
    expect(await database.db.query({ text: remainingOf(attack), values: ['1', '{}'] })).toEqual([])
  },
)
