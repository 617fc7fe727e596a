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

export interface Place {
  readonly to: string
  readonly label: string
  readonly icon: LucideIcon
}

export interface Section {
  readonly title?: string
  readonly places: readonly Place[]
}

/** What a member finds, grouped by what it is about: money, then building on it, then who may. */
export function merchantSections(merchantID: string, isSandbox: boolean): readonly Section[] {
  const at = (page: string) => `/m/${merchantID}/${page}`
  return [
    {
      places: [
        { to: at('overview'), label: 'Overview', icon: LayoutDashboard },
        { to: at('invoices'), label: 'Invoices', icon: FileText },
        { to: at('transactions'), label: 'Transactions', icon: ArrowDownToLine },
        { to: at('withdrawals'), label: 'Withdrawals', icon: ArrowUpFromLine },
        { to: at('collections'), label: 'Collections', icon: Boxes },
        ...(isSandbox ? [{ to: at('sandbox'), label: 'Test payments', icon: FlaskConical }] : []),
      ],
    },
    {
      title: 'Developers',
      places: [
        { to: at('webhook'), label: 'Webhook', icon: Webhook },
        { to: at('events'), label: 'Events', icon: Radio },
        { to: at('trace'), label: 'Trace a payment', icon: Route },
        { to: at('api-key'), label: 'API key', icon: KeyRound },
        { to: at('ip-restriction'), label: 'IP restriction', icon: Network },
      ],
    },
    {
      title: 'Merchant',
      places: [
        { to: at('fees'), label: 'Fees and limits', icon: Percent },
        { to: at('members'), label: 'Members', icon: Users },
        { to: at('audit'), label: 'Audit trail', icon: ScrollText },
        { to: at('settings'), label: 'Settings', icon: Settings },
      ],
    },
  ]
}

export const accountSection: Section = {
  title: 'You',
  places: [
    { to: '/account/security', label: 'Security', icon: Fingerprint },
    { to: '/account/api-access', label: 'API access', icon: Stamp },
  ],
}

export function operatorSection(isSandbox: boolean): Section {
  return {
    title: 'Operator',
    places: [
      { to: '/operator/nodes', label: 'Nodes and lag', icon: Gauge },
      { to: '/operator/treasury', label: 'Treasury', icon: Landmark },
      { to: '/operator/payouts', label: 'Payouts', icon: OctagonPause },
      { to: '/operator/take-outs', label: 'Take-outs', icon: Snowflake },
      { to: '/operator/debts', label: 'Debts', icon: HandCoins },
      { to: '/operator/fees', label: 'Set fees', icon: BadgePercent },
      { to: '/operator/limits', label: 'Set limits', icon: Ruler },
      { to: '/operator/approvals', label: 'Approvals', icon: Send },
      { to: '/operator/quarantine', label: 'Quarantine', icon: ShieldAlert },
      { to: '/operator/unattributed', label: 'Unattributed', icon: Coins },
      { to: '/operator/merchants', label: 'Deleted merchants', icon: Undo2 },
      { to: '/operator/webhooks', label: 'Webhook backlog', icon: Activity },
      ...(isSandbox ? [{ to: '/operator/sandbox', label: 'Sandbox', icon: FlaskConical }] : []),
    ],
  }
}
