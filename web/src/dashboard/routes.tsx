/** All routes of the dashboard. Each page receives the parameters of its URL as plain properties. */
import { createRootRoute, createRoute, createRouter, useNavigate } from '@tanstack/react-router'
import { lazy } from 'react'
import { PagePlaceholder } from '../design/page.tsx'
import { ApiAccessPage } from './account/api-access-page.tsx'
import { SecurityPage } from './account/security-page.tsx'
import { ApiKeyPage } from './developers/api-key-page.tsx'
import { EventsPage } from './developers/events-page.tsx'
import { IpRestrictionPage } from './developers/ip-restriction-page.tsx'
import { WebhookPage } from './developers/webhook-page.tsx'
import { readInvoiceSearch } from './invoices/invoice-filters.ts'
import { InvoicePage } from './invoices/invoice-page.tsx'
import { InvoicesPage } from './invoices/invoices-page.tsx'
import { NewInvoicePage } from './invoices/new-invoice-page.tsx'
import { AuditPage } from './merchant/audit-page.tsx'
import { FeesPage } from './merchant/fees-page.tsx'
import { MembersPage } from './merchant/members-page.tsx'
import { MerchantArea } from './merchant/merchant-area.tsx'
import { NewMerchantPage } from './merchant/new-merchant-page.tsx'
import { SettingsPage } from './merchant/settings-page.tsx'
import {
  ApprovalsPage,
  DebtsPage,
  DeletedMerchantsPage,
  FeeSchedulesPage,
  LimitsPage,
  NetworksPage,
  NodesPage,
  OutgoingPage,
  QuarantinePage,
  SandboxPage,
  TreasuryPage,
  TreasuryWithdrawalsPage,
  UnattributedPage,
  WebhooksPage,
} from './operator/pages.ts'
import { readOverviewSearch } from './overview/overview.ts'
import { OverviewPage } from './overview/overview-page.tsx'
import { SignInPage } from './session/sign-in.tsx'
import { SignUpPage } from './session/sign-up.tsx'
import { useSession } from './session/use-session.ts'
import { ErrorPage } from './shell/error-page.tsx'
import { HomePage } from './shell/home-page.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { Root } from './shell/root.tsx'
import type { TraceSearch } from './transactions/trace-page.tsx'
import { readTransactionSearch, TransactionsPage } from './transactions/transactions-page.tsx'
import { NewWithdrawalPage } from './withdrawals/new-withdrawal-page.tsx'
import { SweepsPage } from './withdrawals/sweeps-page.tsx'
import { WithdrawalsPage } from './withdrawals/withdrawals-page.tsx'

/** Loaded only when it is opened, because only sandboxes have this page. */
const TestPaymentsPage = lazy(async () => ({
  default: (await import('./sandbox/test-payments-page.tsx')).TestPaymentsPage,
}))
/** Loaded only when it is opened, because most visits need no trace. */
const TracePage = lazy(async () => ({ default: (await import('./transactions/trace-page.tsx')).TracePage }))

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage })

const home = createRoute({ getParentRoute: () => root, path: '/', component: HomePage })
const signIn = createRoute({ getParentRoute: () => root, path: 'sign-in', component: SignInPage })
const signUp = createRoute({ getParentRoute: () => root, path: 'sign-up', component: SignUpPage })
const newMerchant = createRoute({
  getParentRoute: () => root,
  path: 'merchants/new',
  component: NewMerchantPage,
})
const apiAccess = createRoute({
  getParentRoute: () => root,
  path: 'account/api-access',
  component: ApiAccessPage,
})

const security = createRoute({
  getParentRoute: () => root,
  path: 'account/security',
  component: SecurityPage,
})

const area = createRoute({
  getParentRoute: () => root,
  path: 'm/$merchantID',
  component: function Area() {
    const { merchantID } = area.useParams()
    const { data: session } = useSession()
    if (session === null || session === undefined) return null
    return <MerchantArea key={merchantID} merchantID={merchantID} session={session} />
  },
})

const overview = createRoute({
  getParentRoute: () => area,
  path: 'overview',
  validateSearch: readOverviewSearch,
  component: function Overview() {
    const navigate = useNavigate({ from: overview.fullPath })
    return <OverviewPage search={overview.useSearch()} onSearch={(next) => void navigate({ search: next })} />
  },
})
const invoices = createRoute({
  getParentRoute: () => area,
  path: 'invoices',
  validateSearch: readInvoiceSearch,
  component: function Invoices() {
    const navigate = useNavigate({ from: invoices.fullPath })
    const search = invoices.useSearch()
    return <InvoicesPage search={search} onSearch={(next) => void navigate({ search: next })} />
  },
})
const newInvoice = createRoute({
  getParentRoute: () => area,
  path: 'invoices/new',
  component: NewInvoicePage,
})
const invoice = createRoute({
  getParentRoute: () => area,
  path: 'invoices/$invoiceID',
  component: function Invoice() {
    return <InvoicePage invoiceID={invoice.useParams().invoiceID} />
  },
})
const transactions = createRoute({
  getParentRoute: () => area,
  path: 'transactions',
  validateSearch: readTransactionSearch,
  component: function Transactions() {
    const navigate = useNavigate({ from: transactions.fullPath })
    const search = transactions.useSearch()
    return <TransactionsPage search={search} onSearch={(next) => void navigate({ search: next })} />
  },
})
const trace = createRoute({
  getParentRoute: () => area,
  path: 'trace',
  validateSearch: ({ hash }: Record<string, unknown>): TraceSearch =>
    typeof hash === 'string' && hash !== '' ? { hash } : {},
  component: function Trace() {
    const navigate = useNavigate({ from: trace.fullPath })
    const search = trace.useSearch()
    return (
      <TracePage key={search.hash} search={search} onSearch={(next) => void navigate({ search: next })} />
    )
  },
})
const newWithdrawal = createRoute({
  getParentRoute: () => area,
  path: 'withdrawals/new',
  component: NewWithdrawalPage,
})
const apiKey = createRoute({ getParentRoute: () => area, path: 'api-key', component: ApiKeyPage })
const events = createRoute({ getParentRoute: () => area, path: 'events', component: EventsPage })
const ipRestriction = createRoute({
  getParentRoute: () => area,
  path: 'ip-restriction',
  component: IpRestrictionPage,
})
const fees = createRoute({ getParentRoute: () => area, path: 'fees', component: FeesPage })
const members = createRoute({ getParentRoute: () => area, path: 'members', component: MembersPage })
const testPayments = createRoute({
  getParentRoute: () => area,
  path: 'sandbox',
  component: TestPaymentsPage,
})
const settings = createRoute({ getParentRoute: () => area, path: 'settings', component: SettingsPage })

