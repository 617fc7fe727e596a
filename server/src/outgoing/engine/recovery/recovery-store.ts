import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Recovery } from './recovery.ts'

export async function readRecovery(on: Queryable, network: string): Promise<Recovery | undefined> {
  const row = await one<{ reason: string; requested_at: Date; targets: Record<string, number> | null }>(
    on,
    named(
      'read-recovery',
      sql`select reason, requested_at, targets from payout_recovery where network = ${network}`,
    ),
  )
  if (row === undefined) return undefined
  const { reason, requested_at: requestedAt, targets } = row
  return { network, reason, requestedAt, targets: targets ?? undefined }
}

/** Asks for the recovery of a network. One under way begins anew: what was used up by then is not enough any more. */
export async function requestRecovery(tx: Tx, network: string, reason: string): Promise<void> {
  await tx.query(sql`
    insert into payout_recovery (network, reason) values (${network}, ${reason})
    on conflict (network) do update set targets = null`)
}

/** The same for every network that ever sent, or may. */
export async function requestRecoveries(tx: Tx, reason: string): Promise<void> {
  await tx.query(sql`
    insert into payout_recovery (network, reason)
    select network, ${reason} from (
      select network from hot_wallet union select network from hot_place union select network from payout
      union select network from coin
    ) sending
    on conflict (network) do update set targets = null`)
}

export async function saveTargets(
  tx: Tx,
  network: string,
  targets: Readonly<Record<string, number>>,
): Promise<void> {
  await tx.query(
    sql`update payout_recovery set targets = ${JSON.stringify(targets)}::jsonb where network = ${network}`,
  )
}

export async function deleteRecovery(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`delete from payout_recovery where network = ${network}`)
}

export interface LogLife {
  readonly incarnation: number | undefined
  readonly rewoundMark: number | undefined
}

export async function lockLogLife(tx: Tx): Promise<LogLife> {
  const row = await one<{ incarnation: number | null; rewound: number | null }>(
    tx,
    sql`select incarnation, rewound_mark as rewound from signer_log_life for update`,
  )
  return { incarnation: row?.incarnation ?? undefined, rewoundMark: row?.rewound ?? undefined }
}

export async function saveIncarnation(tx: Tx, incarnation: number): Promise<void> {
  await tx.query(sql`update signer_log_life set incarnation = ${incarnation}`)
}

export async function saveRewoundMark(on: Queryable, mark: number | undefined): Promise<void> {
  await on.query(
    sql`update signer_log_life set rewound_mark = ${mark ?? null}
        where rewound_mark is distinct from ${mark ?? null}`,
  )
}

/** Has the whole log looked at again. */
export async function resetLogMark(tx: Tx): Promise<void> {
  await tx.query(sql`update signer_log_mark set last_sequence = 0`)
}
