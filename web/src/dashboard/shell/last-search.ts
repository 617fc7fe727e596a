import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The last search parameters by path, for pages that were shown since the dashboard was loaded. */
const lastSearches = new Map<string, object>()

/** Records the search parameters of the current page, such as the filters and the page of a list. */
export function useKeptSearches(): void {
  const { pathname, search } = useLocation()
  useEffect(() => {
    lastSearches.set(pathname, search)
  }, [pathname, search])
}

/** Returns the search parameters that a path had last, so that a link restores its list. */
export function lastSearchOf(path: string): object {
  return lastSearches.get(path) ?? {}
}
