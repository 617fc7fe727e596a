/**
 * Withdrawals in litecoin on a real litecoind that mines when told: ordered as merchants do, approved, planned, signed and
 * sent by a machine that takes rounds when told. Two confirmations, as in a sandbox.
 */
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { openCoinSender } from '../../src/chains/open-chain.ts'
import { utxoAddressesOf } from '../../src/chains/utxo/address.ts'
import type { CoinSender } from '../../src/chains/utxo/coin-port.ts'
import { coinDraftsOf } from '../../src/chains/utxo/encoding/coin-drafts.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import type { PayoutParts } from '../../src/outgoing/engine/machine.ts'
import { type MachineMemory, newMemory } from '../../src/outgoing/engine/machine-memory.ts'
import { doRound, payoutsLease } from '../../src/outgoing/engine/run-payouts.ts'
import type { CoinParts } from '../../src/outgoing/utxo/coin-parts.ts'
import { overCoins } from '../../src/outgoing/utxo/coins-way.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { withdrawalPurpose } from '../../src/outgoing/withdrawals/withdrawal-purpose.ts'
import { acquireLease, endAllLeases, type Lease } from '../../src/platform/db/lease.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import type { SignAnswer, Signer } from '../../src/signing/signer-port.ts'
import { newOutsider } from './coin-requests.ts'
import { type LitecoinShop, litecoinMethodId, useLitecoinShop } from './litecoin-shop.ts'
import { litecoinRegtest } from './litecoind.ts'
import { testOrderVerifier } from './order-keys.ts'
import { screeningOff } from './screening.ts'
import { testMnemonic } from './shop.ts'
import { openTestSigner, type TestSigner, type TestSignerOptions } from './signer.ts'

export interface CoinFlow extends LitecoinShop {
  /** Of the last life of the signer. */
  readonly signer: TestSigner
  /** What the next requests are answered with, one each, without asking the signer. */
  readonly refusals: Extract<SignAnswer, { type: 'refused' }>[]
  /** What machines said was wrong, by its stable word. */
  readonly alerts: string[]
  /** Of a merchant that was paid so much and credited; each amount is a coin of its own. */
  openFunded(...amountsMinor: readonly bigint[]): Promise<string>
  /** To a fresh address unless told otherwise. */
  order(merchantId: string, amount: string, address?: string): Promise<Ordered>
  machine(over?: Partial<CoinParts>): Promise<CoinMachine>
  /** To the node. */
  sender(): CoinSender
  endLeases(): Promise<void>
  /** Blocks and rounds until what was sent is final. */
  playOut(machine: CoinMachine, blocks?: number): Promise<void>
  withdrawal(id: string): Promise<WithdrawalSight>
  /** Payouts in the order of their plans, with how many coins they spend. */
  payouts(): Promise<readonly PayoutSight[]>
  /** What an address got in blocks. */
  received(address: string): Promise<bigint>
  coins(): Promise<
    readonly { readonly outpoint: string; readonly minor: bigint; readonly isSpent: boolean }[]
  >
}

export interface Ordered {
  readonly id: string
  readonly address: string
}

export interface WithdrawalSight {
  readonly state: string
  readonly stage: string | null
  readonly txHash: string | null
}

export interface PayoutSight {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly txHash: string | null
  readonly inputs: number
  readonly feeMinor: bigint
  readonly gas: bigint
}

export interface CoinMachine {
  readonly parts: PayoutParts
  readonly memory: MachineMemory
  round(): Promise<number>
  /** Rounds until there is nothing to do. */
  settle(): Promise<void>
}

const never = new AbortController().signal
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const

/**
 * @param coins how many payments the outsider can make
 * @param options of the signer; its first row is what litecoin is run as
 */
