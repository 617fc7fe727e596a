/**
 * Measures proofs of large books: a full proof, a proof of only the rows of one day, and the continuous
 * check. Also measures how long writers wait during a proof.
 */
import { silentLog } from '../src/core/log.ts'
import { findViolations, rescan } from '../src/oversight/verify/continuous-check.ts'
import { verify } from '../src/oversight/verify/verify.ts'
import { databaseName } from '../src/platform/db/embedded/provision.ts'
import { type Db, openDb } from '../src/platform/db/pool.ts'
import { mainPaymentMethods } from '../src/pricing/payment-methods/catalogue.ts'
import { type PaymentMethods, paymentMethods } from '../src/pricing/payment-methods/payment-method.ts'
import { testMacs } from '../test/support/books-macs.ts'
import type { Bench } from './bench.ts'
import { closeAfter } from './close-after.ts'
import { figure, type Measurement } from './measurement.ts'
import { openBooks } from './open-books.ts'
import { openProbes } from './probe-waits.ts'
import { readCpu } from './read-cpu.ts'

export const verifyBench: Bench = ({ quick, scale = quick ? 0.01 : 1, keep, note }) =>
  closeAfter(async (opened) => {
    const books = await openBooks({ scale, keep, note })
    opened.add('PostgreSQL', () => books.stop())
    const db = openDb({ url: books.appUrl, connections: 3, log: silentLog, macs: testMacs })
    opened.add('database', () => db.close())
    const methods = paymentMethods(mainPaymentMethods(), new Set(['ethereum']))
    const size = `${books.invoices} invoices`
    const measure = async (bar: string, atMostS: number | undefined, work: () => Promise<boolean>) => {
      const timed = await timedOf(work)
      note(`${bar}: ${figure(timed.tookS)} s`)
      return {
        bar,
        ...(atMostS !== undefined && { must: { atMost: atMostS } }),
        measured: timed.isRight ? timed.tookS : Number.NaN,
        unit: 's',
        remark: timed.isRight ? timed.cpu : 'verify reported findings',
      }
    }
    const full = () => proves(db, methods, note)
    const measurements: Measurement[] = []
    const probes = openProbes(books)
    measurements.push(await measure(`verify, ${size}, with concurrent writers`, 600, full))
    measurements.push(...(await probes.stop()))
    const checks = { db, methods }
    const again = rescan(checks)
    const check = async () => (await findViolations(checks, again)).length === 0
    measurements.push(await measure(`the first continuous check, ${size}`, undefined, check))
    const more = await books.grow()
    measurements.push(
      await measure(`verify --since-last, ${more} more invoices`, 5, () =>
        proves(db, methods, note, 'since last'),
      ),
    )
    measurements.push(await measure(`the continuous check, ${more} more invoices`, 10, check))
    measurements.push(await measure('the next one', 5, check))
    return measurements
  })

async function proves(
  db: Db,
  methods: PaymentMethods,
  note: (line: string) => void,
  reach: 'all' | 'since last' = 'all',
): Promise<boolean> {
  const beganMs = performance.now()
  const report = (line: string) =>
    note(`${figure((performance.now() - beganMs) / 1000).padStart(5)} s  ${line}`)
  return (await verify({ db, methods, reach, report })).ok
}

/**
 * Measures the duration and the CPU time of `work`. On a host with other load, the CPU time is more reliable
 * than the duration.
 */
async function timedOf(work: () => Promise<boolean>) {
  const before = readCpu(process.pid, databaseName)
  const beganMs = performance.now()
  const isRight = await work()
  const tookS = (performance.now() - beganMs) / 1000
  const after = readCpu(process.pid, databaseName)
  const [nodeS, databaseS] = [after.apiMs - before.apiMs, after.databaseMs - before.databaseMs].map(
    (ms) => ms / 1000,
  )
  return {
    isRight,
    tookS,
    cpu: `CPU time: Node ${figure(nodeS ?? 0)} s, PostgreSQL ${figure(databaseS ?? 0)} s`,
  }
}
