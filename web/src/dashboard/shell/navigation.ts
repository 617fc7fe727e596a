import {
  Activity,
  ArrowDownToLine,
  ArrowUpFromLine,
  BadgePercent,
  Boxes,
  Coins,
  FileText,
  Fingerprint,
  FlaskConical,
  Gauge,
  HandCoins,
  KeyRound,
  Landmark,
  LayoutDashboard,
  type LucideIcon,
  Network,
  OctagonPause,
  Percent,
  Radio,
  Route,
  Ruler,
  ScrollText,
  Send,
  Settings,
  ShieldAlert,
  Snowflake,
  Stamp,
  Undo2,
  Users,
  Webhook,
} from 'lucide-react'

export interface NavigationItem {
  readonly to: string
  readonly label: string
  readonly icon: LucideIcon
}

export interface Section {
  readonly title?: string
  readonly items: readonly NavigationItem[]
}

/** Returns the pages of a merchant, grouped by money, development and administration. */
export function merchantSections(merchantID: string, isSandbox: boolean): readonly Section[] {
  const at = (page: string) => `/m/${merchantID}/${page}`
  return [
    {
      items: [
        { to: at('overview'), label: 'Overview', icon: LayoutDashboard },
        { to: at('invoices'), label: 'Invoices', icon: FileText },
        { to: at('transactions'), label: 'Transactions', icon: ArrowDownToLine },
        { to: at('withdrawals'), label: 'Withdrawals', icon: ArrowUpFromLine },
        { to: at('sweeps'), label: 'Sweeps', icon: Boxes },
        ...(isSandbox ? [{ to: at('sandbox'), label: 'Test payments', icon: FlaskConical }] : []),
      ],
    },
    {
      title: 'Developers',
      items: [
        { to: at('webhook'), label: 'Webhook', icon: Webhook },
        { to: at('events'), label: 'Events', icon: Radio },
        { to: at('trace'), label: 'Trace a payment', icon: Route },
        { to: at('api-key'), label: 'API key', icon: KeyRound },
        { to: at('ip-restriction'), label: 'IP restriction', icon: Network },
      ],
    },
    {
      title: 'Merchant',
      items: [
        { to: at('fees'), label: 'Fees and limits', icon: Percent },
        { to: at('members'), label: 'Members', icon: Users },
        { to: at('audit'), label: 'Audit trail', icon: ScrollText },
        { to: at('settings'), label: 'Settings', icon: Settings },
      ],
    },
  ]
}

export const accountSection: Section = {
  title: 'Account',
  items: [
    { to: '/account/security', label: 'Security', icon: Fingerprint },
    { to: '/account/api-access', label: 'API access', icon: Stamp },
  ],
}

export function operatorSection(isSandbox: boolean): Section {
  return {
    title: 'Operator',
    items: [
      { to: '/operator/nodes', label: 'Nodes', icon: Gauge },
      { to: '/operator/networks', label: 'Networks and tokens', icon: Network },
      { to: '/operator/treasury', label: 'Treasury', icon: Landmark },
      { to: '/operator/outgoing', label: 'Outgoing transactions', icon: OctagonPause },
      { to: '/operator/treasury-withdrawals', label: 'Treasury withdrawals', icon: Snowflake },
      { to: '/operator/debts', label: 'Negative balances', icon: HandCoins },
      { to: '/operator/fees', label: 'Fees', icon: BadgePercent },
      { to: '/operator/limits', label: 'Limits', icon: Ruler },
      { to: '/operator/approvals', label: 'Approvals', icon: Send },
      { to: '/operator/quarantine', label: 'Quarantine', icon: ShieldAlert },
      { to: '/operator/unattributed', label: 'Unattributed', icon: Coins },
      { to: '/operator/merchants', label: 'Deleted merchants', icon: Undo2 },
      { to: '/operator/webhooks', label: 'Webhook queue', icon: Activity },
      ...(isSandbox ? [{ to: '/operator/sandbox', label: 'Sandbox', icon: FlaskConical }] : []),
    ],
  }
}
