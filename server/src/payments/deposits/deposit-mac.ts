/** The MAC that the watcher stores with every deposit. */
import type { BooksMacs } from '../../core/books-macs.ts'
import type { Deposit } from './deposit.ts'

/**
 * The fields of a deposit that its MAC covers: they decide who is credited and how much. These fields never
 * change while the deposit stays in one block.
 */
export type DepositFacts = Pick<
  Deposit,
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
