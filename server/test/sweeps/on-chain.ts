/** Collections on a real chain, carried out by the real machine and the real signer. */
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { silentLog } from '../../src/core/log.ts'
import type { AccountParts } from '../../src/outgoing/evm/account-parts.ts'
import { collectDeposits } from '../../src/outgoing/sweeps/collect-deposits.ts'
import { finishSweeps } from '../../src/outgoing/sweeps/finish-sweeps.ts'
import { sweepPolicies } from '../../src/outgoing/sweeps/sweep.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import type { Machine, PayoutFlow } from '../support/payout-flow.ts'
import { expectNoneMissed } from '../support/search-missed.ts'
import type { InvoiceWish } from '../support/shop.ts'
import { collectionsOf, completedOf } from './sights.ts'

export interface Paid {
  readonly invoiceId: string
  readonly address: string
}

export interface ChainCollections {
  /** An invoice with where to pay; nothing is paid. */
  open(merchantId: string, wish?: Partial<InvoiceWish>): Promise<Paid>
  /** Sends to an address; mined by the next block. Undefined asset: USDT. */
  send(address: string, amountMinor: bigint, coin?: 'coin'): Promise<string>
  /** A machine that carries collections out. */
  machine(over?: Partial<AccountParts>): Promise<Machine>
  finish(): Promise<number>
  /** Rounds, blocks and finishing until nothing is under way. */
  bringIn(machine: Machine): Promise<void>
  collections(merchantId: string): ReturnType<typeof collectionsOf>
  events(merchantId: string): ReturnType<typeof completedOf>
  /** What is sent of each kind, in order. */
  sent(): Promise<readonly { kind: string; state: string }[]>
  expectRightBooks(): Promise<void>
}

export function onChain(flow: PayoutFlow): ChainCollections {
  const { database } = flow
  const finish = () =>
    finishSweeps({
      db: database.db,
      methods: flow.shop.methods,
      chains: [flow.reader],
      pollMs: 10,
    }).takeAndDo(new AbortController().signal)
  const isOpen = async () =>
    (await database.db.query(sql`select 1 from sweep where state not in ('done', 'dropped')`)).length > 0
  return {
    open: async (merchantId, wish) => {
      const invoiceId = await flow.shop.openInvoice(merchantId, wish)
      const { address } = await flow.shop.addressFor(invoiceId, wish?.methodId)
      return { invoiceId, address: address.toLowerCase() }
    },
    send: (to, amountMinor, coin) =>
      coin === 'coin'
        ? flow.anvil.sendCoin({ to, amountMinor })
        : flow.anvil.sendToken({ contract: flow.usdt, to, amountMinor }),
    machine: (over) => {
      const sender = over?.sender ?? flow.sender
      const chain = { reader: flow.reader, sender, codec: spendCodecs.evm }
      const purpose = collectDeposits({
        methods: flow.shop.methods,
        policy: sweepPolicies.sandbox,
        chainOf: () => chain,
        log: silentLog,
      })
      return flow.machine({ purposes: [purpose], ...over })
    },
    finish,
    bringIn: async (machine) => {
      for (let rounds = 0; rounds < 30; rounds += 1) {
        await machine.settle()
        if ((await finish()) === 0 && !(await isOpen())) return
        await flow.mine()
      }
      throw new Error('what is under way does not come to an end')
    },
    collections: (merchantId) => collectionsOf(database.db, merchantId),
    events: (merchantId) => completedOf(database.db, merchantId),
    sent: () => database.db.query(sql`select kind, state from payout order by planned_at, id`),
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
