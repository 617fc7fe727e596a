import type { Queryable } from '../../../platform/db/pool.ts'
import { readShownHalts } from './active-halts.ts'
import {
  countOpen,
  type RefusedOutgoingTransaction,
  readRefused,
  type StateFigures,
} from './figures-store.ts'
import type { Halt } from './halt-store.ts'
import { type ActiveWait, readWaits } from './wait-store.ts'

/** The state of the engine, for operators and for metrics. */
export interface OutgoingFigures {
  readonly open: readonly StateFigures[]
  readonly halts: readonly Halt[]
  readonly waits: readonly ActiveWait[]
  readonly refused: readonly RefusedOutgoingTransaction[]
}

export async function readOutgoingFigures(on: Queryable): Promise<OutgoingFigures> {
  const [open, halts, waits, refused] = await Promise.all([
    countOpen(on),
    readShownHalts(on),
    readWaits(on),
    readRefused(on),
  ])
  return { open, halts, waits, refused }
}
