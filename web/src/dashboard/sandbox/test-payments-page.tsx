import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { PayCard } from './pay-card.tsx'

/** Plays the customer of this merchant, so that every case can be seen without a wallet. */
export function TestPaymentsPage() {
  const { id: merchantID, canChange, isSandbox } = useMerchant()
  return (
    <Page title="Test payments" description="Be your own customer. Only a sandbox has this page.">
      {isSandbox && canChange ? (
        <PayCard merchantID={merchantID} paysAny={false} />
      ) : (
        <Notice tone="note">
          {isSandbox
            ? 'An admin or owner of this merchant can pay its invoices here.'
            : 'This is no sandbox.'}
        </Notice>
      )}
    </Page>
  )
}
