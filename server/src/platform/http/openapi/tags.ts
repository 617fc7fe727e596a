/** The OpenAPI tags, which are the chapters of the API's description. */
import type { Tag } from './openapi.ts'

interface Chapter extends Tag {
  /** The paths of this tag; a path belongs to the first tag that matches. */
  readonly paths: RegExp
}

const chapters: readonly Chapter[] = [
  {
    name: 'Accounts',
    description:
      'Registration, login and two-factor authentication of people, and access tokens for programs.',
    paths: /^\/auth\//,
  },
  {
    name: 'Dashboard',
    description:
      'Further operations for the pages of /dashboard. A browser that logged in with `POST /dashboard/session` sends its session cookie instead of a Bearer token, and `X-CSRF-Token` with each request that changes something.',
    paths: /^\/dashboard\//,
  },
  {
    name: 'API keys',
    description: 'The key with which a merchant’s server calls the API; each merchant has at most one.',
    paths: /^\/key\//,
  },
  {
    name: 'Invoices',
    description: 'Requests for payment, which a merchant creates.',
    paths: /^\/merchants\/[^/]+\/invoices/,
  },
  {
    name: 'Payment addresses',
    description: 'Where a payer sends money: the address, the exact amount and the expiry.',
    paths: /^\/public\//,
  },
  {
    name: 'Transactions',
    description: 'Payments that were detected on a chain.',
    paths: /^\/merchants\/[^/]+\/(transactions|trace)/,
  },
  {
    name: 'Withdrawals',
    description: 'Payouts of the available balance.',
    paths: /^\/merchants\/[^/]+\/(withdrawals|sweeps)/,
  },
  {
    name: 'Fees',
    description: 'What Coffer charges for each type of transaction.',
    paths: /^\/merchants\/[^/]+\/fees/,
  },
  {
    name: 'IP restriction',
    description: 'The IP addresses from which a merchant’s API key may be used.',
    paths: /^\/ipAddress\//,
  },
  {
    name: 'Webhooks',
    description: 'Event notifications, as signed requests or as a feed that is read in order.',
    paths: /^\/weebhook\/|^\/merchants\/[^/]+\/events/,
  },
  {
    name: 'Merchants',
    description: 'Merchants with their settings, balances and members.',
    paths: /^\/merchants/,
  },
  {
    name: 'Payment methods',
    description: 'The coins and tokens in which invoices can be paid.',
    paths: /^\/payment-methods/,
  },
  { name: 'Operator', description: 'Operations for whoever runs this server.', paths: /^\/operator/ },
  { name: 'Server', description: 'Health checks and this documentation.', paths: /^/ },
]

export function tagOf(path: string): string {
  return chapters.find(({ paths }) => paths.test(path))?.name ?? 'Server'
}

/** Returns the tags that are in use, in the order of the chapters. */
export function tagsOf(used: ReadonlySet<string>): readonly Tag[] {
  return chapters.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
