import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readBooks } from './books-store.ts'
import {
  type MoneyOnTheWay,
  readCoinTotals,
  readLaneBalances,
  readOnTheWay,
  type StoredLaneBalance,
} from './lane-store.ts'
import type { AssetBooks } from './own-money.ts'

/** All there is to say of one asset. */
export interface AssetFigures extends MoneyOnTheWay {
  readonly method: PaymentMethod
  readonly books: AssetBooks
  /** As of when each was last looked at. */
  readonly lanes: readonly StoredLaneBalance[]
  /** Of an asset that lies in coins, which are all spent from where they lie: those that are in blocks. */
  readonly coinsMinor: bigint
}

/** What is where, per asset of the enabled methods and of those that still hold something. */
export async function readTreasury(on: Queryable, methods: PaymentMethods): Promise<readonly AssetFigures[]> {
  const books = await readBooks(methods, on, methods.all)
  const lanes = await readLaneBalances(on)
  const onTheWay = await readOnTheWay(on)
  const coins = await readCoinTotals(on)
  return methods.all.flatMap((method, place): AssetFigures[] => {
    const own = books[place]
    if (own === undefined) return []
    const { asset } = method
    if (methods.enabledById(method.id) === undefined && own.custodyMinor === 0n) return []
    const none = { pendingDepositsMinor: 0n, leavingMinor: 0n, queuedMinor: 0n, queued: 0, oldestSeconds: 0 }
    return [
      {
        ...none,
        ...onTheWay.get(asset),
        method,
        books: own,
        lanes: lanes.filter((lane) => lane.asset === asset),
        coinsMinor: method.contract === undefined ? (coins.get(method.network) ?? 0n) : 0n,
      },
    ]
  })
}

/** What the lanes hold of an asset together, when they were last looked at, and what lies in coins. */
export function laneTotalMinor({ lanes, coinsMinor }: Pick<AssetFigures, 'lanes' | 'coinsMinor'>): bigint {
  return lanes.reduce((total, { amountMinor }) => total + amountMinor, coinsMinor)
}

/** What the lanes lack to pay out all that is queued; the rest must be swept or funded. */
export function shortfallMinor(figures: AssetFigures): bigint {
  const lacking = figures.queuedMinor + figures.leavingMinor - laneTotalMinor(figures)
  return lacking > 0n ? lacking : 0n
}

/** What is in custody and not on a lane lies at deposit addresses. */
export function atDepositAddressesMinor(figures: AssetFigures): bigint {
  const rest = figures.books.custodyMinor - laneTotalMinor(figures)
  return rest > 0n ? rest : 0n
}
