import { type QueryClient, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { useEffect } from 'react'
import { api, keepCsrfToken, whenSessionEnds } from '../client.ts'

export type Session = ReplyOf<'getDashboardSession'>

export const sessionKey = ['session'] as const

/** Who is logged in; null where nobody is. */
export function useSession(): UseQueryResult<Session | null, Error> {
  const queries = useQueryClient()
  useEffect(() => whenSessionEnds(() => endSession(queries)), [queries])
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 60_000 })
}

/** Nobody is logged in any more: what was shown to whoever was is forgotten, and the next one sees none of it. */
export function endSession(queries: QueryClient): void {
  keepCsrfToken(undefined)
  queries.setQueryData(sessionKey, null)
  // Not the session with the rest: who looks at it would look at what is gone, and the page would stand still.
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
