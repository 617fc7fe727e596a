import { required } from '../../core/assert.ts'
import { credit, debit, type Journal, journal } from '../../ledger/journal.ts'
import { post } from '../../ledger/post.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Intent } from '../../signing/intent.ts'
import {
  type IntendedPayout,
  isAdopted,
  NotWantedError,
  type PayoutMove,
  type PayoutPurpose,
  type Proposal,
} from '../engine/purpose.ts'
import type { SeenPayment } from '../engine/recovery/seen-payment.ts'
import type { TakeOut } from './take-out.ts'
import {
  endTakeOut,
  findUnsigned,
  insertTakeOut,
  lockPending,
  readUnplanned,
  reopenTakeOut,
  saveTxHash,
} from './take-out-store.ts'

/** The operator's own money on its way to the cold address. */
export function takeOutPurpose(methods: PaymentMethods): PayoutPurpose {
  return {
    kinds: ['take_out'],
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
  const takeOuts = await readUnplanned(on, network, max)
  return takeOuts.map(({ id, asset, paymentMethodId, amountMinor }) => {
    const { contract = null } = required(methods.byId(paymentMethodId), 'the method of a take-out')
    const spends = { asset, contract, amountMinor }
    return { id, network, intent: { kind: 'take_out', ...spends }, spends }
  })
}

/** An order that the chain shows to be carried out already, signed in a past that is forgotten here. */
async function recognize(
  methods: PaymentMethods,
  on: Queryable,
  { network, contract, amountMinor, isCold }: SeenPayment,
): Promise<Proposal | undefined> {
  const method = methods.all.find((one) => one.network === network && (one.contract ?? null) === contract)
  if (!isCold || method === undefined) return undefined
  const { asset } = method
  const takeOut = await findUnsigned(on, { network, asset, amountMinor })
  if (takeOut === undefined) return undefined
  const spends = { asset, contract, amountMinor }
  return { id: takeOut.id, network, intent: { kind: 'take_out', ...spends }, spends }
}

async function follow(methods: PaymentMethods, tx: Tx, move: PayoutMove, isSigned: boolean): Promise<void> {
  if (move.to === 'refused') return endTakeOut(tx, move.proposal.id, { state: 'failed', txHash: undefined })
  const { id } = move.payout
  switch (move.to) {
    case 'planned':
      return isSigned ? restore(methods, tx, move.payout) : keepWanted(tx, id)
    case 'broadcast':
      return saveTxHash(tx, id, move.txHash)
    case 'displaced':
      return endTakeOut(tx, id, { state: 'failed', txHash: undefined })
    case 'final': {
      const { isSuccess, txHash } = move.inclusion
      const pending = await lockPending(tx, [id])
      if (isSuccess) await post(tx, pending.map(takeOutJournal))
      return endTakeOut(tx, id, { state: isSuccess ? 'completed' : 'failed', txHash })
    }
    default:
      return
  }
}

/** Locks the order until what sends it is stored: whoever gives it up comes before or finds nothing more to give up. */
async function keepWanted(tx: Tx, id: string): Promise<void> {
  const [pending] = await lockPending(tx, [id])
  if (pending === undefined) throw new NotWantedError(`take-out ${id} was given up`)
}

/**
 * What is signed may be mined, whatever became of its order: one that was given up is open again. A restored database may
 * have lost it; it was the operator's own, most likely capital.
 */
async function restore(
  methods: PaymentMethods,
  tx: Tx,
  { id, network, intent }: IntendedPayout,
): Promise<void> {
  const { asset, amountMinor } = takeOutOf(intent)
  const { id: paymentMethodId } = required(methods.byAsset(asset), 'the method of a take-out')
  await insertTakeOut(tx, { id, network, asset, paymentMethodId, source: 'capital', amountMinor })
  await reopenTakeOut(tx, id)
}

function takeOutOf(intent: Intent): Intent & { kind: 'take_out' } {
  return required(intent.kind === 'take_out' ? intent : undefined, 'the intent of a take-out')
}

/** Books the operator's money as gone, from the account it was ordered from, once its transaction is final. */
function takeOutJournal({ id, asset, source, amountMinor }: TakeOut): Journal {
  return journal({
    kind: `taken_out.${source}`,
    subject: `taken-out:${id}`,
    lines: [debit({ name: source, asset }, amountMinor), credit({ name: 'custody', asset }, amountMinor)],
  })
}
