/**
 * The architecture as data, from the bottom up: each district of server/src, its capabilities, and what each of them may
 * import. A capability may always import itself. A row imports from rows above it in this table only, so no import points
 * upwards and no circle can appear. An edge is moved here, in review, and never worked around.
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
      'payments/invoices',
      'payments/deposits',
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
  },
  watcher: {
    watcher: [
      'core',
      'platform/db',
      'chains',
      'chains/blocks',
      'pricing/payment-methods',
      'pricing/fees',
      'payments/screening',
      'payments/deposits',
      'outgoing/withdrawals',
      'recovery/lost-history',
    ],
  },
  oversight: {
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
      'outgoing/engine',
      'outgoing/treasury',
      'recovery/lost-history',
      'recovery/missed',
    ],
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
    'oversight/adoption': [
      'core',
      'platform/db',
      'platform/audit',
      'ledger',
      'payments/invoices',
      'payments/deposits',
      'oversight/verify',
    ],
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

/** Which capability may import which, in the order of the table. */
export const mayImport: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(table)
    .flatMap((capabilities) => Object.entries(capabilities))
    .map(([capability, lower], row, rows) => [
      capability,
      lower === 'everything below' ? rows.slice(0, row).map(([below]) => below) : lower,
    ]),
)

/** The capability that a path below server/src lies in: the longest one of the table that it begins with. */
export function capabilityAt(path: string): string | undefined {
  return Object.keys(mayImport)
    .filter((capability) => path.startsWith(`${capability}/`))
    .sort((a, b) => b.length - a.length)[0]
}

/** A folder holds at most this many files of shipped code, beside its folders and its tests. */
export const filesPerFolderMax = 25

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
  'chains/networks.ts',
  'chains/spend-codecs.ts',
  'chains/utxo/coin-port.ts',
  'chains/utxo/utxo-chains.ts',
]

/** States what every adapter promises; it drives Vitest and is imported by tests alone. */
export const conformanceSuite = 'chains/conformance/'

/** Capabilities whose noun is not their own name in the singular. */
const nouns: Readonly<Record<string, string>> = {
  ledger: 'journal',
  'platform/audit': 'entry',
  'platform/outbox': 'event',
}

/** The file that holds a capability's types and pure rules; it imports core alone. One named for no noun has none. */
export function nounFileOf(capability: string): string | undefined {
  const name = capability.slice(capability.lastIndexOf('/') + 1)
  const noun = nouns[capability] ?? /^(.+)s$/.exec(name)?.[1]
  return noun === undefined ? undefined : `${capability}/${noun}.ts`
}
