/**
 * Outgoing transactions on a real chain. Anvil mines and the engine runs rounds only when the test says so.
 * The real signer runs in the test's process, and transfer requests in a table take the role of withdrawals.
 */
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { openSender } from '../../src/chains/open-chain.ts'
import type { AccountSender, ChainReader } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import type { Log } from '../../src/core/log.ts'
import { silentLog } from '../../src/core/log.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { type EngineMemory, newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import { doRound, engineLease } from '../../src/outgoing/engine/run.ts'
import type { AccountParts } from '../../src/outgoing/evm/account-parts.ts'
import { overAccounts } from '../../src/outgoing/evm/evm-strategy.ts'
import { acquireLease, endAllLeases, type Lease } from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Payment } from '../../src/signing/intent.ts'
import { type FollowChainParts, followChain } from '../../src/watcher/follow-chain.ts'
import { devNetwork, openDevChain } from '../chains/evm-harness.ts'
import { type Anvil, quantity, useAnvil } from './anvil.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { makeShop, type Shop } from './shop.ts'
import { approvedPayment, openTestSigner, type TestSigner } from './signer.ts'
import {
  addTransferRequest,
  createTransferRequestTable,
  readTransferRequests,
  type TransferRequest,
  transferRequests,
} from './transfer-requests.ts'

export interface OutgoingFlow {
  readonly database: TestDatabase
  readonly anvil: Anvil
  readonly usdt: string
  readonly shop: Shop
  readonly reader: ChainReader
  readonly sender: AccountSender
  /** The test signer that was opened last. */
  signer: TestSigner
  /** The names of the alerts of all engines since the test began. */
  readonly alerts: string[]
  /** Requests a payment, to a fresh address by default, and returns it with its id. */
  pay(over?: Partial<Omit<Payment, 'mac'>>): Promise<Payment & { readonly id: string }>
  /** Returns the parts that an engine works with. */
  parts(over?: Partial<AccountParts>): AccountParts
  /** Returns an engine that holds the lease, which must be free. */
  engine(over?: Partial<AccountParts>): Promise<Engine>
  /** Ends all leases, whoever holds them. */
  endLeases(): Promise<void>
  /** Mines blocks and has the watcher follow them. */
  mine(blocks?: number): Promise<void>
  follow(over?: Partial<FollowChainParts>): Promise<void>
  transferRequest(id: string): Promise<TransferRequest>
  /** Sets the hot wallets' balances of USDT, one after the other, and mines a block. */
  setTokens(...minors: bigint[]): Promise<void>
  /** Returns the balance of an address. */
  held(address: string, contract?: string | null): Promise<bigint>
}

export interface Engine {
  readonly parts: AccountParts
  readonly memory: EngineMemory
  round(): Promise<number>
  /** Runs rounds until there is nothing to do. */
  settle(): Promise<void>
  /** Mines a block and settles, this many times. After the default number, what was sent is final. */
  finish(blocks?: number): Promise<void>
}

const network = 'ethereum'
const eth = 10n ** 18n

export interface OutgoingFlowOptions {
  readonly hotWallets?: number
  /**
   * The phrase of the signer; a fresh one by default. The shop's addresses are derived from `testMnemonic`.
   */
  readonly mnemonic?: string
  readonly coldAddress?: string
}

export function useOutgoingFlow({ hotWallets = 2, ...keys }: OutgoingFlowOptions = {}): OutgoingFlow {
  const database = useDatabase()
  const anvil = useAnvil()
  const made: { -readonly [Name in keyof OutgoingFlow]?: OutgoingFlow[Name] } = {
    alerts: [],
    database,
    anvil,
  }
  const flow = new Proxy(made as OutgoingFlow, {
    get: (target, name) => required(Reflect.get(target, name), `${String(name)}, which exists inside tests,`),
  })
  let shop: Shop | undefined
  beforeAll(async () => {
    const { USDT: usdt, USDC: usdc } = await anvil.deployTokens()
    shop = makeShop(database, { usdt, usdc })
    made.usdt = usdt
    made.shop = shop
    made.reader = openDevChain(anvil.url)
    made.sender = openSender({ network: devNetwork, urls: [anvil.url], log: silentLog })
    made.signer = await openTestSigner({ hotWallets, ...keys })
    await createTransferRequestTable(database)
    await fund(flow, hotWallets)
    await flow.follow()
  })
  Object.assign(
    made,
    operate(flow, () => required(shop, 'the shop')),
  )
  beforeEach(() => void flow.alerts.splice(0))
  afterEach(() => flow.endLeases())
  afterAll(async () => {
    await Promise.all([made.reader?.close(), made.sender?.close(), made.signer?.close()])
  })
  return flow
}

