/**
 * Checks that the money on hold is the sum of the pending withdrawals. Also checks that each hold ends
 * together with its withdrawal: the money is either sent or returned.
 */
import sql from 'sql-template-tag'
import { dataFeeNetworks } from '../../../chains/evm/evm-networks.ts'
import type { Invariant } from '../invariant.ts'
import { orphansOf, slicedInvariant, summedInvariant } from '../sql-invariant.ts'

const holdsEqualOpenWithdrawals = summedInvariant({
  id: 'M5',
  title: 'the held amount is the sum of the pending withdrawals',
  unit: 'accounts',
  examined: sql`select count(*) as examined from ledger_account where name = 'held'`,
  violations: (summed) => sql`
    select format('%s has %s of %s held, its pending withdrawals are for %s',
      owner_id, coalesce(held, 0), asset, coalesce(ordered, 0)) as finding
    from (
      select owner_id, asset, sum(credit - debit) as held
      from ledger_account account join (${summed}) line on line.account_id = account.id
      where account.name = 'held'
      group by owner_id, asset
    ) booked
    full join (
      select merchant_id as owner_id, asset, sum(amount_minor) as ordered
      from withdrawal where state = 'pending'
      group by merchant_id, asset
    ) open using (owner_id, asset)
    where coalesce(held, 0) <> coalesce(ordered, 0)`,
})

/** The journals of a withdrawal are found by their subject, `withdrawal:<id>:...`. */
const resolvedOnce = () => sql`
    with booked as (
      select split_part(journal.subject, ':', 2) as id,
        count(distinct journal.id) filter (where kind in ('withdrawal.requested', 'withdrawal.retaken')) as holds,
        count(distinct journal.id) filter (where kind not in
          ('withdrawal.requested', 'withdrawal.retaken', 'withdrawal.failure_charged')) as releases,
        -- The amounts that failures on chain took from each hold. If a failure took the whole hold, nothing
        -- is left to release.
        coalesce(array_agg(debit) filter (where kind = 'withdrawal.failure_charged' and account.name = 'held'), '{}')
          as charges,
        array_agg(distinct kind) as kinds,
        coalesce(sum(debit) filter (where account.name = 'available'), 0) as taken,
        coalesce(sum(credit) filter (where account.name = 'held'), 0) as held,
        coalesce(sum(debit) filter (where account.name = 'held'), 0) as released,
        coalesce(sum(credit) filter (where account.name = 'custody'), 0) as sent,
        coalesce(sum(credit) filter (where account.name = 'fees' and kind <> 'withdrawal.failure_charged'), 0) as fee,
        coalesce(sum(credit) filter (where account.name = 'available'), 0) as returned
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id
      where journal.kind like 'withdrawal.%'
      group by 1
    ), expected as (
      select id::text, state, amount_minor, fee_minor, coalesce(network_cost_minor, 0) as network_cost,
        -- A data fee may rise above the amount that was set aside for it.
        (select coalesce(sum(case when network = any(${dataFeeNetworks}::text[])
            then greatest(max_cost_minor, fee_minor) else max_cost_minor end), 0) from outgoing_transaction
          where outgoing_transaction.id = withdrawal.id and is_success is not true) as most_cost,
        failure_coin_price_usd, state = 'completed' as is_sent,
        (state in ('failed', 'cancelled'))::integer as returns, (state <> 'pending')::integer as ends,
        (retaken_at is not null)::integer as retakes
      from withdrawal
    )
    select format('withdrawal %s is %s, of %s with a fee of %s: taken %s, held %s, released %s, sent %s, fee %s, returned %s, '
        || 'charged %s of %s',
      coalesce(expected.id, booked.id), coalesce(state, 'gone'), amount_minor, fee_minor,
      taken, held, released, sent, fee, returned, charged, network_cost) as finding
    from expected full join booked using (id)
    cross join lateral (
      select coalesce(sum(charge), 0) as charged, count(*) filter (where charge = amount_minor) as emptied
      from unnest(charges) charge
    ) failures
    where (holds = 1 + retakes and taken = amount_minor * holds and held = amount_minor * holds
      and releases + emptied = ends + retakes
      and (state = 'pending' or 'withdrawal.' || state = any (kinds) or state = 'failed' and emptied > 0)
      and released = amount_minor * (ends + retakes)
      -- A charge in a token is converted from the native coin. Only the highest possible cost in the native
      -- coin is known.
      and charged = network_cost
      and (charged = 0 or returns + retakes > 0 and most_cost > 0
        and (failure_coin_price_usd is not null or charged <= most_cost + 10000000000))
      and sent = case when is_sent then amount_minor - fee_minor else 0 end
      and fee = case when is_sent then fee_minor else 0 end
      and returned = amount_minor * (returns + retakes) - charged) is not true`

const holdsResolveOnce = slicedInvariant({
  id: 'M6',
  title:
    'each withdrawal was held once, and released once when it ended; twice if it was signed after it had ended',
  unit: 'withdrawals',
  parts: [
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'journal'],
      since: 'withdrawals',
      examined: sql`select count(*) as examined from withdrawal`,
      violations: resolvedOnce,
    },
    orphansOf(['withdrawals'], 'journal', {
      kinds: sql`kind like 'withdrawal.%'`,
      others: ['withdrawal'],
      violations: resolvedOnce,
    }),
  ],
})

export const holdInvariants: readonly Invariant[] = [holdsEqualOpenWithdrawals, holdsResolveOnce]
