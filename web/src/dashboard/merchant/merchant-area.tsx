import { Outlet } from '@tanstack/react-router'
import type { components } from 'coffer-sdk'
import { Store } from 'lucide-react'
import { createContext, use } from 'react'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
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
  if (fault !== null)
    return (
      <Page title="Merchant">
        <EmptyState icon={Store} title="This merchant cannot be shown">
          {faultText(fault)}
        </EmptyState>
      </Page>
    )
  if (merchant.data === undefined || members.data === undefined || methods.data === undefined)
    return (
      <div className="mx-auto w-full max-w-6xl px-8 pt-10">
        <SkeletonLines count={6} />
      </div>
    )
  const accountID = session.account.id
  const role = members.data.find((member) => member.accountID === accountID)?.role ?? 'viewer'
  const sight: MerchantSight = {
    id: merchantID,
    merchant: merchant.data,
    accountID,
    role,
    canChange: role !== 'viewer',
    isOwner: role === 'owner',
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
