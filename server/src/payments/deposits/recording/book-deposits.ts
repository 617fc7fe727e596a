import { required } from '../../../core/assert.ts'
import { groupBy } from '../../../core/group-by.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { holdInvoices } from '../../invoices/store.ts'
import { type Booked, bookDeposits, type Deposit, isAmlOk, type Quarantine } from '../deposit.ts'
import { leaveOutForged } from '../genuine-deposits.ts'
import { type DepositJournal, raiseJournal } from '../journals.ts'
import { readKept, sumConfirmed } from '../payment-store.ts'
import type { ConfirmationRow } from '../store.ts'

/** A journal of a deposit, with the deposit's new state. */
export interface BookedDeposit extends DepositJournal {
  readonly belowMinimum: boolean
  readonly quarantine: Quarantine | undefined
}

/**
 * Returns the journals for deposits that are confirmed or released from quarantine. Also returns journals
 * that credit older deposits of the same invoices, if the invoices now reach the minimum. Locks the invoices
 * until the transaction ends, so that two bookings of one invoice run one after the other.
 * @param journalOf Builds the journal that moves a deposit to the account for its booking.
 * @param isUnattributed Returns whether a deposit of a merchant is not credited now. Such a deposit is booked
 * as unattributed, with the merchant's id.
 */
export async function book(
  methods: PaymentMethods,
  tx: Tx,
  deposits: readonly Deposit[],
  journalOf: (booked: Booked, assetDecimals: number) => DepositJournal,
  isUnattributed: (deposit: Deposit) => boolean,
): Promise<readonly BookedDeposit[]> {
  const invoiceIds = [...new Set(deposits.flatMap(({ invoiceId }) => invoiceId ?? []))]
  await holdInvoices(tx, invoiceIds)
  const kept = groupBy(await leaveOutForged(tx, await readKept(tx, invoiceIds)), bookingGroup)
  const sums = await sumConfirmed(tx, invoiceIds)
  const creditedMinor = new Map(sums.map((one) => [bookingGroup(one), one.amountMinor]))
  const methodOf = ({ paymentMethodId }: Deposit) =>
    required(methods.byId(paymentMethodId), 'the method of a deposit')
  const take = (booked: Booked): BookedDeposit => ({
    ...journalOf(booked, methodOf(booked.deposit).decimals),
    belowMinimum: booked.booking === 'keep',
    quarantine: booked.booking === 'quarantine' ? 'held' : booked.deposit.quarantine,
  })
  const apart = deposits.filter(isUnattributed)
  const others = deposits.filter((deposit) => !apart.includes(deposit))
  const takenApart = apart.map((deposit) =>
    take({ deposit, booking: isAmlOk(deposit) ? 'unattributed' : 'quarantine' }),
  )
  const booked = [...groupBy(others, bookingGroup)].flatMap(([group, own]) => {
    const { decimals, minimumMinor } = methodOf(required(own[0], 'the first of a group'))
    const sumMinor = creditedMinor.get(group) ?? 0n
    const { booked: confirmed, raised } = bookDeposits(own, kept.get(group) ?? [], sumMinor, minimumMinor)
    return [...confirmed.map(take), ...raised.map((one) => raise(one, decimals))]
  })
  return [...takenApart, ...booked]
}

function raise(kept: Deposit, assetDecimals: number): BookedDeposit {
  return { ...raiseJournal(kept, assetDecimals), belowMinimum: true, quarantine: kept.quarantine }
}

export function toConfirmation(booked: BookedDeposit): ConfirmationRow {
  const { depositId, belowMinimum, quarantine, split } = booked
  return {
    id: depositId,
    belowMinimum,
    quarantine,
    feeMinor: split?.feeMinor.toString(),
    netMinor: split?.netMinor.toString(),
  }
}

function bookingGroup({ invoiceId, asset }: Pick<Deposit, 'invoiceId' | 'asset'>): string {
  return `${invoiceId ?? 'nobody'}/${asset}`
}
