/** Money left once for each withdrawal, and every transaction of ours is where the books say. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/** Bytes are about that a node may yet mine, or has mined in a block that may yet go. */
const openStates = sql`('signed', 'broadcast', 'in_doubt', 'included')`

/** Each payment of each payout, in the words that went to the signer. */
const paid = sql`
  select payout.id, payout.state, payout.is_success, payout.included_tx_hash,
    payment ->> 'withdrawalId' as withdrawal_id, payment ->> 'merchantId' as merchant_id,
    payment ->> 'asset' as asset, payment ->> 'address' as address,
    rtrim(payment ->> 'netMinor', 'n')::numeric as net, rtrim(payment ->> 'feeMinor', 'n')::numeric as fee
  from payout cross join lateral jsonb_array_elements(payout.intent::jsonb -> 'payments') payment
  where payout.kind = 'withdrawal'`

const paidOnce = sqlInvariant({
  id: 'M10',
  title: 'each completed withdrawal was paid by one transaction, as it was ordered, and no other was paid',
  unit: 'withdrawals',
  examined: sql`select count(*) as examined from withdrawal`,
  breaches: () => sql`
    with paid as (${paid}), counted as (
      select withdrawal_id,
        count(*) filter (where state = 'final' and is_success) as done,
        count(*) filter (where state in ${openStates}) as open,
        min(included_tx_hash) filter (where state = 'final' and is_success) as tx_hash
      from paid group by withdrawal_id
    )
    select format('withdrawal %s is %s (%s) and has %s final payments (%s) and %s on their way',
      coalesce(withdrawal.id::text, counted.withdrawal_id), coalesce(withdrawal.state, 'unknown'),
      withdrawal.tx_hash, coalesce(done, 0), counted.tx_hash, coalesce(open, 0)) as finding
    from withdrawal full join counted on counted.withdrawal_id = withdrawal.id::text
    where (case withdrawal.state
      when 'completed' then coalesce(done, 0) + coalesce(open, 0) = 1
        and (done = 0 or counted.tx_hash = withdrawal.tx_hash)
      when 'pending' then coalesce(done, 0) = 0 and coalesce(open, 0) <= 1
      else withdrawal.id is not null and coalesce(done, 0) + coalesce(open, 0) = 0
    end) is not true
    union all
    select format('payout %s pays %s of %s to %s for withdrawal %s, which is of %s less %s to %s', paid.id, paid.net,
      paid.asset, paid.address, withdrawal.id, amount_minor, fee_minor, withdrawal.address)
    from paid join withdrawal on withdrawal.id::text = paid.withdrawal_id
    where (paid.net, paid.fee, paid.asset, paid.address, paid.merchant_id) is distinct from
      (amount_minor - fee_minor, fee_minor, withdrawal.asset, withdrawal.address, withdrawal.merchant_id::text)`,
})

const feesAreBooked = sqlInvariant({
  id: 'M10-fees',
  title: 'the network fee of each final transaction of ours is booked, once and as its receipt says',
  unit: 'final payouts',
  examined: sql`select count(*) as examined from payout where state = 'final'`,
  breaches: () => sql`
    with posted as (
      select split_part(journal.subject, ':', 2) as tx_hash, line.debit - line.credit as fee
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'network_fees'
      where journal.subject like 'network-fee:%'
    ), booked as (
      -- Under the attempt that is mined: a dev chain that lost a final block may have mined another one then.
      select coalesce(included_tx_hash, posted.tx_hash) as tx_hash, sum(fee) as fee
      from posted
      left join payout_attempt attempt on attempt.tx_hash = posted.tx_hash
      left join payout on payout.id = attempt.payout_id
      group by 1
    ), costing as (
      select id::text, state, fee_minor, included_tx_hash from payout where state = 'final'
      union all
      select tx_hash, 'found on the chain', fee_minor, tx_hash from payout_outflow
    )
    select format('payout %s (%s) paid a fee of %s in %s, booked is %s',
      coalesce(payout.id, 'unknown'), payout.state, fee_minor, coalesce(payout.included_tx_hash, booked.tx_hash),
      booked.fee) as finding
    from costing payout
    full join booked on booked.tx_hash = payout.included_tx_hash
    where booked.fee is distinct from fee_minor
      and not (payout.id is null and exists (
        select from payout_attempt attempt join payout open on open.id = attempt.payout_id
        where attempt.tx_hash = booked.tx_hash and open.state in ${openStates}))
      and not (fee_minor = 0 and booked.tx_hash is null)`,
})

