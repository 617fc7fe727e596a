/** What a halt of one asset keeps from leaving, and who says that it is over. */

import type { Log } from '../../../core/log.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { MachineMemory } from '../machine-memory.ts'
import type { Wait } from '../placing.ts'
import type { Proposal } from '../purpose.ts'
import { retryRefusals } from '../retries/refusal-store.ts'
import { type AssetHalt, deleteAssetHalt, insertAssetHalt, readAssetHalts } from './asset-halt-store.ts'

/** Keeps the money of one asset from leaving until an operator lifts it, and alerts. */
export async function haltAsset(
  { db, log }: { readonly db: Queryable; readonly log: Log },
  halt: Omit<AssetHalt, 'since'>,
): Promise<void> {
  if (!(await insertAssetHalt(db, halt))) return
  const { asset, cause, detail } = halt
  log.error({ alert: 'asset-halted', asset, cause, detail }, 'payouts of an asset are halted')
}

/** The assets whose money must not leave. */
export async function readHaltedAssets(on: Queryable): Promise<ReadonlySet<string>> {
  return new Set((await readAssetHalts(on)).map(({ asset }) => asset))
}

/**
 * The assets whose money must not leave: those whose rows say so, and those of which this process found less on chain than the
 * books say, whatever became of their rows.
 */
export async function readKeptAssets(
  on: Queryable,
  { solvency }: Pick<MachineMemory, 'solvency'>,
): Promise<ReadonlySet<string>> {
  const halted = await readHaltedAssets(on)
  return solvency === undefined ? halted : new Set([...halted, ...solvency.short])
}

/** What of some payouts or proposals takes nothing of a halted asset out of a wallet. */
export function outsideHalts<P extends Pick<Proposal, 'spends'>>(
  some: readonly P[],
  halted: ReadonlySet<string>,
): readonly P[] {
  return some.filter(({ spends }) => spends === undefined || !halted.has(spends.asset))
}

/** The halts of a network's assets as what its payouts wait for, so that operators see them beside the rest. */
export async function readHaltWaits(
  on: Queryable,
  network: string,
  { solvency }: Pick<MachineMemory, 'solvency'>,
): Promise<readonly Wait[]> {
  const halts = await readAssetHalts(on)
  const short = [...(solvency?.short ?? [])].filter((asset) => !halts.some((halt) => halt.asset === asset))
  return [
    ...halts
      .filter(({ asset }) => asset.startsWith(`${network}/`))
      .map(({ asset, cause, detail }) => ({ cause: `asset-halted:${asset}`, detail: `${cause}: ${detail}` })),
    ...short.map((asset) => ({
      cause: `asset-halted:${asset}`,
      detail: 'insolvent: not compared anew since it was lifted',
    })),
  ]
}

/**
 * An operator lets the money of an asset leave again; what the signer refused is tried again.
 * @returns whether it was halted
 */
export async function resumeAsset(
  tx: Tx,
  asset: string,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<boolean> {
  const halt = await deleteAssetHalt(tx, asset)
  if (halt === undefined) return false
  const retried = await retryRefusals(tx)
  await recordAudit(tx, {
    ...(by.accountId !== undefined && { accountId: by.accountId }),
    action: 'payouts.resumed',
    subject: asset,
    details: { reason: by.reason, cause: halt.cause, detail: halt.detail, retried },
  })
  return true
}
