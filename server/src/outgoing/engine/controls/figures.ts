import type { Queryable } from '../../../platform/db/pool.ts'
import { countOpen, type RefusedPayout, readRefused, type StateFigures } from './figures-store.ts'
import type { Halt } from './halt-store.ts'
import { readShownHalts } from './standing-halts.ts'
import { readWaits, type StandingWait } from './wait-store.ts'

/** How the outgoing machine stands, for operators and gauges. */
export interface PayoutFigures {
  readonly open: readonly StateFigures[]
  readonly halts: readonly Halt[]
  readonly waits: readonly StandingWait[]
  readonly refused: readonly RefusedPayout[]
}

export async function readPayoutFigures(on: Queryable): Promise<PayoutFigures> {
  const [open, halts, waits, refused] = await Promise.all([
    countOpen(on),
    readShownHalts(on),
    readWaits(on),
    readRefused(on),
  ])
  return { open, halts, waits, refused }
}
