import { Link, Navigate } from '@tanstack/react-router'
import { Store } from 'lucide-react'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useLastMerchant } from './use-last-merchant.ts'

/** Redirects to the merchant that was opened last. If there is no merchant, explains how to create one. */
export function HomePage() {
  const { data: merchants } = useApi('listMerchants', { limit: 100 })
  const merchantID = useLastMerchant()
  if (merchants !== undefined && merchantID !== undefined)
    return <Navigate to="/m/$merchantID/overview" params={{ merchantID }} replace />
  return (
    <Page title="Welcome">
      <Card isFlush>
        {merchants === undefined ? (
          <div className="p-5">
            <SkeletonLines />
          </div>
        ) : (
          <EmptyState
            icon={Store}
            title="No merchants yet"
            action={
              <Link to="/merchants/new" className={buttonClasses()}>
                Create merchant
              </Link>
            }
          >
            A merchant is a shop with its own invoices, balances and keys. You can create several and join
            other merchants. They are listed here.
          </EmptyState>
        )}
      </Card>
    </Page>
  )
}
