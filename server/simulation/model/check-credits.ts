/** Compares what events say of credits with the minimum of each asset. */
import { decimal } from '../../src/core/money.ts'
import type { ModelAsset } from './asset.ts'
import type { ReceivedEvent } from './known-events.ts'
import type { ShownAddress } from './model.ts'

/** What the model knows of the merchant that received the events. */
interface CreditedMerchant {
  readonly assets: readonly ModelAsset[]
  /** The addresses of the merchant's invoices. */
  readonly shown: readonly Pick<ShownAddress, 'invoiceId' | 'network'>[]
  /** Whether the merchant is credited at once with payments on a network that their invoice does not offer. */
  readonly creditsWrongNetwork: boolean
}

/**
 * Returns one sentence for each event of a confirmed payment with a wrong credit. The credit and the fee must add up to
 * the amount. The credit may be missing only while the confirmed payments of the invoice in this asset are below the
 * minimum, and is always missing for a payment on the wrong network that the merchant does not credit at once.
 * @param events the events of one merchant, in order
 */
export function findWrongCredits(
  events: readonly ReceivedEvent[],
  { assets, shown, creditsWrongNetwork }: CreditedMerchant,
): readonly string[] {
  const confirmed = new Map<string, Map<string, bigint>>()
  return events.flatMap(({ type, data }) => {
    const { transactionID, invoiceID, currency, amount, isWrongNetwork, fee = null, net = null } = data
    const network = shown.find(({ invoiceId }) => invoiceId === invoiceID)?.network
    const isWrong = isWrongNetwork === true
    const asset = assets.find(
      (one) => one.name.endsWith(`/${currency}`) && (one.network === network) !== isWrong,
    )
    if (type === 'transaction.reverted')
      for (const one of confirmed.values()) one.delete(String(transactionID))
    if (asset === undefined || type !== 'transaction.confirmed') return []
    const key = `${invoiceID} ${asset.name}`
    const own = confirmed.get(key) ?? new Map<string, bigint>()
    confirmed.set(key, own)
    const minorOf = (text: unknown) => decimal(String(text), asset.decimals)
    const amountMinor = minorOf(amount)
    own.set(String(transactionID), amountMinor)
    const totalMinor = [...own.values()].reduce((total, minor) => total + minor, 0n)
    const what = `a payment of ${amount} ${currency} was told as confirmed`
    if (isWrong && !creditsWrongNetwork)
      return net === null && fee === null ? [] : [`${what} on the wrong network with a credit`]
    if (net === null) {
      if (fee !== null) return [`${what} with a fee and without a credit`]
      return totalMinor < asset.minimumMinor ? [] : [`${what} without a credit`]
    }
    return minorOf(fee) + minorOf(net) === amountMinor ? [] : [`${what} with a fee of ${fee} and ${net}`]
  })
}
