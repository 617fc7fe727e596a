import { assert } from './assert.ts'

/**
 * The bounds that users and operators of the service meet. What only paces an algorithm stands beside it. Units are in
 * the names.
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
  /** Of one search: each is looked for in every text that has the others. */
  searchWordsMax: 20,

  statementTimeoutMs: 5_000,
  /** How long an answer is waited for after the time that its statement may take: a server without power sends none. */
  answerGraceMs: 5_000,
  lockTimeoutMs: 2_000,
  idleInTransactionTimeoutMs: 10_000,
  /** While a statement of a proof runs, PostgreSQL looks so often whether whoever asked is still there. */
  clientCheckMs: 1_000,
  /** What one statement writes of many rows, so that none takes as long as a statement may. */
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
  /** Under way from one network, each with a hash and some statements: it alone makes nobody else wait for long. */
  loginsAtOncePerNetwork: 10,
  accessTokensPerAccount: 100,
  accessTokenNameChars: 200,
  userAgentChars: 256,
  loginsListed: 100,
  /** Of an account, the newest: an older one ends, so that nobody fills the database by logging in. */
  loginsKept: 1_000,
  /** How long a browser's session may send money after its holder has shown again who they are. */
  sessionProofMs: 5 * 60_000,
  /** So often at most it is noted that a browser's login is in use. */
  sessionSeenMs: 60_000,
  merchantNameChars: 200,
  merchantRestoreDays: 30,
  membersPerMerchant: 200,
  ipRangesPerMerchant: 200,
  ipRangeChars: 64,
  invoiceDescriptionChars: 1000,
  invoiceReferenceChars: 200,
  invoiceLifeMinutes: 365 * 24 * 60,
  redirectUrlChars: 2000,
  transactionsShown: 100,
  webhookSecretChars: 32,
  webhookSecretCharsMax: 512,
  webhookUrlChars: 2000,
  /** For so long a webhook secret that was replaced signs beside the new one. */
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

  tracesAtOnce: 4,
  tracesPerMinute: 60,
  sendsByHandPerMinute: 60,
  timelineRows: 50,
  exportsPerMinute: 10,
  exportRowsAtOnce: 500,
  traceNodeMs: 5_000,

  /** Addresses that a process derived and never gave away end once it was away for so long. */
  addressesUnusedHours: 1,
  /** Rates, and blocks that nothing refers to: longer than any restore or any node's absence is meant to reach back. */
  ratesKeptDays: 180,
  blocksKeptDays: 180,
  /** Of each network, the newest, however old they are; ten times what is taken back at most. */
  blocksKept: 10_000,
  rowsForgottenAtOnce: 1_000,

  addressPoolRows: 1000,
  addressBatchRows: 100,
  addressWaitMs: 5_000,
  blocksReadAhead: 16,
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
  laneMeasureMs: 2_000,
  standingCheckMs: 20_000,
  standingCheckGraceMs: 5 * 60_000,
  /** The search for payments that were missed: how often it looks, and how many addresses that hold nothing one look takes. */
  missedSearchMs: 60_000,
  missedSearchAddresses: 600,
  /** The same where a node looks through all its unspent outputs for any number of addresses. */
  missedSearchScanMs: 10 * 60_000,
  missedSearchScanAddresses: 10_000,
  /** Of those given out last, so many are compared in each look. */
  missedSearchNewest: 500,
  /** Final blocks that are read again each minute. */
  rereadBlocksPerMinute: 6,
  sealRows: 1000,

  payoutsPlannedAtOnce: 64,
  payoutsSignedAtOnce: 128,
  payoutsSentAtOnce: 128,
  payoutsPerLane: 16,
  /** For so many rounds at most a payment that waits keeps money back from those behind it; then it yields for as many. */
  reservedRounds: 8,
  /** The same where money lies in outputs, whose blocks are further apart. */
  reservedRoundsOfCoins: 2,
  /** Coins that are looked at to choose from, the most valuable first. */
  coinsPerPlan: 5_000,
  /** Of the transactions that made a payout's coins, where they go to the signer: reading them takes part of a second. */
  makersBytes: 256 * 1024,
  /** Of one of them: no block of Dogecoin is larger, and in the text of a request to the signer it has room. */
  makerBytesMax: 1024 * 1024,
  /** Blocks that are asked for them in one round, and for how long at most. */
  makersBlocks: 100,
  makersLookMs: 5_000,
  /** Coins of large ones that are made coins of our own at once, each in a transaction of its own. */
  coinsAlonePerPlan: 4,
  /** So many are made one of the smallest when that is cheap. */
  coinsMany: 200,
  coinsConsolidated: 150,
  /**
   * How many coins one recovery transaction spends at most. The limit is low so that many coins are left afterwards, with which
   * many payouts can be sent at the same time.
   */
  coinsRespentTogether: 10,
  /** Change addresses that are watched before they are given, and how many of them are derived at once. */
  changeAhead: 1_000,
  changePerStep: 250,
  /** What payouts wait for longer than that, operators are alerted of. */
  payoutsWaitS: 60,
  receiptsAtOnce: 200,
  signerLogEntries: 500,

  feedScannedRows: 10_000,
  feedWaitS: 30,
  feedPollMs: 1_000,
  feedReaders: 2_000,
  feedReadersPerMerchant: 20,
  /** Of all merchants of one owner together, whichever of their keys they come with. */
  feedReadersPerAccount: 40,

  checkoutViewers: 2_000,
  checkoutViewersPerClient: 30,
  /** Pages that are followed and have news, read at once: connections to the database that are not there for payments. */
  checkoutReadsAtOnce: 3,
  checkoutPollMs: 1_000,
  checkoutHeartbeatMs: 15_000,
  /** A page that stays open longer asks again. */
  checkoutStreamMs: 15 * 60_000,
  checkoutArrivals: 5,
  /** A payment that neither a block nor a mempool has held for so long keeps nobody from paying. */
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
  /** Counted from their end; events are kept for ever. */
  deliveriesKeptDays: 90,
  deliveriesForgottenAtOnce: 1_000,
  deliveryConnectMs: 5_000,
  deliveryTotalMs: 15_000,
  /** An attempt that takes longer makes its endpoint a slow one for a while. */
  deliverySlowMs: 2_000,
  endpointSlowMs: 5 * 60_000,
  deliveryAttempts: 10,
  /** A receiver may ask to be left alone for that long and no longer. */
  deliveryRetryAfterMs: 24 * 60 * 60 * 1000,
  deliveryResponseBytes: 64 * 1024,
  deliveryResponseKeptBytes: 1024,
  /** An endpoint is disabled once it has only failed for so long, and so often. */
  endpointFailingMs: 5 * 24 * 60 * 60 * 1000,
  endpointFailures: 20,
  /** After so many failures in a row an endpoint gets one attempt at a time until one succeeds. */
  endpointFailuresAlone: 5,
  /** Longer without an attempt, and a run of failures begins anew. */
  endpointSilentMs: 36 * 60 * 60 * 1000,
} as const

assert(limits.addressPoolRows >= limits.addressBatchRows, 'the pool holds at least one batch of addresses')
assert(
  limits.idempotencyClaimMs > limits.idempotencyWaitMs &&
    limits.idempotencyClaimMs > limits.statementTimeoutMs,
  'a run under a key outlives whoever waits for it',
)
assert(limits.blocksKept > limits.rollbackBlocks, 'what may be taken back is kept')
assert(limits.sanctionsListAgeS > limits.sanctionsRefreshS, 'a list outlives failed readings')
assert(limits.deliveryClaimMs > limits.deliveryTotalMs, 'a claim outlives the attempt made under it')
assert(limits.deliveryTotalMs > limits.deliveryConnectMs, 'an attempt outlives its connect')
