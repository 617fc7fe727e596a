import { type QueryClient, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { useEffect } from 'react'
import { api, keepCsrfToken, whenSessionEnds } from '../client.ts'

export type Session = ReplyOf<'getDashboardSession'>

export const sessionKey = ['session'] as const

/** Returns the session of the logged-in account; null if nobody is logged in. */
export function useSession(): UseQueryResult<Session | null, Error> {
  const queries = useQueryClient()
  useEffect(() => whenSessionEnds(() => endSession(queries)), [queries])
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 60_000 })
}

/** Ends the session in this page and removes all loaded data, so that the next user cannot see it. */
export function endSession(queries: QueryClient): void {
  keepCsrfToken(undefined)
  queries.setQueryData(sessionKey, null)
  // The query of the session is not removed. Components that use it would keep the removed query, and the
  // page would not update.
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

async function readSession(): Promise<Session | null> {
  try {
    const session = await api.getDashboardSession()
    keepCsrfToken(session.csrfToken)
    return session
  } catch (error) {
    if (error instanceof CofferError && error.status === 401) return null
    throw error
  }
}
