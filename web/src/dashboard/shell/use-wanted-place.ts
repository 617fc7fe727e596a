import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Session } from '../session/use-session.ts'

export interface Place {
  readonly pathname: string
  readonly search: object
}

interface Wanted extends Place {
  /** Who was there; undefined where nobody was known yet. */
  readonly accountID: string | undefined
}

/**
 * Where somebody wanted to be when they were asked to sign in. Whoever signs in as somebody else than the one before is not led to a
 * page of theirs.
 */
export function useWantedPlace(
  session: Session | null | undefined,
  isAtEntrance: boolean,
): Place | undefined {
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
