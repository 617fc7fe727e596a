/**
 * The architecture as data, from the bottom up. The table lists the districts (the top-level folders of
 * server/src), their capabilities (the folders in a district), and what each capability imports. A capability
 * may import itself, and otherwise only capabilities that the table lists before it, which are below it in
 * the architecture. Therefore no import points upwards, and no cycle is possible. A new import edge needs a
 * change of this table, which is reviewed.
 */
const table: Readonly<Record<string, Readonly<Record<string, readonly string[] | 'everything below'>>>> = {
  core: {
    core: [],
  },
  platform: {
    'platform/db': ['core'],
    'platform/audit': ['core', 'platform/db'],
    'platform/http': ['core', 'platform/db'],
    'platform/incarnation': ['core', 'platform/db'],
    'platform/outbox': ['core', 'platform/db'],
    'platform/web': [],
  },
  signing: {
    signing: [],
  },
  chains: {
    chains: ['core'],
    'chains/blocks': ['core', 'platform/db'],
    'chains/outputs': ['platform/db'],
  },
  ledger: {
    ledger: ['core', 'platform/db', 'platform/audit'],
  },
  merchants: {
    'merchants/accounts': ['core', 'platform/db', 'platform/audit', 'platform/http'],
    merchants: ['core', 'platform/db', 'platform/audit', 'platform/http', 'merchants/accounts'],
  },
  pricing: {
    'pricing/payment-methods': ['core', 'platform/db', 'platform/http', 'chains'],
    'pricing/own-rows': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'signing',
      'chains',
      'pricing/payment-methods',
    ],
    'pricing/limits': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'merchants',
      'pricing/payment-methods',
    ],
    'pricing/rates': ['core', 'platform/db'],
    'pricing/fees': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'merchants',
      'pricing/payment-methods',
      'pricing/rates',
    ],
  },
  payments: {
    'payments/balances': [
      'core',
      'platform/db',
      'platform/http',
      'ledger',
      'merchants',
      'pricing/payment-methods',
    ],
    'payments/invoices': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'platform/outbox',
      'chains',
      'chains/blocks',
      'merchants',
      'pricing/payment-methods',
      'pricing/limits',
      'pricing/rates',
    ],
    'payments/screening': ['core', 'platform/db', 'platform/audit'],
    'payments/deposits': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'platform/outbox',
      'chains',
      'chains/outputs',
      'ledger',
      'merchants',
      'pricing/payment-methods',
      'pricing/rates',
      'pricing/fees',
      'payments/invoices',
      'payments/screening',
    ],
  },
  webhooks: {
    webhooks: ['core', 'platform/db', 'platform/http', 'platform/outbox', 'merchants'],
  },
  outgoing: {
    'outgoing/engine': [
      'core',
      'platform/db',
      'platform/audit',
      'signing',
      'chains',
      'chains/blocks',
      'ledger',
      'merchants',
    ],
    'outgoing/evm': [
      'core',
      'platform/db',
      'signing',
      'chains',
      'chains/blocks',
      'ledger',
      'outgoing/engine',
    ],
    'outgoing/sweeps': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'platform/outbox',
      'signing',
      'chains',
      'chains/blocks',
      'pricing/payment-methods',
      'pricing/limits',
      'pricing/rates',
      'payments/invoices',
      'outgoing/engine',
      'outgoing/evm',
    ],
    'outgoing/treasury': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'signing',
      'chains',
      'chains/blocks',
      'ledger',
      'merchants',
      'pricing/payment-methods',
      'pricing/fees',
      'payments/deposits',
      'outgoing/engine',
    ],
    'outgoing/utxo': [
      'core',
      'platform/db',
      'signing',
      'chains',
      'chains/blocks',
      'chains/outputs',
      'ledger',
      'outgoing/engine',
    ],
    'outgoing/withdrawals': [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'platform/outbox',
      'signing',
      'chains',
      'ledger',
      'merchants',
      'pricing/payment-methods',
      'pricing/limits',
      'pricing/rates',
      'pricing/fees',
      'payments/invoices',
      'payments/screening',
      'payments/deposits',
      'outgoing/engine',
    ],
  },
  offboarding: {
    offboarding: [
      'core',
      'platform/db',
      'platform/audit',
      'platform/http',
      'platform/outbox',
      'ledger',
      'merchants',
      'pricing/payment-methods',
      'outgoing/treasury',
    ],
  },
  checkout: {
    checkout: [
      'core',
      'platform/db',
      'platform/http',
      'chains',
      'pricing/payment-methods',
      'pricing/rates',
      'payments/invoices',
      'payments/deposits',
      'outgoing/sweeps',
      'outgoing/withdrawals',
    ],
  },
  recovery: {
    'recovery/lost-history': [
      'core',
      'platform/db',
      'platform/http',
      'platform/incarnation',
      'platform/outbox',
      'chains',
      'payments/invoices',
      'outgoing/withdrawals',
    ],
    'recovery/missed': [
      'core',
      'platform/db',
      'platform/audit',
      'chains',
      'chains/blocks',
      'pricing/payment-methods',
      'pricing/fees',
      'payments/screening',
      'payments/deposits',
      'recovery/lost-history',
    ],
    'recovery/found-by-balance': [
      'core',
      'platform/db',
      'chains',
      'chains/blocks',
      'pricing/payment-methods',
      'pricing/fees',
      'payments/screening',
      'payments/deposits',
      'outgoing/sweeps',
      'recovery/lost-history',
      'recovery/missed',
    ],
  },
  watcher: {
    watcher: [
      'core',
      'platform/db',
      'chains',
      'chains/blocks',
      'pricing/payment-methods',
      'pricing/own-rows',
      'pricing/fees',
      'payments/screening',
      'payments/deposits',
      'outgoing/withdrawals',
      'recovery/lost-history',
    ],
  },
  oversight: {
    'oversight/overviews': [
      'core',
      'platform/db',
      'platform/http',
      'pricing/payment-methods',
      'pricing/rates',
      'payments/balances',
    ],
    'oversight/timelines': ['core', 'platform/db', 'platform/http', 'pricing/payment-methods'],
    'oversight/traces': [
      'core',
      'platform/db',
      'platform/http',
      'chains',
      'chains/blocks',
      'pricing/payment-methods',
      'payments/deposits',
    ],
    'oversight/verify': [
      'core',
      'platform/db',
      'platform/outbox',
      'signing',
      'chains',
      'ledger',
      'pricing/payment-methods',
      'payments/invoices',
      'payments/deposits',
      'outgoing/engine',
    ],
    'oversight/reports': ['platform/db'],
    'oversight/health': [
      'core',
      'platform/db',
      'platform/http',
      'platform/incarnation',
      'platform/outbox',
      'chains',
      'chains/blocks',
      'pricing/payment-methods',
      'payments/deposits',
      'webhooks',
      'outgoing/engine',
      'outgoing/treasury',
      'recovery/lost-history',
      'recovery/missed',
      'oversight/verify',
    ],
    'oversight/books-key': ['platform/db', 'platform/audit'],
  },
  signer: {
    signer: ['core', 'signing', 'chains'],
  },
  sandbox: {
    sandbox: ['core', 'chains'],
  },
  demo: {
    demo: ['core', 'sandbox'],
  },
  app: {
    app: 'everything below',
  },
  bin: {
    bin: ['signer', 'app'],
  },
}

