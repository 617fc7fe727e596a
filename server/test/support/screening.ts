/** Screening for tests. */

import { addressFamilies } from '../../src/app/screening.ts'
import { silentLog } from '../../src/core/log.ts'
import { openScreening, type SanctionsOracle, type Screening } from '../../src/payments/screening/screen.ts'

export interface ScreeningParams {
  readonly isOn?: boolean
  readonly hasSource?: boolean
  readonly oracle?: SanctionsOracle
}

/** Opens screening by the list in the database, and by an oracle on ethereum if one is given. */
export function screeningBy({ isOn = true, hasSource = false, oracle }: ScreeningParams = {}): Screening {
  const oracles = new Map(oracle === undefined ? [] : [['ethereum', oracle]])
  return openScreening({ log: silentLog, isOn, hasSource, oracles, families: addressFamilies })
}

export const screeningOff = screeningBy({ isOn: false })

/** Yields the text of a list in pieces, as a file or a server does. */
export async function* chunks(text: string, size = 37): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}
