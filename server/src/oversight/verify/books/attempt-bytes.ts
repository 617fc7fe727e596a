/**
 * Checks the stored bytes of signed transactions: they must have the stored hash, and the stored wallet must
 * have signed them.
 */
import sql from 'sql-template-tag'
import { allNetworks, networkOf } from '../../../chains/networks.ts'
import { SignedBytesError, type SpendCodec, type UnsignedTransaction } from '../../../chains/port.ts'
import { spendCodecOf, spendCodecs, utxoTransactionId } from '../../../chains/spend-codecs.ts'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inRandomOrder } from '../random-order.ts'
import { inOneScan } from '../scan.ts'

/**
 * Maximum number of the newest attempts that are checked, and of older attempts that are chosen at random.
 * There is a limit because checking one signature takes up to 1.6 ms.
 */
const newestMax = 500
const sampledMax = 500

interface AttemptRow {
  readonly network: string
  readonly family: string
  readonly txHash: string
  readonly raw: string
  readonly wallet: string
  readonly nonce: number
  /**
   * The recipient of the payment, null if the attempt pays nobody. `netMinor` is the amount, and is then null
   * too.
   */
  readonly address: string | null
  readonly contract: string | null
  readonly netMinor: string | null
}

/**
 * On a UTXO network only the hash is compared. The hash covers the inputs and outputs of the transaction.
 * Once the transaction is mined, the invariants M10-chain and M20 compare its inputs and outputs with the
 * chain.
 */
export const bytesAreTheAttempts: Invariant = inOneScan({
  id: 'M10-bytes',
  title: `the bytes of the newest ${newestMax} attempts, and of as many random ones, are what their wallets signed`,
  unit: 'attempts',
  check: async ({ on }) => {
    const known = allNetworks()
    const rows = await on.query<AttemptRow>(sql`
      with attempt as (
        select attempt.*, evm.wallet, evm.nonce, intent::jsonb #> '{payments,0}' as payment
        from outgoing_transaction_attempt attempt
        join outgoing_transaction on outgoing_transaction.id = attempt.outgoing_transaction_id
        left join outgoing_evm evm on evm.outgoing_transaction_id = outgoing_transaction.id
      ), newest as (
        select * from attempt order by signed_at desc, tx_hash limit ${newestMax}
      ), sampled as (
        select * from attempt where tx_hash not in (select tx_hash from newest)
        order by ${inRandomOrder(sql`tx_hash`)} limit ${sampledMax}
      )
      select looked.network, family, tx_hash as "txHash", raw, wallet, nonce, payment ->> 'address' as address,
        payment ->> 'contract' as contract, rtrim(payment ->> 'netMinor', 'n') as "netMinor"
      from (select * from newest union all select * from sampled) looked
      join unnest(${known.map(({ name }) => name)}::text[], ${known.map(({ family }) => family)}::text[])
        as network (name, family) on network.name = looked.network
      order by signed_at desc, tx_hash`)
    const findings = rows.flatMap((row) => {
      const error = errorOf(row)
      return error === undefined ? [] : [`the bytes of ${row.txHash}: ${error}`]
    })
    return { examined: rows.length, findings: findings.slice(0, findingsMax) }
  },
})

function errorOf(row: AttemptRow): string | undefined {
  try {
    if (row.family === 'utxo') return hashErrorOf(row, utxoTransactionId(row.raw))
    const codec = codecOf(row)
    const { txHash, unsigned } = codec.readSigned(row.raw, row.wallet)
    return hashErrorOf(row, txHash) ?? spendErrorOf(row, codec.parse(unsigned))
  } catch (error) {
    if (error instanceof SignedBytesError) return error.message
    throw error
  }
}

function codecOf({ network }: AttemptRow): SpendCodec {
  const row = networkOf(network)
  return row?.family === 'evm' ? spendCodecOf(row) : spendCodecs.evm
}

function hashErrorOf({ txHash }: AttemptRow, found: string): string | undefined {
  return found === txHash ? undefined : `their hash is ${found}`
}

function spendErrorOf(
  { nonce, address, contract, netMinor }: AttemptRow,
  { nonce: signedNonce, spend }: UnsignedTransaction,
): string | undefined {
  if (signedNonce !== nonce) return `they were signed for nonce ${signedNonce}, not for ${nonce}`
  if (address === null || netMinor === null) return undefined
  const paid =
    spend.type === 'pay' &&
    spend.recipient === address &&
    `${spend.amountMinor}` === netMinor &&
    (spend.asset.type === 'token' ? spend.asset.contract : null) === contract
  return paid ? undefined : `they do not pay ${netMinor} to ${address}`
}
