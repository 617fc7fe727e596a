import { required } from '../../../core/assert.ts'
import type { Worker } from '../../../core/concurrency/work-loop.ts'
import { groupBy } from '../../../core/group-by.ts'
import { limits } from '../../../core/limits.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { Screening } from '../../screening/screen.ts'
import type { Verdict } from '../../screening/verdict.ts'
import { leaveOutForged } from '../genuine-deposits.ts'
import { settleTouched } from '../settle-touched.ts'
import { type EndQuarantineParts, release } from './end-quarantine.ts'
import {
  lockTransactions,
  readUnscreened,
  type Screened,
  saveVerdicts,
  type UnscreenedDeposit,
} from './store.ts'

export interface RescreenDepositsParts extends EndQuarantineParts {
  readonly screening: Pick<Screening, 'screenAll'>
}

const idleMs = 5_000
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Screens again whom nobody could tell: what passes now is released, what is listed stays until an operator decides.
 * Any number of processes may do it: each deposit is locked, and looked at again, before anything is booked.
 */
export function rescreenDeposits(parts: RescreenDepositsParts): Worker {
  // Those that stay unknown must not keep the others from their turn.
  let after = firstId
  return {
    name: 'screen deposits again',
    idleMs,
    takeAndDo: async (signal) => {
      const unscreened = await readUnscreened(parts.db, after, limits.rescreenRows)
      after = unscreened.at(-1)?.id ?? firstId
      const verdicts = await screenAgain(parts, unscreened, signal)
      await settleScreened(parts, verdicts)
      return unscreened.length === limits.rescreenRows ? unscreened.length : 0
    },
  }
}

/** The new verdicts by transaction, of those of whose payers all can be told now, or one is listed. */
async function screenAgain(
  { db, screening }: RescreenDepositsParts,
  unscreened: readonly UnscreenedDeposit[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Screened>> {
  const told = new Map<string, Screened>()
  for (const [network, own] of groupBy(unscreened, (one) => one.network)) {
    const all = own.flatMap(({ payers }) => payers)
    const verdicts = await screening.screenAll(db, network, all, signal)
    // Undefined: an operator has switched screening off, which lets nobody's money go by itself.
    const verdictOf = (payer: string): Verdict => verdicts?.get(payer) ?? 'unknown'
    for (const { id, payers } of own) {
      const listedAddress = payers.find((payer) => verdictOf(payer) === 'listed')
      if (listedAddress !== undefined) told.set(id, { verdict: 'listed', listedAddress })
      else if (payers.every((payer) => verdictOf(payer) === 'passed'))
        told.set(id, { verdict: 'passed', listedAddress: undefined })
    }
  }
  return told
}

async function settleScreened(
  { db, methods }: RescreenDepositsParts,
  verdicts: ReadonlyMap<string, Screened>,
): Promise<void> {
  if (verdicts.size === 0) return
  await inTransaction(db, async (tx) => {
    const locked = await leaveOutForged(tx, await lockTransactions(tx, [...verdicts.keys()]))
    const open = locked.filter(
      ({ verdict, blockHeight }) => verdict === 'unknown' && blockHeight !== undefined,
    )
    const told = new Map(
      open.map(({ id }): [string, Screened] => [id, required(verdicts.get(id), 'what was screened')]),
    )
    await saveVerdicts(tx, told)
    const held = open.filter(
      ({ id, quarantine }) => quarantine === 'held' && told.get(id)?.verdict === 'passed',
    )
    for (const { id, merchantId, sender } of held) {
      const details = { by: 'screening', verdict: 'passed', sender }
      await recordAudit(tx, {
        ...(merchantId !== undefined && { merchantId }),
        action: 'quarantine.released',
        subject: id,
        details,
      })
    }
    await release(
      methods,
      tx,
      held.map((transaction) => ({ ...transaction, verdict: 'passed' })),
    )
    const others = open.filter((one) => !held.includes(one))
    await appendEvents(tx, await settleTouched(methods, tx, others))
  })
}