const sentStages = sql`('signed', 'broadcast', 'in_doubt')`

const payoutStates = sqlInvariant({
  id: 'M16-payouts',
  title: 'the state of each payout and withdrawal fits what was signed and mined for it',
  unit: 'payouts and withdrawals',
  examined: sql`select (select count(*) from payout) + (select count(*) from withdrawal) as examined`,
  breaches: () => sql`
    with paid as (${paid})
    select format('payout %s is %s: %s', payout.id, state, fault) as finding
    from payout cross join lateral (values
      (state = 'planned' and exists (select from payout_attempt where payout_id = payout.id), 'it was signed'),
      (state <> 'planned' and not exists (select from payout_attempt where payout_id = payout.id),
        'nothing was signed for it'),
      (state = 'planned' and exists (
        select from paid join withdrawal on withdrawal.id::text = paid.withdrawal_id
        where paid.id = payout.id and withdrawal.state <> 'pending'
      ), 'what it is to pay has ended'),
      (included_tx_hash is not null and not exists (
        select from payout_attempt where payout_id = payout.id and tx_hash = included_tx_hash
      ), 'what is in the block was not signed for it'),
      ((state in ('final', 'displaced')) <> (ended_at is not null), 'its end says otherwise'),
      ((state in ('included', 'final')) <> (included_height is not null), 'its block says otherwise'),
      (state = 'final' and exists (
        select from block where block.network = payout.network and height = included_height
          and hash <> included_block_hash
      ), 'its block is not canonical')
    ) check_of (is_broken, fault)
    where is_broken
    union all
    select format('withdrawal %s is %s (%s): %s', withdrawal.id, state, stage, fault)
    from withdrawal cross join lateral (values
      ((state = 'pending') <> (stage is not null), 'its stage says otherwise'),
      (state = 'completed' and tx_hash is null, 'nothing was sent for it'),
      (stage in ('queued', 'approved', 'planned') and exists (
        select from paid where withdrawal_id = withdrawal.id::text and paid.state in ${openStates}
      ), 'a transaction for it is on its way'),
      (stage in ${sentStages} and not exists (
        select from paid where withdrawal_id = withdrawal.id::text and paid.state in ${openStates}
      ), 'no transaction for it is on its way'),
      (stage in ('broadcast', 'in_doubt') and not exists (
        select from paid join payout_attempt on payout_id = paid.id
        where withdrawal_id = withdrawal.id::text and payout_attempt.tx_hash = withdrawal.tx_hash
      ), 'the transaction that it names is not its own')
    ) check_of (is_broken, fault)
    where is_broken`,
})

/** The numbers of deposit addresses also count their delegations, so only lanes' are without gaps. */
const noncesAreContiguous = sqlInvariant({
  id: 'M19',
  title: 'the nonces of each hot wallet are contiguous, and no two payouts share one',
  unit: 'payouts',
  examined: sql`select count(*) as examined from payout`,
  breaches: () => sql`
    with used as (
      select network, wallet, nonce, wallet_place ->> 'type' = 'lane' as is_lane from payout where not is_superseded
      union all
      select network, wallet, nonce, true from payout_outflow where nonce is not null
    )
    select format('%s on %s has %s payouts with nonces from %s to %s', wallet, network, count(*), min(nonce), max(nonce))
      as finding
    from used where is_lane
    group by network, wallet
    having count(*) <> max(nonce) - min(nonce) + 1
    union all
    select format('%s on %s has %s payouts of nonce %s', wallet, network, count(*), nonce)
    from used group by network, wallet, nonce
    having count(*) > 1`,
})

export const payoutInvariants: readonly Invariant[] = [
  paidOnce,
  feesAreBooked,
  payoutStates,
  noncesAreContiguous,
]
