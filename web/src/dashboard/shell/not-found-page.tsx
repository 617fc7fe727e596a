import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClasses } from '../../design/button.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Nothing is here">
      <EmptyState
        icon={Compass}
        title="This page does not exist"
        action={
          <Link to="/" className={buttonClasses('secondary')}>
            To the overview
          </Link>
        }
      >
        The address may be mistyped, or what it showed is gone.
      </EmptyState>
    </Page>
  )
}
