/** Whether the money of a credited deposit is there: pure rules over what our own nodes say of a final block. */

/** A credited deposit in a final block, as the database has it. */
export interface UnprovenDeposit {
  readonly id: string
  readonly inclusion: number
  readonly transferKey: string
  readonly txHash: string
  readonly asset: string
  readonly recipient: string
  readonly amountMinor: bigint
  /** Undefined for a hot wallet, where other money comes and goes. */
  readonly addressId: number | undefined
  /** Whether a sweep that is final has taken it from its address: that was read from the sweep's own transfers. */
  readonly isTaken: boolean
  readonly height: number
  readonly blockHash: string
}

/** A transfer of the agreed block; the contract is undefined for the coin. */
export interface SeenTransfer {
  readonly txHash: string
  readonly contract: string | undefined
  readonly recipient: string
  readonly amountMinor: bigint
}

/** What should lie on an address in an asset at the final block, and what does. */
export interface AddressHoldings {
  readonly expectedMinor: bigint
  readonly heldMinor: bigint
  /** Whether a sweep of the address is under way, which may have taken what is expected there. */
  readonly isBeingSwept: boolean
}

export type DepositFinding =
  | { readonly type: 'proven' }
  /** It cannot be told now. */
  | { readonly type: 'unread'; readonly detail: string }
  /** The chain contradicts it: it is not spendable. */
  | { readonly type: 'false'; readonly detail: string }

/**
 * A transfer event alone is the token's word. A deposit is proven where the agreed block holds its transfer and its address
 * holds at least what the books say lies there.
 * @param transfer of the deposit's key in the agreed block; undefined where there is none
 * @param contract of the deposit's asset; undefined for the coin
 * @param holdings undefined where the chain needs none: a coin of a UTXO chain is the transfer itself
 */
export function judgeDeposit(
  deposit: UnprovenDeposit,
  transfer: SeenTransfer | undefined,
  contract: string | undefined,
  holdings: AddressHoldings | undefined,
): DepositFinding {
  const { txHash, recipient, amountMinor, height, isTaken } = deposit
  const isSeen =
    transfer?.txHash === txHash &&
    transfer.contract === contract &&
    transfer.recipient === recipient &&
    transfer.amountMinor === amountMinor
  if (!isSeen) {
    return falseBy(`block ${height} does not hold ${amountMinor} to ${recipient} by ${txHash}`)
  }
  if (holdings === undefined || isTaken || holdings.heldMinor >= holdings.expectedMinor) {
    return { type: 'proven' }
  }
  if (holdings.isBeingSwept) return { type: 'unread', detail: `a sweep of ${recipient} is under way` }
  const { heldMinor, expectedMinor } = holdings
  return falseBy(`${recipient} holds ${heldMinor} of it, the books say ${expectedMinor} lie there`)
}

function falseBy(detail: string): DepositFinding {
  return { type: 'false', detail }
}
