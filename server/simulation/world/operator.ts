/**
 * The actions of the operator that docs/signer.md and docs/production.md require when outgoing payments wait
 * for a person.
 */
import { Problem } from '../../src/core/errors.ts'
import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readAssetHalts } from '../../src/outgoing/engine/controls/asset-halt-store.ts'
import { resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { resumeOutgoing } from '../../src/outgoing/engine/controls/halts.ts'
import { askRecovery } from '../../src/outgoing/engine/recovery/ask-recovery.ts'
import { readUnbooked } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { settleUnmoved } from '../../src/outgoing/engine/unmoved/settle-unmoved.ts'
import { listUndecided } from '../../src/outgoing/engine/unmoved/unmoved-store.ts'
import { type BookOutflowParts, bookOutflow } from '../../src/outgoing/treasury/book-outflow.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { signStatement } from '../../src/signer/keys/statement-key.ts'
import { liftLine, liftStatement } from '../../src/signing/statement.ts'
import type { ModelOrder } from '../model/order.ts'
import { fixed } from './fixed.ts'

const reason = 'a snapshot was restored, or a reorganisation dropped final blocks'

/**
 * The causes of halts that a restore or a deep reorganisation can trigger. The operator does not lift halts with other
 * causes.
 */
const explained: readonly string[] = ['log-unknown', 'chain-ahead', 'history']

/** Requests a recovery of all networks, as `coffer payouts recover` does. */
export async function recover(db: Db): Promise<void> {
  await inTransaction(db, (tx) => askRecovery(tx, { reason }))
}

/**
 * Lifts the halts that a restore or a deep reorganisation has triggered. Each lift needs a statement that the host of
 * the signer has signed.
 */
export async function liftHalts(db: Db, at: Date): Promise<void> {
  for (const { id: haltId, cause } of await readShownHalts(db)) {
    if (!explained.includes(cause)) continue
    const databaseId = cause === 'history' ? newId() : null
    const statement = liftStatement({ haltId, reason, at: at.toISOString(), databaseId })
    const line = liftLine({ statement, signature: signStatement(fixed.keys.statementKey, statement) })
    await inTransaction(db, (tx) => resumeOutgoing(tx, line, { reason }))
  }
}

/**
 * Books the payments whose orders a restored database does not have. The operator asks the merchants which of them had
 * ordered a payment to the address. The operator bears the loss if nobody did, as for payments to the cold address, and if
 * the merchant is deleted.
 */
export async function bookOutflows(parts: BookOutflowParts, orders: readonly ModelOrder[]): Promise<void> {
  for (const { id: paymentId, network, contract, recipient } of await readUnbooked(parts.db)) {
    const order = orders.find(
      ({ address, asset }) =>
        address === recipient && asset.network === network && asset.contract === (contract ?? null),
    )
    const wanted = { paymentId, reason }
    await bookOutflow(parts, { ...wanted, merchantId: order?.merchantId }).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      return bookOutflow(parts, { ...wanted, merchantId: undefined })
    })
  }
}

/**
 * Handles transactions that were mined without the expected transfer. It declares them unpaid and lifts the
 * halts that they triggered. A real operator does this after checking the recipient's balance.
 */
export async function settleMissing(db: Db): Promise<void> {
  const undecided = await listUndecided(db)
  if (undecided.length === 0) return
  const by = { reason: 'the recipient has received nothing' }
  await inTransaction(db, async (tx) => {
    for (const { outgoingTransactionId } of undecided)
      await settleUnmoved(tx, outgoingTransactionId, { ...by, outcome: 'unpaid' })
    for (const { asset, cause } of await readAssetHalts(tx))
      if (cause === 'missing-transfer') await resumeAsset(tx, asset, by)
  })
}
