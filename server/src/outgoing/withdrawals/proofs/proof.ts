/**
 * Decides whether the money of a credited deposit exists. The rules are pure and use the data that our own
 * nodes report about a final block.
 */

/** A credited deposit in a final block, as the database has it. */
export interface UnprovenDeposit {
  readonly id: string
  readonly inclusion: number
  readonly transferKey: string
  readonly txHash: string
  readonly asset: string
  readonly recipient: string
  readonly amountMinor: bigint
  /**
   * The id of the deposit address. Undefined if the recipient is a hot wallet, because its balance also
   * changes for other reasons.
   */
  readonly addressId: number | undefined
  /**
   * Whether a final sweep has taken the deposit from its address, according to the transfers of the sweep
   * itself.
   */
  readonly isTaken: boolean
  readonly height: number
  readonly blockHash: string
}

/** A transfer in the block on which the nodes agree. The contract is undefined for the coin. */
export interface SeenTransfer {
  readonly txHash: string
  readonly contract: string | undefined
  readonly recipient: string
  readonly amountMinor: bigint
}

/** The amounts of an asset that an address should hold and does hold at the final block. */
export interface AddressHoldings {
  readonly expectedMinor: bigint
  readonly heldMinor: bigint
  /** Whether a sweep of the address is in progress. The sweep may already have taken the expected amount. */
  readonly isBeingSwept: boolean
}

export type DepositFinding =
  | { readonly type: 'proven' }
  /** The nodes' data is not enough now to decide whether the money exists. */
  | { readonly type: 'unread'; readonly detail: string }
  /** The chain contradicts the deposit: its money is not there. */
  | { readonly type: 'false'; readonly detail: string }

/**
 * Proves a deposit if two facts hold. The block on which the nodes agree contains the deposit's transfer. The
 * address holds at least the amount that the books say. A transfer event alone proves nothing, because the
 * token's contract can emit any event. Coin without a transfer in the nodes' block is proven by the balance alone.
 * @param transfer the transfer with the deposit's key in that block; undefined if there is none; `unseen` if the
 * nodes cannot report it, because it was found by balance or they report no call traces
 * @param contract the contract of the deposit's asset; undefined for the coin
 * @param holdings undefined if none are needed, for example on a UTXO chain, where the output itself is the
 * money
 */
export function proveDeposit(
  deposit: UnprovenDeposit,
  transfer: SeenTransfer | 'unseen' | undefined,
  contract: string | undefined,
  holdings: AddressHoldings | undefined,
): DepositFinding {
  const { txHash, recipient, amountMinor, height, isTaken } = deposit
  if (transfer === 'unseen' && holdings === undefined && !isTaken)
    return { type: 'unread', detail: `the nodes report neither the transfer to ${recipient} nor its balance` }
  const isSeen =
    transfer === 'unseen' ||
    (transfer?.txHash === txHash &&
      transfer.contract === contract &&
      transfer.recipient === recipient &&
      transfer.amountMinor === amountMinor)
  if (!isSeen) {
    return falseBy(`block ${height} has no transfer of ${amountMinor} to ${recipient} in ${txHash}`)
  }
  if (holdings === undefined || isTaken || holdings.heldMinor >= holdings.expectedMinor) {
    return { type: 'proven' }
  }
  if (holdings.isBeingSwept) return { type: 'unread', detail: `a sweep of ${recipient} is in progress` }
  const { heldMinor, expectedMinor } = holdings
  return falseBy(`${recipient} holds ${heldMinor}, but the books expect ${expectedMinor}`)
}

function falseBy(detail: string): DepositFinding {
  return { type: 'false', detail }
}
