/**
 * Uses up nonces in a recovery. The database may have lost signed transactions with these nonces. Once the
 * nonces are used, those transactions can never be mined.
 */

import type { Cursor } from '../../../chains/blocks/block.ts'
import { required } from '../../../core/assert.ts'
import { newId } from '../../../core/ids.ts'
import { lockOwnMoney } from '../../../ledger/lock-own-money.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { Intent } from '../../../signing/intent.ts'
import { readFreeCapital } from '../../engine/controls/read-capital.ts'
import type { EngineMemory } from '../../engine/engine-memory.ts'
import { coinOf } from '../../engine/engine-parts.ts'
import { type EvmOutgoingFees, maxCostMinor } from '../../engine/outgoing-transaction.ts'
import type { Wait } from '../../engine/plan-outcome.ts'
import { insertOutgoingTransactions, type NewOutgoingTransaction } from '../../engine/store.ts'
import { type AccountParts, gasRulesOf, ownAddressBook, priceBoundsOf } from '../account-parts.ts'
import { nonceGapIntent } from '../fill-nonce-gap.ts'
import { readDataFeesMax } from '../op-stack-fees.ts'
import { gasFor, priceFor } from '../price-gas.ts'
import { spendOf } from '../spend-of.ts'
import { readSpent, readTakenNonces } from '../wallet-store.ts'
import { inFlightMaxOf } from './compare-nonces.ts'
import { noncesToFill } from './nonces-to-fill.ts'

export interface UsedHotWallet {
  readonly hotWallet: number
  readonly wallet: string
  readonly target: number
}

interface Filling {
  readonly done: number
  readonly waits: readonly Wait[]
}

/**
 * Plans nonce-gap transactions for the free nonces below the targets. Plans only as many as the hot wallet's
 * balance and the operator's own coin can pay for.
 */
export async function useUpNonces(
  parts: AccountParts,
  memory: EngineMemory,
  hotWallets: readonly UsedHotWallet[],
  cursor: Cursor,
  signal: AbortSignal,
): Promise<Filling> {
  const { db, network, sender, chain } = parts
  if (hotWallets.length === 0) return { done: 0, waits: [] }
  const wallets = hotWallets.map(({ wallet }) => wallet)
  const latest = await sender.readNonces(wallets, undefined, signal)
  const wanted = await Promise.all(
    hotWallets.map(async ({ wallet, target }, index) => {
      const from = required(latest[index], 'a nonce')
      const taken = await readTakenNonces(db, network.name, wallet, from)
      return noncesToFill(from, target, taken, inFlightMaxOf(parts))
    }),
  )
  if (wanted.every((nonces) => nonces.length === 0)) return { done: 0, waits: [] }
  const price = priceFor(await sender.readFees(signal), priceBoundsOf(parts), network.feeModel)
  if (price === undefined)
    return {
      done: 0,
      waits: [{ cause: 'price', detail: 'the gas price of the network is above the ceiling' }],
    }
  const held = await chain.readBalances({ type: 'coin' }, wallets, cursor.height, signal)
  const spent = await readSpent(db, network.name, coinOf(parts), wallets, cursor.height)
  const planned: NewOutgoingTransaction[] = []
  const waits: Wait[] = []
  for (const [index, hotWallet] of hotWallets.entries()) {
    const nonces = wanted[index] ?? []
    if (nonces.length === 0) continue
    const gasLimit = await gasOf(parts, memory, hotWallet, signal)
    const gap = { id: hotWallet.wallet, intent: intentFrom(parts, memory, hotWallet) }
    const dataFees = await readDataFeesMax(parts, memory, [gap], price, signal)
    const fees = { ...price, gasLimit, dataFeeMinor: dataFees.get(gap.id) }
    const costMinor = maxCostMinor(fees) + 1n
    const freeMinor = (held[index] ?? 0n) - (spent.get(`${hotWallet.wallet} ${coinOf(parts)}`) ?? 0n)
    const affordable = nonces.filter((_, count) => costMinor * BigInt(count + 1) <= freeMinor)
    if (affordable.length < nonces.length)
      waits.push(lackOf(parts, hotWallet, costMinor, nonces.length, freeMinor))
    for (const nonce of affordable) planned.push(nonceGapTransactionOf(parts, memory, hotWallet, nonce, fees))
  }
  const stored = await store(parts, memory, planned)
  if (stored < planned.length) waits.push({ cause: 'capital', detail: capitalLacks(planned.length - stored) })
  return { done: stored, waits }
}

async function gasOf(
  parts: AccountParts,
  memory: EngineMemory,
  hotWallet: UsedHotWallet,
  signal: AbortSignal,
): Promise<bigint> {
  const intent = intentFrom(parts, memory, hotWallet)
  const spend = spendOf(intent, ownAddressBook(parts, memory))
  const answer = await parts.sender.estimateGas(hotWallet.wallet, spend, signal)
  const offer = gasFor(
    { intent, spends: undefined },
    'gas' in answer ? answer.gas : 21_000n,
    gasRulesOf(parts),
  )
  // A transfer between our own wallets never takes more than the maximum, so a higher estimate is wrong. The
  // maximum is offered then, because the nonce must be used up.
  return offer.type === 'enough' ? offer.gas : offer.mostGas
}

function intentFrom(parts: AccountParts, { hotWallets }: EngineMemory, { hotWallet }: UsedHotWallet): Intent {
  return nonceGapIntent(coinOf(parts), hotWallet, hotWallets.length)
}

function nonceGapTransactionOf(
  parts: AccountParts,
  memory: EngineMemory,
  hotWallet: UsedHotWallet,
  nonce: number,
  fees: EvmOutgoingFees,
): NewOutgoingTransaction {
  return {
    id: newId(),
    network: parts.network.name,
    intent: intentFrom(parts, memory, hotWallet),
    spends: { asset: coinOf(parts), contract: null, amountMinor: 1n },
    family: 'evm',
    slot: {
      sender: { type: 'hotWallet', hotWallet: hotWallet.hotWallet },
      wallet: hotWallet.wallet,
      nonce,
    },
    fees,
    maxFeePerGasLimit: undefined,
  }
}

/**
 * Stores the nonce-gap transactions that the operator's own coin covers. Merchants' money never pays for gas,
 * not even in a recovery.
 * @returns the number of stored transactions
 */
function store(
  parts: AccountParts,
  memory: EngineMemory,
  planned: readonly NewOutgoingTransaction[],
): Promise<number> {
  return inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    await lockOwnMoney(tx, coinOf(parts))
    let leftMinor = await readFreeCapital({ ...parts, db: tx })
    const covered = planned.filter(({ fees }) => {
      leftMinor -= maxCostMinor(fees)
      return leftMinor >= 0n
    })
    if (covered.length > 0) await insertOutgoingTransactions(tx, covered)
    return covered.length
  })
}

function lackOf(
  parts: AccountParts,
  { wallet }: UsedHotWallet,
  costMinor: bigint,
  count: number,
  freeMinor: bigint,
): Wait {
  const coin = coinOf(parts)
  const detail = `${wallet} has ${freeMinor} of ${coin} available, and ${costMinor * BigInt(count)} are required to use up ${count} nonces: send coin to it`
  return { cause: `funds:${coin}`, detail }
}

function capitalLacks(count: number): string {
  return `the operator's own coin does not cover the gas to use up ${count} nonces: send coin and book it as capital`
}
