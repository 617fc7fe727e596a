import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The last search parameters of each path that was shown since the dashboard was loaded. */
const lastSearches = new Map<string, object>()

/** Stores the search parameters of the current page, such as filters and page number. */
export function useKeptSearches(): void {
  const { pathname, search } = useLocation()
  useEffect(() => {
    lastSearches.set(pathname, search)
  }, [pathname, search])
}

/** Returns the last search parameters of a path, so that a link restores its list. */
export function lastSearchOf(path: string): object {
  return lastSearches.get(path) ?? {}
}
