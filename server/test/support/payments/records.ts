/** Records of invoices, their addresses, deposits, and prices. */
import { Records } from '../records/records.ts'

/** An invoice. `amount` is in US dollars as given, and `amountUsd` is in 10^-8 dollars. */
interface Invoice {
  readonly id: string
  readonly merchantId: string
  readonly type: string
  readonly state: string
  readonly exceptions: readonly string[]
  readonly amount: string
  readonly amountUsd: string
  readonly paymentMethodId: number
  readonly paymentMethodIds: readonly number[]
  readonly description: string | null
  readonly reference: string | null
  readonly amlOk: boolean
  readonly collectState: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly paidAt: Date | null
  readonly paidPeriods: number
  readonly archivedAt: Date | null
  readonly deletedAt: Date | null
  readonly redirectUrl: string | null
  readonly closedAt: Date | null
  readonly acceptedAt: Date | null
  readonly acceptedIds: readonly string[]
  readonly claimHash: Buffer | null
  readonly claimedAt: Date | null
  readonly searchText: string | null
  readonly paidWhen: string
  readonly toleranceBasisPoints: number
  readonly sealedClaimToken: Buffer | null
  readonly claimMac: string | null
  readonly termsMac: string | null
}

export const invoiceRecords = new Records<Invoice>('invoice', 'created_at, id')

/** A quote: a price promised to an invoice in one payment method. */
interface Quote {
  readonly id: string
  readonly invoiceId: string
  readonly paymentMethodId: number
  readonly price: string
  readonly priceTakenAt: Date
  readonly sources: unknown
  readonly fullMinor: string
  readonly quotedAt: Date
  readonly expiresAt: Date
  readonly mac: string
}

export const quoteRecords = new Records<Quote>('quote', 'quoted_at, id')

/** A payment address, which is free until it is assigned. */
interface Address {
  readonly id: number
  readonly family: string
  readonly address: string
  readonly branch: number
  readonly index: number
  readonly mac: Buffer
  readonly network: string | null
  readonly merchantId: string | null
  readonly invoiceId: string | null
  readonly paymentMethodId: number | null
  readonly assignedAt: Date | null
  readonly assignmentMac: string | null
}

export const addressRecords = new Records<Address>('address', 'branch, index')

/** A branch of the key tree from which addresses are derived. */
interface AddressBranch {
  readonly family: string
  readonly branch: number
  readonly xpubFingerprint: string
  readonly databaseId: string
  readonly serverStartedAt: Date
  readonly openedAt: Date
  readonly nextIndex: number
  readonly usedAt: Date
}

export const addressBranchRecords = new Records<AddressBranch>('address_branch', 'family, branch')

interface Deposit {
  readonly id: string
  readonly network: string
  readonly transferKey: string
  readonly txHash: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly addressId: number | null
  readonly merchantId: string | null
  readonly invoiceId: string | null
  readonly sender: string | null
  readonly recipient: string
  readonly amountMinor: string
  readonly amount: string
  readonly state: string
  readonly inclusion: number
  readonly blockHeight: number | null
  readonly blockHash: string | null
  readonly blockPosition: number | null
  readonly includedAt: Date | null
  readonly inTimeAt: Date
  readonly fullMinor: string | null
  readonly price: string | null
  readonly feePercentBasisPoints: number
  readonly feeFlatMinor: string
  readonly feeMinor: string | null
  readonly netMinor: string | null
  readonly belowMinimum: boolean
  readonly createdAt: Date
  readonly confirmedAt: Date | null
  readonly sweepId: string | null
  readonly amlVerdict: string | null
  readonly quarantine: string | null
  readonly firstSeenAt: Date | null
  readonly unseenSince: Date | null
  readonly replacedBy: string | null
  readonly replacedHeight: number | null
  readonly failures: number
  readonly maturesAfter: number
  readonly mac: string
  readonly origin: string | null
  readonly listedAddress: string | null
  readonly provenInclusion: number | null
}

export const depositRecords = new Records<Deposit>('deposit', 'created_at, id')

/** A change of the counts of deposits that is not aggregated yet. */
interface DepositCountChange {
  readonly merchantId: string
  readonly day: number
  readonly paymentMethodId: number
  readonly state: string
  readonly difference: number
}

