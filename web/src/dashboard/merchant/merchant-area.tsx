import { Link, Outlet } from '@tanstack/react-router'
import { CofferError, type components } from 'coffer-sdk'
import { Store } from 'lucide-react'
import { createContext, use } from 'react'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page, PagePlace } from '../../design/page.tsx'
import { faultText } from '../client.ts'
import type { Session } from '../session/use-session.ts'
import { useApi } from '../use-api.ts'
import { useLiveEvents } from './use-live-events.ts'

export type PaymentMethod = components['schemas']['PaymentMethod']
export type Role = components['schemas']['Role']

export interface MerchantSight {
  readonly id: string
  readonly merchant: components['schemas']['Merchant']
  readonly accountID: string
  readonly role: Role
  /** A viewer changes nothing: what would is not shown. The API refuses it as well. */
  readonly canChange: boolean
  readonly isOwner: boolean
  /** Whether its money is test money. */
  readonly isSandbox: boolean
  readonly methods: readonly PaymentMethod[]
  symbolOf(paymentMethodID: number): string
}

const MerchantContext = createContext<MerchantSight | undefined>(undefined)

/** The merchant whose pages these are. */
export function useMerchant(): MerchantSight {
  const sight = use(MerchantContext)
  if (sight === undefined) throw new Error('There is no merchant around this page.')
  return sight
}

export function MerchantArea({ merchantID, session }: { merchantID: string; session: Session }) {
  const merchant = useApi('getMerchant', { merchantID })
  const members = useApi('listMembers', { merchantID })
  const methods = useApi('listPaymentMethods', {})
  useLiveEvents(merchantID)
  const fault = merchant.error ?? members.error ?? methods.error
  const isKnown = merchant.data !== undefined && members.data !== undefined && methods.data !== undefined
  // What is known stays where a later question has no answer: a form on the page would lose what was typed into it.
  if (fault !== null && (!isKnown || isRefusal(fault)))
    return (
      <Page title="Merchant">
        <Card isFlush>
          <EmptyState
            icon={Store}
            title="This merchant cannot be shown"
            action={
              <Link to="/" className={buttonClasses('secondary')}>
                To your merchants
              </Link>
            }
          >
            {faultText(fault)}
          </EmptyState>
        </Card>
      </Page>
    )
  if (!isKnown) return <PagePlace />
  const accountID = session.account.id
  const role = members.data.find((member) => member.accountID === accountID)?.role ?? 'viewer'
  const sight: MerchantSight = {
    id: merchantID,
    merchant: merchant.data,
    accountID,
    role,
    canChange: role !== 'viewer',
    isOwner: role === 'owner',
    isSandbox: session.mode === 'sandbox',
    methods: methods.data,
    symbolOf: (id) =>
      methods.data.find(({ paymentMethodID }) => paymentMethodID === id)?.symbol ?? `method ${id}`,
  }
  return (
    <MerchantContext value={sight}>
      <Outlet />
    </MerchantContext>
  )
}

/** The merchant is gone, or closed to this account; anything else may pass. */
function isRefusal(fault: Error): boolean {
  return fault instanceof CofferError && (fault.status === 403 || fault.status === 404)
}
