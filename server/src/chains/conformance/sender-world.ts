/** A chain to which a conformance suite sends, with wallets whose keys it has. */
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
import { never } from './world.ts'

export interface SenderWorld {
  readonly sender: AccountSender
  /** Reads the same chain. */
  readonly reader: ChainReader
  readonly chainId: number
  /** A token that behaves; canonical spelling. */
  readonly token: string
  /** An address nobody has used, in canonical spelling. */
  newAddress(): string
  /** A new wallet that holds so much, and whose key `sign` has. */
  wallet(holdings?: { readonly coinMinor?: bigint; readonly tokenMinor?: bigint }): Promise<string>
  sign(wallet: string, transaction: UnsignedTransaction): Promise<SignedTransaction>
  /** Where the contract lies through which these lanes sweep. */
  delegateOf(lanes: readonly string[]): string
  /** Adds a block of all that waits and can be mined; returns its height. */
  mine(): Promise<number>
  /** Drops the last `depth` blocks with what they hold. */
  rollback(depth: number): Promise<void>
  close(): Promise<void>
}

export const plentyMinor = 10n ** 20n
const gwei = 10n ** 9n

/** What sends `spend`, generous in gas and fees where a test says nothing. */
export function transactionOf(
  world: SenderWorld,
  spend: Spend,
  changes: Partial<UnsignedTransaction> = {},
): UnsignedTransaction {
  const fees = { gas: 1_000_000n, maxFeeMinor: 100n * gwei, tipMinor: gwei }
  return { chainId: world.chainId, nonce: 0, ...fees, spend, ...changes }
}

export function pay(asset: TransferAsset, recipient: string, amountMinor: bigint): Spend {
  return { type: 'pay', asset, recipient, amountMinor }
}

/** Signs and broadcasts; the node must take it. */
export async function sendAs(
  world: SenderWorld,
  wallet: string,
  spend: Spend,
  changes: Partial<UnsignedTransaction> = {},
): Promise<SignedTransaction> {
  const signed = await world.sign(wallet, transactionOf(world, spend, changes))
  const answer = await world.sender.broadcast(signed.raw, never)
  if (answer.type === 'refused') throw new Error(`${answer.why}: ${answer.detail}`)
  return signed
}

/** Sends it alone in a block. */
export async function settle(
  world: SenderWorld,
  wallet: string,
  spend: Spend,
  changes: Partial<UnsignedTransaction> = {},
): Promise<TransactionReceipt> {
  const { txHash } = await sendAs(world, wallet, spend, changes)
  await world.mine()
  return required(await receiptOf(world, txHash), 'receipt')
}

export async function receiptOf(world: SenderWorld, txHash: string) {
  const [receipt] = await world.sender.readReceipts([txHash], never)
  return receipt
}

export async function balanceOf(world: SenderWorld, asset: TransferAsset, address: string): Promise<bigint> {
  const { height } = await world.reader.readHead(never)
  const [balance] = await world.reader.readBalances(asset, [address], height, never)
  return required(balance, 'balance')
}
