import { Link, Navigate } from '@tanstack/react-router'
import { Store } from 'lucide-react'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useLastMerchant } from './use-last-merchant.ts'

/** Goes on to the merchant last looked at; says how to begin where there is none. */
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
            title="Begin with a merchant"
            action={
              <Link to="/merchants/new" className={buttonClasses()}>
                New merchant
              </Link>
            }
          >
            A merchant is a shop with its own invoices, balances and keys. You can have several, and be a
            member of others' ones: then they show here.
          </EmptyState>
        )}
      </Card>
    </Page>
  )
}
