/** The chapters of the contract document. */
import type { Tag } from './openapi.ts'

interface Chapter extends Tag {
  /** Paths of this chapter; the first chapter that matches has the path. */
  readonly paths: RegExp
}

const chapters: readonly Chapter[] = [
  {
    name: 'Accounts',
    description: 'People: registering, logging in, and tokens for programs.',
    paths: /^\/auth\//,
  },
  {
    name: 'Dashboard',
    description:
      'What the pages of /dashboard need beyond the rest. A browser that logged in by `POST /dashboard/session` sends the cookie that it got in place of a Bearer token, wherever one is taken, and with whatever changes anything `X-CSRF-Token`.',
    paths: /^\/dashboard\//,
  },
  {
    name: 'API keys',
    description: 'The one key with which a merchant’s own server calls.',
    paths: /^\/key\//,
  },
  {
    name: 'Invoices',
    description: 'What a merchant asks to be paid.',
    paths: /^\/merchants\/[^/]+\/invoices/,
  },
  {
    name: 'Payment addresses',
    description: 'Where a payer sends money: an address, an exact amount, and until when.',
    paths: /^\/public\//,
  },
  {
    name: 'Transactions',
    description: 'Payments seen on a chain.',
    paths: /^\/merchants\/[^/]+\/(transactions|trace)/,
  },
  {
    name: 'Withdrawals',
    description: 'Paying out what is available.',
    paths: /^\/merchants\/[^/]+\/(withdrawals|collections)/,
  },
  {
    name: 'Fees',
    description: 'What Coffer keeps of a payment.',
    paths: /^\/merchants\/[^/]+\/fees/,
  },
  {
    name: 'IP restriction',
    description: 'From which addresses a merchant’s API key may be used.',
    paths: /^\/ipAddress\//,
  },
  {
    name: 'Webhooks',
    description: 'Being told of events, by signed requests or by reading them in order.',
    paths: /^\/weebhook\/|^\/merchants\/[^/]+\/events/,
  },
  {
    name: 'Merchants',
    description: 'A shop: its settings, its balances, who may act for it.',
    paths: /^\/merchants/,
  },
  { name: 'Payment methods', description: 'Coins and tokens to be paid in.', paths: /^\/payment-methods/ },
  { name: 'Operator', description: 'For whoever runs this server.', paths: /^\/operator/ },
  { name: 'Server', description: 'Health, and this documentation itself.', paths: /^/ },
]

export function tagOf(path: string): string {
  return chapters.find(({ paths }) => paths.test(path))?.name ?? 'Server'
}

/** The chapters that are in use, in reading order. */
export function tagsOf(used: ReadonlySet<string>): readonly Tag[] {
  return chapters.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
