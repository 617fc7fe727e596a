import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'

/** By the path of each page that was looked at since it was loaded: what its address said beside the path. */
const lastSearches = new Map<string, object>()

/** Keeps in mind with which filters, and at which page, each list was looked at last. */
export function useKeptSearches(): void {
  const { pathname, search } = useLocation()
  useEffect(() => {
    lastSearches.set(pathname, search)
  }, [pathname, search])
}

/** What a way back to that page takes along, so that the list is the one that was left. */
export function lastSearchOf(path: string): object {
  return lastSearches.get(path) ?? {}
}
