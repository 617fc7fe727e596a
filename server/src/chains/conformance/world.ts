/** A chain that a conformance suite tells what to do, and how its promises look at it. */
import { required } from '../../core/assert.ts'
import type { BlockFacts, ChainReader, Transfer, TransferAsset } from '../port.ts'

/** A chain that does as it is told, and a reader of it. */
export interface ChainWorld {
  readonly reader: ChainReader
  /** Reads the same chain through a node that leaves out what moved. */
  readonly blindReader: ChainReader
  /** Far beyond what 32 bits hold, and beyond 2^53 where there is so much of the coin. */
  readonly largeMinor: bigint
  /** The hash of a transaction that there is not. */
  unknownTxHash(): string
  /** A token that behaves, and one with the same name and symbol; canonical spelling. None of these where there are no contracts. */
  readonly token: string
  readonly lookAlike: string
  /** A token whose transfer answers false, moves nothing and tells nobody. */
  readonly silentToken: string
  /** Puts an oracle on the chain that lists these addresses, and returns where. */
  sanctionsOracle(listed: readonly string[]): Promise<string>
  /** An address nobody has used, in canonical spelling. */
  newAddress(): string
  /** Signs a transaction without sending it: it can be mined, dropped and mined again. */
  prepare(act: Act): Promise<PreparedTransaction>
  /** Adds a block of exactly these, in this order; returns its height. */
  mine(transactions?: readonly PreparedTransaction[]): Promise<number>
  /** Drops the last `depth` blocks: the height falls. */
  rollback(depth: number): Promise<void>
  /** Where the traits say that there are outpoints. */
  readonly mempool?: MempoolWorld
  close(): Promise<void>
}

/** How transactions come to wait, and to be in each other's way. */
export interface MempoolWorld {
  /** Hands a transaction to the node. */
  submit(transaction: PreparedTransaction): Promise<void>
  /** Signs another transaction that spends what `of` spends. */
  prepareRival(of: PreparedTransaction, payment: Payment): Promise<PreparedTransaction>
  /** Signs a transaction that spends an output of `of`. */
  prepareChild(of: PreparedTransaction, payment: Payment): Promise<PreparedTransaction>
}

export interface PreparedTransaction {
  readonly txHash: string
}

export interface Payment {
  readonly to: string
  readonly amountMinor: bigint
}

export type Act =
  | ({ readonly type: 'coin' } & Payment)
  /** One transaction that pays the coin several times; only where there are no contracts, and none is needed for it. */
  | { readonly type: 'coins'; readonly payments: readonly Payment[] }
  | ({ readonly type: 'token'; readonly contract: string } & Payment)
  /** One transaction that moves a token several times. */
  | { readonly type: 'tokens'; readonly contract: string; readonly payments: readonly Payment[] }
  /** A token transfer of more than the sender has: the transaction is mined and fails. */
  | ({ readonly type: 'failing-token'; readonly contract: string } & Payment)
  /** The coin, sent with a call that fails: the transaction is mined and the coin stays. */
  | ({ readonly type: 'failing-coin' } & Payment)
  /** The coin, moved by a contract. */
  | { readonly type: 'inner'; readonly payments: readonly Payment[] }
  /** The coin, moved by a contract in a call that is undone while the transaction succeeds. */
  | ({ readonly type: 'undone-inner' } & Payment)
  /** The coin, moved while a contract is made, and when one ends. */
  | ({ readonly type: 'constructor' } & Payment)
  | ({ readonly type: 'selfdestruct' } & Payment)

/** Made before the first test. */
export type World<Made = ChainWorld> = () => Made

export const never = new AbortController().signal
export const coin: TransferAsset = { type: 'coin' }

/** Skips a test that is about contracts where there are none. */
export function needContracts(world: ChainWorld, skip: (note: string) => void): void {
  if (!world.reader.traits.hasContracts) skip('its traits say that there are no contracts')
}

/** One transaction that makes several payments, as the chain has them. */
export function severalPayments({ reader, token }: ChainWorld, payments: readonly Payment[]): Act {
  return reader.traits.hasContracts
    ? { type: 'tokens', contract: token, payments }
    : { type: 'coins', payments }
}

/** Mines one block of these acts and returns its transactions. */
export async function mineActs(
  world: ChainWorld,
  acts: readonly Act[],
): Promise<readonly PreparedTransaction[]> {
  const transactions = await Promise.all(acts.map((act) => world.prepare(act)))
  await world.mine(transactions)
  return transactions
}

export async function headHeight(world: ChainWorld): Promise<number> {
  return (await world.reader.readHead(never)).height
}

export async function readBlock(world: ChainWorld, height: number): Promise<BlockFacts> {
  return required(await world.reader.readBlock(height, never), `block ${height}`)
}

/** What the newest block moved to `recipient`. */
export async function paidTo(world: ChainWorld, recipient: string): Promise<readonly Transfer[]> {
  const { transfers } = await readBlock(world, await headHeight(world))
  return transfers.filter((transfer) => transfer.recipient === recipient)
}

export function keysPaidTo(recipient: string, { transfers }: BlockFacts): readonly string[] {
  return transfers.filter((transfer) => transfer.recipient === recipient).map(({ key }) => key)
}