/** Gives each hot wallet 100 coins and 1,000,000 USDT. The coins are booked as the operator's capital. */
async function fund({ anvil, signer, database, usdt }: OutgoingFlow, hotWallets: number): Promise<void> {
  for (const address of signer.keys.hotWallets) {
    await anvil.rpc('anvil_setBalance', [address, quantity(100n * eth)])
    await anvil.rpc('anvil_dealERC20', [address, usdt, quantity(10n ** 12n)])
  }
  const amountMinor = 100n * eth * BigInt(hotWallets)
  await inTransaction(database.db, (tx) =>
    post(tx, [
      journal({
        kind: 'capital.funded',
        subject: 'test:capital',
        lines: [
          debit({ name: 'custody', asset: 'ethereum/ETH' }, amountMinor),
          credit({ name: 'capital', asset: 'ethereum/ETH' }, amountMinor),
        ],
      }),
    ]),
  )
}

function operate(flow: OutgoingFlow, shop: () => Shop): Partial<OutgoingFlow> {
  const { database, alerts } = flow
  const note = (fields: Record<string, unknown>) => {
    if (typeof fields['alert'] === 'string') alerts.push(fields['alert'])
  }
  const log: Log = { info: note, warn: note, error: note }
  const parts: OutgoingFlow['parts'] = (over) => ({
    db: database.db,
    log,
    network: devNetwork,
    chain: flow.reader,
    sender: flow.sender,
    codec: spendCodecs.evm,
    addresses: evmAddresses,
    signer: flow.signer.signer,
    outgoingSources: [transferRequests],
    countedAs: (contract) => shop().methods.byTransferred(network, contract ?? undefined),
    xpub: flow.signer.keys.depositXpub,
    mayUndoFinal: true,
    ...over,
  })
  const lease = async (name: string) => {
    const leaseParams = { name, holderId: newId(), ttlMs: limits.leaseMs }
    return required(await acquireLease(database.db, leaseParams), `the lease ${name}`)
  }
  return {
    parts,
    pay: async (over) => {
      const id = over?.withdrawalId ?? newId()
      const payment = approvedPayment(flow.signer.intentKey, {
        address: freshAddress(),
        ...over,
        withdrawalId: id,
      })
      const { asset, contract, netMinor } = payment
      const spends = { asset, contract, amountMinor: netMinor }
      await addTransferRequest(database.db, {
        id,
        intent: { kind: 'withdrawal', payments: [payment] },
        spends,
      })
      return { ...payment, id }
    },
    engine: async (over) => {
      const memory = newMemory(await lease(engineLease(network)))
      const own = parts(over)
      const engine = overAccounts(own)
      const round = () => doRound(engine, memory, new AbortController().signal)
      const settle = async () => {
        for (let rounds = 0; (await round()) > 0; rounds += 1) {
          if (rounds > 50) throw new Error('the machine does not come to rest')
        }
      }
      const finish = async (blocks = 8) => {
        for (let mined = 0; mined < blocks; mined += 1) {
          await flow.mine()
          await settle()
        }
      }
      return { parts: own, memory, round, settle, finish }
    },
    ...readers(flow, lease, shop),
  }
}

/** Returns the members of the flow that mine and follow blocks, and those that read the result. */
function readers(
  flow: OutgoingFlow,
  lease: (name: string) => Promise<Lease>,
  shop: () => Shop,
): Pick<OutgoingFlow, 'endLeases' | 'mine' | 'follow' | 'transferRequest' | 'setTokens' | 'held'> {
  return {
    endLeases: () => endAllLeases(flow.database.db),
    mine: async (blocks = 1) => {
      await flow.anvil.mine(blocks)
      await flow.follow()
    },
    follow: async (over) => {
      await flow.database.db.query(
        sql`update lease set expires_at = '-infinity' where name = 'watch ethereum'`,
      )
      const { db, methods, feeDefaults } = shop()
      const held = await lease(`watch ${network}`)
      const stop = new AbortController().signal
      const watcher = {
        db,
        chain: flow.reader,
        methods,
        feeDefaults,
        log: silentLog,
        lease: held,
        mayUndoFinal: true,
        ...over,
      }
      while ((await followChain(watcher, stop)) > 0);
      await flow.database.db.query(
        sql`update lease set expires_at = '-infinity' where name in ('sealer', 'watch ethereum')`,
      )
      const sealer = await lease('sealer')
      while ((await sealBatch(db, sealer)) > 0);
    },
    setTokens: async (...minors) => {
      for (const [hotWallet, minor] of minors.entries()) {
        await flow.anvil.rpc('anvil_dealERC20', [
          flow.signer.keys.hotWallets[hotWallet],
          flow.usdt,
          quantity(minor),
        ])
      }
      await flow.mine()
    },
    transferRequest: async (id) =>
      required((await readTransferRequests(flow.database.db, [id]))[0], 'a wish'),
    held: async (address, contract = null) => {
      const asset = contract === null ? { type: 'coin' as const } : { type: 'token' as const, contract }
      const height = Number(await flow.anvil.rpc('eth_blockNumber'))
      const [minor] = await flow.reader.readBalances(asset, [address], height, new AbortController().signal)
      return minor ?? 0n
    },
  }
}

function freshAddress(): string {
  return `0x${newId().replaceAll('-', '')}00000000`.toLowerCase()
}
