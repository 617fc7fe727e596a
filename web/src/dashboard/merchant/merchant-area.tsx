import { Link, Outlet } from '@tanstack/react-router'
import { CofferError, type components } from 'coffer-sdk'
import { Store } from 'lucide-react'
import { createContext, use } from 'react'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page, PagePlaceholder } from '../../design/page.tsx'
import { errorText } from '../client.ts'
import type { Session } from '../session/use-session.ts'
import { useApi } from '../use-api.ts'
import { useLiveEvents } from './use-live-events.ts'

export type PaymentMethod = components['schemas']['PaymentMethod']
export type Role = components['schemas']['Role']

export interface MerchantContextValue {
  readonly id: string
  readonly merchant: components['schemas']['Merchant']
  readonly accountID: string
  readonly role: Role
  /**
   * False for viewers. The dashboard shows them no control that changes data, and the API rejects such
   * changes.
   */
  readonly canChange: boolean
  readonly isOwner: boolean
  /** Whether this server is a sandbox, with test money only. */
  readonly isSandbox: boolean
  readonly methods: readonly PaymentMethod[]
  symbolOf(paymentMethodID: number): string
  /** Returns the payment method; undefined if it is not offered any more. */
  methodOf(paymentMethodID: number | undefined): PaymentMethod | undefined
}

const MerchantContext = createContext<MerchantContextValue | undefined>(undefined)

/** Returns the merchant of the current page. */
export function useMerchant(): MerchantContextValue {
  const context = use(MerchantContext)
  if (context === undefined) throw new Error('useMerchant is called outside of a MerchantArea.')
  return context
}

export function MerchantArea({ merchantID, session }: { merchantID: string; session: Session }) {
  const merchant = useApi('getMerchant', { merchantID })
  const members = useApi('listMembers', { merchantID })
  const methods = useApi('listPaymentMethods', {})
  useLiveEvents(merchantID)
  const error = merchant.error ?? members.error ?? methods.error
  const isKnown = merchant.data !== undefined && members.data !== undefined && methods.data !== undefined
  // If a later reload fails, the page keeps the data that it has, so that a form does not lose its input.
  if (error !== null && (!isKnown || isDenied(error)))
    return (
      <Page title="Merchant">
        <Card isFlush>
          <EmptyState
            icon={Store}
            title="This merchant cannot be shown"
            action={
              <Link to="/" className={buttonClasses('secondary')}>
                View your merchants
              </Link>
            }
          >
            {errorText(error)}
          </EmptyState>
        </Card>
      </Page>
    )
  if (!isKnown) return <PagePlaceholder />
  const accountID = session.account.id
  const role = members.data.find((member) => member.accountID === accountID)?.role ?? 'viewer'
  const context: MerchantContextValue = {
    id: merchantID,
    merchant: merchant.data,
    accountID,
    role,
    canChange: role !== 'viewer',
    isOwner: role === 'owner',
    isSandbox: session.mode === 'sandbox',
    methods: methods.data,
    methodOf: (id) => methods.data.find(({ paymentMethodID }) => paymentMethodID === id),
    symbolOf: (id) =>
      methods.data.find(({ paymentMethodID }) => paymentMethodID === id)?.symbol ?? `method ${id}`,
  }
  return (
    <MerchantContext value={context}>
      <Outlet />
    </MerchantContext>
  )
}

/**
 * Returns whether the merchant is deleted, or this account has no access to it. Any other error may be
 * temporary.
 */
function isDenied(error: Error): boolean {
  return error instanceof CofferError && (error.status === 403 || error.status === 404)
}
