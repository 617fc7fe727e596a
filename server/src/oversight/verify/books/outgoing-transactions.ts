/**
 * Checks that each completed withdrawal was paid exactly once, and that the state of every outgoing
 * transaction matches the other rows.
 */
import sql from 'sql-template-tag'
import { dataFeeNetworks } from '../../../chains/evm/evm-networks.ts'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * The states of an outgoing transaction that is signed but not final: it may still be mined, or is mined in a
 * block that may still be replaced.
 */
const openStates = sql`('signed', 'broadcast', 'needs_recheck', 'included')`

/** SQL: each payment of each outgoing transaction for withdrawals, as the signer received it. */
const paid = sql`
  select outgoing_transaction.id, outgoing_transaction.state, outgoing_transaction.is_success, outgoing_transaction.included_tx_hash,
    payment ->> 'withdrawalId' as withdrawal_id, payment ->> 'merchantId' as merchant_id,
    payment ->> 'asset' as asset, payment ->> 'address' as address,
    rtrim(payment ->> 'netMinor', 'n')::numeric as net, rtrim(payment ->> 'feeMinor', 'n')::numeric as fee
  from outgoing_transaction cross join lateral jsonb_array_elements(outgoing_transaction.intent::jsonb -> 'payments') payment
  where outgoing_transaction.kind = 'withdrawal'`

const paidOnce = sqlInvariant({
  id: 'M10',
  title: 'each completed withdrawal was paid by one transaction, as it was ordered, and no other was paid',
  unit: 'withdrawals',
  examined: sql`select count(*) as examined from withdrawal`,
  violations: () => sql`
    with paid as (${paid}), counted as (
      select withdrawal_id,
        count(*) filter (where state = 'final' and is_success) as done,
        count(*) filter (where state in ${openStates}) as open,
        min(included_tx_hash) filter (where state = 'final' and is_success) as tx_hash
      from paid group by withdrawal_id
    )
    select format('withdrawal %s is %s (%s) and has %s final payments (%s) and %s pending payments',
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
    select format('outgoing transaction %s pays %s of %s to %s for withdrawal %s, which is of %s less %s to %s', paid.id, paid.net,
      paid.asset, paid.address, withdrawal.id, amount_minor, fee_minor, withdrawal.address)
    from paid join withdrawal on withdrawal.id::text = paid.withdrawal_id
    where (paid.net, paid.fee, paid.asset, paid.address, paid.merchant_id) is distinct from
      (amount_minor - fee_minor, fee_minor, withdrawal.asset, withdrawal.address, withdrawal.merchant_id::text)`,
})

const feesAreBooked = sqlInvariant({
  id: 'M10-fees',
  title: 'the network fee of each final transaction of ours is booked, once and as its receipt says',
  unit: 'final transactions',
  examined: sql`select count(*) as examined from outgoing_transaction where state = 'final'`,
  violations: () => sql`
    with posted as (
      select split_part(journal.subject, ':', 2) as tx_hash, line.debit - line.credit as fee
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'network_fees'
      where journal.subject like 'network-fee:%'
    ), booked as (
      -- Booked under the attempt that is mined now. A dev chain that lost a final block may have mined
      -- another attempt when the fee was booked.
      select coalesce(included_tx_hash, posted.tx_hash) as tx_hash, sum(fee) as fee
      from posted
      left join outgoing_transaction_attempt attempt on attempt.tx_hash = posted.tx_hash
      left join outgoing_transaction on outgoing_transaction.id = attempt.outgoing_transaction_id
      group by 1
    ), costing as (
      select id::text, state, fee_minor, included_tx_hash from outgoing_transaction where state = 'final'
      union all
      select tx_hash, 'found on the chain', fee_minor, tx_hash from wallet_outflow
    )
    select format('outgoing transaction %s (%s) paid a fee of %s in %s, booked is %s',
      coalesce(outgoing_transaction.id, 'unknown'), outgoing_transaction.state, fee_minor, coalesce(outgoing_transaction.included_tx_hash, booked.tx_hash),
      booked.fee) as finding
    from costing outgoing_transaction
    full join booked on booked.tx_hash = outgoing_transaction.included_tx_hash
    where booked.fee is distinct from fee_minor
      and not (outgoing_transaction.id is null and exists (
        select from outgoing_transaction_attempt attempt join outgoing_transaction open on open.id = attempt.outgoing_transaction_id
        where attempt.tx_hash = booked.tx_hash and open.state in ${openStates}))
      and not (fee_minor = 0 and booked.tx_hash is null)`,
})

const sentStages = sql`('signed', 'broadcast', 'needs_recheck')`

