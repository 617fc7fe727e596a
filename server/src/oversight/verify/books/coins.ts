/** The list of our coins says the same as the ledger, where money lies in outpoints. */
import sql from 'sql-template-tag'
import { networks } from '../../../chains/networks.ts'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

const coinAssets = Object.values(networks)
  .filter(({ family }) => family === 'utxo')
  .map(({ name, coin }) => ({ name, asset: `${name}/${coin.symbol}` }))
const names = coinAssets.map(({ name }) => name)
const assets = coinAssets.map(({ asset }) => asset)

/** Hashes of transactions of ours whose end the ledger does not tell of yet. */
const unsettled = sql`
  select network, tx_hash from payout_attempt attempt join payout using (network)
  where payout.id = attempt.payout_id and payout.state not in ('final', 'displaced')`

/**
 * What blocks brought and what they took is in the list with the block; the ledger tells of a deposit when it is
 * confirmed, and of what we sent when it is final.
 */
const coinsAreTheBooks = sqlInvariant({
  id: 'M20-books',
  title:
    'the coins that are listed are what the ledger says we hold, and what it will say of blocks it waits for',
  unit: 'coins',
  examined: sql`select count(*) as examined from coin`,
  breaches: () => sql`
    with unsettled as (${unsettled}), listed as (
      select coin.network, sum(amount_minor) as minor from coin
      where not exists (select from unsettled u where u.network = coin.network and u.tx_hash = coin.tx_hash)
        and (spent_by is null
          or exists (select from unsettled u where u.network = coin.network and u.tx_hash = coin.spent_by))
      group by coin.network
    ), booked as (
      select asset, sum(minor) as minor from (
        select asset, debits - credits as minor from ledger_account where name = 'custody'
        union all
        select asset, amount_minor from transaction where state = 'pending' and block_height is not null
      ) held
      group by asset
    )
    select format('%s of %s are listed as coins, the books say %s', coalesce(listed.minor, 0), own.asset,
      coalesce(booked.minor, 0)) as finding
    from unnest(${names}::text[], ${assets}::text[]) as own (network, asset)
    left join listed on listed.network = own.network
    left join booked on booked.asset = own.asset
    where coalesce(listed.minor, 0) <> coalesce(booked.minor, 0)`,
})

const coinsAreOfBlocks = sqlInvariant({
  id: 'M20-blocks',
  title: 'each coin was made, and spent, no higher than our blocks reach, and by a transaction of ours',
  unit: 'coins',
  examined: sql`select count(*) as examined from coin`,
  breaches: () => sql`
    select format('coin %s of %s: %s', outpoint, coin.network, fault) as finding
    from coin
    left join chain_cursor cursor on cursor.network = coin.network
    cross join lateral (values
      (coin.height > coalesce(cursor.height, -1), 'it is above our blocks'),
      (spent_height > cursor.height, 'it is spent above our blocks'),
      (spent_height < coin.height, 'it is spent before it was made'),
      (spent_by is not null and not exists (
        select from payout_attempt where network = coin.network and tx_hash = spent_by
      ), 'none of our transactions spent it: its key may be in other hands')
    ) check_of (is_broken, fault)
    where is_broken`,
})

export const coinInvariants: readonly Invariant[] = [coinsAreTheBooks, coinsAreOfBlocks]
