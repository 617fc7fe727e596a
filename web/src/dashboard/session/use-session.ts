import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { CofferError, type ReplyOf } from 'coffer-sdk'
import { useEffect } from 'react'
import { api, keepCsrfToken, whenSessionEnds } from '../client.ts'

export type Session = ReplyOf<'getDashboardSession'>

export const sessionKey = ['session'] as const

/** Who is logged in; null where nobody is. */
export function useSession(): UseQueryResult<Session | null, Error> {
  const queries = useQueryClient()
  useEffect(() => whenSessionEnds(() => queries.setQueryData(sessionKey, null)), [queries])
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 60_000 })
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
