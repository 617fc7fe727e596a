/**
 * An intent says what an outgoing transaction should do. The planner and the signer both use it. It names our
 * own addresses by derivation path and never by address. The signer derives these addresses itself, so a
 * changed row in the database cannot send money elsewhere. A payment to somebody else carries a MAC that was
 * made when the payment was approved.
 */

/**
 * The derivation path of a wallet's key. A hot wallet has .../1'/0/<number> on EVM and
 * .../1'/<branch>/<index> on UTXO chains. A deposit address has .../0'/<branch>/<index>.
 */
export type WalletKeyPath = HotWalletKeyPath | DepositKeyPath | UtxoHotKeyPath

/** The derivation path of the key of one of our sending addresses on EVM chains. */
export type EvmKeyPath = HotWalletKeyPath | DepositKeyPath

/** The derivation path of the key of one of our UTXOs. */
export type UtxoKeyPath = DepositKeyPath | UtxoHotKeyPath

export interface HotWalletKeyPath {
  readonly type: 'hotWallet'
  readonly hotWallet: number
}

export interface DepositKeyPath {
  readonly type: 'deposit'
  readonly branch: number
  readonly index: number
}

export interface UtxoHotKeyPath {
  readonly type: 'hot'
  /** Branch 0 receives funds from the operator, branch 1 receives change. */
  readonly branch: 0 | 1
  readonly index: number
}

/** An asset with its name in the ledger and its contract on chain. */
export interface IntentAsset {
  /** `<network>/<symbol>`, such as `ethereum/USDT`. */
  readonly asset: string
  /** The token's contract in canonical form; null for the native coin. */
  readonly contract: string | null
}

/** A payment to somebody outside Coffer, as it was approved. */
export interface Payment extends IntentAsset {
  readonly withdrawalId: string
  readonly merchantId: string
  /** The recipient's address in canonical form. */
  readonly address: string
  /** What the recipient gets, in the asset's smallest unit. */
  readonly netMinor: bigint
  /** The fee that the merchant pays in addition to `netMinor`, in the asset's smallest unit. */
  readonly feeMinor: bigint
  /** The `withdraw` invoice that this payment pays out; null if it pays out none. */
  readonly invoiceId: string | null
  /**
   * The signature of the order that this payment pays, made by the process that accepted the order. Entries
   * of the signer's log that are older than order signatures do not have this field.
   */
  readonly orderSignature: string
  /** HMAC-SHA256 in hex over the network and all other fields. */
  readonly mac: string
}

export type Intent =
  /** Pays one withdrawal on an EVM chain, or up to `paymentsMax` withdrawals on a UTXO chain. */
  | { readonly kind: 'withdrawal'; readonly payments: readonly Payment[] }
  /**
   * Moves the whole balances in some assets from delegated deposit addresses (EIP-7702) to the hot wallet
   * that sends the transaction.
   */
  | {
      readonly kind: 'sweep'
      readonly deposits: readonly SweptDeposit[]
      readonly assets: readonly IntentAsset[]
    }
  /** Sends native coin to a deposit address, so that the address can pay for its own transfer. */
  | { readonly kind: 'top_up'; readonly deposit: DepositKeyPath; readonly amountMinor: bigint }
  /** A transfer that a deposit address itself sends to a hot wallet. */
  | ({
      readonly kind: 'direct_sweep'
      readonly hotWallet: number
      readonly amountMinor: bigint
    } & IntentAsset)
  /** A transfer from one hot wallet to another. */
  | ({ readonly kind: 'rebalance'; readonly hotWallet: number; readonly amountMinor: bigint } & IntentAsset)
  /** A transfer to the operator's cold address, which the signer takes from its own settings. */
  | ({ readonly kind: 'treasury_withdrawal'; readonly amountMinor: bigint } & IntentAsset)
  /**
   * Deploys the contract to which deposit addresses are delegated. The contract's address depends on its code
   * alone.
   */
  | { readonly kind: 'deploy' }
  /**
   * Spends the change of a pending outgoing transaction at a high fee, so that a miner includes both (child
   * pays for parent, CPFP). All outputs are ours.
   */
  | { readonly kind: 'cpfp'; readonly outgoingTransactionId: string }
  /**
   * Sends to ourselves the UTXOs of an outgoing transaction that can never be mined any more. Other outgoing
   * transactions can then use the money. All outputs are ours.
   */
  | { readonly kind: 'reclaim'; readonly outgoingTransactionId: string }
  /** Merges many UTXOs into few. All outputs are ours. */
  | { readonly kind: 'consolidate' }

export type IntentKind = Intent['kind']

/** Maximum number of payments in one transaction, on chains where one transaction can carry several. */
export const paymentsMax = 50

export interface SweptDeposit extends DepositKeyPath {
  /**
   * The nonce of the address, if this transaction must delegate the address (EIP-7702); null if it is
   * delegated already.
   */
  readonly delegationNonce: number | null
}

/**
 * Serializes an intent, or an object that contains one, for the database, the signer's socket and its log.
 * Bigints become `<digits>n`.
 */
export function intentText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
}

/**
 * Parses a text that `intentText` wrote, without any validation. A caller that does not trust the text's
 * source must compare the result with what was approved.
 */
export function readIntentText(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && /^\d{1,78}n$/.test(part) ? BigInt(part.slice(0, -1)) : part,
  )
}
