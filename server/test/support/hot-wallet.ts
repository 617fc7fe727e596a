import sql from 'sql-template-tag'
import type { Blocks } from './blocks.ts'
import type { Shop } from './shop.ts'

/** The first hot wallet of a shop that has no signer. */
export const hotWallet = `0x${'1a'.repeat(20)}`

export async function openHotWallet({ db }: Pick<Shop, 'db'>): Promise<void> {
  await db.query(
    sql`insert into hot_wallet (network, index, address) values ('ethereum', 0, ${hotWallet}) on conflict do nothing`,
  )
}

/**
 * Pays to the hot wallet, as an operator does, until the deposit is confirmed, and returns the deposit's id.
 */
export async function payHotWallet(
  shop: Pick<Shop, 'db'>,
  blocks: Blocks,
  amountMinor: bigint,
  methodId?: number,
): Promise<string> {
  await openHotWallet(shop)
  const transfer = blocks.pay(hotWallet, amountMinor, methodId)
  await blocks.mine([transfer])
  await blocks.mine()
  return blocks.idOf(transfer)
}
