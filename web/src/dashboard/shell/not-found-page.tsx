import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClasses } from '../../design/button.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={Compass}
        title="This page does not exist"
        action={
          <Link to="/" className={buttonClasses('secondary')}>
            Go to overview
          </Link>
        }
      >
        The address may be wrong, or the page no longer exists.
      </EmptyState>
    </Page>
  )
}
