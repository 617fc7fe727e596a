import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useApi } from '../use-api.ts'

const place = 'coffer.merchant'

/** The merchant of the address; elsewhere the one last looked at, or the first there is. */
export function useLastMerchant(): string | undefined {
  const { merchantID } = useParams({ strict: false })
  const { data: merchants = [] } = useApi('listMerchants', { limit: 100 })
  useEffect(() => {
    if (merchantID !== undefined) localStorage.setItem(place, merchantID)
  }, [merchantID])
  if (merchantID !== undefined) return merchantID
  const last = localStorage.getItem(place)
  return merchants.find(({ id }) => id === last)?.id ?? merchants[0]?.id
}
