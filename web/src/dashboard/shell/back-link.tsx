import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { lastSearchOf } from './last-search.ts'

/** Links back to a list, with the filters and the page number that the list had last. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Link
      to={to}
      search={lastSearchOf(to)}
      className="-ml-1 inline-flex items-center gap-0.5 justify-self-start font-medium text-ink-soft hover:text-ink"
    >
      <ChevronLeft aria-hidden className="size-4" />
      {children}
    </Link>
  )
}
