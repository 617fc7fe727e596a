import { readCursor } from '../../chains/blocks/store.ts'
import type { ChainReader, TransferAsset } from '../../chains/port.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type LaneBalance, readLanes, saveLaneBalances } from './lane-store.ts'

export interface MeasureLanesParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly chain: ChainReader
}

/** Looks what the hot lanes hold at the last block we booked, whenever there is a new one, and keeps it for figures. */
export function measureLanesWorker({ db, methods, chain }: MeasureLanesParts): Worker {
  const { network } = chain
  let measured = -1
  return {
    name: `measure lanes of ${network}`,
    idleMs: limits.laneMeasureMs,
    takeAndDo: async (signal) => {
      const cursor = await readCursor(db, network)
      const lanes = await readLanes(db, network)
      if (cursor === undefined || lanes.length === 0 || cursor.height === measured) return 0
      const { height } = cursor
      const addresses = lanes.map(({ address }) => address)
      const balances: LaneBalance[] = []
      for (const { asset, contract } of methods.enabled.filter((method) => method.network === network)) {
        const moved: TransferAsset = contract === undefined ? { type: 'coin' } : { type: 'token', contract }
        const amounts = await chain.readBalances(moved, addresses, height, signal)
        for (const [place, address] of addresses.entries()) {
          balances.push({ network, address, asset, amountMinor: amounts[place] ?? 0n, height })
        }
      }
      await saveLaneBalances(db, balances)
      measured = height
      return 0
    },
  }
}
