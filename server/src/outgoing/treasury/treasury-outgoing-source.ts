import { required } from '../../core/assert.ts'
import { credit, debit, type Journal, journal } from '../../ledger/journal.ts'
import { post } from '../../ledger/post.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Intent } from '../../signing/intent.ts'
import {
  type IntendedOutgoingTransaction,
  isAdopted,
  NotWantedError,
  type OutgoingMove,
  type OutgoingSource,
  type Proposal,
} from '../engine/outgoing-source.ts'
import type { SeenPayment } from '../engine/recovery/seen-payment.ts'
import type { TreasuryWithdrawal } from './treasury-withdrawal.ts'
import {
  endTreasuryWithdrawal,
  findUnsigned,
  insertTreasuryWithdrawal,
  lockPending,
  readUnplanned,
  reopenTreasuryWithdrawal,
  saveTxHash,
} from './treasury-withdrawal-store.ts'

/**
 * Connects treasury withdrawals to the engine of outgoing transactions. A treasury withdrawal moves the
 * operator's own money to the cold address.
 */
export function treasuryOutgoingSource(methods: PaymentMethods): OutgoingSource {
  return {
    kinds: ['treasury_withdrawal'],
    propose: async (on, network, max) => propose(methods, on, network, max),
    recognize: (on, seen) => recognize(methods, on, seen),
    moved: async (tx, moves) => {
      for (const move of moves) await follow(methods, tx, move, isAdopted(move, moves))
    },
  }
}

async function propose(
  methods: PaymentMethods,
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly Proposal[]> {
  const treasuryWithdrawals = await readUnplanned(on, network, max)
  return treasuryWithdrawals.map(({ id, asset, paymentMethodId, amountMinor }) => {
    const { contract = null } = required(methods.byId(paymentMethodId), 'the method of a treasury withdrawal')
    const spends = { asset, contract, amountMinor }
    return { id, network, intent: { kind: 'treasury_withdrawal', ...spends }, spends }
  })
}

/**
 * Returns the order that a payment on chain paid; undefined if there is none. The engine calls this function
 * if the database has lost the record that the payment was signed.
 */
async function recognize(
  methods: PaymentMethods,
  on: Queryable,
  { network, contract, amountMinor, isCold }: SeenPayment,
): Promise<Proposal | undefined> {
  const method = methods.all.find((one) => one.network === network && (one.contract ?? null) === contract)
  if (!isCold || method === undefined) return undefined
  const { asset } = method
  const treasuryWithdrawal = await findUnsigned(on, { network, asset, amountMinor })
  if (treasuryWithdrawal === undefined) return undefined
  const spends = { asset, contract, amountMinor }
  return { id: treasuryWithdrawal.id, network, intent: { kind: 'treasury_withdrawal', ...spends }, spends }
}

async function follow(methods: PaymentMethods, tx: Tx, move: OutgoingMove, isSigned: boolean): Promise<void> {
  if (move.to === 'refused')
    return endTreasuryWithdrawal(tx, move.proposal.id, { state: 'failed', txHash: undefined })
  const { id } = move.outgoingTransaction
  switch (move.to) {
    case 'planned':
      return isSigned ? restore(methods, tx, move.outgoingTransaction) : keepWanted(tx, id)
    case 'broadcast':
      return saveTxHash(tx, id, move.txHash)
    case 'conflicted':
      return endTreasuryWithdrawal(tx, id, { state: 'failed', txHash: undefined })
    case 'final': {
      const { isSuccess, txHash } = move.inclusion
      const pending = await lockPending(tx, [id])
      if (isSuccess) await post(tx, pending.map(treasuryWithdrawalJournal))
      return endTreasuryWithdrawal(tx, id, { state: isSuccess ? 'completed' : 'failed', txHash })
    }
    default:
      return
  }
}

/**
 * Locks the order until its outgoing transaction is stored, so that the order cannot end in the meantime.
 * @throws NotWantedError if the order has already ended
 */
async function keepWanted(tx: Tx, id: string): Promise<void> {
  const [pending] = await lockPending(tx, [id])
  if (pending === undefined) throw new NotWantedError(`treasury withdrawal ${id} is no longer pending`)
}

/**
 * Reopens an order whose transaction is signed, because the transaction may be mined even if the order has
 * ended. If a restored database lost the order, the order is stored again with the source `capital`, which is
 * the most likely source.
 */
async function restore(
  methods: PaymentMethods,
  tx: Tx,
  { id, network, intent }: IntendedOutgoingTransaction,
): Promise<void> {
  const { asset, amountMinor } = treasuryWithdrawalOf(intent)
  const { id: paymentMethodId } = required(methods.byAsset(asset), 'the method of a treasury withdrawal')
  await insertTreasuryWithdrawal(tx, { id, network, asset, paymentMethodId, source: 'capital', amountMinor })
  await reopenTreasuryWithdrawal(tx, id)
}

function treasuryWithdrawalOf(intent: Intent): Intent & { kind: 'treasury_withdrawal' } {
  return required(
    intent.kind === 'treasury_withdrawal' ? intent : undefined,
    'the intent of a treasury withdrawal',
  )
}

/**
 * Returns the journal of a final treasury withdrawal. The journal takes the amount out of custody and out of
 * the order's source account.
 */
function treasuryWithdrawalJournal({ id, asset, source, amountMinor }: TreasuryWithdrawal): Journal {
  return journal({
    kind: `treasury_withdrawal.${source}`,
    subject: `taken-out:${id}`,
    lines: [debit({ name: source, asset }, amountMinor), credit({ name: 'custody', asset }, amountMinor)],
  })
}
