/** Proofs of large books: how long a full one takes, one of what a day added, the check that never ends, and who waits for it. */
import { silentLog } from '../src/core/log.ts'
import { openDb } from '../src/db/pool.ts'
import { mainPaymentMethods } from '../src/payment-methods/catalogue.ts'
import { paymentMethods } from '../src/payment-methods/payment-method.ts'
import { verify } from '../src/verify/verify.ts'
import { testMacs } from '../test/support/books-macs.ts'
import type { Bench } from './bench.ts'
import { closeAfter } from './close-after.ts'
import type { Measurement } from './measurement.ts'
import { openBooks } from './open-books.ts'

export const verifyBench: Bench = ({ quick, scale = quick ? 0.01 : 1, keep, note }) =>
  closeAfter(async (opened) => {
    const books = await openBooks({ scale, keep, note })
    opened.add('PostgreSQL', () => books.stop())
    const db = openDb({ url: books.appUrl, connections: 3, log: silentLog, macs: testMacs })
    opened.add('database', () => db.close())
    const methods = paymentMethods(mainPaymentMethods(), new Set(['ethereum']))
    const measurements: Measurement[] = []
    const beganMs = performance.now()
    let last = beganMs
    const report = (line: string) => {
      note(`${((performance.now() - last) / 1000).toFixed(2)} s ${line}`)
      last = performance.now()
    }
    const { ok } = await verify({ db, methods, report })
    measurements.push({
      bar: `full verify of ${books.invoices} invoices${ok ? '' : ', which found something'}`,
      must: { atMost: 600 },
      measured: ok ? (performance.now() - beganMs) / 1000 : Number.NaN,
      unit: 's',
      remark: '',
    })
    return measurements
  })
