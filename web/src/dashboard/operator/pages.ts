/**
 * The pages of operators. Each page is loaded only when it is opened, so merchants never load these pages.
 */
import { lazy } from 'react'

export const ApprovalsPage = lazy(async () => ({
  default: (await import('./approvals-page.tsx')).ApprovalsPage,
}))
export const DebtsPage = lazy(async () => ({ default: (await import('./debts-page.tsx')).DebtsPage }))
export const DeletedMerchantsPage = lazy(async () => ({
  default: (await import('./deleted-merchants-page.tsx')).DeletedMerchantsPage,
}))
export const FeeSchedulesPage = lazy(async () => ({
  default: (await import('./fee-schedules-page.tsx')).FeeSchedulesPage,
}))
export const LimitsPage = lazy(async () => ({ default: (await import('./limits-page.tsx')).LimitsPage }))
export const NetworksPage = lazy(async () => ({
  default: (await import('./own-rows/networks-page.tsx')).NetworksPage,
}))
export const NodesPage = lazy(async () => ({ default: (await import('./nodes-page.tsx')).NodesPage }))
export const OutgoingPage = lazy(async () => ({
  default: (await import('./outgoing-page.tsx')).OutgoingPage,
}))
export const QuarantinePage = lazy(async () => ({
  default: (await import('./quarantine-page.tsx')).QuarantinePage,
}))
export const SandboxPage = lazy(async () => ({ default: (await import('./sandbox-page.tsx')).SandboxPage }))
export const TreasuryWithdrawalsPage = lazy(async () => ({
  default: (await import('./treasury-withdrawals-page.tsx')).TreasuryWithdrawalsPage,
}))
export const TreasuryPage = lazy(async () => ({
  default: (await import('./treasury-page.tsx')).TreasuryPage,
}))
export const UnattributedPage = lazy(async () => ({
  default: (await import('./unattributed-page.tsx')).UnattributedPage,
}))
export const WebhooksPage = lazy(async () => ({
  default: (await import('./webhooks-page.tsx')).WebhooksPage,
}))
