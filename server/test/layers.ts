/**
 * The architecture as data: which folder of server/src may import which. A folder may always import itself. An edge is
 * moved here, in review, and never worked around. The tidy test holds the code to this table.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],

  db: ['core'],
  chains: ['core'],
  intents: ['core'],

  incarnation: ['core', 'db'],

  http: ['core', 'db'],
  audit: ['core', 'db'],
  blocks: ['core', 'db'],
  coins: ['core', 'db'],
  outbox: ['core', 'db'],
  ledger: ['core', 'db', 'audit'],

  accounts: ['core', 'db', 'http', 'audit'],
  merchants: ['core', 'db', 'http', 'audit', 'accounts'],
  'payment-methods': ['core', 'db', 'http', 'chains'],
  rates: ['core', 'db', 'payment-methods'],
  fees: ['core', 'db', 'http', 'audit', 'payment-methods', 'merchants', 'rates'],
  limits: ['core', 'db', 'http', 'audit', 'payment-methods', 'merchants'],
  invoices: [
    'core',
    'db',
    'http',
    'outbox',
    'audit',
    'blocks',
    'merchants',
    'payment-methods',
    'rates',
    'fees',
    'limits',
    'chains', // the port alone
  ],
  aml: ['core', 'db', 'http', 'audit', 'outbox', 'payment-methods', 'chains'],
  payouts: ['core', 'db', 'audit', 'blocks', 'coins', 'ledger', 'payment-methods', 'intents', 'chains'],
  transactions: [
    'core',
    'db',
    'http',
    'audit',
    'outbox',
    'coins',
    'ledger',
    'invoices',
    'fees',
    'rates',
    'payment-methods',
    'merchants',
    'aml',
    'chains', // the port alone
  ],
  withdrawals: [
    'core',
    'db',
    'http',
    'audit',
    'outbox',
    'ledger',
    'merchants',
    'invoices',
    'transactions',
    'rates',
    'fees',
    'limits',
    'payment-methods',
    'intents',
    'payouts',
    'aml',
    'chains', // the port alone
  ],
  collections: [
    'core',
    'db',
    'http',
    'audit',
    'outbox',
    'blocks',
    'ledger',
    'merchants',
    'invoices',
    'transactions',
    'rates',
    'limits',
    'payment-methods',
    'intents',
    'payouts',
    'chains', // the port alone
  ],
  recovery: ['core', 'db', 'http', 'outbox', 'invoices', 'withdrawals', 'incarnation', 'chains'], // the port alone
  checkout: [
    'core',
    'db',
    'http',
    'invoices',
    'transactions',
    'withdrawals',
    'payment-methods',
    'chains', // the port alone
  ],
  treasury: [
    'core',
    'db',
    'http',
    'audit',
    'blocks',
    'ledger',
    'merchants',
    'transactions',
    'fees',
    'rates',
    'payment-methods',
    'intents',
    'payouts',
    'withdrawals',
    'collections',
    'chains', // the port alone
  ],
  // Of chains what is pure: the packages that can be reached from here are a committed list.
  signer: ['core', 'chains', 'intents'],
  traces: [
    'core',
    'db',
    'http',
    'blocks',
    'transactions',
    'payment-methods',
    'chains', // the port alone
  ],
  funds: ['core', 'db', 'http', 'ledger', 'payment-methods', 'merchants'],

  deletions: ['core', 'db', 'http', 'audit', 'outbox', 'ledger', 'merchants', 'payment-methods', 'treasury'],
  watcher: [
    'core',
    'aml',
    'db',
    'chains',
    'blocks',
    'transactions',
    'withdrawals',
    'invoices',
    'fees',
    'payment-methods',
    'recovery',
  ],
  missed: [
    'core',
    'db',
    'audit',
    'chains', // the port alone
    'blocks',
    'aml',
    'fees',
    'payment-methods',
    'transactions',
    'recovery',
    'watcher',
  ],
  health: [
    'core',
    'db',
    'http',
    'incarnation',
    'blocks',
    'outbox',
    'payment-methods',
    'payouts',
    'transactions',
    'treasury',
    'missed',
    'recovery',
    'chains', // networks alone
  ],

  overviews: ['core', 'db', 'http', 'funds', 'rates', 'payment-methods'],
  timelines: ['core', 'db', 'http', 'payment-methods'],

  webhooks: ['core', 'db', 'http', 'outbox', 'merchants'],
  verify: [
    'core',
    'db',
    'chains',
    'ledger',
    'outbox',
    'blocks',
    'transactions',
    'invoices',
    'withdrawals',
    'intents',
    'payouts',
    'collections',
    'payment-methods',
  ],
  adoption: ['core', 'db', 'audit', 'ledger', 'invoices', 'transactions', 'verify'],
  web: [],
  sandbox: ['core', 'db', 'chains'],
  demo: ['core', 'sandbox'],

  app: [
    'core',
    'db',
    'incarnation',
    'chains',
    'blocks',
    'http',
    'outbox',
    'ledger',
    'accounts',
    'merchants',
    'payment-methods',
    'rates',
    'fees',
    'limits',
    'invoices',
    'transactions',
    'aml',
    'intents',
    'payouts',
    'traces',
    'overviews',
    'timelines',
    'withdrawals',
    'collections',
    'checkout',
    'treasury',
    'deletions',
    'health',
    'signer',
    'funds',
    'watcher',
    'missed',
    'webhooks',
    'verify',
    'adoption',
    'recovery',
    'web',
    'sandbox',
    'demo',
  ],
  bin: [
    'core',
    'app',
    'signer', // the process of its own, which loads nothing of app/
  ],
}

/** The same for the parts of web/src: what a page is made of, and which part another may use. */
export const webMayImport: Readonly<Record<string, readonly string[]>> = {
  design: [],
  dashboard: ['design'],
  checkout: ['design'], // tokens.css alone: neither router nor charts
  embed: [], // what shops load into their own pages
}

/** Who may build or drive a chain adapter. Everyone else sees a chain through `chainPort` alone. */
export const mayImportAdapters: readonly string[] = ['chains', 'app', 'sandbox']

/** What is pure of it: the port, the networks, and the bytes of transactions, which the signer reads. */
export const chainPort: readonly string[] = [
  'chains/port.ts',
  'chains/coin-port.ts',
  'chains/networks.ts',
  'chains/utxo-chains.ts',
  'chains/spend-codecs.ts',
]

/** States what every adapter promises; it drives Vitest and is imported by tests alone. */
export const conformanceSuite = 'chains/conformance/'

/** Folders whose noun is not their own name in the singular. */
const nouns: Readonly<Record<string, string>> = { ledger: 'journal', outbox: 'event', audit: 'entry' }

/** The file that holds a folder's types and pure rules; it imports core alone. A folder named for no noun has none. */
export function nounFileOf(folder: string): string | undefined {
  const noun = nouns[folder] ?? /^(.+)s$/.exec(folder)?.[1]
  return noun === undefined ? undefined : `${folder}/${noun}.ts`
}