/** The districts, from the bottom up. */
export const districts: readonly string[] = Object.keys(table)

/** The maximum number of lines in the README of a district, which is a folder of server/src. */
export const readmeLinesMax = 25

/** For each capability, in the order of the table, the capabilities that it may import. */
export const mayImport: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(table)
    .flatMap((capabilities) => Object.entries(capabilities))
    .map(([capability, lower], row, rows) => [
      capability,
      lower === 'everything below' ? rows.slice(0, row).map(([below]) => below) : lower,
    ]),
)

/** Returns the capability that contains a path below server/src: the longest name of the table with which the path begins. */
export function capabilityAt(path: string): string | undefined {
  return Object.keys(mayImport)
    .filter((capability) => path.startsWith(`${capability}/`))
    .sort((a, b) => b.length - a.length)[0]
}

/** The maximum number of files of shipped code in one folder. Tests and files in subfolders do not count. */
export const filesPerFolderMax = 25

/**
 * The tables that each capability owns. A statement may name only tables of its own district and of districts below it, so
 * the position of the owner decides who can write a table. Every table of the schema has exactly one owner.
 */
export const ownsTables: Readonly<Record<string, readonly string[]>> = {
  'platform/db': ['key_fingerprint', 'lease', 'schema_migration'],
  'platform/audit': ['audit_entry', 'tampering', 'tampering_halt'],
  'platform/http': ['idempotency_key'],
  'platform/incarnation': ['database_identity', 'event_gap', 'incarnation', 'lost_beat', 'process_heartbeat'],
  'platform/outbox': ['delivery', 'event', 'event_counter'],
  'chains/blocks': ['block', 'chain_cursor', 'chain_failure'],
  'chains/outputs': ['own_output'],
  ledger: ['journal', 'journal_line', 'journal_seal', 'journal_unsealed', 'ledger_account', 'sealed_balance'],
  'merchants/accounts': [
    'account',
    'code_pause',
    'login_attempt',
    'recovery_code',
    'second_factor',
    'session',
  ],
  merchants: ['api_key', 'member', 'merchant', 'webhook_endpoint'],
  'pricing/payment-methods': ['dev_token'],
  'pricing/own-rows': ['own_network_nodes', 'own_row_entry', 'own_row_progress'],
  'pricing/limits': ['limit_override'],
  'pricing/rates': ['rate'],
  'pricing/fees': ['fee_schedule'],
  'payments/invoices': [
    'address',
    'address_branch',
    'attested_xpub',
    'full_payment',
    'invoice',
    'invoice_facet_count',
    'invoice_count_change',
    'invoice_outcome_count',
    'invoice_range_count',
    'invoice_text',
    'quote',
  ],
  'payments/screening': ['oracle_answer', 'sanctioned_address', 'sanctions_list'],
  'payments/deposits': [
    'attribution',
    'capital_source',
    'deposit_pause',
    'deposit',
    'deposit_count',
    'deposit_count_change',
    'explained_transfer',
    'own_transfer',
    'transaction_spend',
  ],
  webhooks: ['delivery_attempt'],
  'outgoing/engine': [
    'asset_halt',
    'attested_statement_key',
    'books_check',
    'hot_wallet',
    'outgoing_transaction',
    'outgoing_evm',
    'outgoing_utxo',
    'outgoing_transaction_attempt',
    'outgoing_halt',
    'outgoing_halt_lift',
    'wallet_outflow',
    'outflow_payment',
    'outgoing_recovery',
    'outgoing_refusal',
    'outgoing_wait',
    'missing_transfer',
    'seal_countersignature',
    'signer_log_generation',
    'signer_log_position',
    'spend_floor',
  ],
  'outgoing/sweeps': [
    'coin_check',
    'fee_level',
    'merchant_sweep',
    'sweep',
    'sweep_order',
    'sweep_retry',
    'swept_address',
    'swept_coin',
  ],
  'outgoing/treasury': ['hot_wallet_balance', 'treasury_withdrawal'],
  'outgoing/utxo': [
    'previous_transaction',
    'utxo_set_aside',
    'hot_wallet_address',
    'outgoing_transaction_input',
    'outgoing_transaction_respend',
  ],
  'outgoing/withdrawals': ['deposit_proof_failure', 'withdrawal'],
  'recovery/lost-history': ['loss_put_back', 'loss_recovery', 'lost_record'],
  'recovery/missed': ['missed_payment', 'missed_payment_search'],
  'recovery/found-by-balance': ['balance_pass'],
  'oversight/overviews': ['payment_day_change', 'payment_day_sum'],
  'oversight/verify': ['proven_books'],
  'oversight/books-key': ['books_key'],
}

