/** Records of withdrawals, sweeps, treasury withdrawals and their outgoing transactions. */
import { Records } from '../records/records.ts'

/** A withdrawal of a merchant. */
interface Withdrawal {
  readonly id: string
  readonly merchantId: string
  readonly paymentMethodId: number
  readonly asset: string
  readonly address: string
  readonly amountMinor: string
  readonly amount: string
  readonly feeMinor: string
  readonly state: string
  readonly stage: string | null
  readonly txHash: string | null
  readonly invoiceId: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
  readonly approvalMac: string | null
  readonly waitsFor: string | null
  readonly releasedAt: Date | null
  readonly endReason: string | null
  readonly endExplanation: string | null
  readonly retakenAt: Date | null
  readonly failureCoinPriceUsd: string | null
  readonly failureAssetPriceUsd: string | null
  readonly networkCostMinor: string | null
  readonly gasBudgetCostMinor: string | null
  readonly gasBudgetRetryAt: Date | null
  readonly orderSignature: string | null
  readonly releaseSignature: string | null
  readonly approvedAt: Date | null
  readonly plannedAt: Date | null
}

export const withdrawalRecords = new Records<Withdrawal>('withdrawal', 'created_at, id')

interface Outgoing {
  readonly id: string
  readonly network: string
  readonly kind: string
  readonly intent: string
  readonly state: string
  readonly maxCostMinor: string
  readonly spentAsset: string | null
  readonly spentContract: string | null
  readonly spentMinor: string | null
  readonly bumps: number
  readonly sentHeight: number | null
  readonly offeredHeight: number | null
  readonly includedTxHash: string | null
  readonly includedHeight: number | null
  readonly includedBlockHash: string | null
  readonly isSuccess: boolean | null
  readonly feeMinor: string | null
  readonly plannedAt: Date
  readonly endedAt: Date | null
}

export const outgoingRecords = new Records<Outgoing>('outgoing_transaction', 'planned_at, id')

/** The fields of an outgoing transaction that only EVM chains use. */
interface OutgoingEvm {
  readonly outgoingTransactionId: string
  readonly network: string
  readonly wallet: string
  readonly nonce: number
  readonly hotWallet: number | null
  readonly depositBranch: number | null
  readonly depositIndex: number | null
  readonly gasLimit: string
  readonly maxFeePerGas: string
  readonly maxPriorityFeePerGas: string
  readonly maxFeePerGasLimit: string | null
  readonly isSuperseded: boolean
}

export const outgoingEvmRecords = new Records<OutgoingEvm>('outgoing_evm', 'wallet, nonce')

/** The fields of an outgoing transaction that only UTXO chains use. */
interface OutgoingUtxo {
  readonly outgoingTransactionId: string
  readonly network: string
  readonly pinnedOutpoint: string
  readonly changeIndex: number | null
  readonly vbytes: string
  readonly feeRate: string
  readonly fee: string
  readonly isReleased: boolean
}

export const outgoingUtxoRecords = new Records<OutgoingUtxo>('outgoing_utxo', 'outgoing_transaction_id')

/** A signed form of an outgoing transaction. */
interface Attempt {
  readonly network: string
  readonly txHash: string
  readonly outgoingTransactionId: string
  readonly raw: string
  readonly maxCostMinor: string
  readonly signedAt: Date
  readonly broadcastAt: Date | null
}

export const attemptRecords = new Records<Attempt>('outgoing_transaction_attempt', 'max_cost_minor, tx_hash')

/** A UTXO that an outgoing transaction spends. */
interface OutgoingInput {
  readonly outgoingTransactionId: string
  readonly ordinal: number
  readonly network: string
  readonly outpoint: string
  readonly amountMinor: string
  readonly keyType: string
  readonly keyBranch: number
  readonly keyIndex: number
  readonly isReleased: boolean
}

export const outgoingInputRecords = new Records<OutgoingInput>(
  'outgoing_transaction_input',
  'outgoing_transaction_id, ordinal',
)

/** A request that the signer refused. */
interface Refusal {
  readonly outgoingTransactionId: string
  readonly network: string
  readonly kind: string
  readonly intent: string
  readonly depositBranch: number | null
  readonly depositIndex: number | null
  readonly spentAsset: string | null
  readonly spentContract: string | null
  readonly spentMinor: string | null
  readonly code: string
  readonly detail: string
  readonly refusedAt: Date
  readonly retryAt: Date | null
}

export const refusalRecords = new Records<Refusal>('outgoing_refusal', 'refused_at, outgoing_transaction_id')

/** A halt, which stops all outgoing transactions. */
interface Halt {
  readonly cause: string
  readonly detail: string
  readonly since: Date
  readonly id: string
  readonly ordinal: number
}

export const haltRecords = new Records<Halt>('outgoing_halt', 'id')

/** A halt that stops outgoing transactions in one asset. */
interface AssetHalt {
  readonly asset: string
  readonly cause: string
  readonly detail: string
  readonly since: Date
}

export const assetHaltRecords = new Records<AssetHalt>('asset_halt', 'asset')

/** A condition for which outgoing transactions wait. */
interface Wait {
  readonly network: string
  readonly cause: string
  readonly detail: string
  readonly since: Date
}

