/** Inserts outgoing transactions by hand, for tests of the code that reads them. */
import sql from 'sql-template-tag'
import type { OutgoingTransactionState } from '../../src/outgoing/engine/outgoing-transaction.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { type Intent, intentText } from '../../src/signing/intent.ts'

export interface MadeOutgoingTransaction {
  readonly id: string
  readonly intent: Intent
  readonly wallet: string
  readonly nonce: number
  readonly state: OutgoingTransactionState
  readonly txHash: string
  /** The bytes of its attempt, for tests that parse them. */
  readonly raw?: string
  readonly inclusion?: {
    readonly height: number
    readonly blockHash: string
    readonly isSuccess: boolean
    readonly feeMinor: bigint
  }
}

/** Inserts an outgoing transaction with one attempt. One that is only planned gets no attempt. */
export async function insertOutgoingTransaction(on: Queryable, made: MadeOutgoingTransaction): Promise<void> {
  const { id, intent, wallet, nonce, state, txHash, raw = '00', inclusion } = made
  const isOver = state === 'final' || state === 'conflicted'
  await on.query(sql`
    insert into outgoing_transaction (id, network, kind, intent, state, max_cost_minor,
      included_tx_hash, included_height, included_block_hash, is_success, fee_minor, ended_at)
    values (${id}, 'ethereum', ${intent.kind}, ${intentText(intent)},
      ${state}, 9, ${inclusion && txHash}, ${inclusion?.height}, ${inclusion?.blockHash}, ${inclusion?.isSuccess},
      ${inclusion?.feeMinor}, ${isOver ? new Date() : null})`)
  await on.query(sql`
    insert into outgoing_evm (outgoing_transaction_id, network, wallet, nonce, hot_wallet, gas_limit, max_fee_per_gas,
      max_priority_fee_per_gas)
    values (${id}, 'ethereum', ${wallet}, ${nonce}, 0, 9, 1, 1)`)
  if (state === 'planned') return
  await on.query(sql`
    insert into outgoing_transaction_attempt (network, tx_hash, outgoing_transaction_id, raw, max_cost_minor)
    values ('ethereum', ${txHash}, ${id}, ${raw}, 1)`)
}

/**
 * An order without a valid signature. The signer would refuse it, so use it only for payments that
 * the signer never receives.
 */
export const unsignedOrder = { invoiceId: null, orderSignature: '', mac: '00' } as const

/** Returns the intent of an EVM withdrawal, with an invalid MAC. */
export function withdrawalIntent(of: {
  readonly id: string
  readonly merchantId: string
  readonly asset: string
  readonly address: string
  readonly netMinor: bigint
  readonly feeMinor: bigint
}): Intent {
  const { id: withdrawalId, ...rest } = of
  return { kind: 'withdrawal', payments: [{ ...rest, withdrawalId, contract: null, ...unsignedOrder }] }
}