export const depositCountChangeRecords = new Records<DepositCountChange>(
  'deposit_count_change',
  'merchant_id',
)

/** The merchant to which an operator assigned an unattributed deposit. */
interface Attribution {
  readonly depositId: string
  readonly merchantId: string | null
  readonly feePercentBasisPoints: number
  readonly feeFlatMinor: string
  readonly madeAt: Date
  readonly mac: string
}

export const attributionRecords = new Records<Attribution>('attribution', 'deposit_id')

/** Fees agreed with a merchant. */
interface FeeSchedule {
  readonly id: string
  readonly merchantId: string | null
  readonly paymentMethodId: number | null
  readonly type: string
  readonly percentBasisPoints: number
  readonly flatMinor: string | null
  readonly flatUsd: string | null
}

export const feeScheduleRecords = new Records<FeeSchedule>('fee_schedule', 'id')

/** A minimum that applies to one merchant. */
interface Limit {
  readonly id: string
  readonly merchantId: string | null
  readonly paymentMethodId: number | null
  readonly type: string
  readonly minimumUsd: string | null
  readonly minimumMinor: string | null
}

export const limitRecords = new Records<Limit>('limit_override', 'id')

/** The price of an asset in one minute, in 10^-12 US dollars. */
interface Rate {
  readonly symbol: string
  readonly minute: Date
  readonly price: string
  readonly sources: unknown
  readonly takenAt: Date
}

export const rateRecords = new Records<Rate>('rate', 'symbol, minute')

/** The sanctions oracle's answer about an address. */
interface OracleAnswer {
  readonly network: string
  readonly address: string
  readonly isListed: boolean
  readonly askedAt: Date
}

export const oracleAnswerRecords = new Records<OracleAnswer>('oracle_answer', 'network, address')

/** An address on a sanctions list. */
interface SanctionedAddress {
  readonly canonical: string
  readonly codes: readonly string[]
  readonly parties: readonly string[]
  readonly listedAt: Date
}

export const sanctionedAddressRecords = new Records<SanctionedAddress>('sanctioned_address', 'canonical')

/** A sanctions list that was loaded. */
interface SanctionsList {
  readonly id: string
  readonly source: string
  readonly addressCount: number
  readonly loadedAt: Date
  readonly readAt: Date
  readonly freshAt: Date
  readonly replacedAt: Date | null
}

export const sanctionsListRecords = new Records<SanctionsList>('sanctions_list', 'id')

/** The progress of the search for missed payments. */
interface MissedSearch {
  readonly network: string
  readonly comparedHeight: number
  readonly addressId: number
  readonly rotationBeganAt: Date
  readonly rotationAddresses: number
  readonly rotationTotal: number
  readonly coveredSince: Date
  readonly scanSeconds: number
  readonly scannedAddresses: number
  readonly scannedAt: Date
  readonly blocksReread: number
  readonly blocksUnread: number
}

export const missedSearchRecords = new Records<MissedSearch>('missed_payment_search', 'network')

/** A token of a development chain. */
interface DevToken {
  readonly network: string
  readonly symbol: string
  readonly contract: string
}

export const devTokenRecords = new Records<DevToken>('dev_token', 'network, symbol')

/** A process that writes back records after a loss of history. */
interface PutBack {
  readonly incarnation: number
  readonly processId: string
  readonly beatAt: Date
  readonly endedAt: Date | null
}

export const putBackRecords = new Records<PutBack>('loss_put_back', 'incarnation, process_id')

/** The progress of a recovery from a loss of history. */
interface LossRecovery {
  readonly incarnation: number
  readonly family: string
  readonly since: Date
  readonly until: Date
  readonly notedAt: Date
  readonly addedCount: number | null
  readonly endedAt: Date | null
}

export const lossRecoveryRecords = new Records<LossRecovery>('loss_recovery', 'incarnation, family')

/** A record that was lost with history. */
interface LostRecord {
  readonly incarnation: number
  readonly kind: string
  readonly id: string
  readonly merchantId: string | null
  readonly committedAt: Date
  readonly outcome: string
  readonly detail: string
  readonly notedAt: Date
}

export const lostRecordRecords = new Records<LostRecord>('lost_record', 'incarnation, kind, id')
