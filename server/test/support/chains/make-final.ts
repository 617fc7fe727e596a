import type { Queryable } from '../../../src/platform/db/pool.ts'
import { depositRecords } from '../payments/records.ts'
import { fieldPlus, present } from '../records/values.ts'
import { cursorRecords } from './records.ts'

/** Makes every deposit so far final: the final height becomes that of the highest block with a deposit. */
export async function makeTipFinal(on: Queryable): Promise<void> {
  const included = await depositRecords.all(on, { blockHeight: present }, 'blockHeight')
  const finalHeight = Math.max(0, ...included.map(({ blockHeight }) => Number(blockHeight)))
  await cursorRecords.change(on, {}, { finalHeight })
}

/** Marks every confirmed deposit as proven by the balance that a node showed. */
export async function proveDeposits(on: Queryable): Promise<void> {
  await depositRecords.change(on, { state: 'confirmed' }, { provenInclusion: fieldPlus('inclusion', 0) })
}
