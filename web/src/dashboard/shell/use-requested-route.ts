import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Session } from '../session/use-session.ts'

export interface Route {
  readonly pathname: string
  readonly search: object
}

interface Wanted extends Route {
  /** The account that was logged in last; undefined if there was none. */
  readonly accountID: string | undefined
}

/**
 * Returns the page that was requested before the redirect to the sign-in page. Returns undefined if another
 * account logs in than before, because the page belongs to the previous account.
 */
export function useRequestedRoute(
  session: Session | null | undefined,
  isAtEntrance: boolean,
): Route | undefined {
  const { pathname, search } = useLocation()
  const [accountID, setAccountID] = useState<string>()
  const [wanted, setWanted] = useState<Wanted>()
  const currentID = session?.account.id
  useEffect(() => {
    if (currentID !== undefined) setAccountID(currentID)
  }, [currentID])
  useEffect(() => {
    if (session === null && !isAtEntrance) setWanted({ pathname, search, accountID })
  }, [session, isAtEntrance, pathname, search, accountID])
  const isTheirs = wanted?.accountID === undefined || wanted.accountID === currentID
  return isTheirs ? wanted : undefined
}
