/**
 * Books that real processes made on a real chain. Merchants were paid and paid out, and the books contain one
 * of everything whose change costs somebody money. Every tampering starts from the same books.
 */
import sql from 'sql-template-tag'
import { beforeAll } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { generateApiKey } from '../../src/merchants/change-api-key.ts'
import { setIpList } from '../../src/merchants/change-ip-list.ts'
import { setWebhook } from '../../src/merchants/change-webhook.ts'
import { haltAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { haltOutgoing } from '../../src/outgoing/engine/controls/halts.ts'
import { countersignHead } from '../../src/outgoing/engine/signer-client/countersign-head.ts'
import { insertUnmoved } from '../../src/outgoing/engine/unmoved/unmoved-store.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { setSchedule } from '../../src/pricing/fees/set-schedule.ts'
import { setLimits } from '../../src/pricing/limits/set-limits.ts'
import type { Attestation } from '../../src/signing/signer-port.ts'
import { takePrices, testMnemonic } from '../support/shop.ts'
import { useWithdrawalFlow, type WithdrawalFlow } from '../support/withdrawal-flow.ts'
import { onChain } from '../sweeps/on-chain.ts'
import { sealer } from '../webhooks/dispatching.ts'
import type { Story } from './tampering-table.ts'

export interface StoryBooks {
  readonly flow: WithdrawalFlow
  /** Available inside tests only. */
  readonly story: Story
  readonly attested: Attestation
}

/** Gives the test file the story, which takes some seconds to play. */
export function useTamperingStory(): StoryBooks {
  const flow = useWithdrawalFlow({ mnemonic: testMnemonic })
  let played: Omit<StoryBooks, 'flow'> | undefined
  beforeAll(async () => {
    played = await play(flow)
  }, 120_000)
  return {
    flow,
    get story() {
      return required(played, 'the story, which exists inside tests only,').story
    },
    get attested() {
      return required(played, 'the story, which exists inside tests only,').attested
    },
  }
}

async function play(flow: WithdrawalFlow): Promise<Omit<StoryBooks, 'flow'>> {
  await takePrices(flow.shop)
  // Wallets start without unbooked money, so that any missing amount is found.
  await flow.setTokens(0n, 0n)
  const people = await openMerchants(flow)
  await attributePayment(flow, people.bert)
  const completed = await payAndSweep(flow, people)
  const open = await openInvoices(flow, people)
  const unsaid = await payHotWallet(flow, 9_000_000n)
  const queued = await flow.order(people.anna, { amount: '12' })
  const queuedToo = await flow.order(people.anna)
  await flow.follow()
  await haltAll(flow, completed)
  await countersignHead({ db: flow.database.db, log: silentLog, signer: flow.signer.signer })
  const unread = await payUnread(flow, open.address)
  const story: Story = {
    ...people,
    completed,
    queued: queued.id,
    queuedToo: queuedToo.id,
    openInvoice: open.invoiceId,
    otherInvoice: open.otherId,
    unsaid,
    unread,
  }
  return { story, attested: await flow.signer.signer.attest() }
}

type People = Pick<Story, 'anna' | 'bert' | 'stranger'>

/** Opens two merchants with settings, as the API makes them, and an account that owns nothing. */
async function openMerchants({ shop, database }: WithdrawalFlow): Promise<People> {
  const { db } = database
  const anna = await shop.openMerchant()
  const bert = await shop.openMerchant()
  const owner = '0197a1f1-aaaa-7aaa-8aaa-aaaaaaaaaaaa'
  const stranger = '0197a1f1-eeee-7eee-8eee-eeeeeeeeeeee'
  await db.query(sql`
    insert into account (id, email, password_hash) values (${owner}, 'anna@shop.test', ''), (${stranger}, 'eve@shop.test', '')`)
  await db.query(sql`
    insert into member (account_id, merchant_id, role, created_at)
    select ${owner}, id, 'owner', created_at from merchant`)
  const by = { accountId: owner, merchantId: anna }
  const parts = { db, methods: shop.methods }
  const everyMethod = { merchantId: anna, paymentMethodId: undefined }
  const onetime = { ...everyMethod, type: 'onetime' } as const
  await setSchedule(parts, owner, { ...onetime, percent: '2', flat: '0', currency: undefined })
  await setLimits(parts, owner, { ...everyMethod, minCollect: '1', minWithdraw: '1' })
  await generateApiKey(db, by)
  await setIpList(db, by, ['192.0.2.0/24'])
  const webhookRules = () => ({ allowHttp: false, allowPrivate: true, ownUrls: [] })
  const secret = 'a secret of more than 32 characters'
  await setWebhook({ db, sealer, webhookRules }, by, { url: 'https://shop.test/hook', secret })
  return { anna, bert, stranger }
}

/** Pays a hot wallet in a block that is not final yet, and returns the deposit's id. */
async function payHotWallet(flow: WithdrawalFlow, amountMinor: bigint): Promise<string> {
  const to = required(flow.signer.keys.hotWallets[0], 'a lane')
  const txHash = await flow.anvil.sendToken({ contract: flow.usdt, to, amountMinor })
  await flow.mine()
  const { id } = await flow.shop.row<{ id: string }>(sql`select id from deposit where tx_hash = ${txHash}`)
  return id
}

/** Pays a hot wallet instead of an invoice, and lets an operator attribute the payment to the merchant. */
async function attributePayment(flow: WithdrawalFlow, merchantId: string): Promise<void> {
  await (await flow.payer()).settle()
  const depositId = await payHotWallet(flow, 8_000_000n)
  await flow.mine(2)
  await attributeMoney(flow.shop, undefined, { depositId, merchantId, reason: 'they called' })
}

/**
 * Makes deposits for both merchants, a sweep, a withdrawal that leaves, and deposits that no sweep has
 * touched.
 */
async function payAndSweep(flow: WithdrawalFlow, { anna, bert }: People): Promise<string> {
  const sweeping = onChain(flow)
  await flow.endLeases()
  for (const [merchantId, amountMinor] of [
    [anna, 100_000_000n],
    [bert, 50_000_000n],
  ] as const) {
    const { address } = await sweeping.open(merchantId, { amount: `${amountMinor / 1_000_000n}` })
    await sweeping.send(address, amountMinor)
  }
  await flow.mine(2)
  await sweeping.runSweeps(await sweeping.engine())
  await flow.endLeases()
  const { id } = await flow.order(anna, { amount: '20' })
  await flow.playOut(await flow.payer())
  await flow.endLeases()
  const unswept = await sweeping.open(anna, { amount: '30' })
  await sweeping.send(unswept.address, 30_000_000n)
  const coin = await sweeping.open(bert, { amount: '10', methodId: 3 })
  await sweeping.send(coin.address, 10n ** 16n, 'coin')
  await flow.mine(4)
  return id
}

/**
 * Opens an invoice of 77 USD of the first merchant, which is shown to its payer, and one of the second
 * merchant that is not shown yet.
 */
async function openInvoices({ shop }: WithdrawalFlow, { anna, bert }: People) {
  const invoiceId = await shop.openInvoice(anna, { amount: '77' })
  const { address } = await shop.addressFor(invoiceId)
  const otherId = await shop.openInvoice(bert, { amount: '77' })
  return { invoiceId, address: address.toLowerCase(), otherId }
}

/**
 * Halts everything and one asset, and leaves an outgoing transaction that waits for an operator's decision.
 */
async function haltAll({ database, shop }: WithdrawalFlow, completed: string): Promise<void> {
  const { db } = database
  await haltOutgoing({ db, log: silentLog }, 'books', 'a look was asked for')
  await inTransaction(db, (tx) =>
    haltAsset(
      { db: tx, log: silentLog },
      { asset: 'ethereum/USDC', cause: 'insolvent', detail: '5 are missing' },
    ),
  )
  const { block_hash: blockHash, tx_hash: txHash } = await shop.row<{
    block_hash: string
    tx_hash: string
  }>(sql`
    select included_block_hash as block_hash, included_tx_hash as tx_hash from outgoing_transaction where id = ${completed}`)
  await inTransaction(db, (tx) =>
    insertUnmoved(tx, [{ outgoingTransactionId: completed, blockHash, txHash, detail: 'it moved nothing' }]),
  )
}

/**
 * Mines a payment to an open invoice in a block that is not read yet. An attacker who moves the cursor needs
 * such a block.
 */
async function payUnread({ anvil, reader, usdt }: WithdrawalFlow, to: string): Promise<Story['unread']> {
  await anvil.sendToken({ contract: usdt, to, amountMinor: 77_000_000n })
  await anvil.mine()
  const height = Number(await anvil.rpc('eth_blockNumber', []))
  const header = await reader.readHeader(height, new AbortController().signal)
  const { hash, parentHash } = required(header, 'the block')
  return { height, hash, parentHash }
}
