/** Compares what events say of credits with the minimum of each asset. */
import { decimal } from '../../src/core/money.ts'
import type { ModelAsset } from './asset.ts'
import type { ReceivedEvent } from './known-events.ts'

/**
 * Returns one sentence for each event of a confirmed payment with a wrong credit. The credit and the fee must add up to
 * the amount. The credit may be missing only while the confirmed payments of the invoice in this asset are below the
 * minimum.
 * @param events the events of one merchant, in order
 */
export function findWrongCredits(
  events: readonly ReceivedEvent[],
  assets: readonly ModelAsset[],
): readonly string[] {
  const confirmed = new Map<string, Map<string, bigint>>()
  return events.flatMap(({ type, data }) => {
    const { transactionID, invoiceID, currency, amount, fee = null, net = null } = data
    const asset = assets.find(({ name }) => name.endsWith(`/${currency}`))
    if (asset === undefined) return []
    const key = `${invoiceID} ${currency}`
    const own = confirmed.get(key) ?? new Map<string, bigint>()
    confirmed.set(key, own)
    if (type === 'transaction.reverted') own.delete(String(transactionID))
    if (type !== 'transaction.confirmed') return []
    const minorOf = (text: unknown) => decimal(String(text), asset.decimals)
    const amountMinor = minorOf(amount)
    own.set(String(transactionID), amountMinor)
    const totalMinor = [...own.values()].reduce((total, minor) => total + minor, 0n)
    const what = `a payment of ${amount} ${currency} was told as confirmed`
    if (net === null) {
      if (fee !== null) return [`${what} with a fee and without a credit`]
      return totalMinor < asset.minimumMinor ? [] : [`${what} without a credit`]
    }
    return minorOf(fee) + minorOf(net) === amountMinor ? [] : [`${what} with a fee of ${fee} and ${net}`]
  })
}
