/** Screening as tests need it. */

import { addressFamilies } from '../../src/app/screening.ts'
import { silentLog } from '../../src/core/log.ts'
import { openScreening, type SanctionsOracle, type Screening } from '../../src/payments/screening/screen.ts'

export interface ScreeningWish {
  readonly isOn?: boolean
  readonly hasSource?: boolean
  readonly oracle?: SanctionsOracle
}

/** By whatever list the database holds, and by an oracle of ethereum where one is given. */
export function screeningBy({ isOn = true, hasSource = false, oracle }: ScreeningWish = {}): Screening {
  const oracles = new Map(oracle === undefined ? [] : [['ethereum', oracle]])
  return openScreening({ log: silentLog, isOn, hasSource, oracles, families: addressFamilies })
}

export const screeningOff = screeningBy({ isOn: false })

/** A list in pieces, as a file or a server gives it. */
export async function* pieces(text: string, size = 37): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}
