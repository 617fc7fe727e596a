/** The requested recoveries of networks, and the generation of the signer's log that the database follows. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Recovery } from './recovery.ts'

export async function readRecovery(on: Queryable, network: string): Promise<Recovery | undefined> {
  const row = await one<{ reason: string; requested_at: Date; targets: Record<string, number> | null }>(
    on,
    named(
      'read-recovery',
      sql`select reason, requested_at, targets from outgoing_recovery where network = ${network}`,
    ),
  )
  if (row === undefined) return undefined
  const { reason, requested_at: requestedAt, targets } = row
  return { network, reason, requestedAt, targets: targets ?? undefined }
}

/**
 * Requests the recovery of a network. If a recovery is already running, it starts again. The targets that it
 * chose at its start (`Recovery.targets`) may be too low for the new request.
 */
export async function requestRecovery(tx: Tx, network: string, reason: string): Promise<void> {
  await tx.query(sql`
    insert into outgoing_recovery (network, reason) values (${network}, ${reason})
    on conflict (network) do update set targets = null`)
}

/** Requests the recovery of every network that has hot wallets, outputs of ours or outgoing transactions. */
export async function requestRecoveries(tx: Tx, reason: string): Promise<void> {
  await tx.query(sql`
    insert into outgoing_recovery (network, reason)
    select network, ${reason} from (
      select network from hot_wallet union select network from hot_wallet_address union select network from outgoing_transaction
      union select network from own_output
    ) sending
    order by network
    on conflict (network) do update set targets = null`)
}

export async function saveTargets(
  tx: Tx,
  network: string,
  targets: Readonly<Record<string, number>>,
): Promise<void> {
  await tx.query(
    sql`update outgoing_recovery set targets = ${JSON.stringify(targets)}::jsonb where network = ${network}`,
  )
}

export async function deleteRecovery(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`delete from outgoing_recovery where network = ${network}`)
}

export interface LogGeneration {
  readonly generation: number | undefined
  readonly rewoundPosition: number | undefined
}

export async function lockLogGeneration(tx: Tx): Promise<LogGeneration> {
  const row = await one<{ generation: number | null; rewound: number | null }>(
    tx,
    sql`select generation, rewound_position as rewound from signer_log_generation for update`,
  )
  return { generation: row?.generation ?? undefined, rewoundPosition: row?.rewound ?? undefined }
}

export async function saveLogGeneration(tx: Tx, generation: number): Promise<void> {
  await tx.query(sql`update signer_log_generation set generation = ${generation}`)
}

export async function saveRewoundPosition(on: Queryable, position: number | undefined): Promise<void> {
  await on.query(
    sql`update signer_log_generation set rewound_position = ${position ?? null}
        where rewound_position is distinct from ${position ?? null}`,
  )
}

/** Resets the log position, so that the whole log of the signer is read again. */
export async function resetLogPosition(tx: Tx): Promise<void> {
  await tx.query(sql`update signer_log_position set last_sequence = 0`)
}
