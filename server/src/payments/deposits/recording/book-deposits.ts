import { required } from '../../../core/assert.ts'
import { groupBy } from '../../../core/group-by.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { holdInvoices } from '../../invoices/store.ts'
import { type Booked, bookDeposits, isAmlOk, type Quarantine, type Transaction } from '../deposit.ts'
import { leaveOutForged } from '../genuine-deposits.ts'
import { type DepositJournal, raiseJournal } from '../journals.ts'
import { readKept, sumConfirmed } from '../payment-store.ts'
import type { ConfirmationRow } from '../store.ts'

/** A deposit with what is to be posted for it and what it is from then on. */
export interface BookedDeposit extends DepositJournal {
  readonly belowMinimum: boolean
  readonly quarantine: Quarantine | undefined
}

/**
 * Says what to post for deposits that are confirmed, or released from quarantine, and for those they raise above the
 * minimum. Holds their invoices from here on: what another booking of the same invoice keeps or raises counts here, or the
 * other way round.
 * @param journalOf what takes a deposit to where it is booked
 * @param isNobodys of a merchant to whom nothing is credited any more; what comes to it is kept as unattributed, under its name
 */
export async function book(
  methods: PaymentMethods,
  tx: Tx,
  deposits: readonly Transaction[],
  journalOf: (booked: Booked, assetDecimals: number) => DepositJournal,
  isNobodys: (merchantId: string | undefined) => boolean,
): Promise<readonly BookedDeposit[]> {
  const invoiceIds = [...new Set(deposits.flatMap(({ invoiceId }) => invoiceId ?? []))]
  await holdInvoices(tx, invoiceIds)
  const kept = groupBy(await leaveOutForged(tx, await readKept(tx, invoiceIds)), bookingGroup)
  const sums = await sumConfirmed(tx, invoiceIds)
  const creditedMinor = new Map(sums.map((one) => [bookingGroup(one), one.amountMinor]))
  return [...groupBy(deposits, bookingGroup)].flatMap(([group, own]) => {
    const { merchantId, paymentMethodId } = required(own[0], 'the first of a group')
    const { decimals, minimumMinor } = required(methods.byId(paymentMethodId), 'the method of a deposit')
    const take = (booked: Booked): BookedDeposit => ({
      ...journalOf(booked, decimals),
      belowMinimum: booked.booking === 'keep',
      quarantine: booked.booking === 'quarantine' ? 'held' : booked.transaction.quarantine,
    })
    if (isNobodys(merchantId)) {
      return own.map((transaction) =>
        take({ transaction, booking: isAmlOk(transaction) ? 'unattributed' : 'quarantine' }),
      )
    }
    const sumMinor = creditedMinor.get(group) ?? 0n
    const { booked, raised } = bookDeposits(own, kept.get(group) ?? [], sumMinor, minimumMinor)
    return [...booked.map(take), ...raised.map((one) => raise(one, decimals))]
  })
}

function raise(kept: Transaction, assetDecimals: number): BookedDeposit {
  return { ...raiseJournal(kept, assetDecimals), belowMinimum: true, quarantine: kept.quarantine }
}

export function toConfirmation(booked: BookedDeposit): ConfirmationRow {
  const { transactionId, belowMinimum, quarantine, split } = booked
  return {
    id: transactionId,
    belowMinimum,
    quarantine,
    feeMinor: split?.feeMinor.toString(),
    netMinor: split?.netMinor.toString(),
  }
}

function bookingGroup({ invoiceId, asset }: Pick<Transaction, 'invoiceId' | 'asset'>): string {
  return `${invoiceId ?? 'nobody'}/${asset}`
}
