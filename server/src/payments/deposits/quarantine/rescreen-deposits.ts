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
import { lockDeposits, readUnscreened, type Screened, saveVerdicts, type UnscreenedDeposit } from './store.ts'

export interface RescreenDepositsParts extends EndQuarantineParts {
  readonly screening: Pick<Screening, 'screenAll'>
}

const idleMs = 5_000
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Builds the worker that screens deposits with the verdict `unknown` again. The worker releases a held
 * deposit if all its payers pass. A deposit with a listed payer stays held until an operator decides. Several
 * processes may run this worker, because each deposit is locked and checked again before it is booked.
 */
export function rescreenDeposits(parts: RescreenDepositsParts): Worker {
  // The id of the last deposit of the previous batch. The next batch begins after this deposit, because
  // deposits that stay `unknown` must not block the deposits after them.
  let after = firstId
  return {
    name: 'screen deposits again',
    idleMs,
    runBatch: async (signal) => {
      const unscreened = await readUnscreened(parts.db, after, limits.rescreenRows)
      after = unscreened.at(-1)?.id ?? firstId
      const verdicts = await screenAgain(parts, unscreened, signal)
      await settleScreened(parts, verdicts)
      return unscreened.length === limits.rescreenRows ? unscreened.length : 0
    },
  }
}

/**
 * Returns the new verdicts by deposit id: `passed` if all payers passed, `listed` if a payer is listed. A
 * deposit that stays `unknown` has no entry.
 */
async function screenAgain(
  { db, screening }: RescreenDepositsParts,
  unscreened: readonly UnscreenedDeposit[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Screened>> {
  const screened = new Map<string, Screened>()
  for (const [network, own] of groupBy(unscreened, (one) => one.network)) {
    const all = own.flatMap(({ payers }) => payers)
    const verdicts = await screening.screenAll(db, network, all, signal)
    // `verdicts` is undefined if screening was turned off. Turning screening off must not release money, so
    // the verdict stays `unknown`.
    const verdictOf = (payer: string): Verdict => verdicts?.get(payer) ?? 'unknown'
    for (const { id, payers } of own) {
      const listedAddress = payers.find((payer) => verdictOf(payer) === 'listed')
      if (listedAddress !== undefined) screened.set(id, { verdict: 'listed', listedAddress })
      else if (payers.every((payer) => verdictOf(payer) === 'passed'))
        screened.set(id, { verdict: 'passed', listedAddress: undefined })
    }
  }
  return screened
}

async function settleScreened(
  { db, methods }: RescreenDepositsParts,
  verdicts: ReadonlyMap<string, Screened>,
): Promise<void> {
  if (verdicts.size === 0) return
  await inTransaction(db, async (tx) => {
    const locked = await leaveOutForged(tx, await lockDeposits(tx, [...verdicts.keys()]))
    const open = locked.filter(
      ({ verdict, blockHeight }) => verdict === 'unknown' && blockHeight !== undefined,
    )
    const screened = new Map(
      open.map(({ id }): [string, Screened] => [id, required(verdicts.get(id), 'the screened deposit')]),
    )
    await saveVerdicts(tx, screened)
    const held = open.filter(
      ({ id, quarantine }) => quarantine === 'held' && screened.get(id)?.verdict === 'passed',
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
      held.map((deposit) => ({ ...deposit, verdict: 'passed' })),
    )
    const others = open.filter((one) => !held.includes(one))
    await appendEvents(tx, await settleTouched(methods, tx, others))
  })
}
