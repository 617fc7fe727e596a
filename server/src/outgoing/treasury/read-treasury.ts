import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readBooks } from './books-store.ts'
import {
  type MoneyInTransit,
  readCoinTotals,
  readHotWalletBalances,
  readInTransit,
  type StoredHotWalletBalance,
} from './hot-wallet-store.ts'
import type { AssetBooks } from './own-money.ts'

/** The treasury figures of one asset. */
export interface AssetFigures extends MoneyInTransit {
  readonly method: PaymentMethod
  readonly books: AssetBooks
  /** The balance of each hot wallet when it was last measured. */
  readonly hotWallets: readonly StoredHotWalletBalance[]
  /**
   * The sum of our unspent outputs in blocks, for the coin of a UTXO chain; 0 for other assets. These outputs
   * count as hot-wallet money, because they can be spent without being swept first.
   */
  readonly coinsMinor: bigint
}

/** Reads the figures of each asset whose payment method is enabled or whose custody is not 0. */
export async function readTreasury(on: Queryable, methods: PaymentMethods): Promise<readonly AssetFigures[]> {
  const books = await readBooks(methods, on, methods.all)
  const hotWallets = await readHotWalletBalances(on)
  const inTransit = await readInTransit(on)
  const coins = await readCoinTotals(on)
  return methods.all.flatMap((method, index): AssetFigures[] => {
    const own = books[index]
    if (own === undefined) return []
    const { asset } = method
    if (methods.followedById(method.id) === undefined && own.custodyMinor === 0n) return []
    const none = { pendingDepositsMinor: 0n, leavingMinor: 0n, queuedMinor: 0n, queued: 0, oldestSeconds: 0 }
    return [
      {
        ...none,
        ...inTransit.get(asset),
        method,
        books: own,
        hotWallets: hotWallets.filter((hotWallet) => hotWallet.asset === asset),
        coinsMinor: method.contract === undefined ? (coins.get(method.network) ?? 0n) : 0n,
      },
    ]
  })
}

/** Returns the total of an asset in the hot wallets at the last measurement, including unspent outputs. */
export function hotWalletTotalMinor({
  hotWallets,
  coinsMinor,
}: Pick<AssetFigures, 'hotWallets' | 'coinsMinor'>): bigint {
  return hotWallets.reduce((total, { amountMinor }) => total + amountMinor, coinsMinor)
}

/**
 * Returns the amount that the hot wallets lack to pay all queued and signed withdrawals. This amount must be
 * swept or funded.
 */
export function shortfallMinor(figures: AssetFigures): bigint {
  const lacking = figures.queuedMinor + figures.leavingMinor - hotWalletTotalMinor(figures)
  return lacking > 0n ? lacking : 0n
}

/** Returns the amount at deposit addresses: everything in custody that is not in a hot wallet. */
export function atDepositAddressesMinor(figures: AssetFigures): bigint {
  const rest = figures.books.custodyMinor - hotWalletTotalMinor(figures)
  return rest > 0n ? rest : 0n
}
