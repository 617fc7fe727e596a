/** The chain that conformance tests control, and functions with which the tests inspect it. */
import { required } from '../../core/assert.ts'
import type { BlockFacts, ChainReader, Transfer, TransferAsset } from '../port.ts'

/** A chain that the tests control, and a reader of the chain. */
export interface ChainHarness {
  readonly reader: ChainReader
  /** Reads the same chain through a node that omits transfers. */
  readonly blindReader: ChainReader
  /** An amount far above 2^32, and also above 2^53 if the coin's supply is large enough. */
  readonly largeMinor: bigint
  /** Returns the hash of a transaction that does not exist. */
  unknownTxHash(): string
  /**
   * The contract of a standard token. `lookAlike` is another token with the same name and symbol. Contracts
   * are in canonical form, and are unused on chains without contracts.
   */
  readonly token: string
  readonly lookAlike: string
  /** The contract of a token whose transfer returns false, moves nothing and emits no event. */
  readonly silentToken: string
  /** Deploys an oracle that lists these addresses, and returns the oracle's address. */
  sanctionsOracle(listed: readonly string[]): Promise<string>
  /** Returns an unused address in canonical form. */
  newAddress(): string
  /** Signs a transaction without sending it, so that it can be mined, dropped and mined again. */
  prepare(act: Act): Promise<PreparedTransaction>
  /** Adds a block of exactly these transactions in this order. Returns the block's height. */
  mine(transactions?: readonly PreparedTransaction[]): Promise<number>
  /** Drops the last `depth` blocks. The head's height falls by `depth`. */
  rollback(depth: number): Promise<void>
  /** Controls the node's mempool. Present if the traits say that the chain has outpoints. */
  readonly mempool?: MempoolHarness
  close(): Promise<void>
}

/** Puts transactions into the mempool. Signs transactions that depend on others or conflict with them. */
export interface MempoolHarness {
  /** Submits a transaction to the node's mempool. */
  submit(transaction: PreparedTransaction): Promise<void>
  /** Signs another transaction that spends the inputs of the transaction `of`. */
  prepareRival(of: PreparedTransaction, payment: Payment): Promise<PreparedTransaction>
  /** Signs a transaction that spends an output of the transaction `of`. */
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
  /**
   * One transaction that makes several coin payments without a contract. Only for chains without contracts.
   */
  | { readonly type: 'coins'; readonly payments: readonly Payment[] }
  | ({ readonly type: 'token'; readonly contract: string } & Payment)
  /** One transaction that moves a token several times. */
  | { readonly type: 'tokens'; readonly contract: string; readonly payments: readonly Payment[] }
  /** A token transfer of more than the sender has. The transaction is mined and fails. */
  | ({ readonly type: 'failing-token'; readonly contract: string } & Payment)
  /** A coin transfer with a call that fails. The transaction is mined, but moves no coin. */
  | ({ readonly type: 'failing-coin' } & Payment)
  /** One transaction in which a contract makes coin transfers. */
  | { readonly type: 'inner'; readonly payments: readonly Payment[] }
  /** A coin transfer by a contract in an inner call that is reverted, while the transaction succeeds. */
  | ({ readonly type: 'undone-inner' } & Payment)
  /**
   * A coin transfer by a contract's constructor. `selfdestruct` is one by a contract that destroys itself.
   */
  | ({ readonly type: 'constructor' } & Payment)
  | ({ readonly type: 'selfdestruct' } & Payment)

/** Returns the harness. The harness is created before the first test. */
export type Harness<Made = ChainHarness> = () => Made

export const never = new AbortController().signal
export const coin: TransferAsset = { type: 'coin' }

/** Skips the test if the chain has no contracts. */
export function needContracts(harness: ChainHarness, skip: (note: string) => void): void {
  if (!harness.reader.traits.hasContracts) skip('its traits say that there are no contracts')
}

/** Returns one transaction that makes several payments, in the form that the chain supports. */
export function severalPayments({ reader, token }: ChainHarness, payments: readonly Payment[]): Act {
  return reader.traits.hasContracts
    ? { type: 'tokens', contract: token, payments }
    : { type: 'coins', payments }
}

/** Mines one block with the transactions that perform the given acts, and returns these transactions. */
export async function mineActs(
  harness: ChainHarness,
  acts: readonly Act[],
): Promise<readonly PreparedTransaction[]> {
  const transactions = await Promise.all(acts.map((act) => harness.prepare(act)))
  await harness.mine(transactions)
  return transactions
}

export async function headHeight(harness: ChainHarness): Promise<number> {
  return (await harness.reader.readHead(never)).height
}

export async function readBlock(harness: ChainHarness, height: number): Promise<BlockFacts> {
  return required(await harness.reader.readBlock(height, never), `block ${height}`)
}

/** Returns the transfers to `recipient` in the newest block. */
export async function paidTo(harness: ChainHarness, recipient: string): Promise<readonly Transfer[]> {
  const { transfers } = await readBlock(harness, await headHeight(harness))
  return transfers.filter((transfer) => transfer.recipient === recipient)
}

export function keysPaidTo(recipient: string, { transfers }: BlockFacts): readonly string[] {
  return transfers.filter((transfer) => transfer.recipient === recipient).map(({ key }) => key)
}