export const waitRecords = new Records<Wait>('outgoing_wait', 'network, cause')

/** A requested adoption of the signer's log on a network. */
interface OutgoingRecovery {
  readonly network: string
  readonly reason: string
  readonly requestedAt: Date
  readonly targets: unknown
}

export const outgoingRecoveryRecords = new Records<OutgoingRecovery>('outgoing_recovery', 'network')

/** An outgoing transaction that spends the inputs of another outgoing transaction again. */
interface Respend {
  readonly outgoingTransactionId: string
  readonly network: string
}

export const respendRecords = new Records<Respend>('outgoing_transaction_respend', 'outgoing_transaction_id')

/** An outgoing transaction that was mined and moved nothing. */
interface WithoutTransfer {
  readonly outgoingTransactionId: string
  readonly blockHash: string
  readonly txHash: string
  readonly detail: string
  readonly foundAt: Date
  readonly outcome: string | null
  readonly reason: string | null
  readonly decidedAt: Date | null
  readonly outcomeMac: string | null
}

export const withoutTransferRecords = new Records<WithoutTransfer>(
  'missing_transfer',
  'outgoing_transaction_id, block_hash',
)

/** The entry up to which the signer's log was read. */
interface SignerLog {
  readonly onlyRow: boolean
  readonly lastSequence: number
}

export const signerLogRecords = new Records<SignerLog>('signer_log_position', 'only_row')

/** A hot wallet and its address. */
interface HotWallet {
  readonly network: string
  readonly index: number
  readonly address: string
  readonly attestedAt: Date
}

export const hotWalletRecords = new Records<HotWallet>('hot_wallet', 'network, index')

/** An address of the hot wallet on a UTXO chain. */
interface HotWalletAddress {
  readonly network: string
  readonly branch: number
  readonly index: number
  readonly address: string
  readonly madeAt: Date
  readonly isGiven: boolean
}

export const hotAddressRecords = new Records<HotWalletAddress>('hot_wallet_address', 'network, branch, index')

/** A UTXO of ours. */
interface Utxo {
  readonly network: string
  readonly outpoint: string
  readonly txHash: string
  readonly address: string
  readonly amountMinor: string
  readonly height: number
  readonly maturesAfter: number
  readonly spentBy: string | null
  readonly spentHeight: number | null
  readonly missedAt: Date | null
}

export const utxoRecords = new Records<Utxo>('own_output', 'height, outpoint')

/** The transaction that created a UTXO, in bytes. */
interface PreviousTransaction {
  readonly network: string
  readonly txHash: string
  readonly raw: Buffer
}

export const previousTransactionRecords = new Records<PreviousTransaction>(
  'previous_transaction',
  'network, tx_hash',
)

/** A merchant's share of a sweep. */
interface Collection {
  readonly id: string
  readonly merchantId: string
  readonly network: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly sweepId: string | null
  readonly fundingId: string | null
  readonly amountMinor: string
  readonly amount: string
  readonly transactions: number
  readonly state: string
  readonly txHash: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export const collectionRecords = new Records<Collection>('merchant_sweep', 'id')

/** An order to sweep a network. */
interface CollectionOrder {
  readonly network: string
  readonly orderedAt: Date
}

export const collectionOrderRecords = new Records<CollectionOrder>('sweep_order', 'network')

/** A sweep of deposit addresses. */
interface Sweep {
  readonly id: string
  readonly network: string
  readonly kind: string
  readonly assets: readonly string[]
  readonly state: string
  readonly txHash: string | null
  readonly blockHeight: number | null
  readonly blockHash: string | null
  readonly isSuccess: boolean | null
  readonly plannedAt: Date
  readonly endedAt: Date | null
}

export const sweepRecords = new Records<Sweep>('sweep', 'id')

/** An address whose sweep failed. */
interface SweepRetry {
  readonly addressId: number
  readonly asset: string
  readonly tries: number
  readonly failedAt: Date
  readonly retryAt: Date | null
}

export const sweepRetryRecords = new Records<SweepRetry>('sweep_retry', 'address_id, asset')

/** An address that was swept. */
interface SweptAddress {
  readonly sweepId: string
  readonly addressId: number
}

export const sweptAddressRecords = new Records<SweptAddress>('swept_address', 'sweep_id, address_id')

/** The coin that a sweep took from an address. */
interface SweptCoin extends SweptAddress {
  readonly amountMinor: string
}

export const sweptCoinRecords = new Records<SweptCoin>('swept_coin', 'sweep_id, address_id')

interface TreasuryWithdrawal {
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly source: string
  readonly amountMinor: string
  readonly state: string
  readonly txHash: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export const treasuryWithdrawalRecords = new Records<TreasuryWithdrawal>('treasury_withdrawal', 'id')

/** A confirmed deposit for which a node showed no money, or which no node could check. */
interface DepositProofFailure {
  readonly depositId: string
  readonly inclusion: number
  readonly kind: string
  readonly detail: string
  readonly since: Date
  readonly retryAt: Date
}

export const depositProofFailureRecords = new Records<DepositProofFailure>(
  'deposit_proof_failure',
  'deposit_id',
)