interface PageSearch {
  readonly page?: number
}

function readPage({ page }: Record<string, unknown>): PageSearch {
  const number = Number(page)
  return Number.isInteger(number) && number > 1 ? { page: number } : {}
}

interface PagedProps {
  readonly page: number
  onPage(page: number): void
}

const withdrawals = createRoute({
  getParentRoute: () => area,
  path: 'withdrawals',
  validateSearch: readPage,
  component: paged(WithdrawalsPage),
})
const sweeps = createRoute({
  getParentRoute: () => area,
  path: 'sweeps',
  validateSearch: readPage,
  component: paged(SweepsPage),
})
const webhook = createRoute({
  getParentRoute: () => area,
  path: 'webhook',
  validateSearch: readPage,
  component: paged(WebhookPage),
})
const networks = createRoute({
  getParentRoute: () => root,
  path: 'operator/networks',
  component: NetworksPage,
})
const nodes = createRoute({ getParentRoute: () => root, path: 'operator/nodes', component: NodesPage })
const treasury = createRoute({
  getParentRoute: () => root,
  path: 'operator/treasury',
  component: TreasuryPage,
})
const outgoing = createRoute({
  getParentRoute: () => root,
  path: 'operator/outgoing',
  component: OutgoingPage,
})
const approvals = createRoute({
  getParentRoute: () => root,
  path: 'operator/approvals',
  validateSearch: readPage,
  component: paged(ApprovalsPage),
})
const quarantine = createRoute({
  getParentRoute: () => root,
  path: 'operator/quarantine',
  validateSearch: readPage,
  component: paged(QuarantinePage),
})
const unattributed = createRoute({
  getParentRoute: () => root,
  path: 'operator/unattributed',
  validateSearch: readPage,
  component: paged(UnattributedPage),
})

const treasuryWithdrawals = createRoute({
  getParentRoute: () => root,
  path: 'operator/treasury-withdrawals',
  validateSearch: readPage,
  component: paged(TreasuryWithdrawalsPage),
})
const debts = createRoute({
  getParentRoute: () => root,
  path: 'operator/debts',
  validateSearch: readPage,
  component: paged(DebtsPage),
})
const feeSchedules = createRoute({
  getParentRoute: () => root,
  path: 'operator/fees',
  validateSearch: readPage,
  component: paged(FeeSchedulesPage),
})
const limits = createRoute({
  getParentRoute: () => root,
  path: 'operator/limits',
  validateSearch: readPage,
  component: paged(LimitsPage),
})
const deletedMerchants = createRoute({
  getParentRoute: () => root,
  path: 'operator/merchants',
  component: DeletedMerchantsPage,
})

const audit = createRoute({
  getParentRoute: () => area,
  path: 'audit',
  validateSearch: readPage,
  component: paged(AuditPage),
})
const backlog = createRoute({
  getParentRoute: () => root,
  path: 'operator/webhooks',
  component: WebhooksPage,
})
const sandbox = createRoute({
  getParentRoute: () => root,
  path: 'operator/sandbox',
  component: SandboxPage,
})

/** Wraps a page that has a list with pages. The page number is a parameter of the URL. */
function paged(Content: (props: PagedProps) => React.ReactNode) {
  return function Paged() {
    const navigate = useNavigate()
    const { page = 1 } = root.useSearch() as PageSearch
    return (
      <Content page={page} onPage={(next) => void navigate({ to: '.', search: readPage({ page: next }) })} />
    )
  }
}

const tree = root.addChildren([
  home,
  signIn,
  signUp,
  newMerchant,
  apiAccess,
  security,
  area.addChildren([
    overview,
    invoices,
    newInvoice,
    invoice,
    transactions,
    trace,
    withdrawals,
    newWithdrawal,
    sweeps,
    webhook,
    events,
    apiKey,
    ipRestriction,
    fees,
    members,
    audit,
    settings,
    testPayments,
  ]),
  nodes,
  networks,
  treasury,
  outgoing,
  treasuryWithdrawals,
  debts,
  feeSchedules,
  limits,
  approvals,
  quarantine,
  unattributed,
  deletedMerchants,
  backlog,
  sandbox,
])

export const router = createRouter({
  routeTree: tree,
  basepath: '/dashboard',
  scrollRestoration: false,
  defaultPendingComponent: PagePlaceholder,
  defaultErrorComponent: ErrorPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
