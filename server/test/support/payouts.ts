/** Payouts put into the database by hand, for tests of what looks at them. */
import sql from 'sql-template-tag'
import type { PayoutState } from '../../src/outgoing/engine/payout.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { type Intent, intentText } from '../../src/signing/intent.ts'

export interface MadePayout {
  readonly id: string
  readonly intent: Intent
  readonly wallet: string
  readonly nonce: number
  readonly state: PayoutState
  readonly txHash: string
  /** The bytes of its attempt, where anything looks at them. */
  readonly raw?: string
  readonly inclusion?: {
    readonly height: number
    readonly blockHash: string
    readonly isSuccess: boolean
    readonly feeMinor: bigint
  }
}

/** With one attempt, unless it is only planned. */
export async function insertPayout(on: Queryable, made: MadePayout): Promise<void> {
  const { id, intent, wallet, nonce, state, txHash, raw = '00', inclusion } = made
  const isOver = state === 'final' || state === 'displaced'
  await on.query(sql`
    insert into payout (id, network, kind, intent, wallet_place, wallet, nonce, state, gas, max_fee_minor, tip_minor,
      included_tx_hash, included_height, included_block_hash, is_success, fee_minor, ended_at)
    values (${id}, 'ethereum', ${intent.kind}, ${intentText(intent)}, '{"type":"lane","lane":0}', ${wallet}, ${nonce},
      ${state}, 9, 1, 1, ${inclusion && txHash}, ${inclusion?.height}, ${inclusion?.blockHash}, ${inclusion?.isSuccess},
      ${inclusion?.feeMinor}, ${isOver ? new Date() : null})`)
  if (state === 'planned') return
  await on.query(sql`
    insert into payout_attempt (network, tx_hash, payout_id, raw, gas, max_fee_minor, tip_minor)
    values ('ethereum', ${txHash}, ${id}, ${raw}, 1, 1, 1)`)
}

/** An order without a valid signature: the signer would refuse it, so use it only for payments that the signer never gets. */
export const unsignedOrder = { invoiceId: null, orderSignature: '', mac: '00' } as const

/** The intent of an EVM withdrawal; its MAC is nobody's. */
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
