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
import { confirmationsAt, type Transaction } from './deposit.ts'
import { leaveOutForged } from './genuine-deposits.ts'
import { depositJournal, unattributedKind } from './journals.ts'
import { readAtStake } from './read-at-stake.ts'
import { book, toConfirmation } from './recording/book-deposits.ts'
import { lockRipe, saveConfirmations } from './store.ts'
import { attributeConfirmed } from './unattributed/attribute-deposits.ts'

export interface Confirmation {
  /** As they are now, `confirmedAt` and the split included. */
  readonly confirmed: readonly Transaction[]
  /** To be posted in the same transaction. */
  readonly journals: readonly Journal[]
}

/** Where a chain is while its deposits are confirmed. */
export interface ChainStanding {
  /** Of the tip. */
  readonly height: number
  /** Undefined where the chain has no such notion. */
  readonly finalHeight: number | undefined
  /** Told by one of several nodes alone: large deposits wait for the word of two. */
  readonly isOneWord: boolean
}

/** Confirms every deposit of the network that has enough blocks on it, and says what to post for it. */
export async function confirmRipe(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  standing: ChainStanding,
): Promise<Confirmation> {
  const shortest = leastConfirmations(methods, network)
  const candidates = await leaveOutForged(tx, await lockRipe(tx, network, standing.height - shortest + 1))
  if (candidates.length === 0) return { confirmed: [], journals: [] }
  const ripe = await selectRipe(methods, tx, network, standing, candidates)
  if (ripe.length === 0) return { confirmed: [], journals: [] }
  const merchantIds = [...new Set(ripe.flatMap(({ merchantId }) => merchantId ?? []))]
  const deleted = await lockDeleted(tx, merchantIds)
  const isDeleted = (merchantId: string | undefined) => merchantId !== undefined && deleted.has(merchantId)
  const booked = await book(methods, tx, ripe, depositJournal, isDeleted)
  const now = await saveConfirmations(tx, booked.map(toConfirmation))
  const byId = new Map(booked.map((entry) => [entry.transactionId, entry]))
  const attributed = await attributeConfirmed(
    methods,
    tx,
    ripe.filter(({ id }) => byId.get(id)?.journal.kind === unattributedKind),
  )
  return {
    journals: [...booked.map(({ journal }) => journal), ...attributed],
    confirmed: ripe.map((transaction) => {
      const split = byId.get(transaction.id)?.split
      return {
        ...transaction,
        state: 'confirmed',
        confirmedAt: now,
        feeMinor: split?.feeMinor,
        netMinor: split?.netMinor,
        quarantine: byId.get(transaction.id)?.quarantine,
      }
    }),
  }
}

/** Of those that may be confirmed, the ones with enough blocks for what their merchant has at stake. */
async function selectRipe(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  { height, finalHeight, isOneWord }: ChainStanding,
  candidates: readonly Transaction[],
): Promise<readonly Transaction[]> {
  const merchantIds = [...new Set(candidates.flatMap(({ merchantId }) => merchantId ?? []))]
  const atStake = await readAtStake(methods, tx, network, merchantIds, { height, finalHeight })
  return candidates.filter((candidate) => {
    const included = required(candidate.blockHeight, 'the block of a ripe deposit')
    if (confirmationsAt(height, included) < candidate.maturesAfter) return false
    const tier = confirmationTier(methodOf(methods, candidate), atStake.get(candidate.merchantId))
    if (tier.needsFinality === true && finalHeight !== undefined) return included <= finalHeight
    if (tier.needsFinality === true && isOneWord) return false
    return confirmationsAt(height, included) >= tier.confirmations
  })
}

function methodOf(
  methods: PaymentMethods,
  { paymentMethodId }: Pick<Transaction, 'paymentMethodId'>,
): PaymentMethod {
  return required(methods.byId(paymentMethodId), `payment method ${paymentMethodId}`)
}
