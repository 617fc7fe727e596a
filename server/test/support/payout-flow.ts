/**
 * Payouts on a real chain: anvil that mines when told, the real signer without its process, a machine that takes rounds
 * when told, and wishes in a table in place of withdrawals.
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
import { type MachineMemory, newMemory } from '../../src/outgoing/engine/machine-memory.ts'
import { doRound, payoutsLease } from '../../src/outgoing/engine/run-payouts.ts'
import type { AccountParts } from '../../src/outgoing/evm/account-parts.ts'
import { overAccounts } from '../../src/outgoing/evm/accounts-way.ts'
import { acquireLease, endAllLeases, type Lease } from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Payment } from '../../src/signing/intent.ts'
import { type FollowChainParts, followChain } from '../../src/watcher/follow-chain.ts'
import { devNetwork, openDevChain } from '../chains/evm-world.ts'
import { type Anvil, quantity, useAnvil } from './anvil.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { makeShop, type Shop } from './shop.ts'
import { approvedPayment, openTestSigner, type TestSigner } from './signer.ts'
import { addWish, makeWishTable, readWishes, type Wish, wishes } from './wishes.ts'

export interface PayoutFlow {
  readonly database: TestDatabase
  readonly anvil: Anvil
  readonly usdt: string
  readonly shop: Shop
  readonly reader: ChainReader
  readonly sender: AccountSender
  /** Of the last test signer that was opened. */
  signer: TestSigner
  /** What the last machines said was wrong, by its stable word. */
  readonly alerts: string[]
  /** Wishes for a payment to a fresh address unless told otherwise; its id. */
  pay(over?: Partial<Omit<Payment, 'mac'>>): Promise<Payment & { readonly id: string }>
  /** The parts a machine works with. */
  parts(over?: Partial<AccountParts>): AccountParts
  /** A machine that holds the lease, which must be free. */
  machine(over?: Partial<AccountParts>): Promise<Machine>
  /** Ends the lease of whoever holds it. */
  endLeases(): Promise<void>
  /** Mines blocks and has the watcher follow. */
  mine(blocks?: number): Promise<void>
  follow(over?: Partial<FollowChainParts>): Promise<void>
  wish(id: string): Promise<Wish>
  /** What the lanes hold of USDT from now on, one after the other. */
  setTokens(...minors: bigint[]): Promise<void>
  /** How much an address holds. */
  held(address: string, contract?: string | null): Promise<bigint>
}

export interface Machine {
  readonly parts: AccountParts
  readonly memory: MachineMemory
  round(): Promise<number>
  /** Rounds until there is nothing to do. */
  settle(): Promise<void>
  /** Settles after each of so many blocks, by which what was sent is final. */
  finish(blocks?: number): Promise<void>
}

const network = 'ethereum'
const eth = 10n ** 18n

export interface PayoutFlowOptions {
  readonly lanes?: number
  /** Of the signer; a fresh one unless told otherwise. The shop's addresses are `testMnemonic`'s. */
  readonly mnemonic?: string
  readonly coldAddress?: string
}

export function usePayoutFlow({ lanes = 2, ...keys }: PayoutFlowOptions = {}): PayoutFlow {
  const database = useDatabase()
  const anvil = useAnvil()
  const made: { -readonly [Name in keyof PayoutFlow]?: PayoutFlow[Name] } = { alerts: [], database, anvil }
  const flow = new Proxy(made as PayoutFlow, {
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
    made.signer = await openTestSigner({ lanes, ...keys })
    await makeWishTable(database)
    await fund(flow, lanes)
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

/** 100 coins and 1,000,000 USDT for each lane; the coins are the operator's own. */
async function fund({ anvil, signer, database, usdt }: PayoutFlow, lanes: number): Promise<void> {
  for (const address of signer.keys.lanes) {
    await anvil.rpc('anvil_setBalance', [address, quantity(100n * eth)])
    await anvil.rpc('anvil_dealERC20', [address, usdt, quantity(10n ** 12n)])
  }
  const amountMinor = 100n * eth * BigInt(lanes)
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

function operate(flow: PayoutFlow, shop: () => Shop): Partial<PayoutFlow> {
  const { database, alerts } = flow
  const note = (fields: Record<string, unknown>) => {
    if (typeof fields['alert'] === 'string') alerts.push(fields['alert'])
  }
  const log: Log = { info: note, warn: note, error: note }
  const parts: PayoutFlow['parts'] = (over) => ({
    db: database.db,
    log,
    network: devNetwork,
    chain: flow.reader,
    sender: flow.sender,
    codec: spendCodecs.evm,
    addresses: evmAddresses,
    signer: flow.signer.signer,
    purposes: [wishes],
    countedAs: (contract) => shop().methods.byTransferred(network, contract ?? undefined),
    xpub: flow.signer.keys.depositXpub,
    mayUndoFinal: true,
    ...over,
  })
  const lease = async (name: string) => {
    const wish = { name, holderId: newId(), ttlMs: limits.leaseMs }
    return required(await acquireLease(database.db, wish), `the lease ${name}`)
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
      await addWish(database.db, { id, intent: { kind: 'withdrawal', payments: [payment] }, spends })
      return { ...payment, id }
    },
    machine: async (over) => {
      const memory = newMemory(await lease(payoutsLease(network)))
      const own = parts(over)
      const machine = overAccounts(own)
      const round = () => doRound(machine, memory, new AbortController().signal)
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
    ...sights(flow, lease, shop),
  }
}

/** Blocks are mined and followed when told; what came of it can be asked. */
function sights(
  flow: PayoutFlow,
  lease: (name: string) => Promise<Lease>,
  shop: () => Shop,
): Pick<PayoutFlow, 'endLeases' | 'mine' | 'follow' | 'wish' | 'setTokens' | 'held'> {
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
      for (const [lane, minor] of minors.entries()) {
        await flow.anvil.rpc('anvil_dealERC20', [flow.signer.keys.lanes[lane], flow.usdt, quantity(minor)])
      }
      await flow.mine()
    },
    wish: async (id) => required((await readWishes(flow.database.db, [id]))[0], 'a wish'),
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
