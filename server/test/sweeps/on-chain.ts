/** Collections on a real chain, carried out by the real engine and the real signer. */
import { expect } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { silentLog } from '../../src/core/log.ts'
import type { AccountParts } from '../../src/outgoing/evm/account-parts.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import { sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { sweepDeposits } from '../../src/outgoing/sweeps/sweep-deposits.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { outgoingRecords, sweepRecords } from '../support/outgoing/records.ts'
import type { Engine, OutgoingFlow } from '../support/outgoing-flow.ts'
import { noneOf } from '../support/records/values.ts'
import { expectNoneMissed } from '../support/search-missed.ts'
import type { InvoiceParams } from '../support/shop.ts'
import { completedOf, merchantSweepsOf } from './collection-readers.ts'

export interface Paid {
  readonly invoiceId: string
  readonly address: string
}

export interface ChainCollections {
  /** Opens an invoice with its address; nothing is paid. */
  open(merchantId: string, params?: Partial<InvoiceParams>): Promise<Paid>
  /** Sends to an address in the next block. Without `coin` it sends USDT. */
  send(address: string, amountMinor: bigint, coin?: 'coin'): Promise<string>
  /** Returns an engine that carries sweeps out. */
  engine(over?: Partial<AccountParts>): Promise<Engine>
  finish(): Promise<number>
  /** Runs rounds, mines blocks and finishes sweeps until nothing is under way. */
  runSweeps(engine: Engine): Promise<void>
  merchantSweeps(merchantId: string): ReturnType<typeof merchantSweepsOf>
  events(merchantId: string): ReturnType<typeof completedOf>
  /** The kind and state of each transaction that was sent, in order. */
  sent(): Promise<readonly { kind: string; state: string }[]>
  expectRightBooks(): Promise<void>
}

export function onChain(flow: OutgoingFlow): ChainCollections {
  const { database } = flow
  const finish = () =>
    finishSweeps({
      db: database.db,
      methods: flow.shop.methods,
      chains: [flow.reader],
      log: silentLog,
      pollMs: 10,
    }).runBatch(new AbortController().signal)
  const isOpen = async () =>
    (await sweepRecords.all(database.db, { state: noneOf('done', 'dropped') })).length > 0
  return {
    open: async (merchantId, params) => {
      const invoiceId = await flow.shop.openInvoice(merchantId, params)
      const { address } = await flow.shop.addressFor(invoiceId, params?.methodId)
      return { invoiceId, address: address.toLowerCase() }
    },
    send: (to, amountMinor, coin) =>
      coin === 'coin'
        ? flow.anvil.sendCoin({ to, amountMinor })
        : flow.anvil.sendToken({ contract: flow.usdt, to, amountMinor }),
    engine: (over) => {
      const sender = over?.sender ?? flow.sender
      const chain = { reader: flow.reader, sender, codec: spendCodecs.evm }
      const outgoingSource = sweepDeposits({
        methods: flow.shop.methods,
        policy: sweepPolicies.sandbox,
        chainOf: () => chain,
        log: silentLog,
      })
      return flow.engine({ outgoingSources: [outgoingSource], ...over })
    },
    finish,
    runSweeps: async (engine) => {
      for (let rounds = 0; rounds < 30; rounds += 1) {
        await engine.settle()
        if ((await finish()) === 0 && !(await isOpen())) return
        await flow.mine()
      }
      throw new Error('what is under way does not come to an end')
    },
    merchantSweeps: (merchantId) => merchantSweepsOf(database.db, merchantId),
    events: (merchantId) => completedOf(database.db, merchantId),
    sent: () => outgoingRecords.all(database.db, {}, 'kind', 'state'),
    expectRightBooks: async () => {
      await flow.follow()
      const report = await verify({
        db: database.db,
        methods: flow.shop.methods,
        chains: [flow],
      })
      expect(report.entries.filter(({ ok, skipped }) => !ok || skipped !== undefined)).toEqual([])
      await expectNoneMissed(flow.shop, flow.reader)
    },
  }
}
