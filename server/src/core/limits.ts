import { assert } from './assert.ts'

/**
 * Limits and durations that users or operators of the service can notice. Their names contain their units. A
 * constant that only sets the speed of an algorithm is declared beside that algorithm.
 */
export const limits = {
  bodyBytes: 64 * 1024,
  urlBytes: 8 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  stallTimeoutMs: 120_000,
  drainTimeoutMs: 10_000,
  pageRows: 20,
  pageRowsMax: 1000,
  pageMax: 1_000_000,
  /**
   * Maximum number of words in one search. Each word makes the search slower, because every text that
   * contains the other words is searched for that word.
   */
  searchWordsMax: 20,

  statementTimeoutMs: 5_000,
  /**
   * How long a database client waits for an answer after the statement timeout has passed. PostgreSQL reports
   * a timeout itself, but a server that has lost its power reports nothing.
   */
  answerGraceMs: 5_000,
  lockTimeoutMs: 2_000,
  idleInTransactionTimeoutMs: 10_000,
  /**
   * The interval at which PostgreSQL checks whether the client is still connected
   * (`client_connection_check_interval`). It applies to the long statements that verify the books.
   */
  clientCheckMs: 1_000,
  /**
   * Maximum number of rows that one SQL statement writes, so that the statement stays far below the timeout.
   */
  rowsPerStatement: 5_000,
  transactionTries: 5,
  poolConnections: 10,
  poolWaitMs: 5_000,

  idempotencyDays: 7,
  idempotencyWaitMs: 10_000,
  idempotencyClaimMs: 30_000,

  passwordChars: 12,
  passwordCharsMax: 200,
  hashesQueued: 50,
  /**
   * Maximum number of concurrent logins from one IP network. Each login costs a password hash and some SQL
   * statements. Without this limit, one IP network could delay the logins of everybody else.
   */
  loginsAtOncePerNetwork: 10,
  accessTokensPerAccount: 100,
  accessTokenNameChars: 200,
  userAgentChars: 256,
  loginsListed: 100,
  /**
   * Maximum number of sessions of one account. If there are more, the oldest sessions end, so that nobody can
   * fill the database by logging in again and again.
   */
  loginsKept: 1_000,
  /** How long a browser's session may send money after its user has entered the password or a code again. */
  sessionProofMs: 5 * 60_000,
  /** Minimum interval between updates of a session's `last_used_at`. */
  sessionSeenMs: 60_000,
  merchantNameChars: 200,
  merchantRestoreDays: 30,
  membersPerMerchant: 200,
  ipRangesPerMerchant: 200,
  ipRangeChars: 64,
  invoiceDescriptionChars: 1000,
  invoiceReferenceChars: 200,
  invoiceLifetimeMinutes: 365 * 24 * 60,
  redirectUrlChars: 2000,
  depositsShown: 100,
  webhookSecretChars: 32,
  webhookSecretCharsMax: 512,
  webhookUrlChars: 2000,
  /** How long deliveries are signed with both the old and the new webhook secret after a replacement. */
  formerSecretHours: 24,

  pendingWithdrawalsPerMerchant: 10_000,
  withdrawalsWeighed: 2_000,
  withdrawalsWeighedPerMerchant: 100,

  sanctionsListBytes: 1024 * 1024 * 1024,
  sanctionsListAgeS: 48 * 60 * 60,
  sanctionsRefreshS: 6 * 60 * 60,
  rescreenRows: 200,
  oracleMs: 3_000,
  oracleRestMs: 10_000,
  oracleAnswerS: 10 * 60,

  contractCheckMs: 2_000,
  knownContracts: 1_000,
  knownContractMs: 10 * 60_000,

  tracesAtOnce: 4,
  tracesPerMinute: 60,
  rowChecksPerMinute: 30,
  manualSendsPerMinute: 60,
  timelineRows: 50,
  exportsPerMinute: 10,
  exportRowsAtOnce: 500,
  traceNodeMs: 5_000,

  /** Addresses that a process derived but never assigned are deleted this long after the process ended. */
  addressesUnusedHours: 1,
  /**
   * How long exchange rates are kept (`ratesKeptDays`), and blocks to which no other row refers
   * (`blocksKeptDays`). No restored backup and no outage of a node is expected to need older rows.
   */
  ratesKeptDays: 180,
  blocksKeptDays: 180,
  /** How many of the newest blocks of each network are never deleted: ten times the maximum rollback. */
  blocksKept: 10_000,
  /** Of the blocks of `blocksKeptDays`, at most this many of each network are kept: about 2 GB. */
  blocksKeptMax: 10_000_000,
  rowsForgottenAtOnce: 1_000,

  addressPoolRows: 1000,
  addressBatchRows: 100,
  addressWaitMs: 5_000,
  blocksReadAhead: 16,
  /** Blocks of a network of tokens alone whose logs are read at once. One request has them in the best case. */
  sightedBlocksPerRead: 99,
  transfersPerLookUp: 5_000,
  blocksPerTransaction: 50,
  depositsPerTransaction: 500,
  blocksPerStep: 1000,
  rollbackBlocks: 1000,
  spentPerLookUp: 10_000,
  spentPerTransaction: 40_000,
  waitingPerStep: 2_000,
  waitingPerRead: 100,
  leaseMs: 10_000,
  hotWalletMeasureMs: 2_000,
  continuousCheckMs: 20_000,
  continuousCheckGraceMs: 5 * 60_000,
  /**
   * The interval between two runs of the search for missed payments, and the size of one run. A run checks
   * all addresses with a balance, and at most `missedSearchAddresses` other addresses.
   */
  missedSearchMs: 60_000,
  missedSearchAddresses: 600,
  /** The interval between two comparisons of the coin of addresses with the books, on EVM networks. */
  balancePassMs: 10_000,
  /**
   * The values of `missedSearchMs` and `missedSearchAddresses` for chains whose nodes scan all unspent
   * outputs at once. Such a scan takes equally long for any number of addresses.
   */
  missedSearchScanMs: 10 * 60_000,
  missedSearchScanAddresses: 10_000,
  /** How many of the most recently assigned addresses every search for missed payments checks. */
  missedSearchNewest: 500,
  /** How many final blocks are read again each minute, to find missed payments. */
  rereadBlocksPerMinute: 6,
  sealRows: 1000,

  outgoingPlannedAtOnce: 64,
  outgoingSignedAtOnce: 128,
  outgoingSentAtOnce: 128,
  outgoingPerHotWallet: 16,
  /**
   * Maximum number of rounds for which a waiting payment may reserve an asset, so that payments behind it
   * cannot take the funds. After that, nobody can reserve this asset until the same number of rounds has passed.
   */
  reservedRounds: 8,
  /** The value of `reservedRounds` for UTXO chains. It is lower because their blocks are further apart. */
  reservedRoundsOfUtxos: 2,
  /** Maximum number of UTXOs that coin selection considers. It considers the most valuable UTXOs. */
  utxosPerPlan: 5_000,
  /**
   * Maximum total size of the previous transactions in one request to the signer. A request contains them only
   * on chains whose signatures do not cover amounts. The signer parses that many bytes in a fraction of a
   * second.
   */
  previousTransactionsBytes: 256 * 1024,
  /**
   * Maximum size of one previous transaction. No block of Dogecoin is larger. A request to the signer has
   * room for a previous transaction of this size.
   */
  previousTransactionBytesMax: 1024 * 1024,
  /**
   * How many blocks one round of the search for previous transactions reads, and how long the round may take.
   */
  previousTransactionBlocks: 100,
  previousTransactionScanMs: 5_000,
  /**
   * A UTXO with a large previous transaction uses much of the space in a request to the signer. Such a UTXO
   * is therefore moved to a new output by a transaction of its own, because the new output has a small
   * previous transaction. This is the maximum number of such transactions in one plan.
   */
  utxosAlonePerPlan: 4,
  /** If a network has at least this many UTXOs, the smallest ones are merged while fees are low. */
  utxosMany: 200,
  utxosConsolidated: 150,
  /**
   * Maximum number of UTXOs that a recovery after lost history sends to ourselves in one transaction. The
   * limit is low so that many UTXOs are left, which can pay for many outgoing transactions at the same time.
   */
  utxosRespentTogether: 10,
  /** How many unused change addresses are watched in advance, and how many are derived at once. */
  changeAhead: 1_000,
  changePerStep: 250,
  /** Operators are alerted when outgoing transactions have waited for the same cause for longer than this. */
  outgoingWaitS: 60,
  receiptsAtOnce: 200,
  signerLogEntries: 500,

  feedScannedRows: 10_000,
  feedWaitS: 30,
  feedPollMs: 1_000,
  feedReaders: 2_000,
  feedReadersPerMerchant: 20,
  /** Maximum number of feed readers of one account, counted over all its merchants and API keys. */
  feedReadersPerAccount: 40,

  checkoutViewers: 2_000,
  checkoutViewersPerClient: 30,
  /**
   * Maximum number of concurrent database reads for checkout pages whose content has changed. Each read takes
   * a database connection that payments could use.
   */
  checkoutReadsAtOnce: 3,
  checkoutPollMs: 1_000,
  checkoutHeartbeatMs: 15_000,
  /** How long one event stream of a checkout page lasts. A page that stays open for longer reconnects. */
  checkoutStreamMs: 15 * 60_000,
  checkoutPayments: 5,
  /**
   * If a payment has been in no block and in no mempool for this long, the checkout asks the payer to pay
   * again.
   */
  checkoutGoneMinutes: 30,

  replayedAtOnce: 10_000,
  replayBacklog: 50_000,
  replaysPerMinute: 10,

  deliveryClaimRows: 200,
  deliveryClaimMs: 30_000,
  deliveriesPerEndpoint: 4,
  deliveriesInFlight: 256,
  deliveriesCancelledAtOnce: 1_000,
  signingKeysKept: 2_000,
  /** How long deliveries are kept after they ended. Events are kept for ever. */
  deliveriesKeptDays: 90,
  deliveriesForgottenAtOnce: 1_000,
  deliveryConnectMs: 5_000,
  deliveryTotalMs: 15_000,
  /** A delivery attempt that takes longer than this makes its endpoint count as slow for `endpointSlowMs`. */
  deliverySlowMs: 2_000,
  endpointSlowMs: 5 * 60_000,
  deliveryAttempts: 10,
  /** The longest delay that a receiver can request with `Retry-After`. */
  deliveryRetryAfterMs: 24 * 60 * 60 * 1000,
  deliveryResponseBytes: 64 * 1024,
  deliveryResponseKeptBytes: 1024,
  /**
   * A webhook endpoint is disabled if it has failed for `endpointFailingMs` and at least `endpointFailures`
   * times, without a success in between.
   */
  endpointFailingMs: 5 * 24 * 60 * 60 * 1000,
  endpointFailures: 20,
  /** After this many failures in a row, an endpoint gets one attempt at a time until an attempt succeeds. */
  endpointFailuresAlone: 5,
  /** If an endpoint's last failure is longer ago than this, its count of failures starts at zero again. */
  endpointSilentMs: 36 * 60 * 60 * 1000,
} as const

assert(limits.addressPoolRows >= limits.addressBatchRows, 'the pool holds at least one batch of addresses')
assert(
  limits.idempotencyClaimMs > limits.idempotencyWaitMs &&
    limits.idempotencyClaimMs > limits.statementTimeoutMs,
  'the claim of an idempotency key outlives the requests that wait for it',
)
assert(limits.blocksKept > limits.rollbackBlocks, 'blocks are kept for as long as they can be rolled back')
assert(
  limits.sanctionsListAgeS > limits.sanctionsRefreshS,
  'a sanctions list stays valid through failed refreshes',
)
assert(limits.deliveryClaimMs > limits.deliveryTotalMs, 'the claim of a delivery outlives its attempt')
assert(
  limits.deliveryTotalMs > limits.deliveryConnectMs,
  'a delivery attempt may take longer than its connection',
)
