import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { PayCard } from './pay-card.tsx'

/** Simulates a customer of this merchant, so that every case can be tested without a wallet. */
export function TestPaymentsPage() {
  const { id: merchantID, canChange, isSandbox } = useMerchant()
  return (
    <Page
      title="Test payments"
      description="Pay your own invoices with test money. This page exists only in a sandbox."
    >
      {isSandbox && canChange ? (
        <PayCard merchantID={merchantID} paysAny={false} />
      ) : (
        <Notice tone="note">
          {isSandbox
            ? 'An admin or owner of this merchant can pay its invoices here.'
            : 'This server is not a sandbox.'}
        </Notice>
      )}
    </Page>
  )
}