/**
 * Files that name a table of a district above their own. Splitting their statement would change what it reads
 * or locks at one moment.
 */
export const statementExceptions: readonly {
  readonly file: string
  readonly tables: readonly string[]
  readonly reason: string
}[] = [
  {
    file: 'platform/outbox/store.ts',
    tables: ['merchant'],
    reason: 'a merchant that is being deleted takes no number for an event after its row says so',
  },
  {
    file: 'payments/deposits/recording/watched-store.ts',
    tables: ['hot_wallet', 'hot_wallet_address'],
    reason: 'whose an address is, is read at one moment for all kinds of addresses',
  },
  {
    file: 'payments/invoices/addresses/address-store.ts',
    tables: ['swept_address', 'sweep_retry'],
    reason: 'an address is deleted only while nothing refers to it, under the lock of the delete',
  },
]

/** The same table for the parts of web/src: each part, and the parts that it may import. */
export const webMayImport: Readonly<Record<string, readonly string[]>> = {
  design: [],
  dashboard: ['design'],
  checkout: ['design'], // tokens.css alone: neither router nor charts
  embed: [], // what shops load into their own pages
}

/** The districts that may build or call a chain adapter. All others see a chain only through `chainPort`. */
export const mayImportAdapters: readonly string[] = ['chains', 'app', 'sandbox']

/**
 * The pure files of `chains`: the port, the networks, and the bytes of transactions, which the signer reads.
 */
export const chainPort: readonly string[] = [
  'chains/port.ts',
  'chains/networks.ts',
  'chains/spend-codecs.ts',
  'chains/evm/evm-networks.ts',
  'chains/evm-address.ts',
  'chains/utxo/utxo-port.ts',
  'chains/utxo/utxo-chains.ts',
]

/** The suite that states what every adapter guarantees. It uses Vitest, and only tests may import it. */
export const conformanceSuite = 'chains/conformance/'

/**
 * The nouns of some capabilities. The noun of any other capability is the name of its folder without the
 * final "s"; it has no noun if the name does not end in "s".
 */
const nouns: Readonly<Record<string, string>> = {
  ledger: 'journal',
  'platform/audit': 'entry',
  'platform/outbox': 'event',
}

/**
 * Returns the file that holds the types and pure rules of a capability, such as
 * `payments/invoices/invoice.ts`. That file imports only `core/`. Returns undefined if the capability has no
 * noun.
 */
export function nounFileOf(capability: string): string | undefined {
  const name = capability.slice(capability.lastIndexOf('/') + 1)
  const noun = nouns[capability] ?? /^(.+)s$/.exec(name)?.[1]
  return noun === undefined ? undefined : `${capability}/${noun}.ts`
}