export function useCoinFlow(coins = 60, options: Partial<TestSignerOptions> = {}): CoinFlow {
  const [network = litecoinRegtest] = options.rows ?? []
  const flow = useLitecoinShop(coins, undefined, network)
  const made: Made = { network, alerts: [], refusals: [] }
  beforeAll(async () => {
    made.signer = await openTestSigner({ mnemonic: testMnemonic, lanes: 1, ...options })
    made.sender = openCoinSender({ network, urls: [flow.node.url], log: silentLog })
  })
  beforeEach(() => void made.alerts.splice(0))
  afterEach(() => endAllLeases(flow.database.db))
  afterAll(() => Promise.all([made.sender?.close(), made.signer?.close()]))
  const own = Object.defineProperty(Object.create(flow), 'signer', { get: () => signerOf(made) })
  return Object.assign(own, {
    refusals: made.refusals,
    alerts: made.alerts,
    machine: (over?: Partial<CoinParts>) => openMachine(flow, made, over),
    sender: () => boundMethods(senderOf(made)),
    endLeases: () => endAllLeases(flow.database.db),
    ...orders(flow, network),
    ...sights(flow),
    playOut: async (moved: CoinMachine, blocks = 3) => {
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
  readonly refusals: CoinFlow['refusals']
  signer?: TestSigner
  sender?: CoinSender
}

const signerOf = ({ signer }: Made) => required(signer, 'the signer, which exists inside tests only,')
const senderOf = ({ sender }: Made) => required(sender, 'the sender, which exists inside tests only,')

function partsOf({ shop, reader }: LitecoinShop, made: Made): CoinParts {
  const { db, methods } = shop
  const { network } = made
  const { signer, intentKey, keys } = signerOf(made)
  const note = (fields: Record<string, unknown>) => {
    if (typeof fields['alert'] === 'string') made.alerts.push(fields['alert'])
  }
  const withdrawals = withdrawalPurpose({
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
    drafts: coinDraftsOf(network),
    addresses: utxoAddressesOf(network),
    xpub: keys.accountOf(network.chain).xpub,
    purposes: [withdrawals],
    mayUndoFinal: true,
    finalDepth: 2,
  }
}

async function openMachine(
  flow: LitecoinShop,
  made: Made,
  over: Partial<CoinParts> = {},
): Promise<CoinMachine> {
  const { db } = flow.database
  const memory = newMemory(await lease(db, payoutsLease('litecoin')))
  const parts = overCoins({ ...partsOf(flow, made), ...over })
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
  const wish = { name, holderId: newId(), ttlMs: limits.leaseMs }
  return required(await acquireLease(db, wish), `the lease ${name}`)
}

async function seal(db: Db): Promise<void> {
  await db.query(sql`update lease set expires_at = '-infinity' where name = 'sealer'`)
  const sealer = await lease(db, 'sealer')
  while ((await sealBatch(db, sealer)) > 0);
}

/** As an object whose methods can be replaced one by one. */
function boundMethods(sender: CoinSender): CoinSender {
  return {
    network: sender.network,
    readFeeRate: (...words) => sender.readFeeRate(...words),
    testAccept: (...words) => sender.testAccept(...words),
    broadcast: (...words) => sender.broadcast(...words),
    findSpent: (...words) => sender.findSpent(...words),
    findWaitingSpender: (...words) => sender.findWaitingSpender(...words),
    readMakers: (...words) => sender.readMakers(...words),
    close: () => sender.close(),
  }
}

function refusing(signer: Signer, refusals: CoinFlow['refusals']): Signer {
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

function orders(flow: LitecoinShop, network: UtxoNetwork): Pick<CoinFlow, 'openFunded' | 'order'> {
  return {
    openFunded: async (...amountsMinor) => {
      const { merchantId, address } = await flow.openInvoice({ type: 'reusable' })
      const [first = 0n, ...more] = amountsMinor
      await flow.wallet.pay(address, first)
      for (const amountMinor of more) await flow.wallet.pay(address, amountMinor)
      await flow.mineAndFollow(2)
      return merchantId
    },
    order: async (merchantId, amount, address = newOutsider(network)) => {
      const id = newId()
      const { db, methods, feeDefaults, orders } = flow.shop
      const codecOf = () => utxoAddressesOf(network)
      const parts = { db, methods, feeDefaults, orders, screening: screeningOff, codecOf }
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

function sights(flow: LitecoinShop): Pick<CoinFlow, 'withdrawal' | 'payouts' | 'received' | 'coins'> {
  return {
    withdrawal: (id) =>
      flow.shop.row(sql`select state, stage, tx_hash as "txHash" from withdrawal where id = ${id}`),
    payouts: async () => {
      const rows = await flow.shop.db.query<
        Omit<PayoutSight, 'feeMinor' | 'gas'> & { fee: string; gas: string }
      >(sql`
        select id, kind, state, included_tx_hash as "txHash", tip_minor as fee, gas,
          (select count(*)::int from payout_input where payout_id = payout.id) as inputs
        from payout order by planned_at, id`)
      return rows.map(({ fee, gas, ...row }) => ({ ...row, feeMinor: BigInt(fee), gas: BigInt(gas) }))
    },
    received: async (address) => {
      const height = (await flow.node.rpc('getblockcount')) as number
      const [minor] = await flow.reader.readBalances({ type: 'coin' }, [address], height, never)
      return minor ?? 0n
    },
    coins: async () => {
      const rows = await flow.shop.db.query<{ outpoint: string; minor: string; isSpent: boolean }>(sql`
        select outpoint, amount_minor as minor, spent_by is not null as "isSpent" from coin order by height, outpoint`)
      return rows.map(({ minor, ...row }) => ({ ...row, minor: BigInt(minor) }))
    },
  }
}
