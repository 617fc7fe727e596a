/** The balances of merchants, as moves need them to choose who orders what. */
import type { ModelAsset } from '../model/asset.ts'
import type { Installation } from './installation.ts'

/** A merchant, and an asset of its balances. */
export interface Purse {
  readonly merchantId: string
  readonly asset: ModelAsset
}

/** Reads the available balance, as the dashboard shows it. */
export async function readAvailable(
  { sessions }: Installation,
  { merchantId, asset }: Purse,
): Promise<bigint> {
  const [row] = await sessions.look<{ minor: string }>(
    `select (credits - debits)::text as minor from ledger_account
      where name = 'available' and owner_id = $1 and asset = $2`,
    [merchantId, asset.name],
  )
  return BigInt(row?.minor ?? 0)
}

/**
 * Returns the merchants and assets with a sufficient available balance.
 * @param leastOf returns the least balance that is sufficient, or undefined if the asset is not wanted
 */
export async function findPurses(
  world: Installation,
  leastOf: (asset: ModelAsset) => bigint | undefined,
): Promise<readonly Purse[]> {
  const purses: Purse[] = []
  for (const asset of world.assets) {
    const leastMinor = leastOf(asset)
    if (leastMinor === undefined) continue
    for (const merchantId of world.model.merchants)
      if ((await readAvailable(world, { merchantId, asset })) >= leastMinor)
        purses.push({ merchantId, asset })
  }
  return purses
}