const outgoingTransactionStates = sqlInvariant({
  id: 'M16-outgoing-transactions',
  title: 'the state of each outgoing transaction and withdrawal matches what was signed and mined for it',
  unit: 'outgoing transactions and withdrawals',
  examined: sql`select (select count(*) from outgoing_transaction) + (select count(*) from withdrawal) as examined`,
  violations: () => sql`
    with paid as (${paid})
    select format('outgoing transaction %s is %s: %s', outgoing_transaction.id, state, error) as finding
    from outgoing_transaction
    left join outgoing_evm evm on evm.outgoing_transaction_id = outgoing_transaction.id
    left join outgoing_utxo utxo on utxo.outgoing_transaction_id = outgoing_transaction.id
    cross join lateral (values
      (state = 'planned' and exists (select from outgoing_transaction_attempt where outgoing_transaction_id = outgoing_transaction.id), 'it was signed'),
      (state <> 'planned' and not exists (select from outgoing_transaction_attempt where outgoing_transaction_id = outgoing_transaction.id),
        'nothing was signed for it'),
      (state = 'planned' and exists (
        select from paid join withdrawal on withdrawal.id::text = paid.withdrawal_id
        where paid.id = outgoing_transaction.id and withdrawal.state <> 'pending'
      ), 'the withdrawal that it pays has ended'),
      (included_tx_hash is not null and not exists (
        select from outgoing_transaction_attempt where outgoing_transaction_id = outgoing_transaction.id and tx_hash = included_tx_hash
      ), 'the transaction in the block was not signed for it'),
      ((state in ('final', 'conflicted')) <> (ended_at is not null), 'its end time does not match'),
      ((evm.outgoing_transaction_id is null) = (utxo.outgoing_transaction_id is null),
        'it has not one slot in one family of chains'),
      (coalesce(evm.network, utxo.network) <> outgoing_transaction.network, 'its slot is in another network'),
      (evm.is_superseded and state <> 'conflicted', 'it is superseded and did not conflict'),
      (state = 'conflicted' and not utxo.is_released, 'it conflicted and still reserves its pinned output'),
      (utxo.outgoing_transaction_id is not null and not exists (
        select from outgoing_transaction_input input
        where input.outgoing_transaction_id = outgoing_transaction.id and ordinal = 0
          and input.network = utxo.network and outpoint = pinned_outpoint and input.is_released = utxo.is_released
      ), 'its first input is not its pinned output'),
      -- On networks with a data fee, the maximum cost also contains the amount that is set aside for it.
      (case when outgoing_transaction.network = any(${dataFeeNetworks}::text[])
        then max_cost_minor < gas_limit * max_fee_per_gas
        else max_cost_minor <> coalesce(gas_limit * max_fee_per_gas, vbytes * fee_rate)
      end, 'its fees cost something else'),
      ((state in ('included', 'final')) <> (included_height is not null), 'its block does not match'),
      (state = 'final' and exists (
        select from block where block.network = outgoing_transaction.network and height = included_height
          and hash <> included_block_hash
      ), 'its block is not canonical')
    ) check_of (is_broken, error)
    where is_broken
    union all
    select format('withdrawal %s is %s (%s): %s', withdrawal.id, state, stage, error)
    from withdrawal cross join lateral (values
      ((state = 'pending') <> (stage is not null), 'its stage does not match'),
      (state = 'completed' and tx_hash is null, 'nothing was sent for it'),
      (stage in ('queued', 'approved', 'planned') and exists (
        select from paid where withdrawal_id = withdrawal.id::text and paid.state in ${openStates}
      ), 'a transaction for it is pending'),
      (stage in ${sentStages} and not exists (
        select from paid where withdrawal_id = withdrawal.id::text and paid.state in ${openStates}
      ), 'no transaction for it is pending'),
      (stage in ('broadcast', 'needs_recheck') and not exists (
        select from paid join outgoing_transaction_attempt on outgoing_transaction_id = paid.id
        where withdrawal_id = withdrawal.id::text and outgoing_transaction_attempt.tx_hash = withdrawal.tx_hash
      ), 'the transaction that it names was not signed for it')
    ) check_of (is_broken, error)
    where is_broken`,
})

/**
 * Only the nonces of hot wallets must have no gaps. A deposit address may have gaps between its transactions,
 * because its delegations (EIP-7702) also use nonces.
 */
const noncesAreContiguous = sqlInvariant({
  id: 'M19',
  title: 'the nonces of each hot wallet are contiguous, and no two transactions share one',
  unit: 'outgoing transactions',
  examined: sql`select count(*) as examined from outgoing_transaction`,
  violations: () => sql`
    with used as (
      select network, wallet, nonce, hot_wallet is not null as is_hot_wallet from outgoing_evm where not is_superseded
      union all
      select network, wallet, nonce, true from wallet_outflow where nonce is not null
    )
    select format('%s on %s has %s outgoing transactions with nonces from %s to %s', wallet, network, count(*), min(nonce), max(nonce))
      as finding
    from used where is_hot_wallet
    group by network, wallet
    having count(*) <> max(nonce) - min(nonce) + 1
    union all
    select format('%s on %s has %s outgoing transactions of nonce %s', wallet, network, count(*), nonce)
    from used group by network, wallet, nonce
    having count(*) > 1`,
})

export const outgoingTransactionInvariants: readonly Invariant[] = [
  paidOnce,
  feesAreBooked,
  outgoingTransactionStates,
  noncesAreContiguous,
]
