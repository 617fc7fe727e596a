/** The MAC that a deposit carries from the watcher that recorded it. */
import type { BooksMacs } from '../../core/books-macs.ts'
import type { Transaction } from './deposit.ts'

/** What never changes of a deposit while it is in one block, and decides who is credited how much. */
export type DepositFacts = Pick<
  Transaction,
  | 'id'
  | 'network'
  | 'transferKey'
  | 'txHash'
  | 'asset'
  | 'paymentMethodId'
  | 'merchantId'
  | 'invoiceId'
  | 'sender'
  | 'recipient'
  | 'amountMinor'
  | 'inclusion'
  | 'fullMinor'
  | 'priceUsd'
  | 'feePercentBasisPoints'
  | 'feeFlatMinor'
>

export function depositMac(macs: BooksMacs, facts: DepositFacts): string {
  return macs.deposit.mac(macText(facts))
}

export function hasDepositMac(macs: BooksMacs, facts: DepositFacts & { readonly mac: string }): boolean {
  return macs.deposit.verify(macText(facts), facts.mac)
}

function macText(facts: DepositFacts): string {
  return JSON.stringify([
    'coffer/deposit/1',
    facts.id,
    facts.network,
    facts.transferKey,
    facts.txHash,
    facts.asset,
    String(facts.paymentMethodId),
    facts.merchantId ?? null,
    facts.invoiceId ?? null,
    facts.sender ?? null,
    facts.recipient,
    String(facts.amountMinor),
    String(facts.inclusion),
    facts.fullMinor === undefined ? null : String(facts.fullMinor),
    facts.priceUsd === undefined ? null : String(facts.priceUsd),
    String(facts.feePercentBasisPoints),
    String(facts.feeFlatMinor),
  ])
}
