/** Creates a database with merchants that have webhooks. Each measurement takes a copy of this database. */
import { saveDevTokens } from '../src/pricing/payment-methods/store.ts'
import { queueEvents } from './emit-events.ts'
import { openEndpoints } from './fill-shop.ts'
import type { DevNode } from './open-node.ts'
import type { Postgres } from './open-postgres.ts'
import type { Receivers } from './open-receivers.ts'

export interface Merchants {
  readonly template: string
  /**
   * One merchant for each receiver that answers (`live`) and for each receiver that never answers (`dead`).
   */
  readonly live: readonly string[]
  readonly dead: readonly string[]
}

export async function openMerchants(
  postgres: Postgres,
  node: DevNode,
  receivers: Receivers,
): Promise<Merchants> {
  const draft = await postgres.copy()
  // With a dev chain, Coffer starts only after the chain's tokens were stored.
  const tokens = Object.entries(node.tokens).map(([symbol, contract]) => ({ symbol, contract }))
  await saveDevTokens(
    draft.db,
    tokens.map((token) => ({ network: node.chain.network, ...token })),
  )
  const live = await openEndpoints(draft.db, receivers.live)
  const dead = await openEndpoints(draft.db, receivers.dead)
  await draft.settleAndClose()
  return { template: draft.name, live, dead }
}

/**
 * Returns a copy of the database in which each of the given merchants has the same number of pending events.
 */
export async function withBacklog(
  postgres: Postgres,
  merchants: Merchants,
  { merchantIds, each }: { readonly merchantIds: readonly string[]; readonly each: number },
): Promise<Merchants> {
  const draft = await postgres.copy(merchants.template)
  await queueEvents(draft.db, merchantIds, each)
  await draft.settleAndClose()
  return { ...merchants, template: draft.name }
}
