/**
 * Tests attacks by somebody who can write the database in the role of the service, while the payouts role is
 * intact. Nothing is paid that a merchant did not order: not to somebody else, not more, and not twice.
 * Everything halts and names the order.
 */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { orderPublicKey, orderVerifier } from '../../src/signing/order-signature.ts'
import { balancesIn } from '../support/books.ts'
import { resumeHalts } from '../support/lifts.ts'
import { orderSeed } from '../support/order-keys.ts'
import {
  outgoingEvmRecords,
  outgoingRecords,
  refusalRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import { fromNow } from '../support/records/values.ts'
import { screeningOff } from '../support/screening.ts'
import { type Ordered, useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const

let merchantId: string
let thief: string

beforeEach(async () => {
  thief = `0x7e${randomBytes(19).toString('hex')}`
  merchantId = await flow.openFunded(100_000_000n)
})

/** Removes the traces of a test, because they would halt the next one. */
afterEach(async () => {
  const { owner } = flow.database
  await resumeHalts(flow.database.db, flow.signer.keys)
  await refusalRecords.remove(owner)
  await outgoingRecords.remove(owner, { state: 'planned' })
  await withdrawalRecords.remove(owner, { state: 'pending' })
})

/** Runs one approval of a payer, which first proves deposits by the chain. */
async function approve(): Promise<void> {
  const { memory } = await flow.payer()
  const { signal } = new AbortController()
  await flow.outgoingSource.prepare?.(memory.lease, 'ethereum', signal, flow.reader)
}

/** Changes journals as a superuser, bypassing the triggers that protect the books. */
async function breakBooks(...statements: readonly ReturnType<typeof sql>[]): Promise<void> {
  const { owner } = flow.database
  await owner.query(sql`alter table journal disable trigger user`)
  await owner.query(sql`alter table journal_line disable trigger user`)
  await owner.query(sql`alter table journal_seal disable trigger user`)
  for (const statement of statements) await owner.query(statement)
  await owner.query(sql`alter table journal enable trigger user`)
  await owner.query(sql`alter table journal_line enable trigger user`)
  await owner.query(sql`alter table journal_seal enable trigger user`)
}

async function haltDetails(): Promise<readonly string[]> {
  const rows = await readShownHalts(flow.database.db)
  return rows.map(({ cause, detail }) => `${cause}: ${detail}`)
}

async function paidTo(...addresses: readonly string[]): Promise<readonly bigint[]> {
  return Promise.all(addresses.map((address) => flow.held(address, flow.usdt)))
}

/** Checks that nothing of the order was paid or posted, and that payouts halt because of it. */
async function expectStopped({ id, address }: Ordered, said: RegExp, about = id): Promise<void> {
  const before = await journalsOf(id)
  const engine = await flow.payer()
  await flow.playOut(engine)
  expect(await paidTo(thief, address)).toEqual([0n, 0n])
  expect(await journalsOf(id)).toEqual(before)
  expect(await haltDetails()).toEqual([expect.stringMatching(said)])
  expect((await haltDetails())[0]).toContain(about)
}

async function journalsOf(id: string): Promise<readonly string[]> {
  const rows = await flow.database.db.query<{ subject: string }>(
    sql`select subject from journal where subject like ${`withdrawal:${id}:%`} order by 1`,
  )
  return rows.map(({ subject }) => subject)
}

describe('a queued order of which the app role changes', () => {
  const changes: readonly [string, (id: string) => Promise<ReturnType<typeof sql>>][] = [
    ['the address', async (id) => sql`update withdrawal set address = ${thief} where id = ${id}`],
    ['the fee', async (id) => sql`update withdrawal set fee_minor = 0 where id = ${id}`],
    [
      'address and fee',
      async (id) => sql`update withdrawal set address = ${thief}, fee_minor = 0 where id = ${id}`,
    ],
    ['the amount', async (id) => sql`update withdrawal set amount_minor = 50000000 where id = ${id}`],
    [
      'the merchant',
      async (id) => {
        const other = await flow.openFunded(100_000_000n)
        return sql`update withdrawal set merchant_id = ${other} where id = ${id}`
      },
    ],
    [
      'the claim it pays',
      async (id) => {
        const invoiceId = await flow.shop.openInvoice(merchantId, { type: 'withdraw' })
        return sql`update withdrawal set invoice_id = ${invoiceId} where id = ${id}`
      },
    ],
    [
      'the signature, which it takes away',
      async (id) => sql`update withdrawal set order_signature = null where id = ${id}`,
    ],
    [
      'the signature, by that of another order',
      async (id) => {
        const other = await flow.order(merchantId)
        return sql`
          update withdrawal set order_signature = other.order_signature from withdrawal other
          where withdrawal.id = ${id} and other.id = ${other.id}`
      },
    ],
    [
      'whether an operator let it go',
      async (id) => sql`update withdrawal set released_at = now() where id = ${id}`,
    ],
  ]
  it.each(changes)('%s is not paid, and halts', async (_, change) => {
    const ordered = await flow.order(merchantId)
    await flow.database.db.query(await change(ordered.id))
    await expectStopped(ordered, /^tampering: the (signature|release) of withdrawal/)
    expect(await flow.row(ordered.id)).toMatchObject({ state: 'pending', stage: 'queued' })
  })
})

it('an order whose amount is raised while its transaction is on its way ends as it was ordered, and halts; others end too', async () => {
  const altered = await flow.order(merchantId)
  const intact = await flow.order(merchantId)
  const engine = await flow.payer()
  await engine.settle()
  for (const { id } of [altered, intact]) expect(await flow.row(id)).toMatchObject({ stage: 'broadcast' })
  await flow.database.db.query(
    sql`update withdrawal set amount_minor = 50000000, amount = 50 where id = ${altered.id}`,
  )
  await flow.playOut(engine)
  for (const { id } of [altered, intact]) expect(await flow.row(id)).toMatchObject({ state: 'completed' })
  expect(await paidTo(altered.address, intact.address)).toEqual([9_800_000n, 9_800_000n])
  expect(await balancesIn(flow.shop, merchantId)).toMatchObject({ available: 78_900_000n, held: 0n })
  expect(await haltDetails()).toEqual([
    expect.stringMatching(`^tampering: withdrawal ${altered.id} is not as it was ordered: amountMinor`),
  ])
})

it('an approved order whose address is changed before it is planned is not paid, and halts', async () => {
  const ordered = await flow.order(merchantId)
  await approve()
  expect(await flow.row(ordered.id)).toMatchObject({ stage: 'approved' })
  await withdrawalRecords.change(flow.database.db, { id: ordered.id }, { address: thief })
  await flow.endLeases()
  await expectStopped(ordered, /^tampering: the signature of withdrawal/)
  const [{ count } = { count: 0 }] = await flow.database.db.query<{ count: number }>(
    sql`select count(*) as count from outgoing_transaction where state = 'planned'`,
  )
  expect(Number(count)).toBe(0)
})

describe('a copy of an order under a new id', () => {
  it('is not paid, and halts', async () => {
    const first = await flow.order(merchantId)
    const engine = await flow.payer()
    await flow.playOut(engine)
    expect(await paidTo(first.address)).toEqual([9_800_000n])
    await flow.endLeases()
    const copy = newId()
    await flow.database.db.query(sql`
      insert into withdrawal (id, merchant_id, payment_method_id, asset, address, amount_minor, amount, fee_minor, order_signature)
      select ${copy}, merchant_id, payment_method_id, asset, address, amount_minor, amount, fee_minor, order_signature
      from withdrawal where id = ${first.id}`)
    await flow.playOut(await flow.payer())
    expect(await paidTo(first.address)).toEqual([9_800_000n])
    expect(await haltDetails()).toEqual([
      expect.stringMatching(`^tampering: the signature of withdrawal ${copy}`),
    ])
  })
})

describe('a cancelled order', () => {
  const cancelled = async (): Promise<Ordered> => {
    const ordered = await flow.order(merchantId)
    await approve()
    await cancelWithdrawal(flow.shop, caller, { merchantId, id: ordered.id })
    await flow.follow()
    await flow.endLeases()
    return ordered
  }
  it.each(['queued', 'approved'])('that is written back to %s is not paid, and halts', async (stage) => {
    const ordered = await cancelled()
    await withdrawalRecords.change(
      flow.database.db,
      { id: ordered.id },
      { state: 'pending', stage, endedAt: null, endReason: null },
    )
    await expectStopped(ordered, /^tampering: the hold of withdrawal .* was already released: withdrawal:/)
    expect(await flow.row(ordered.id)).toMatchObject({ state: 'pending', stage })
  })

  it.each(['what waits to be planned again', 'what is planned'])(
    'that is written into %s is not signed, and halts',
    async (table) => {
      const [proposal] = await proposalsOf(await approvedOrder())
      await cancelWithdrawal(flow.shop, caller, { merchantId, id: proposal.id })
      await flow.follow()
      await flow.endLeases()
      await insertInto(table, proposal)
      await expectStopped(
        { id: proposal.id, address: proposal.address },
        /^tampering: transaction .*: the hold of withdrawal .* was already released/,
      )
      const signer = await flow.signer.signer.readLog(0, 500)
      expect(signer.filter(({ outgoingTransactionId }) => outgoingTransactionId === proposal.id)).toEqual([])
    },
  )

  async function approvedOrder(): Promise<string> {
    const { id } = await flow.order(merchantId)
    await approve()
    return id
  }

  async function proposalsOf(id: string) {
    const proposals = await flow.outgoingSource.propose(flow.database.db, 'ethereum', 100)
    return proposals
      .filter((one) => one.id === id)
      .map(({ intent, spends }) => {
        if (intent.kind !== 'withdrawal') throw new Error('no withdrawal')
        return { id, intent, spends, address: intent.payments[0]?.address ?? '' }
      }) as [Forged]
  }
})

type Forged = Pick<
  Awaited<ReturnType<typeof flow.outgoingSource.propose>>[number],
  'id' | 'intent' | 'spends'
> & {
  readonly address: string
}

/** Inserts the order with its signature and the MAC of its approval, as the database kept both. */
async function insertInto(table: string, { id, intent, spends }: Forged): Promise<void> {
  const { db } = flow.database
  const text = JSON.stringify(intent, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
  const spent = spends?.amountMinor.toString()
  if (table === 'what is planned') {
    const [hotWallet] = flow.signer.keys.hotWallets
    const nonce = Number(await flow.anvil.rpc('eth_getTransactionCount', [hotWallet, 'latest']))
    await outgoingRecords.add(db, {
      id,
      network: 'ethereum',
      kind: 'withdrawal',
      intent: text,
      maxCostMinor: 10n ** 15n,
      spentAsset: spends?.asset,
      spentContract: spends?.contract,
      spentMinor: spent,
    })
    await outgoingEvmRecords.add(db, {
      outgoingTransactionId: id,
      network: 'ethereum',
      hotWallet: 0,
      wallet: hotWallet,
      nonce,
      gasLimit: 100_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    })
    return
  }
  await refusalRecords.add(db, {
    outgoingTransactionId: id,
    network: 'ethereum',
    kind: 'withdrawal',
    intent: text,
    spentAsset: spends?.asset,
    spentContract: spends?.contract,
    spentMinor: spent,
    code: 'over-limit',
    detail: 'later',
    retryAt: fromNow('-1 second'),
  })
}

describe('a queued order whose hold', () => {
  it('was removed from the journal is not paid, and halts', async () => {
    const ordered = await flow.order(merchantId)
    const hold = sql`select id from journal where subject = ${`withdrawal:${ordered.id}:requested`}`
    await breakBooks(
      sql`delete from journal_seal where journal_id in (${hold})`,
      sql`delete from journal_line where journal_id in (${hold})`,
      sql`delete from journal where id in (${hold})`,
    )
    await expectStopped(ordered, /^tampering: no journal holds the money of withdrawal/)
  })

  it('is marked as sealed and is not, is not paid, and halts', async () => {
    const ordered = await flow.order(merchantId)
    await breakBooks(sql`
      delete from journal_seal where journal_id in (
        select id from journal where subject = ${`withdrawal:${ordered.id}:requested`})`)
    await expectStopped(ordered, /^tampering: the hold of withdrawal .* is not part of the sealed books/)
  })

  it('holds less than its amount is not paid, and halts', async () => {
    const ordered = await flow.order(merchantId)
    await breakBooks(sql`
      update journal_line set debit = least(debit, 1), credit = least(credit, 1) where journal_id in (
        select id from journal where subject = ${`withdrawal:${ordered.id}:requested`})`)
    await expectStopped(ordered, /^tampering: the sealed journal .* has no valid MAC of BOOKS_KEY_FILE/)
  })
})

describe('a key of orders', () => {
  const next = Buffer.alloc(32, 0x21)
  const payerWith = (keys: readonly Buffer[]) => {
    const { db, methods } = flow.shop
    const { intentKey } = flow.signer
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const orders = orderVerifier(keys)
    const parts = {
      db,
      methods,
      log,
      intentKey,
      orders,
      screening: screeningOff,
      approvalAboveUsd: undefined,
    }
    return flow.engine({ outgoingSources: [withdrawalOutgoingSource(parts)] })
  }

  it('that is no longer used for signing counts while its public key is listed, and not after it is removed', async () => {
    const former = await flow.order(merchantId)
    await flow.playOut(await payerWith([orderPublicKey(next), orderPublicKey(orderSeed)]))
    expect(await paidTo(former.address)).toEqual([9_800_000n])
    await flow.endLeases()
    const later = await flow.order(merchantId)
    await flow.playOut(await payerWith([orderPublicKey(next)]))
    expect(await paidTo(later.address)).toEqual([0n])
    const halt = `^tampering: the signature of withdrawal ${later.id}`
    expect(await haltDetails()).toEqual([expect.stringMatching(halt)])
  })
})
