/** The node's list of unspent outputs at our addresses is ours, where money lies in outpoints. */
import sql from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../../chains/networks.ts'
import type { ChainReader, ToldCoin } from '../../../chains/port.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type ChainInvariant, type ComparedChain, findingsMax, type Outcome } from '../invariant.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'

const addressesAtOnce = 500

/**
 * Of each address, at the cursor's block: what it holds at the node = the coins that are listed. More may be there, which
 * came before the chain was followed: that is told and breaks nothing; less breaks it, by one unit. Where nodes do not tell
 * what addresses hold, each listed coin is asked for.
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
      const coins = await readCoins(on, network)
      return (chain, signal) =>
        whileAt(chain, cursor, signal, () => {
          const { findGone } = chain.reader
          return findGone === undefined
            ? compare(chain, cursor, held, signal)
            : compareCoins(findGone, cursor, coins, signal)
        })
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

function readCoins(on: Queryable, network: NetworkName): Promise<readonly ToldCoin[]> {
  return on
    .query<Omit<ToldCoin, 'amountMinor'> & { minor: string }>(sql`
      select outpoint, address as recipient, amount_minor as minor from coin
      where network = ${network} and spent_by is null order by outpoint`)
    .then((rows) => rows.map(({ minor, ...coin }) => ({ ...coin, amountMinor: BigInt(minor) })))
}

/** Where nodes do not tell what addresses hold: what they hold beside the list is not seen. */
async function compareCoins(
  findGone: NonNullable<ChainReader['findGone']>,
  { height }: CursorBlock,
  coins: readonly ToldCoin[],
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  for (let from = 0; from < coins.length; from += addressesAtOnce) {
    const gone = new Set(await findGone(coins.slice(from, from + addressesAtOnce), height, signal))
    for (const { outpoint, recipient, amountMinor } of coins.slice(from, from + addressesAtOnce))
      if (gone.has(outpoint))
        findings.push(`at block ${height} the node has no coin ${outpoint} of ${amountMinor} at ${recipient}`)
  }
  return { examined: coins.length, findings: findings.slice(0, findingsMax) }
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
