/**
 * Withdrawals in litecoin on a real litecoind. They are ordered as merchants order them, then approved,
 * planned, signed and sent. The node mines and the engine runs rounds only when the test says so. Two blocks
 * confirm, as in a sandbox.
 */

import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { openUtxoSender } from '../../src/chains/open-chain.ts'
import { utxoAddressesOf } from '../../src/chains/utxo/address.ts'
import { utxoDraftsOf } from '../../src/chains/utxo/encoding/utxo-drafts.ts'
import type { UtxoSender } from '../../src/chains/utxo/utxo-port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { type EngineMemory, newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import type { EngineParts } from '../../src/outgoing/engine/engine-parts.ts'
import { doRound, engineLease } from '../../src/outgoing/engine/run.ts'
import type { UtxoParts } from '../../src/outgoing/utxo/utxo-parts.ts'
import { overUtxos } from '../../src/outgoing/utxo/utxo-strategy.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { acquireLease, endAllLeases, type Lease } from '../../src/platform/db/lease.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import type { SignAnswer, Signer } from '../../src/signing/signer-port.ts'
import { type LitecoinShop, litecoinMethodId, useLitecoinShop } from './litecoin-shop.ts'
import { litecoinRegtest } from './litecoind.ts'
import { testOrderVerifier } from './order-keys.ts'
import { screeningOff } from './screening.ts'
import { testMnemonic } from './shop.ts'
import { openTestSigner, type TestSigner, type TestSignerOptions } from './signer.ts'
import { newExternalAddress } from './utxo-requests.ts'
import { withdrawalPartsOf } from './withdrawal-parts.ts'

export interface UtxoFlow extends LitecoinShop {
  /** The signer that was opened last. */
  readonly signer: TestSigner
  /** Refusals for the next requests, one each, which then do not reach the signer. */
  readonly refusals: Extract<SignAnswer, { type: 'refused' }>[]
  /** The names of the alerts of all engines since the test began. */
  readonly alerts: string[]
  /** Opens a merchant with credited deposits of these amounts, each of which is a UTXO of its own. */
  openFunded(...amountsMinor: readonly bigint[]): Promise<string>
  /** Orders a withdrawal, by default to a fresh address. */
  order(merchantId: string, amount: string, address?: string): Promise<Ordered>
  engine(over?: Partial<UtxoParts>): Promise<UtxoEngine>
  /** Returns the sender to the node. */
  sender(): UtxoSender
  endLeases(): Promise<void>
  /** Mines blocks and runs rounds until what was sent is final. */
  playOut(engine: UtxoEngine, blocks?: number): Promise<void>
  withdrawal(id: string): Promise<WithdrawalSummary>
  /**
   * Returns the outgoing transactions in the order of their plans, with the number of UTXOs that each spends.
   */
  outgoingTransactions(): Promise<readonly OutgoingSummary[]>
  /** Returns what an address received in blocks. */
  received(address: string): Promise<bigint>
  utxos(): Promise<
    readonly { readonly outpoint: string; readonly minor: bigint; readonly isSpent: boolean }[]
  >
}

export interface Ordered {
  readonly id: string
  readonly address: string
}

export interface WithdrawalSummary {
  readonly state: string
  readonly stage: string | null
  readonly txHash: string | null
}

export interface OutgoingSummary {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly txHash: string | null
  readonly inputs: number
  readonly feeMinor: bigint
  readonly vbytes: bigint
}

export interface UtxoEngine {
  readonly parts: EngineParts
  readonly memory: EngineMemory
  round(): Promise<number>
  /** Runs rounds until there is nothing to do. */
  settle(): Promise<void>
}

const never = new AbortController().signal
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const

/**
 * Starts the shop and the signer before the tests of a file.
 * @param utxos the number of payments that the external wallet can make
 * @param options the options of the signer; the first element of `rows` is the network that litecoin is run
 *   as
 */
export function useUtxoFlow(utxos = 60, options: Partial<TestSignerOptions> = {}): UtxoFlow {
  const [network = litecoinRegtest] = options.rows ?? []
  const flow = useLitecoinShop(utxos, undefined, network)
  const made: Made = { network, alerts: [], refusals: [] }
  beforeAll(async () => {
    made.signer = await openTestSigner({ mnemonic: testMnemonic, hotWallets: 1, ...options })
    made.sender = openUtxoSender({ network, urls: [flow.node.url], log: silentLog })
  })
  beforeEach(() => void made.alerts.splice(0))
  afterEach(() => endAllLeases(flow.database.db))
  afterAll(() => Promise.all([made.sender?.close(), made.signer?.close()]))
  const own = Object.defineProperty(Object.create(flow), 'signer', { get: () => signerOf(made) })
  return Object.assign(own, {
    refusals: made.refusals,
    alerts: made.alerts,
    engine: (over?: Partial<UtxoParts>) => openEngine(flow, made, over),
    sender: () => boundMethods(senderOf(made)),
    endLeases: () => endAllLeases(flow.database.db),
    ...orders(flow, network),
    ...readers(flow),
    playOut: async (moved: UtxoEngine, blocks = 3) => {
      for (let block = 0; block < blocks; block += 1) {
        await moved.settle()
        await flow.mineAndFollow()
      }
      await moved.settle()
    },
  })
}

interface Made {
  readonly network: UtxoNetwork
  readonly alerts: string[]
  readonly refusals: UtxoFlow['refusals']
  signer?: TestSigner
  sender?: UtxoSender
}

const signerOf = ({ signer }: Made) => required(signer, 'the signer, which exists inside tests only,')
const senderOf = ({ sender }: Made) => required(sender, 'the sender, which exists inside tests only,')

