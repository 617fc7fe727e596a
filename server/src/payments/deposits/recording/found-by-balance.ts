/**
 * The rules of deposits that were found by balance: coin that an address holds at a final block beyond all that
 * was booked. No transaction of it is known. Pure.
 */
import type { Transfer } from '../../../chains/port.ts'

const prefix = 'balance:'

/** Returns the transfer key of the coin that was found at an address at a block. */
export function balanceKey(chainId: number, address: string, height: number): string {
  return `${prefix}${chainId}:${address}:${height}`
}

export function isFoundByBalance({ transferKey }: { readonly transferKey: string }): boolean {
  return transferKey.startsWith(prefix)
}

/** Returns whether a contract sent the deposit's coin, so that only call traces report it. */
export function isInnerCall({ transferKey }: { readonly transferKey: string }): boolean {
  return /:call:[0-9]/.test(transferKey)
}

/**
 * Returns whether the hash that is stored for a deposit stands for no transaction. A deposit found by balance has its
 * key in place of the hash.
 */
export function isNoTransaction(txHash: string): boolean {
  return isFoundByBalance({ transferKey: txHash })
}

/** How a deposit came to be known: by a transfer in a block or mempool, or by comparing a balance. */
export const foundBys = ['transfer', 'balance'] as const

export function foundByOf(deposit: { readonly transferKey: string }): (typeof foundBys)[number] {
  return isFoundByBalance(deposit) ? 'balance' : 'transfer'
}

/** Returns the hash of a deposit's transaction; null if the deposit was found by balance. */
export function knownTxHash(deposit: {
  readonly transferKey: string
  readonly txHash: string
}): string | null {
  return isFoundByBalance(deposit) ? null : deposit.txHash
}

/** A deposit that was found by balance and is in a canonical block. */
export interface FoundDeposit {
  readonly depositId: string
  readonly recipient: string
  readonly height: number
  /** The part of the amount that no transfer explains yet, in the coin's smallest unit. */
  readonly restMinor: bigint
}

/** A transfer of coin that was read in a block later. */
export interface LateTransfer {
  readonly height: number
  readonly transfer: Pick<Transfer, 'key' | 'txHash' | 'recipient' | 'amountMinor' | 'asset'>
}

export interface ExplainedTransfer<T extends LateTransfer> {
  readonly late: T
  readonly depositId: string
}

export interface Explanation<T extends LateTransfer> {
  /** The transfers whose amount a deposit contains. */
  readonly explained: readonly ExplainedTransfer<T>[]
  /**
   * The transfers below a deposit that has no room for their amount. The address did not hold their money at the
   * deposit's block, so they are not booked either.
   */
  readonly contested: readonly T[]
  /** The transfers above all deposits found by balance of their recipient, and transfers of tokens. */
  readonly unexplained: readonly T[]
}

/**
 * Decides which transfers that the books lack are explained by deposits found by balance. Such a deposit contains
 * everything that its address held beyond the books at its block. A transfer at that block or below it is
 * therefore never booked in addition.
 */
export function explainTransfers<T extends LateTransfer>(
  transfers: readonly T[],
  found: readonly FoundDeposit[],
): Explanation<T> {
  const restOf = new Map(found.map(({ depositId, restMinor }) => [depositId, restMinor]))
  const explained: ExplainedTransfer<T>[] = []
  const contested: T[] = []
  const unexplained: T[] = []
  for (const late of transfers.toSorted((a, b) => a.height - b.height)) {
    const { recipient, amountMinor, asset } = late.transfer
    const above = found
      .filter((one) => asset.type === 'coin' && one.recipient === recipient && one.height >= late.height)
      .toSorted((a, b) => a.height - b.height)
    const holder = above.find(({ depositId }) => (restOf.get(depositId) ?? 0n) >= amountMinor)
    if (above.length === 0) unexplained.push(late)
    else if (holder === undefined) contested.push(late)
    else {
      restOf.set(holder.depositId, (restOf.get(holder.depositId) ?? 0n) - amountMinor)
      explained.push({ late, depositId: holder.depositId })
    }
  }
  return { explained, contested, unexplained }
}
