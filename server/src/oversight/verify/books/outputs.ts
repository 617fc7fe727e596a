/** Checks, on UTXO networks, that the list of our UTXOs agrees with the ledger. */
import sql from 'sql-template-tag'
import { networks } from '../../../chains/networks.ts'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

const coinAssets = Object.values(networks)
  .filter(({ family }) => family === 'utxo')
  .map(({ name, coin }) => ({ name, asset: `${name}/${coin.symbol}` }))
const names = coinAssets.map(({ name }) => name)
const assets = coinAssets.map(({ asset }) => asset)

/** SQL: the hashes of our outgoing transactions whose outcome the ledger has not booked yet. */
const unsettled = sql`
  select network, tx_hash from outgoing_transaction_attempt attempt join outgoing_transaction using (network)
  where outgoing_transaction.id = attempt.outgoing_transaction_id and outgoing_transaction.state not in ('final', 'conflicted')`

/**
 * Our list of UTXOs changes with each block, but the ledger changes later. It books a deposit when it is
 * confirmed, and an outgoing transaction when it is final. The query therefore adds deposits that are not
 * confirmed yet to the ledger's amount. It leaves out the outputs that unfinished outgoing transactions
 * created or spent.
 */
const outputsAreTheBooks = sqlInvariant({
  id: 'M20-books',
  title: 'the listed UTXOs match the custody in the ledger, including blocks that are not final yet',
  unit: 'outputs',
  examined: sql`select count(*) as examined from own_output`,
  violations: () => sql`
    with unsettled as (${unsettled}), listed as (
      select own_output.network, sum(amount_minor) as minor from own_output
      where not exists (select from unsettled u where u.network = own_output.network and u.tx_hash = own_output.tx_hash)
        and (spent_by is null
          or exists (select from unsettled u where u.network = own_output.network and u.tx_hash = own_output.spent_by))
      group by own_output.network
    ), booked as (
      select asset, sum(minor) as minor from (
        select asset, debits - credits as minor from ledger_account where name = 'custody'
        union all
        select asset, amount_minor from deposit where state = 'pending' and block_height is not null
      ) held
      group by asset
    )
    select format('%s of %s are listed as UTXOs, the books say %s', coalesce(listed.minor, 0), own.asset,
      coalesce(booked.minor, 0)) as finding
    from unnest(${names}::text[], ${assets}::text[]) as own (network, asset)
    left join listed on listed.network = own.network
    left join booked on booked.asset = own.asset
    where coalesce(listed.minor, 0) <> coalesce(booked.minor, 0)`,
})

const outputsAreOfBlocks = sqlInvariant({
  id: 'M20-blocks',
  title: 'each output was created and spent within our blocks, and spent by a transaction of ours',
  unit: 'outputs',
  examined: sql`select count(*) as examined from own_output`,
  violations: () => sql`
    select format('output %s of %s: %s', outpoint, own_output.network, error) as finding
    from own_output
    left join chain_cursor cursor on cursor.network = own_output.network
    cross join lateral (values
      (own_output.height > coalesce(cursor.height, -1), 'it is above our blocks'),
      (spent_height > cursor.height, 'it is spent above our blocks'),
      (spent_height < own_output.height, 'it is spent before it was created'),
      (spent_by is not null and not exists (
        select from outgoing_transaction_attempt where network = own_output.network and tx_hash = spent_by
      ), 'none of our transactions spent it: its key may be compromised')
    ) check_of (is_broken, error)
    where is_broken`,
})

export const outputInvariants: readonly Invariant[] = [outputsAreTheBooks, outputsAreOfBlocks]
