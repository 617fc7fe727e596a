import { required } from '../../core/assert.ts'
import type { Journal } from '../../ledger/journal.ts'
import { lockDeleted } from '../../merchants/store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import {
  confirmationTier,
  leastConfirmations,
  type PaymentMethod,
  type PaymentMethods,
} from '../../pricing/payment-methods/payment-method.ts'
import { confirmationsAt, type Deposit } from './deposit.ts'
import { leaveOutForged } from './genuine-deposits.ts'
import { depositJournal, unattributedKind } from './journals.ts'
import { readAtStake } from './read-at-stake.ts'
import { book, toConfirmation } from './recording/book-deposits.ts'
import { lockConfirmable, saveConfirmations } from './store.ts'
import { attributeConfirmed } from './unattributed/attribute-deposits.ts'
import { findKeptApart } from './unattributed/find-kept-apart.ts'

export interface Confirmation {
  /** The confirmed deposits, with `confirmedAt`, fee and net amount already set. */
  readonly confirmed: readonly Deposit[]
  /**
   * The journals of the confirmed deposits. The caller must post these journals in the transaction that
   * confirms the deposits.
   */
  readonly journals: readonly Journal[]
}

/** The state of a chain that decides which deposits have enough confirmations. */
export interface ChainStatus {
  /** The height of the tip. */
  readonly height: number
  /** The height up to which blocks are final. Undefined if the nodes report none. */
  readonly finalHeight: number | undefined
  /**
   * True if only one of several nodes reported this state. On a chain without finality, large deposits then
   * wait until a second node reports the same state.
   */
  readonly hasSingleNode: boolean
}

/**
 * Confirms those deposits of a network that have enough confirmations. Returns the confirmed deposits and the
 * journals to post for them.
 */
export async function confirmReady(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  chainStatus: ChainStatus,
): Promise<Confirmation> {
  const shortest = leastConfirmations(methods, network)
  const candidates = await leaveOutForged(
    tx,
    await lockConfirmable(tx, network, chainStatus.height - shortest + 1),
  )
  if (candidates.length === 0) return { confirmed: [], journals: [] }
  const confirmable = await selectConfirmable(methods, tx, network, chainStatus, candidates)
  if (confirmable.length === 0) return { confirmed: [], journals: [] }
  const merchantIds = [...new Set(confirmable.flatMap(({ merchantId }) => merchantId ?? []))]
  const deleted = await lockDeleted(tx, merchantIds)
  const isDeleted = ({ merchantId }: Deposit) => merchantId !== undefined && deleted.has(merchantId)
  const isKeptApart = await findKeptApart(methods, tx, confirmable)
  const booked = await book(
    methods,
    tx,
    confirmable,
    depositJournal,
    (deposit) => isDeleted(deposit) || isKeptApart(deposit),
  )
  const now = await saveConfirmations(tx, booked.map(toConfirmation))
  const byId = new Map(booked.map((entry) => [entry.depositId, entry]))
  const attributed = await attributeConfirmed(
    methods,
    tx,
    confirmable.filter(({ id }) => byId.get(id)?.journal.kind === unattributedKind),
  )
  return {
    journals: [...booked.map(({ journal }) => journal), ...attributed],
    confirmed: confirmable.map((deposit) => {
      const split = byId.get(deposit.id)?.split
      return {
        ...deposit,
        state: 'confirmed',
        confirmedAt: now,
        feeMinor: split?.feeMinor,
        netMinor: split?.netMinor,
        quarantine: byId.get(deposit.id)?.quarantine,
      }
    }),
  }
}

/**
 * Selects the deposits with enough confirmations. The required number depends on the total value of the
 * merchant's deposits that are not final.
 */
async function selectConfirmable(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  { height, finalHeight, hasSingleNode }: ChainStatus,
  candidates: readonly Deposit[],
): Promise<readonly Deposit[]> {
  const merchantIds = [...new Set(candidates.flatMap(({ merchantId }) => merchantId ?? []))]
  const atStake = await readAtStake(methods, tx, network, merchantIds, { height, finalHeight })
  return candidates.filter((candidate) => {
    const included = required(candidate.blockHeight, 'the block of a deposit to confirm')
    if (confirmationsAt(height, included) < candidate.maturesAfter) return false
    const method = methodOf(methods, candidate)
    const tier = confirmationTier(method, atStake.get(candidate.merchantId))
    const needsFinality = tier.needsFinality === true
    if (needsFinality && method.hasFinality) return finalHeight !== undefined && included <= finalHeight
    if (needsFinality && hasSingleNode) return false
    return confirmationsAt(height, included) >= tier.confirmations
  })
}

function methodOf(
  methods: PaymentMethods,
  { paymentMethodId }: Pick<Deposit, 'paymentMethodId'>,
): PaymentMethod {
  return required(methods.byId(paymentMethodId), `payment method ${paymentMethodId}`)
}
