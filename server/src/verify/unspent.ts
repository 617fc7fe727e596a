/** The node's list of unspent outputs at our addresses is ours, where money lies in outpoints. */
import sql from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../chains/networks.ts'
import type { Queryable } from '../db/pool.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'
import { type ChainInvariant, type ComparedChain, findingsMax, type Outcome } from './invariant.ts'

const addressesAtOnce = 500

/**
 * Of each address, at the cursor's block: what it holds at the node = the coins that are listed. More may be there, which
 * came before the chain was followed: that is told and breaks nothing; less breaks it, by one unit.
 */
export function coinsAreTheChains(network: NetworkName): ChainInvariant {
  return {
    id: 'M20',
    title: `our addresses of ${network} hold the coins that are listed`,
    unit: 'addresses',
    network,
    prepare: async ({ on }) => {
      const cursor = await readCursorBlock(on, network)
      if (cursor === undefined) return async () => unseen('no block was read yet')
      const held = await readHeld(on, network)
      return (chain, signal) => whileAt(chain, cursor, signal, () => compare(chain, cursor, held, signal))
    },
  }
}

interface Held {
  readonly address: string
  readonly minor: bigint
}

async function readHeld(on: Queryable, network: NetworkName): Promise<readonly Held[]> {
  const rows = await on.query<{ address: string; minor: string }>(sql`
    with ours as (
      select address from address where family = ${addressFamilyOf(network)}
      union select address from hot_place where network = ${network} and is_given
    )
    select ours.address, coalesce(sum(amount_minor), 0) as minor
    from ours
    left join coin on coin.network = ${network} and coin.address = ours.address and coin.spent_by is null
    group by ours.address order by ours.address`)
  return rows.map(({ address, minor }) => ({ address, minor: BigInt(minor) }))
}

async function compare(
  { reader }: ComparedChain,
  { height }: CursorBlock,
  held: readonly Held[],
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  const remarks: string[] = []
  for (let from = 0; from < held.length; from += addressesAtOnce) {
    const some = held.slice(from, from + addressesAtOnce)
    const addresses = some.map(({ address }) => address)
    const told = await reader.readBalances({ type: 'coin' }, addresses, height, signal)
    for (const [place, { address, minor }] of some.entries()) {
      const there = told[place] ?? 0n
      const at = `at block ${height} ${address} holds ${there} by the node, ${minor} by our list`
      if (there < minor) findings.push(at)
      if (there > minor) remarks.push(`unlisted: ${at}`)
    }
  }
  return {
    examined: held.length,
    findings: findings.slice(0, findingsMax),
    remarks: remarks.slice(0, findingsMax),
  }
}
