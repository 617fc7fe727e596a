/** Reads the signed transactions of outgoing transactions. */
import type { Queryable } from '../../../src/platform/db/pool.ts'
import { containing } from '../records/values.ts'
import { attemptRecords, outgoingEvmRecords, outgoingRecords } from './records.ts'

interface SignedAttempt {
  readonly outgoingTransactionId: string
  readonly kind: string
  readonly state: string
  /** The nonce; undefined on UTXO chains. */
  readonly nonce: number | undefined
  readonly hash: string
  /** The signed bytes in hex. */
  readonly raw: string
}

type Which = Parameters<typeof outgoingRecords.all>[1]

/**
 * Returns the signed transactions of the matching outgoing transactions, from the lowest fee to the highest.
 */
export async function attemptsOf(on: Queryable, which: Which = {}): Promise<readonly SignedAttempt[]> {
  const found = await outgoingRecords.all(on, which, 'id', 'kind', 'state')
  const byId = new Map(found.map((outgoing) => [outgoing.id, outgoing]))
  const slots = await outgoingEvmRecords.all(on, { outgoingTransactionId: [...byId.keys()] })
  const nonces = new Map(slots.map((slot) => [slot.outgoingTransactionId, slot.nonce]))
  const attempts = await attemptRecords.all(
    on,
    { outgoingTransactionId: [...byId.keys()] },
    'outgoingTransactionId',
    'txHash',
    'raw',
  )
  return attempts.flatMap(({ outgoingTransactionId, txHash: hash, raw }) => {
    const outgoing = byId.get(outgoingTransactionId)
    if (outgoing === undefined) return []
    const { kind, state } = outgoing
    return [{ outgoingTransactionId, kind, state, nonce: nonces.get(outgoingTransactionId), hash, raw }]
  })
}

/** Returns the signed transactions for an order, such as a withdrawal. */
export function signedFor(on: Queryable, orderId: string): Promise<readonly SignedAttempt[]> {
  return attemptsOf(on, { intent: containing(orderId) })
}