function partsOf({ shop, reader }: LitecoinShop, made: Made): UtxoParts {
  const { db, methods } = shop
  const { network } = made
  const { signer, intentKey, keys } = signerOf(made)
  const note = (fields: Record<string, unknown>) => {
    if (typeof fields['alert'] === 'string') made.alerts.push(fields['alert'])
  }
  const withdrawals = withdrawalOutgoingSource({
    db,
    methods,
    log: silentLog,
    intentKey,
    orders: testOrderVerifier,
    screening: screeningOff,
    approvalAboveUsd: undefined,
  })
  return {
    db,
    log: { info: note, warn: note, error: note },
    network,
    chain: reader,
    sender: senderOf(made),
    signer: refusing(signer, made.refusals),
    drafts: utxoDraftsOf(network),
    addresses: utxoAddressesOf(network),
    xpub: keys.accountOf(network.chain).xpub,
    outgoingSources: [withdrawals],
    mayUndoFinal: true,
    finalDepth: 2,
  }
}

async function openEngine(
  flow: LitecoinShop,
  made: Made,
  over: Partial<UtxoParts> = {},
): Promise<UtxoEngine> {
  const { db } = flow.database
  const memory = newMemory(await lease(db, engineLease('litecoin')))
  const parts = overUtxos({ ...partsOf(flow, made), ...over })
  const round = async () => {
    await seal(db)
    return doRound(parts, memory, never)
  }
  const settle = async () => {
    for (let rounds = 0; (await round()) > 0; rounds += 1)
      if (rounds > 50) throw new Error('the machine does not come to rest')
  }
  return { parts, memory, round, settle }
}

async function lease(db: Db, name: string): Promise<Lease> {
  const leaseParams = { name, holderId: newId(), ttlMs: limits.leaseMs }
  return required(await acquireLease(db, leaseParams), `the lease ${name}`)
}

async function seal(db: Db): Promise<void> {
  await db.query(sql`update lease set expires_at = '-infinity' where name = 'sealer'`)
  const sealer = await lease(db, 'sealer')
  while ((await sealBatch(db, sealer)) > 0);
}

/** Returns a plain object whose methods can be replaced one by one. */
function boundMethods(sender: UtxoSender): UtxoSender {
  return {
    network: sender.network,
    readFeeRate: (...words) => sender.readFeeRate(...words),
    testAccept: (...words) => sender.testAccept(...words),
    broadcast: (...words) => sender.broadcast(...words),
    findSpent: (...words) => sender.findSpent(...words),
    findWaitingSpender: (...words) => sender.findWaitingSpender(...words),
    readPreviousTransactions: (...words) => sender.readPreviousTransactions(...words),
    close: () => sender.close(),
  }
}

function refusing(signer: Signer, refusals: UtxoFlow['refusals']): Signer {
  return {
    attest: () => signer.attest(),
    readLog: (after, max) => signer.readLog(after, max),
    control: signer.control,
    sign: async (requests) => {
      const refused = refusals.splice(0, requests.length)
      return [...refused, ...(await signer.sign(requests.slice(refused.length)))]
    },
  }
}

function orders(flow: LitecoinShop, network: UtxoNetwork): Pick<UtxoFlow, 'openFunded' | 'order'> {
  return {
    openFunded: async (...amountsMinor) => {
      const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
      const [first = 0n, ...more] = amountsMinor
      await flow.wallet.pay(address, first)
      for (const amountMinor of more) await flow.wallet.pay(address, amountMinor)
      await flow.mineAndFollow(2)
      return merchantId
    },
    order: async (merchantId, amount, address = newExternalAddress(network)) => {
      const id = newId()
      const parts = withdrawalPartsOf(flow.shop, { codecOf: () => utxoAddressesOf(network) })
      await createWithdrawal(parts, caller, {
        id,
        merchantId,
        address,
        amount,
        paymentMethodId: litecoinMethodId,
      })
      return { id, address }
    },
  }
}

function readers(
  flow: LitecoinShop,
): Pick<UtxoFlow, 'withdrawal' | 'outgoingTransactions' | 'received' | 'utxos'> {
  return {
    withdrawal: (id) =>
      flow.shop.row(sql`select state, stage, tx_hash as "txHash" from withdrawal where id = ${id}`),
    outgoingTransactions: async () => {
      const rows = await flow.shop.db.query<
        Omit<OutgoingSummary, 'feeMinor' | 'vbytes'> & { fee: string; vbytes: string }
      >(sql`
        select id, kind, state, included_tx_hash as "txHash", fee, vbytes,
          (select count(*)::int from outgoing_transaction_input where outgoing_transaction_id = outgoing_transaction.id) as inputs
        from outgoing_transaction join outgoing_utxo on id = outgoing_transaction_id order by planned_at, id`)
      return rows.map(({ fee, vbytes, ...row }) => ({
        ...row,
        feeMinor: BigInt(fee),
        vbytes: BigInt(vbytes),
      }))
    },
    received: async (address) => {
      const height = (await flow.node.rpc('getblockcount')) as number
      const [minor] = await flow.reader.readBalances({ type: 'coin' }, [address], height, never)
      return minor ?? 0n
    },
    utxos: async () => {
      const rows = await flow.shop.db.query<{ outpoint: string; minor: string; isSpent: boolean }>(sql`
        select outpoint, amount_minor as minor, spent_by is not null as "isSpent" from own_output order by height, outpoint`)
      return rows.map(({ minor, ...row }) => ({ ...row, minor: BigInt(minor) }))
    },
  }
}
