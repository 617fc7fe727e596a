/** A chain to which conformance tests send transactions, with wallets whose keys the tests hold. */
import { required } from '../../core/assert.ts'
import type {
  AccountSender,
  ChainReader,
  SignedTransaction,
  Spend,
  TransactionReceipt,
  TransferAsset,
  UnsignedTransaction,
} from '../port.ts'
import { never } from './harness.ts'

export interface SenderHarness {
  readonly sender: AccountSender
  /** Reads the chain to which `sender` sends. */
  readonly reader: ChainReader
  readonly chainId: number
  /** The contract of a standard token, in canonical form. */
  readonly token: string
  /** Returns an unused address in canonical form. */
  newAddress(): string
  /**
   * Creates a wallet with these balances and returns its address. `sign` signs with the wallet's key. The
   * default coin balance is `plentyMinor`.
   */
  wallet(holdings?: { readonly coinMinor?: bigint; readonly tokenMinor?: bigint }): Promise<string>
  sign(wallet: string, transaction: UnsignedTransaction): Promise<SignedTransaction>
  /** Returns the address of the contract through which these hot wallets sweep. */
  delegateOf(hotWallets: readonly string[]): string
  /** Adds a block of all pending transactions that can be mined. Returns the block's height. */
  mine(): Promise<number>
  /** Drops the last `depth` blocks together with their transactions. */
  rollback(depth: number): Promise<void>
  close(): Promise<void>
}

export const plentyMinor = 10n ** 20n
const gwei = 10n ** 9n

/** Returns a transaction for `spend`. Gas and fees are generous by default; `changes` replaces any field. */
export function transactionOf(
  harness: SenderHarness,
  spend: Spend,
  changes: Partial<UnsignedTransaction> = {},
): UnsignedTransaction {
  const fees = { gasLimit: 1_000_000n, maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: gwei }
  return { chainId: harness.chainId, nonce: 0, ...fees, spend, ...changes }
}

export function pay(asset: TransferAsset, recipient: string, amountMinor: bigint): Spend {
  return { type: 'pay', asset, recipient, amountMinor }
}

/** Signs and broadcasts a transaction for `spend`. @throws Error if the node rejects the transaction */
export async function sendAs(
  harness: SenderHarness,
  wallet: string,
  spend: Spend,
  changes: Partial<UnsignedTransaction> = {},
): Promise<SignedTransaction> {
  const signed = await harness.sign(wallet, transactionOf(harness, spend, changes))
  const answer = await harness.sender.broadcast(signed.raw, never)
  if (answer.type === 'refused') throw new Error(`${answer.why}: ${answer.detail}`)
  return signed
}

/** Sends a transaction for `spend`, mines it and returns its receipt. */
export async function settle(
  harness: SenderHarness,
  wallet: string,
  spend: Spend,
  changes: Partial<UnsignedTransaction> = {},
): Promise<TransactionReceipt> {
  const { txHash } = await sendAs(harness, wallet, spend, changes)
  await harness.mine()
  return required(await receiptOf(harness, txHash), 'receipt')
}

export async function receiptOf(harness: SenderHarness, txHash: string) {
  const [receipt] = await harness.sender.readReceipts([txHash], never)
  return receipt
}

export async function balanceOf(
  harness: SenderHarness,
  asset: TransferAsset,
  address: string,
): Promise<bigint> {
  const { height } = await harness.reader.readHead(never)
  const [balance] = await harness.reader.readBalances(asset, [address], height, never)
  return required(balance, 'balance')
}
