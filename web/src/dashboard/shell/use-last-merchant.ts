import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useApi } from '../use-api.ts'

const storageKey = 'coffer.merchant'

/**
 * Returns the merchant in the URL. On pages without a merchant, returns the one that was opened last, or the
 * first one.
 */
export function useLastMerchant(): string | undefined {
  const { merchantID } = useParams({ strict: false })
  const { data: merchants = [] } = useApi('listMerchants', { limit: 100 })
  useEffect(() => {
    if (merchantID !== undefined) localStorage.setItem(storageKey, merchantID)
  }, [merchantID])
  if (merchantID !== undefined) return merchantID
  const last = localStorage.getItem(storageKey)
  return merchants.find(({ id }) => id === last)?.id ?? merchants[0]?.id
}
