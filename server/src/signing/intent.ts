/**
 * What a transaction of ours is to do, in words that both sides of the signer's socket understand. Our own addresses are
 * named by their place in the key tree, never spelled out: the signer derives them itself, so that a changed row in the
 * database cannot send money elsewhere. What goes outside carries a MAC, made when it was approved.
 */

/**
 * Where the key of a wallet lies: a hot lane at .../1'/0/<lane>, a deposit address at .../0'/<branch>/<index>; where money
 * lies in coins, the hot wallet at .../1'/<branch>/<index>.
 */
export type WalletPlace = LanePlace | DepositPlace | HotPlace

/** Where a coin of ours lies. */
export type CoinPlace = DepositPlace | HotPlace

export interface LanePlace {
  readonly type: 'lane'
  readonly lane: number
}

export interface DepositPlace {
  readonly type: 'deposit'
  readonly branch: number
  readonly index: number
}

export interface HotPlace {
  readonly type: 'hot'
  /** 0 receives from the operator, 1 is for change. */
  readonly branch: 0 | 1
  readonly index: number
}

/** An asset as a chain moves it, with the ledger's name for it. */
export interface IntentAsset {
  /** `<network>/<symbol>` */
  readonly asset: string
  /** The token's contract in canonical spelling; null for the coin. */
  readonly contract: string | null
}

/** Money to somebody outside, as it was approved. */
export interface Payment extends IntentAsset {
  readonly withdrawalId: string
  readonly merchantId: string
  /** In canonical spelling. */
  readonly address: string
  /** What the recipient gets, in the asset's smallest unit. */
  readonly netMinor: bigint
  /** What is kept of the merchant's money beside it. */
  readonly feeMinor: bigint
  /** The `withdraw` invoice whose claim it pays; null where there is none. */
  readonly invoiceId: string | null
  /** Of the order it pays, by the process that took it. Entries of the signer's log from before orders were signed have none. */
  readonly orderSignature: string
  /** HMAC-SHA256 in hex over all the above and the network. */
  readonly mac: string
}

export type Intent =
  /** One payment on EVM; where money lies in coins, up to `paymentsMax` of different withdrawals. */
  | { readonly kind: 'withdrawal'; readonly payments: readonly Payment[] }
  /** Moves all that delegated deposit addresses hold of some assets to the lane that sends it (EIP-7702). */
  | {
      readonly kind: 'sweep'
      readonly deposits: readonly SweptDeposit[]
      readonly assets: readonly IntentAsset[]
    }
  /** Coin for a deposit address that must pay for its own transfer. */
  | { readonly kind: 'top_up'; readonly deposit: DepositPlace; readonly amountMinor: bigint }
  /** What a deposit address sends to a lane by itself. */
  | ({ readonly kind: 'forward'; readonly lane: number; readonly amountMinor: bigint } & IntentAsset)
  /** From lane to lane. */
  | ({ readonly kind: 'rebalance'; readonly lane: number; readonly amountMinor: bigint } & IntentAsset)
  /** To the operator's cold address, which the signer knows by its own settings. */
  | ({ readonly kind: 'take_out'; readonly amountMinor: bigint } & IntentAsset)
  /** Puts the contract to which deposit addresses are delegated on the chain, at the address its code decides. */
  | { readonly kind: 'deploy' }
  /** Spends change of a payout that waits, so that it is mined for the fee of both (CPFP); all goes back to ourselves. */
  | { readonly kind: 'lift'; readonly payoutId: string }
  /** Takes back coins of a payout that can never be mined any more, so that others may have them; all goes back to ourselves. */
  | { readonly kind: 'reclaim'; readonly payoutId: string }
  /** Makes few coins of many; all goes back to ourselves. */
  | { readonly kind: 'consolidate' }

export type IntentKind = Intent['kind']

/** As many payments as one transaction carries where it can carry several. */
export const paymentsMax = 50

export interface SweptDeposit extends DepositPlace {
  /** The address's nonce, where it must be delegated in this transaction; null where it is already. */
  readonly delegationNonce: number | null
}

/** An intent, or what carries one, as text: for the database, the signer's socket and its log. */
export function intentText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
}

/** Reads what `intentText` wrote. Nothing in it is checked: whoever trusts nobody compares it with what was approved. */
export function readIntentText(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && /^\d{1,78}n$/.test(part) ? BigInt(part.slice(0, -1)) : part,
  )
}
