import { readCursor } from '../../chains/blocks/store.ts'
import type { ChainReader, TransferAsset } from '../../chains/port.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type HotWalletBalance, readHotWallets, saveHotWalletBalances } from './hot-wallet-store.ts'

export interface MeasureHotWalletsParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly chain: ChainReader
}

/**
 * Measures the balances of the hot wallets at the last booked block, whenever there is a new block. Stores
 * the balances for the treasury figures.
 */
export function measureHotWalletsWorker({ db, methods, chain }: MeasureHotWalletsParts): Worker {
  const { network } = chain
  let measured = -1
  return {
    name: `measure hot wallets of ${network}`,
    idleMs: limits.hotWalletMeasureMs,
    runBatch: async (signal) => {
      const cursor = await readCursor(db, network)
      const hotWallets = await readHotWallets(db, network)
      if (cursor === undefined || hotWallets.length === 0 || cursor.height === measured) return 0
      const { height } = cursor
      const addresses = hotWallets.map(({ address }) => address)
      const balances: HotWalletBalance[] = []
      for (const { asset, contract } of methods.followed.filter((method) => method.network === network)) {
        const moved: TransferAsset = contract === undefined ? { type: 'coin' } : { type: 'token', contract }
        const amounts = await chain.readBalances(moved, addresses, height, signal)
        for (const [index, address] of addresses.entries()) {
          balances.push({ network, address, asset, amountMinor: amounts[index] ?? 0n, height })
        }
      }
      await saveHotWalletBalances(db, balances)
      measured = height
      return 0
    },
  }
}
