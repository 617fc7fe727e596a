import { networks } from '../chains/networks.ts'
import { type Db, openDb } from '../db/pool.ts'
import { devPaymentMethods } from '../payment-methods/catalogue.ts'
import { type PaymentMethods, paymentMethods } from '../payment-methods/payment-method.ts'
import { readDevTokens } from '../payment-methods/store.ts'
import type { Terminal } from './command.ts'
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import { withDatabase } from './open-database.ts'

/** What an operator's command works with. */
export interface Desk {
  readonly db: Db
  readonly methods: PaymentMethods
}

/** Runs an operator's command beside a running Coffer or on one that is stopped. */
export async function withMethods<T>(
  { environment }: Pick<Terminal, 'environment'>,
  work: (desk: Desk) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment)
  const log = openLog(config.logLevel)
  return withDatabase(config, log, async (urls) => {
    const db = openDb({ url: urls.app, connections: 2, log })
    try {
      const known = devPaymentMethods(await readDevTokens(db))
      return await work({ db, methods: paymentMethods(known, new Set(Object.keys(networks))) })
    } finally {
      await db.close()
    }
  })
}
