/** Stored bytes are what was signed: they have the hash that is stored with them, and their wallet signed them. */
import sql from 'sql-template-tag'
import { networks } from '../../../chains/networks.ts'
import { SignedBytesError, type UnsignedTransaction } from '../../../chains/port.ts'
import { coinTransactionId, spendCodecs } from '../../../chains/spend-codecs.ts'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inOneLook } from '../look.ts'

/** A signature takes up to 1.6 ms to check: of the newest so many are, and of as many others by chance. */
const newestMax = 500
const sampledMax = 500

interface AttemptRow {
  readonly family: string
  readonly txHash: string
  readonly raw: string
  readonly wallet: string
  readonly nonce: number
  /** Of a payment: where it goes, and how much. */
  readonly address: string | null
  readonly contract: string | null
  readonly netMinor: string | null
}

/**
 * Where money lies in coins the hash alone is compared: it stands for what is spent and paid, which the chain shows once it is
 * mined (M10-chain, M20).
 */
export const bytesAreTheAttempts: Invariant = inOneLook({
  id: 'M10-bytes',
  title: `the bytes of the newest ${newestMax} attempts, and of as many by chance, are what their wallets signed`,
  unit: 'attempts',
  check: async ({ on }) => {
    const known = Object.values(networks)
    const rows = await on.query<AttemptRow>(sql`
      with attempt as (
        select payout_attempt.*, wallet, nonce, intent::jsonb #> '{payments,0}' as payment
        from payout_attempt join payout on payout.id = payout_id
      ), newest as (
        select * from attempt order by signed_at desc, tx_hash limit ${newestMax}
      ), sampled as (
        select * from attempt where tx_hash not in (select tx_hash from newest) order by random() limit ${sampledMax}
      )
      select family, tx_hash as "txHash", raw, wallet, nonce, payment ->> 'address' as address,
        payment ->> 'contract' as contract, rtrim(payment ->> 'netMinor', 'n') as "netMinor"
      from (select * from newest union all select * from sampled) looked
      join unnest(${known.map(({ name }) => name)}::text[], ${known.map(({ family }) => family)}::text[])
        as network (name, family) on network.name = looked.network`)
    const findings = rows.flatMap((row) => {
      const fault = faultOf(row)
      return fault === undefined ? [] : [`the bytes of ${row.txHash}: ${fault}`]
    })
    return { examined: rows.length, findings: findings.slice(0, findingsMax) }
  },
})

function faultOf(row: AttemptRow): string | undefined {
  try {
    if (row.family === 'utxo') return hashFaultOf(row, coinTransactionId(row.raw))
    const { txHash, unsigned } = spendCodecs.evm.readSigned(row.raw, row.wallet)
    return hashFaultOf(row, txHash) ?? spendFaultOf(row, spendCodecs.evm.parse(unsigned))
  } catch (error) {
    if (error instanceof SignedBytesError) return error.message
    throw error
  }
}

function hashFaultOf({ txHash }: AttemptRow, found: string): string | undefined {
  return found === txHash ? undefined : `their hash is ${found}`
}

function spendFaultOf(
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
