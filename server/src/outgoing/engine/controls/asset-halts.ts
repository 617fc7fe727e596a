/** Halts of single assets: what they block, and how an operator lifts them. */

import type { Log } from '../../../core/log.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { EngineMemory } from '../engine-memory.ts'
import type { Proposal } from '../outgoing-source.ts'
import type { Wait } from '../plan-outcome.ts'
import { retryRefusals } from '../retries/refusal-store.ts'
import { type AssetHalt, deleteAssetHalt, insertAssetHalt, readAssetHalts } from './asset-halt-store.ts'

/**
 * Halts an asset until an operator lifts the halt, and raises an alert. Does nothing if the asset is already
 * halted.
 */
export async function haltAsset(
  { db, log }: { readonly db: Queryable; readonly log: Log },
  halt: Omit<AssetHalt, 'since'>,
): Promise<void> {
  if (!(await insertAssetHalt(db, halt))) return
  const { asset, cause, detail } = halt
  log.error({ alert: 'asset-halted', asset, cause, detail }, 'payouts of an asset are halted')
}

/** Returns the assets that have a stored halt. */
export async function readHaltedAssets(on: Queryable): Promise<ReadonlySet<string>> {
  return new Set((await readAssetHalts(on)).map(({ asset }) => asset))
}

/**
 * Returns the assets that must not leave our wallets: assets with a stored halt, and assets of which the
 * chain holds less than the books say. The second group is kept in the memory of this process, so nobody can
 * change it by writing to the database.
 */
export async function readKeptAssets(
  on: Queryable,
  { solvency }: Pick<EngineMemory, 'solvency'>,
): Promise<ReadonlySet<string>> {
  const halted = await readHaltedAssets(on)
  return solvency === undefined ? halted : new Set([...halted, ...solvency.short])
}

/** Returns the given transactions or proposals that spend no halted asset. */
export function outsideHalts<P extends Pick<Proposal, 'spends'>>(
  some: readonly P[],
  halted: ReadonlySet<string>,
): readonly P[] {
  return some.filter(({ spends }) => spends === undefined || !halted.has(spends.asset))
}

/** Returns the asset halts of a network in the form of waits, so that operators see both in one list. */
export async function readHaltWaits(
  on: Queryable,
  network: string,
  { solvency }: Pick<EngineMemory, 'solvency'>,
): Promise<readonly Wait[]> {
  const halts = await readAssetHalts(on)
  const short = [...(solvency?.short ?? [])].filter((asset) => !halts.some((halt) => halt.asset === asset))
  return [
    ...halts
      .filter(({ asset }) => asset.startsWith(`${network}/`))
      .map(({ asset, cause, detail }) => ({ cause: `asset-halted:${asset}`, detail: `${cause}: ${detail}` })),
    ...short.map((asset) => ({
      cause: `asset-halted:${asset}`,
      detail: 'insolvent: not compared again since it was lifted',
    })),
  ]
}

/**
 * Lifts the halt of an asset for an operator. All transactions that the signer refused are then due for
 * another try.
 * @returns whether the asset was halted
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
